//! Loops on a platform without a clock, a sleep and entropy.

use backoff_retry::{Policy, RandomStream, Retry};
use std::time::Duration;

pub fn blocking(now: fn() -> Duration, sleep: fn(Duration)) -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(42));
    retry.clock(now).sleep(sleep).when(|()| true).call(|| Err(()))
}

pub async fn awaited<S: Future>(now: fn() -> Duration, sleep: fn(Duration) -> S) -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(42));
    retry.clock(now).sleep(sleep).when(|()| true).call_async(async || Err(())).await
}
