//! Clients that contend for one budget, for `cargo xtask scenario contention`:
//! `contention redis|postgres|script ADDRESS CLIENTS LEASE PAUSE_US SECONDS`.
//!
//! Each client is a thread with a connection of its own, which asks for a retry again and again, with a
//! pause between its requests. `script` is what people write today: a token bucket in a Lua script in
//! Redis, which each request calls. The program prints what happened as a line of JSON.

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use backoff_adapters::postgres::PostgresStore;
use backoff_adapters::redis::RedisStore;
use backoff_retry::{BudgetStore, Retry, SharedBudget, StoreError, Stored};

const USAGE: &str =
    "usage: contention redis|postgres|script ADDRESS CLIENTS LEASE PAUSE_US SECONDS";
/// It refuses no request, so that each one is a grant.
const BUDGET: &str = "rate:max_tokens=100000,per=100ms";
const POLICY: &str = "immediate:max_retries=1";
/// The same bucket by hand.
const SCRIPT: &str = "
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(bucket[1]) or 1000000
tokens = math.min(1000000, tokens + (now - (tonumber(bucket[2]) or now)) * 1000000)
local granted = tokens >= 1
if granted then tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
return granted and 1 or 0";

/// A store that counts the calls of all clients.
struct Counted {
    store: Box<dyn BudgetStore>,
    calls: Arc<AtomicU64>,
}

impl BudgetStore for Counted {
    fn load(&mut self, key: &str) -> Result<Stored, StoreError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.store.load(key)
    }

    fn compare_and_swap(
        &mut self,
        key: &str,
        expected: Option<&str>,
        new: &str,
    ) -> Result<bool, StoreError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.store.compare_and_swap(key, expected, new)
    }
}

/// A client.
struct Client {
    ask: Box<dyn FnMut() + Send>,
    /// A script has none.
    budget: Option<SharedBudget>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, address, clients, lease, pause_us, seconds] = &arguments[..] else {
        return Err(USAGE.into());
    };
    let (clients, lease) = (clients.parse()?, lease.parse()?);
    let pause = Duration::from_micros(pause_us.parse()?);
    let time = Duration::from_secs(seconds.parse()?);
    let calls = Arc::default();
    let clients = (0..clients)
        .map(|_| client(kind, address, lease, &calls))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let budgets: Vec<_> = clients.iter().filter_map(|client| client.budget.clone()).collect();
    let barrier = Arc::new(Barrier::new(clients.len()));
    let threads: Vec<_> = clients
        .into_iter()
        .map(|Client { mut ask, .. }| {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || {
                barrier.wait();
                let (begun, mut times) = (Instant::now(), Vec::new());
                while begun.elapsed() < time {
                    let asked = Instant::now();
                    ask();
                    times.push(asked.elapsed());
                    thread::sleep(pause);
                }
                times
            })
        })
        .collect();
    let mut times = Vec::new();
    for thread in threads {
        times.extend(thread.join().map_err(|_| "a client panicked")?);
    }
    times.sort_unstable();
    let of_time = |percent: usize| times[times.len() * percent / 100].as_micros();
    let stats: Vec<_> = budgets.iter().map(SharedBudget::stats).collect();
    println!(
        "{{\"requests\": {}, \"local\": {}, \"exchanges\": {}, \"calls\": {}, \
         \"p50_us\": {}, \"p99_us\": {}}}",
        times.len(),
        stats.iter().map(|stats| stats.local_decisions).sum::<u64>(),
        stats.iter().map(|stats| stats.exchanges).sum::<u64>(),
        calls.load(Ordering::Relaxed),
        of_time(50),
        of_time(99),
    );
    Ok(())
}

fn client(
    kind: &str,
    address: &str,
    lease: u32,
    calls: &Arc<AtomicU64>,
) -> Result<Client, Box<dyn Error>> {
    let store: Box<dyn BudgetStore> = match kind {
        "script" => {
            let mut connection = redis::Client::open(address)?.get_connection()?;
            let script = redis::Script::new(SCRIPT);
            let ask = move || {
                let granted: u32 = script.key("bucket").invoke(&mut connection).expect("an answer");
                assert_eq!(granted, 1, "the bucket is empty");
            };
            return Ok(Client { ask: Box::new(ask), budget: None });
        }
        "redis" => Box::new(RedisStore::new(redis::Client::open(address)?)),
        "postgres" => {
            let store = PostgresStore::new(address.parse()?, postgres::NoTls);
            store.create_table()?;
            Box::new(store)
        }
        _ => return Err(USAGE.into()),
    };
    let store = Counted { store, calls: Arc::clone(calls) };
    let budget = SharedBudget::builder(store, "contention", BUDGET).lease(lease).build()?;
    let retry = Retry::new(POLICY.parse()?).shared_budget(&budget);
    let ask = move || {
        let mut has_failed = false;
        let plan = retry.when(|(): &()| true);
        let _ = plan.call_with_report(|| {
            if std::mem::replace(&mut has_failed, true) { Ok(()) } else { Err(()) }
        });
    };
    Ok(Client { ask: Box::new(ask), budget: Some(budget) })
}
