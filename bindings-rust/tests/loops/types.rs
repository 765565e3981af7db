//! Properties of the types. Most of these tests only need to compile.

use std::fmt;
use std::future::ready;
use std::io;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::Arc;

use backoff_retry::{
    Backoff, Budget, CancelOnDrop, Decision, Loop, Operation, Outcome, ParseError, Policy,
    PolicyBuilder, PolicyError, Preview, PreviewRow, RandomStream, Ratio, RatioError, RefOrArc,
    Report, Retry, RetryEvent, RetryStats, TextBuf, Verdict,
};

use crate::support::{at_once, retry};

fn send<T: Send>(_: &T) {}
fn send_static<T: Send + 'static>(_: &T) {}

struct Client;

impl Client {
    async fn get(&self, url: &str) -> Result<usize, ()> {
        tokio::task::yield_now().await;
        Ok(url.len())
    }
}

/// A loop that borrows from the function that runs it, as in a service.
async fn borrows(url: String) -> Result<usize, ()> {
    let (client, budget, mut calls) = (Client, Budget::parse("sre").unwrap(), 0);
    let plan = retry("constant:base=0s").budget(&budget).when(|()| true);
    plan.on_retry(|event| assert_ne!(event.attempts, url.len() as u64))
        .call_async(|| {
            calls += 1;
            client.get(&url)
        })
        .await
}

fn boxed<'a>(
    client: &'a Client,
    url: &'a str,
) -> Pin<Box<dyn Future<Output = Result<usize, ()>> + Send + 'a>> {
    Box::pin(retry("constant:base=0s").when(|()| true).call_async(move || client.get(url)))
}

#[tokio::test]
async fn futures_can_be_spawned_if_their_parts_can() {
    assert_eq!(tokio::spawn(borrows("url".into())).await.unwrap(), Ok(3));
    assert_eq!(boxed(&Client, "url").await, Ok(3));

    let (budget, stats) = (Arc::new(Budget::parse("sre").unwrap()), Arc::new(RetryStats::new()));
    let name = String::from("name");
    let owned = name.clone();
    let future = Retry::default()
        .budget(&budget)
        .stats(stats.clone())
        .when(|error: &io::Error| error.kind() == io::ErrorKind::TimedOut)
        .when_value(|length: &usize| *length == 0)
        .on_retry(move |event| assert_ne!(event.attempts, owned.len() as u64))
        .call_async(move || ready(Ok(name.len())));
    send_static(&future);
    drop(future);

    let local = Budget::parse("sre").unwrap();
    let future = Retry::default()
        .budget(&local)
        .classify(|_: &i32| false)
        .call_async_with_report(|| ready(1));
    send(&future);
    assert_eq!(future.await.result, 1);
}

async fn refused() -> Result<u8, ()> {
    Err(())
}

fn refused_at_once() -> Result<u8, ()> {
    Err(())
}

#[test]
fn every_kind_of_function_can_be_called() {
    let retry = retry("constant:base=0s");
    let no: Result<u8, _> = Err(());
    assert_eq!(at_once(retry.when(|(): &()| false).call_async(refused)), no);
    assert_eq!(at_once(retry.when(|(): &()| false).call_async(|| async { refused().await })), no);
    assert_eq!(at_once(retry.when(|(): &()| false).call_async(async || refused().await)), no);
    let boxed: Box<dyn FnMut() -> Result<u8, ()>> = Box::new(refused_at_once);
    assert_eq!(retry.when(|(): &()| false).call(boxed), no);
    assert_eq!(retry.when(|()| Outcome::Permanent).call(refused_at_once), no);
}

#[test]
fn debug_output_shows_the_policy() {
    let budget = Budget::parse("sre").unwrap();
    let retry =
        retry("constant:base=3s").stream(RandomStream::from_seed(7)).budget(&budget).sleep(|_| {});
    let settings = "{ policy: Policy(\"constant:base=3s\"), stream: Some(RandomStream(7)), \
                    budget: Some(Budget(\"ratio\")), stats: None, .. }";
    assert_eq!(format!("{retry:?}"), format!("Retry {settings}"));
    let plan = retry.when(|()| true).on_stop(|_| {});
    assert_eq!(format!("{plan:?}"), format!("Loop {settings}"));
    let _ = plan.call(refused_at_once);
}

/// What services do with every value: keep it in a struct with `derive(Debug)`, send it to a task,
/// catch a panic around it.
fn ordinary<T: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe + Unpin + 'static>() {}

#[test]
fn every_type_is_ordinary() {
    ordinary::<(Policy, PolicyBuilder, RandomStream, Backoff, Preview, PreviewRow, TextBuf)>();
    ordinary::<(Operation, Budget, RetryStats, Decision, Outcome, Verdict, Ratio)>();
    ordinary::<(Retry<'static>, Report<Result<(), ()>>, RetryEvent<'static, Result<(), ()>>)>();
    ordinary::<(CancelOnDrop<'static>, RefOrArc<'static, Budget>, Loop<'static, (), ()>)>();
    ordinary::<(ParseError, PolicyError, RatioError)>();
}

/// The future of the call is in that of the loop once, whichever method made it.
#[test]
fn a_future_holds_the_call_once() {
    async fn large() -> Result<u8, ()> {
        let held = [7; 10_000];
        tokio::task::yield_now().await;
        Ok(held[0])
    }
    let call = retry("constant:base=0s").when(|()| true).call_async(large);
    let run = retry("constant:base=0s").when(|()| true).call_async_with_report(large);
    for size in [size_of_val(&call), size_of_val(&run)] {
        assert!(size < 12_000, "{size} bytes");
    }
}

/// A runtime that takes a future as a task copies it several times.
#[test]
fn a_future_is_little_larger_than_its_policy_and_its_timer() {
    let call = async || Err::<u32, _>(0_u32);
    let future =
        retry("constant:base=0s").sleep(tokio::time::sleep).when(|_: &u32| true).call_async(call);
    let (policy, timer) = (size_of::<Policy>(), size_of::<tokio::time::Sleep>());
    let rest = size_of_val(&future) - policy - timer;
    assert!(rest <= 240, "{rest} bytes");
}
