//! A loop on a platform without a clock, and without one of the caller's: the compiler refuses it.

use backoff_retry::{Policy, RandomStream, Retry};

pub fn blocking() -> Result<(), ()> {
    let retry = Retry::with_stream(Policy::parse("default").unwrap(), RandomStream::from_seed(42));
    retry.sleep(|_| {}).when(|()| true).call(|| Err(()))
}
