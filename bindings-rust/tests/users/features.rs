//! Tests of a user, who has some features of the loops, which any Rust that they support runs. The delay is that of
//! their page.

#![cfg(test)]

use backoff_retry::{Policy, RandomStream, Retry};
use std::{cell::Cell, time::Duration};

#[test]
fn a_loop_waits() {
    let policy: Policy = "full:base=100ms,cap=20s,max_retries=1".parse().unwrap();
    let waited = Cell::new(Duration::ZERO);
    let retry = Retry::with_stream(policy, RandomStream::from_key(42, "job-1"))
        .sleep(|delay| waited.set(waited.get() + delay));
    assert_eq!(retry.when(|()| true).call(|| Err::<(), _>(())), Err(()));
    assert_eq!(waited.get(), Duration::from_nanos(11_399_434));
}

#[test]
#[cfg(feature = "getrandom")]
fn getrandom() {
    let policy = Policy::parse("constant:base=1ns").unwrap();
    assert_eq!(Retry::new(policy).when(|()| true).call(|| Ok(1)), Ok(1));
    assert_ne!(RandomStream::from_entropy().ok(), RandomStream::from_entropy().ok());
}

#[test]
#[cfg(feature = "shared-budget")]
fn shared_budget() {
    use backoff_retry::{BudgetStore, SharedBudget, StoreError, Stored};
    struct Away;
    impl BudgetStore for Away {
        fn load(&mut self, _: &str) -> Result<Stored, StoreError> {
            Err("away".into())
        }
        fn compare_and_swap(
            &mut self,
            _: &str,
            _: Option<&str>,
            _: &str,
        ) -> Result<bool, StoreError> {
            Err("away".into())
        }
    }
    let budget = SharedBudget::builder(Away, "test", "quota:max_tokens=2,cost=1").build().unwrap();
    let retry =
        Retry::with_stream(Policy::parse("constant:base=0s").unwrap(), RandomStream::from_seed(1));
    let report = retry.shared_budget(budget).when(|()| true).call_with_report(|| Err::<(), _>(()));
    assert_eq!(report.attempts, 3);
}

#[test]
#[cfg(feature = "tokio")]
fn tokio() {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(1));
    let when = retry.when(|()| true);
    let mut future = std::pin::pin!(when.call_async(async || Ok(1)));
    let context = &mut std::task::Context::from_waker(std::task::Waker::noop());
    assert_eq!(future.as_mut().poll(context), std::task::Poll::Ready(Ok(1)));
}

#[test]
#[cfg(feature = "rand")]
fn rand() {
    use backoff_retry::{Backoff, RngBackoff};
    use rand_xoshiro::{SplitMix64, rand_core::SeedableRng};
    let policy = Policy::parse("full:base=100ms,max_retries=5").unwrap();
    let theirs = RngBackoff::new(policy, SplitMix64::seed_from_u64(42));
    assert!(theirs.eq(Backoff::new(policy, RandomStream::from_seed(42))));
}

#[test]
#[cfg(feature = "serde")]
fn serde() {
    use serde::{Deserialize, de::IntoDeserializer, de::value::Error};
    let text = "full:base=100ms";
    let policy = Policy::deserialize(IntoDeserializer::<Error>::into_deserializer(text));
    assert_eq!(policy, Ok(Policy::parse(text).unwrap()));
}
