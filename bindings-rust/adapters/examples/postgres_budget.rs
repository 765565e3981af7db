//! A shared budget in PostgreSQL, for the page of this crate: the address of the server is the argument.

use backoff_adapters::postgres::PostgresStore;
use backoff_retry::{Retry, SharedBudget};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or("postgres://127.0.0.1/".to_owned());
    let store = PostgresStore::new(address.parse()?, postgres::NoTls);
    store.create_table()?; // or run PostgresStore::CREATE_TABLE with your migrations
    let budget = SharedBudget::builder(store, "orders", "ratio:ratio=20%").build()?;

    let retry = Retry::new("full:base=10ms,max_retries=3".parse()?).shared_budget(&budget);
    let mut answers = [Err("busy"), Err("busy"), Ok("hello")].into_iter();
    let answer = retry
        .when(|_: &&str| true)
        .on_retry(|event| println!("local budget: {}", event.budget_is_local))
        .call(|| answers.next().unwrap());
    println!("{answer:?}");

    budget.flush(); // before the process ends
    Ok(())
}
