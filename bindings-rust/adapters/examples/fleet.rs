//! A process of a fleet that shares one budget, for `cargo xtask scenario fleet`:
//! `fleet redis|postgres ADDRESS NAME BUDGET LEASE REQUESTS LOG`.
//!
//! Four loops request retries until the store has decided about REQUESTS. Every exchange with the store is
//! a line of JSON in the file LOG. The last line that it prints says how many requests the store and
//! the local budget decided.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use backoff_adapters::postgres::PostgresStore;
use backoff_adapters::redis::RedisStore;
use backoff_retry::{
    BudgetEvent, BudgetExchange, Retry, RetryEvent, SharedBudget, StopReason, SwapOutcome,
};
use serde_json::json;

const USAGE: &str = "usage: fleet redis|postgres ADDRESS NAME BUDGET LEASE REQUESTS LOG";
const LOOPS: usize = 4;
const POLICY: &str = "constant:base=1ns,max_retries=20";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, address, name, text, lease, requests, log] = &arguments[..] else {
        return Err(USAGE.into());
    };
    let budget = match kind.as_str() {
        "redis" => {
            SharedBudget::builder(RedisStore::new(redis::Client::open(&**address)?), name, text)
        }
        "postgres" => {
            let store = PostgresStore::new(address.parse()?, postgres::NoTls);
            store.create_table()?;
            SharedBudget::builder(store, name, text)
        }
        _ => return Err(USAGE.into()),
    };
    let log = Mutex::new(File::create(log)?);
    let budget = budget
        .lease(lease.parse()?)
        .timeout(Duration::from_secs(1))
        .on_exchange(move |exchange| {
            if exchange.stored == SwapOutcome::No {
                return;
            }
            let mut log = log.lock().expect("no other thread panicked");
            // A line that cannot be written ends the process.
            log.write_all(line(exchange).as_bytes()).expect("a line of the log");
        })
        .build()?;
    let counted = Arc::new(Counted::default());
    let most = requests.parse()?;
    let retry = Retry::new(POLICY.parse()?).shared_budget(&budget);
    thread::scope(|scope| {
        for _ in 0..LOOPS {
            scope.spawn(|| {
                while counted.requests.load(Ordering::SeqCst) < most {
                    counted.run(&retry);
                }
            });
        }
    });
    // A store that is still away decides later.
    while !budget.flush() {
        thread::sleep(Duration::from_millis(100));
    }
    let number = |count: &AtomicU64| count.load(Ordering::SeqCst);
    let Counted { requests, granted, local } = &*counted;
    let [requests, granted, local] = [requests, granted, local].map(number);
    println!("{{\"requests\": {requests}, \"granted\": {granted}, \"local\": {local}}}");
    Ok(())
}

/// The requests that the store decided, those of them that it granted, and the requests that the
/// local budget decided.
#[derive(Default)]
struct Counted {
    requests: AtomicU64,
    granted: AtomicU64,
    local: AtomicU64,
}

impl Counted {
    /// One operation that always fails.
    fn run(&self, retry: &Retry<'_>) {
        let mut was_local = false;
        let mut count = |event: &RetryEvent<'_, Result<(), ()>>| {
            if event.reason.is_none_or(|reason| reason == StopReason::Budget) {
                was_local |= event.budget_is_local;
                let decided = if event.budget_is_local { &self.local } else { &self.requests };
                decided.fetch_add(1, Ordering::SeqCst);
                if !event.budget_is_local && event.reason.is_none() {
                    self.granted.fetch_add(1, Ordering::SeqCst);
                }
            }
        };
        let count = std::cell::RefCell::new(&mut count);
        let plan = retry
            .when(|(): &()| true)
            .on_retry(|event| (count.borrow_mut())(event))
            .on_stop(|event| (count.borrow_mut())(event));
        let _ = plan.call(|| Err::<(), ()>(()));
        if was_local {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn line(exchange: &BudgetExchange) -> String {
    let steps = exchange.steps.iter().map(|step| {
        let (event, outcome, held) = match step.event {
            BudgetEvent::OperationBegan => ("operation_began", None, 0),
            BudgetEvent::AttemptOver { .. } => ("attempt_over", None, 0),
            BudgetEvent::AttemptFailed => ("attempt_failed", None, 0),
            BudgetEvent::RetryRequested { outcome } => ("retry_requested", Some(outcome.name()), 0),
            BudgetEvent::OperationSucceeded { held } => ("operation_succeeded", None, held),
            _ => ("operation_ended", None, 0),
        };
        let granted = outcome.map(|_| step.granted);
        json!({
            "event": event, "outcome": outcome, "held": held, "count": step.count, "granted": granted,
        })
    });
    let stored = match exchange.stored {
        SwapOutcome::Yes => "yes",
        SwapOutcome::Unchanged => "unchanged",
        SwapOutcome::Lost => "lost",
        _ => "unknown",
    };
    let (before, now, after) = (&exchange.before, exchange.now_ns.to_string(), &exchange.after);
    let steps: Vec<_> = steps.collect();
    let line = json!({
        "before": before, "now": now, "steps": steps, "after": after, "stored": stored,
    });
    format!("{line}\n")
}
