//! Budgets that many processes share, through the public API, over a store in memory.

mod away;
mod exchanges;
mod level;
mod store;
#[allow(dead_code, reason = "others use the rest")]
#[path = "../../../core/tests/conformance/vectors.rs"]
mod vectors;

use std::collections::VecDeque;
use std::time::Duration;

use backoff_retry::{
    Budget, Fallback, Outcome, Report, Retry, SharedBudget, SharedBudgetBuilder, StopReason,
};

use crate::store::Memory;

/// A shared budget whose loops have patience: the machine may be slow.
fn builder(store: &Memory, budget: &str) -> SharedBudgetBuilder {
    SharedBudget::builder(store.clone(), "test", budget).timeout(Duration::from_secs(60))
}

fn shared(store: &Memory, budget: &str) -> SharedBudget {
    builder(store, budget).build().unwrap()
}

fn retry(policy: &str) -> Retry<'static> {
    Retry::new(policy.parse().unwrap())
}

/// A loop whose attempts end so, one after the other, and then succeed.
fn run(retry: &Retry<'_>, outcomes: &[Outcome]) -> Report<Outcome> {
    let mut outcomes = outcomes.iter().copied();
    let plan = retry.classify(|outcome: &Outcome| *outcome);
    plan.call_with_report(|| outcomes.next().unwrap_or(Outcome::Success))
}

#[test]
fn processes_share_one_account() {
    let store = Memory::default();
    let text = "quota:max_tokens=3,cost=1";
    let attempts = [shared(&store, text), shared(&store, text)].map(|budget| {
        let retry = retry("constant:base=0s,max_retries=2").shared_budget(budget);
        let report = run(&retry, &[Outcome::Transient; 9]);
        (report.reason, report.attempts)
    });
    assert_eq!(attempts, [(StopReason::MaxRetries, 3), (StopReason::Budget, 2)]);
    let world = store.world();
    let keys: Vec<_> = world.texts.keys().map(String::as_str).collect();
    assert_eq!(keys, ["backoff:test:quota:max_tokens=3,cost=1"]);
}

/// A budget of this process, which sees the same, decides the same.
#[test]
fn the_decisions_are_those_of_a_budget_of_this_process() {
    use Outcome::{Permanent, Success, Throttled, Timeout, Transient};
    let ends = [Transient, Throttled, Timeout, Permanent, Success];
    for text in
        ["aws-sdk-2026", "grpc-retry", "sre", "rate:max_tokens=5", "finagle:min_per_second=0"]
    {
        let own = Budget::parse(text).unwrap();
        let store = Memory::default();
        let shared = shared(&store, text);
        let policy = "constant:base=1ms,max_retries=6";
        let own = retry(policy).budget(&own).sleep(|_| {}).clock(|| Duration::from_secs(5));
        let shared = retry(policy).shared_budget(&shared).sleep(|_| {});
        store.world().now_ns = 5_000_000_000;
        let mut number = 7_u64;
        let mut refused = 0;
        for _ in 0..60 {
            let outcomes: Vec<_> = (0..6)
                .map(|_| {
                    number = number.wrapping_mul(6364136223846793005).wrapping_add(1);
                    ends[usize::try_from(number >> 60).unwrap() % 5]
                })
                .collect();
            let calls = |outcomes: &[Outcome]| {
                let mut left = VecDeque::from(outcomes.to_vec());
                move || left.pop_front().unwrap_or(Success)
            };
            let expected = own.classify(|end: &Outcome| *end).call_with_report(calls(&outcomes));
            let found = shared.classify(|end: &Outcome| *end).call_with_report(calls(&outcomes));
            assert_eq!(
                (found.reason, found.attempts, found.delay),
                (expected.reason, expected.attempts, expected.delay),
                "{text}: {outcomes:?}"
            );
            refused += usize::from(found.reason == StopReason::Budget);
        }
        assert!(refused > 0, "{text}");
    }
}

