//! The policy and the budget on tower's retry middleware, in tokio's paused time.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use backoff_adapters::tower::{MayRepeat, PROXY_STATUSES, RetryBudget, RetryPolicy};
use backoff_retry::{
    Budget, BudgetStore, Outcome, Retry, RetryStats, SharedBudget, StopReason, StoreError, Stored,
    Verdict,
};
use http::{Request, Response};
use tokio::time::{Instant, timeout};
use tower::retry::RetryLayer;
use tower::retry::budget::Budget as _;
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

fn retry(policy: &str) -> Retry<'static> {
    Retry::new(policy.parse().unwrap())
}

/// When the service was called, since the test began.
type Calls = Arc<Mutex<Vec<Duration>>>;

/// A service that fails so often, and what was called when.
fn failing(
    times: usize,
) -> (impl Service<u8, Response = u8, Error = &'static str, Future: Send> + Clone, Calls) {
    let (calls, begun) = (Calls::default(), Instant::now());
    let seen = calls.clone();
    let service = service_fn(move |request: u8| {
        let mut calls = seen.lock().unwrap();
        calls.push(begun.elapsed());
        std::future::ready(if calls.len() > times { Ok(request) } else { Err("busy") })
    });
    (service, calls)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the policy passes a reference")]
fn is_busy(_: &u8, result: &Result<u8, &'static str>) -> bool {
    *result == Err("busy")
}

/// Times in whole milliseconds, as tokio's timer counts.
fn ms(calls: &Calls) -> Vec<u128> {
    calls.lock().unwrap().iter().map(Duration::as_millis).collect()
}

#[test]
#[should_panic(expected = "TimeoutLayer")]
fn a_limit_that_tower_cannot_enforce_is_refused() {
    let _ = RetryPolicy::new(retry("default:attempt_timeout=1s"), is_busy);
}

#[tokio::test(start_paused = true)]
async fn the_service_waits_for_the_delays_of_the_policy() {
    let delays = Arc::<Mutex<Vec<_>>>::default();
    let seen = delays.clone();
    let policy = RetryPolicy::new(
        retry("full:base=100ms,cap=20s,max_retries=5").seed_and_key(42, "job-1"),
        is_busy,
    )
    .on_retry(move |event| seen.lock().unwrap().push((event.attempts, event.delay.as_nanos())));
    let (service, calls) = failing(3);
    let service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(service);
    assert_eq!(service.oneshot(7).await, Ok(7));
    let expected = [(1, 11_399_434), (2, 83_043_876), (3, 229_309_811)];
    assert_eq!(*delays.lock().unwrap(), expected);
    // Tokio rounds up to milliseconds.
    assert_eq!(ms(&calls), [0, 12, 96, 326]);
}

#[tokio::test(start_paused = true)]
async fn every_request_is_an_operation_of_its_own() {
    let stats = Arc::new(RetryStats::new());
    let policy = RetryPolicy::new(retry("constant:base=1s,max_retries=2").stats(&stats), is_busy);
    let (service, calls) = failing(5);
    let mut service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(service);
    // Both requests are under way at the same time, and so is a clone of the service.
    let mut other = service.clone();
    let one = service.ready().await.unwrap().call(1);
    let two = other.ready().await.unwrap().call(2);
    assert_eq!(tokio::join!(one, two), (Err("busy"), Ok(2)));
    assert_eq!(service.oneshot(3).await, Ok(3));
    assert_eq!(ms(&calls), [0, 0, 1000, 1000, 2000, 2000, 2000]);
    assert_eq!((stats.operations(), stats.retries()), (3, 4));
    assert_eq!((stats.stops(StopReason::MaxRetries), stats.stops(StopReason::Success)), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_request_is_cancelled() {
    let budget = Arc::new(Budget::parse("concurrent:min_concurrent=1,ratio=0").unwrap());
    let stats = Arc::new(RetryStats::new());
    let reasons = Arc::<Mutex<Vec<_>>>::default();
    let seen = reasons.clone();
    let retry = retry("constant:base=1h,max_retries=1").budget(&budget).stats(&stats);
    let policy = RetryPolicy::new(retry, is_busy)
        .on_stop(move |event| seen.lock().unwrap().push(event.reason.unwrap()));
    let (service, calls) = failing(9);
    let service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(service);
    let mut waiting = Box::pin(service.clone().oneshot(1));
    assert!(timeout(Duration::from_secs(1), &mut waiting).await.is_err());
    // The one retry that the budget allows at a time is taken.
    assert_eq!(service.clone().oneshot(2).await, Err("busy"));
    drop(waiting);
    assert!(timeout(Duration::from_secs(1), service.clone().oneshot(3)).await.is_err());
    let cancelled = StopReason::Cancelled;
    assert_eq!(*reasons.lock().unwrap(), [StopReason::Budget, cancelled, cancelled]);
    assert_eq!((stats.operations(), stats.stops(cancelled)), (3, 2));
    assert_eq!(calls.lock().unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn limits_of_time_count_from_the_call() {
    let start = Instant::now();
    let retry = retry("constant:base=1s,max_elapsed=10s").clock(move || start.elapsed());
    let policy = RetryPolicy::new(retry, |(): &(), result: &Result<(), ()>| result.is_err());
    let slow = service_fn(async |()| {
        tokio::time::sleep(Duration::from_secs(4)).await;
        Err::<(), ()>(())
    });
    let service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(slow);
    assert_eq!(service.oneshot(()).await, Err(()));
    // Attempts end after 4, 9 and 14 seconds; the wait after the second one ends after 10.
    assert_eq!(start.elapsed().as_secs(), 14);
}

/// Tower does not say when a wait ends, and the attempts still begin then.
#[tokio::test(start_paused = true)]
async fn attempts_that_ran_long_begin_the_count_anew() {
    for (policy, attempts) in [
        ("constant:base=1s,max_retries=2,reset_after=4s", 6),
        ("constant:base=1s,max_retries=2,reset_after=5s", 3),
        // The failures are after 1, 3, 8, 13 and 15 seconds.
        ("constant:base=1s,max_elapsed=13s,elapsed_from=failure", 5),
        ("constant:base=1s,max_elapsed=13s", 4),
    ] {
        let start = Instant::now();
        let seconds = Arc::new(Mutex::new([1, 1, 4, 4, 1, 1, 1, 1].into_iter()));
        let calls = Arc::<Mutex<u64>>::default();
        let counted = calls.clone();
        let service = service_fn(move |()| {
            *counted.lock().unwrap() += 1;
            let seconds = seconds.lock().unwrap().next().unwrap();
            async move {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
                Err::<(), ()>(())
            }
        });
        let retry = retry(policy).clock(move || start.elapsed());
        let policy = RetryPolicy::new(retry, |(): &(), result: &Result<(), ()>| result.is_err());
        let service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(service);
        assert_eq!(service.oneshot(()).await, Err(()));
        assert_eq!(*calls.lock().unwrap(), attempts);
    }
}

#[tokio::test(start_paused = true)]
async fn verdicts_have_a_retry_after() {
    let classify = |_: &u8, result: &Result<u8, &'static str>| match result {
        Ok(_) => Verdict::from(Outcome::Success),
        Err(_) => Verdict::from(Outcome::Throttled).retry_after(Duration::from_secs(3)),
    };
    let policy = RetryPolicy::new(retry("constant:base=1s,max_retries=2"), classify);
    let (service, calls) = failing(1);
    let service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(service);
    assert_eq!(service.oneshot(7).await, Ok(7));
    assert_eq!(ms(&calls), [0, 3000]);
}

/// The lines of a log for a request to a service that answers with these statuses in turn.
async fn log_of(
    options: fn(HttpPolicy) -> HttpPolicy,
    request: http::request::Builder,
    statuses: &'static [u16],
) -> Vec<String> {
    let lines = Arc::<Mutex<Vec<String>>>::default();
    let (retries, stops) = (lines.clone(), lines.clone());
    let policy = RetryPolicy::http(retry("constant:base=1s,max_retries=2"), of_error as OfError);
    let policy = options(policy)
        .on_retry(move |event| retries.lock().unwrap().push(event.to_string()))
        .on_stop(move |event| {
            assert_eq!(event.request.uri().query(), Some("secret"));
            stops.lock().unwrap().push(event.to_string());
        });
    let mut statuses = statuses.iter();
    let service = service_fn(move |_: Request<&'static str>| {
        let status = *statuses.next().unwrap();
        let response = Response::builder().status(status.max(100)).body(()).unwrap();
        std::future::ready(if status < 100 { Err(status) } else { Ok(response) })
    });
    let service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(service);
    let _ = service.oneshot(request.body("text").unwrap()).await;
    std::mem::take(&mut *lines.lock().unwrap())
}

type OfError = fn(&u16) -> bool;
type HttpPolicy = RetryPolicy<backoff_adapters::tower::Http<OfError>>;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the policy passes a reference")]
fn of_error(error: &u16) -> bool {
    *error == 1
}

#[tokio::test(start_paused = true)]
async fn hooks_and_stats_see_every_http_request_and_its_name() {
    let post = || Request::post("http://user:password@host/orders?secret");
    let get = || Request::get("/orders?secret");
    let none: fn(HttpPolicy) -> HttpPolicy = |policy| policy;
    assert_eq!(
        log_of(none, get(), &[503, 1, 200]).await,
        [
            "GET /orders, attempt 1: 503, waiting 1s",
            "GET /orders, attempt 2: transient, waiting 1s",
            "GET /orders, attempt 3: 200, stopped: success",
        ]
    );
    let once =
        "POST http://host/orders, attempt 1: 503, stopped: permanent, not repeatable (method)";
    assert_eq!(log_of(none, post(), &[503]).await, [once]);
    let caller = "GET /orders, attempt 1: 503, stopped: permanent, not repeatable (caller)";
    assert_eq!(log_of(none, get().extension(MayRepeat(false)), &[503]).await, [caller]);
    assert_eq!(log_of(|policy| policy.may_repeat(|_| false), get(), &[503]).await, [caller]);
    let orders: fn(HttpPolicy) -> HttpPolicy =
        |policy| policy.may_repeat(|request| request.uri().path() == "/orders");
    assert_eq!(log_of(orders, post(), &[503, 200]).await.len(), 2);
    assert_eq!(log_of(|policy| policy.statuses(PROXY_STATUSES), get(), &[529, 200]).await.len(), 2);
}

#[tokio::test]
async fn a_budget_with_the_interface_of_tower() {
    for (text, at_first, deposits_for_one) in
        [("ratio:ratio=20%,max_tokens=3", 3, 5), ("quota:max_tokens=10,cost=5", 2, 5)]
    {
        let budget = RetryBudget::new(Arc::new(Budget::parse(text).unwrap())).unwrap();
        for _ in 0..at_first {
            assert!(budget.withdraw(), "{text}");
        }
        for _ in 0..2 {
            assert!(!budget.withdraw(), "{text}: a refusal changes nothing");
        }
        for _ in 0..deposits_for_one {
            assert!(!budget.withdraw(), "{text}");
            budget.deposit();
        }
        assert!(budget.withdraw(), "{text}");
        assert!(!budget.withdraw(), "{text}");
    }
    let throttle = RetryBudget::new(Arc::new(Budget::parse("grpc-retry").unwrap())).unwrap();
    assert_eq!((0..9).filter(|_| throttle.withdraw()).count(), 4);
    let concurrent = Arc::new(Budget::parse("envoy").unwrap());
    let error = RetryBudget::new(concurrent).unwrap_err();
    assert!(error.to_string().contains("concurrent"));
}

#[test]
fn a_policy_can_be_sent_and_shared() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug>(_: &T) {}
    check(&RetryPolicy::new(retry("default"), is_busy));
    check(&RetryPolicy::http(retry("default"), |_: &Infallible| false));
}

/// Tower wants to know at once, so the policy waits for the store.
#[tokio::test]
async fn a_shared_budget_decides() {
    struct Slow(Option<String>);
    impl BudgetStore for Slow {
        fn load(&mut self, _: &str) -> Result<Stored, StoreError> {
            std::thread::sleep(Duration::from_millis(5));
            Ok(Stored { text: self.0.clone(), now_ns: 0 })
        }

        fn compare_and_swap(
            &mut self,
            _: &str,
            _: Option<&str>,
            new: &str,
        ) -> Result<bool, StoreError> {
            self.0 = Some(new.to_owned());
            Ok(true)
        }
    }
    let budget = SharedBudget::builder(Slow(None), "test", "quota:max_tokens=2,cost=1");
    let budget = budget.timeout(Duration::from_secs(60)).build().unwrap();
    let reasons = Arc::<Mutex<Vec<_>>>::default();
    let seen = reasons.clone();
    let policy = RetryPolicy::new(retry("constant:base=1ms").shared_budget(budget), is_busy)
        .on_stop(move |event| seen.lock().unwrap().push((event.attempts, event.reason.unwrap())));
    let (service, calls) = failing(9);
    let service = ServiceBuilder::new().layer(RetryLayer::new(policy)).service(service);
    assert_eq!(service.oneshot(7).await, Err("busy"));
    assert_eq!(calls.lock().unwrap().len(), 3);
    assert_eq!(*reasons.lock().unwrap(), [(3, StopReason::Budget)]);
}
