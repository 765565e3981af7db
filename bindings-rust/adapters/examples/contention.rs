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

/// What all clients count.
#[derive(Default)]
struct Counts {
    local: AtomicU64,
    exchanges: AtomicU64,
    calls: AtomicU64,
}

/// A store that counts its calls.
struct Counted {
    store: Box<dyn BudgetStore>,
    counts: Arc<Counts>,
}

impl BudgetStore for Counted {
    fn load(&mut self, key: &str) -> Result<Stored, StoreError> {
        self.counts.calls.fetch_add(1, Ordering::Relaxed);
        self.store.load(key)
    }

    fn compare_and_swap(
        &mut self,
        key: &str,
        expected: Option<&str>,
        new: &str,
    ) -> Result<bool, StoreError> {
        self.counts.calls.fetch_add(1, Ordering::Relaxed);
        self.store.compare_and_swap(key, expected, new)
    }
}

/// Asks for a retry.
type Ask = Box<dyn FnMut() + Send>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, address, clients, lease, pause_us, seconds] = &arguments[..] else {
        return Err(USAGE.into());
    };
    let (clients, lease) = (clients.parse()?, lease.parse()?);
    let pause = Duration::from_micros(pause_us.parse()?);
    let time = Duration::from_secs(seconds.parse()?);
    let counts = Arc::new(Counts::default());
    let asks: Vec<Ask> = (0..clients)
        .map(|_| client(kind, address, lease, &counts))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let barrier = Arc::new(Barrier::new(clients));
    let threads: Vec<_> = asks
        .into_iter()
        .map(|mut ask| {
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
    let [local, exchanges, calls] = [&counts.local, &counts.exchanges, &counts.calls]
        .map(|count| count.load(Ordering::Relaxed));
    println!(
        "{{\"requests\": {}, \"local\": {local}, \"exchanges\": {exchanges}, \"calls\": {calls}, \
         \"p50_us\": {}, \"p99_us\": {}}}",
        times.len(),
        of_time(50),
        of_time(99),
    );
    Ok(())
}

fn client(
    kind: &str,
    address: &str,
    lease: u32,
    counts: &Arc<Counts>,
) -> Result<Ask, Box<dyn Error>> {
    let store: Box<dyn BudgetStore> = match kind {
        "script" => {
            let mut connection = redis::Client::open(address)?.get_connection()?;
            let script = redis::Script::new(SCRIPT);
            return Ok(Box::new(move || {
                let granted: u32 = script.key("bucket").invoke(&mut connection).expect("an answer");
                assert_eq!(granted, 1, "the bucket is empty");
            }));
        }
        "redis" => Box::new(RedisStore::new(redis::Client::open(address)?)),
        "postgres" => {
            let store = PostgresStore::new(address.parse()?, postgres::NoTls);
            store.create_table()?;
            Box::new(store)
        }
        _ => return Err(USAGE.into()),
    };
    let store = Counted { store, counts: Arc::clone(counts) };
    let exchanged = Arc::clone(counts);
    let budget = SharedBudget::builder(store, "contention", BUDGET)
        .lease(lease)
        .on_exchange(move |_| {
            exchanged.exchanges.fetch_add(1, Ordering::Relaxed);
        })
        .build()?;
    let counts = Arc::clone(counts);
    let policy = POLICY.parse()?;
    Ok(Box::new(move || {
        let retry = Retry::new(policy).shared_budget(&budget);
        let mut has_failed = false;
        let plan = retry.when(|(): &()| true).on_retry(|event| {
            counts.local.fetch_add(u64::from(event.budget_is_local), Ordering::Relaxed);
        });
        let _ =
            plan.run(|| if std::mem::replace(&mut has_failed, true) { Ok(()) } else { Err(()) });
    }))
}