#[tokio::test]
async fn async_loops_ask_the_store_too() {
    let store = Memory::default();
    let budget = shared(&store, "quota:max_tokens=20,cost=1");
    let loops = (0..8).map(|_| {
        let retry = retry("constant:base=0s").shared_budget(&budget);
        tokio::spawn(async move {
            let plan = retry.when(|(): &()| true);
            plan.call_async_with_report(async || Err::<(), _>(())).await.attempts
        })
    });
    let mut attempts = 0;
    for task in loops.collect::<Vec<_>>() {
        attempts += task.await.unwrap();
    }
    assert_eq!(attempts, 8 + 20);
}

/// Polls a future until it is ready, when it says so.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(output) => return output,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn many_threads_get_no_more_than_there_is() {
    let (threads, loops, tokens) = if cfg!(miri) { (6, 1, 60) } else { (12, 3, 300) };
    let store = Memory::default();
    let account = format!("quota:max_tokens={tokens},cost=1");
    // Miri on a busy machine needs more than a minute.
    let patient = || builder(&store, &account).timeout(Duration::from_secs(3600));
    let budgets = [(); 3].map(|()| patient().lease(4).build().unwrap());
    let attempts: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|n| {
                let retry = retry("constant:base=0s,max_retries=20").shared_budget(&budgets[n % 3]);
                scope.spawn(move || {
                    (0..loops).map(|_| run(&retry, &[Outcome::Transient; 99]).attempts).sum::<u64>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    // While they contend, up to 15 retries of each process lie unused.
    let most = (threads * loops + tokens) as u64;
    assert!((most - 45..=most).contains(&attempts), "{attempts}");
}

#[test]
fn what_cannot_be_a_shared_budget_is_an_error_that_says_why() {
    let store = Memory::default();
    let error = |builder: SharedBudgetBuilder| builder.build().unwrap_err().to_string();
    for (found, said) in [
        (error(builder(&store, "ratio:ratio=2")), "above 1"),
        (error(builder(&store, "envoy")), "concurrent cannot be shared"),
        (
            error(builder(&store, "sre").local_budget("concurrent")),
            "local budget: a budget of the kind concurrent cannot be shared",
        ),
        (error(builder(&store, "sre").local_budget("")), "local budget: "),
        (error(builder(&store, "sre").lease(0)), "the lease is 0, and must be from 1 to 1000"),
        (error(builder(&store, "sre").lease(1001)), "the lease is 1001"),
        (
            error(builder(&store, "sre").fallback(Fallback::ShareOf(0))),
            "the number of processes is 0, and must be",
        ),
        (
            error(builder(&store, "sre").fallback(Fallback::ShareOf(1_000_001))),
            "must be from 1 to 1000000",
        ),
        (error(builder(&store, "sre").timeout(Duration::ZERO)), "the timeout is zero"),
        (error(SharedBudget::builder(store.clone(), "", "sre")), "the name is empty"),
        (error(SharedBudget::builder(store.clone(), "a\0b", "sre")), "control character '\\0'"),
        (error(SharedBudget::builder(store.clone(), "a\u{85}", "sre")), "control character"),
        (
            error(SharedBudget::builder(store.clone(), "é".repeat(128), "sre")),
            "the name has 256 bytes, and may have at most 255",
        ),
    ] {
        assert!(found.contains(said), "{found}");
    }
    let longest = builder(&store, "sre").timeout(Duration::MAX).build().unwrap();
    assert!(longest.flush());
    assert_eq!(format!("{longest:?}"), "SharedBudget(\"backoff:test:ratio\")");
    let retry = retry("constant:base=3s").shared_budget(longest);
    assert!(
        format!("{retry:?}").contains("budget: SharedBudget(\"backoff:test:ratio\")"),
        "{retry:?}"
    );
}

/// The last one that is set counts.
#[test]
fn a_loop_has_one_budget() {
    let store = Memory::default();
    let none = Budget::parse("ratio:ratio=0,max_tokens=1").unwrap();
    let shared = shared(&store, "quota:max_tokens=3,cost=1");
    let retry = retry("constant:base=0s").budget(&none).shared_budget(&shared);
    assert_eq!(run(&retry, &[Outcome::Transient; 9]).attempts, 4);
    assert_eq!(run(&retry.budget(&none), &[Outcome::Transient; 9]).attempts, 2);
}
