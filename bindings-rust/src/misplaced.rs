//! What does not compile, because it is on the wrong side of `when`: these methods only have messages
//! that say so.

use std::future::Ready;
use std::time::Duration;

use crate::event::{Report, RetryEvent};
use crate::loops::Loop;
use crate::retry::Retry;

/// The calls and options of a [`Loop`]. On a `Retry` they do not compile, and the message says what is
/// missing.
#[doc(hidden)]
impl<C, S> Retry<'_, C, S> {
    #[must_use]
    pub fn on_retry<H>(self, _: H) -> Self
    where
        Self: SaysWhatToRetry,
        H: FnMut(&RetryEvent<'_, Result<(), ()>>),
    {
        unreachable!("no `Retry` says what to retry")
    }

    #[must_use]
    pub fn on_stop<H>(self, _: H) -> Self
    where
        Self: SaysWhatToRetry,
        H: FnMut(&RetryEvent<'_, Result<(), ()>>),
    {
        unreachable!("no `Retry` says what to retry")
    }

    #[must_use]
    pub fn deadline<T>(self, _: T) -> Self
    where
        Self: SaysWhatToRetry,
    {
        unreachable!("no `Retry` says what to retry")
    }

    #[must_use]
    pub fn deadline_at<T>(self, _: T) -> Self
    where
        Self: SaysWhatToRetry,
    {
        unreachable!("no `Retry` says what to retry")
    }

    #[must_use]
    pub fn when_value<W>(self, _: W) -> Self
    where
        Self: SaysWhatToRetry,
    {
        unreachable!("no `Retry` says what to retry")
    }

    pub fn call<F, R>(&self, _: F) -> R
    where
        Self: SaysWhatToRetry,
        F: FnMut() -> R,
    {
        unreachable!("no `Retry` says what to retry")
    }

    pub fn run<F, R>(&self, _: F) -> Report<R>
    where
        Self: SaysWhatToRetry,
        F: FnMut() -> R,
    {
        unreachable!("no `Retry` says what to retry")
    }

    pub fn run_until<G, F, R>(&self, _: G, _: F) -> Option<Report<R>>
    where
        Self: SaysWhatToRetry,
        F: FnMut() -> R,
    {
        unreachable!("no `Retry` says what to retry")
    }

    pub fn call_async<F, R>(&self, _: F) -> Ready<R>
    where
        Self: SaysWhatToRetry,
        F: AsyncFnMut() -> R,
    {
        unreachable!("no `Retry` says what to retry")
    }

    pub fn run_async<F, R>(&self, _: F) -> Ready<Report<R>>
    where
        Self: SaysWhatToRetry,
        F: AsyncFnMut() -> R,
    {
        unreachable!("no `Retry` says what to retry")
    }
}

/// The options of a [`Retry`]. On a `Loop` they do not compile, and the message says where they belong.
#[doc(hidden)]
impl<R, V, C, S, N, P> Loop<'_, R, V, C, S, N, P> {
    pub fn budget<T>(self, _: T) -> Self
    where
        Self: HasOptionsOfRetry,
    {
        unreachable!("no `Loop` has the options of a `Retry`")
    }

    pub fn shared_budget<T>(self, _: T) -> Self
    where
        Self: HasOptionsOfRetry,
    {
        unreachable!("no `Loop` has the options of a `Retry`")
    }

    pub fn stats<T>(self, _: T) -> Self
    where
        Self: HasOptionsOfRetry,
    {
        unreachable!("no `Loop` has the options of a `Retry`")
    }

    pub fn stream<T>(self, _: T) -> Self
    where
        Self: HasOptionsOfRetry,
    {
        unreachable!("no `Loop` has the options of a `Retry`")
    }

    pub fn seed_and_key<T, U>(self, _: T, _: U) -> Self
    where
        Self: HasOptionsOfRetry,
    {
        unreachable!("no `Loop` has the options of a `Retry`")
    }

    pub fn clock<D: Fn() -> Duration>(self, _: D) -> Self
    where
        Self: HasOptionsOfRetry,
    {
        unreachable!("no `Loop` has the options of a `Retry`")
    }

    pub fn sleep<T: Fn(Duration) -> O, O>(self, _: T) -> Self
    where
        Self: HasOptionsOfRetry,
    {
        unreachable!("no `Loop` has the options of a `Retry`")
    }
}

/// Nothing implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a `Retry` does not say which failures to retry",
    label = "write `when` or `classify` before this call",
    note = "for example `retry.when(|error: &Error| error.is_busy()).call(..)`"
)]
pub trait SaysWhatToRetry {}

/// Nothing implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this is an option of a `Retry`, which `when` and `classify` have made a loop of",
    label = "write this before `when` or `classify`",
    note = "for example `Retry::default().budget(&budget).when(|error: &Error| error.is_busy())`"
)]
pub trait HasOptionsOfRetry {}

/// These compile only while each method exists, because a method that does not exist has another message.
#[cfg(test)]
mod tests {
    use super::{HasOptionsOfRetry, Loop, Retry, SaysWhatToRetry};

    #[expect(dead_code, reason = "it has to compile, and nothing can call it")]
    fn before_when<C, S>(retry: Retry<'_, C, S>)
    where
        for<'a> Retry<'a, C, S>: SaysWhatToRetry,
    {
        let retry = retry.on_retry(|event| assert!(event.delay.is_zero()));
        let retry = retry.on_stop(|event| assert!(event.error().is_none()));
        let _ = retry.deadline(()).deadline_at(()).when_value(());
    }

    #[expect(dead_code, reason = "it has to compile, and nothing can call it")]
    fn after_when<R, V, C, S>(plan: Loop<'_, R, V, C, S>)
    where
        for<'a> Loop<'a, R, V, C, S>: HasOptionsOfRetry,
    {
        let plan = plan.budget(()).shared_budget(()).stats(()).stream(()).seed_and_key((), ());
        drop(plan.clock(|| std::time::Duration::ZERO).sleep(|_| {}));
    }
}
