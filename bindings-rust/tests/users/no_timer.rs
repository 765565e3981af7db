//! A loop that awaits, without feature `tokio` and without a sleep of the caller's: the compiler refuses it.

use backoff_retry::{Policy, RandomStream, Retry};

pub async fn awaited() -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(42));
    retry.when(|()| true).call_async(async || Err(())).await
}
