//! Which calls to retry: only those that the caller selected (SPEC 18.3).

use std::time::Duration;

use backoff_core::Outcome;

use crate::attempt::AttemptTimeout;
use crate::verdict::{IntoVerdict, Verdict};

/// Classifies how a call ended that returned an `R`.
///
/// [`Retry::when`](crate::Retry::when), [`Retry::classify`](crate::Retry::classify) and
/// [`Loop::when_value`](crate::Loop::when_value) make the implementations. Use this trait to be
/// generic over loops:
///
/// ```
/// use backoff_retry::{Classify, Loop, Report, Retry};
/// type Connected = Result<(), u8>;
/// fn connect<V: Classify<Connected>>(plan: Loop<'_, Connected, V>) -> Report<Connected> {
///     plan.call_with_report(|| Ok(()))
/// }
/// assert_eq!(connect(Retry::default().when(|_: &u8| true)).result, Ok(()));
/// ```
pub trait Classify<R> {
    /// Whether [`Classify::timed_out`] returns results.
    #[doc(hidden)]
    const ENDS_ATTEMPTS: bool = false;

    /// Whether [`Classify::own_delay`] returns delays.
    #[doc(hidden)]
    const HAS_DELAYS: bool = false;

    /// The verdict of a result.
    fn classify(&mut self, result: &R) -> Verdict;

    /// The result of a call that took too long ([`Loop::timed_out`](crate::Loop::timed_out)).
    #[doc(hidden)]
    fn timed_out(&mut self, _: AttemptTimeout) -> Option<R> {
        None
    }

    /// The delay of an index in place of the policy's ([`Loop::delays`](crate::Loop::delays)).
    #[doc(hidden)]
    fn own_delay(&mut self, _: u32, _: &R) -> OwnDelay {
        OwnDelay::OfPolicy
    }
}

/// What [`Classify::own_delay`] says of an index.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum OwnDelay {
    /// The delay.
    Is(Duration),
    /// The policy has the delay.
    OfPolicy,
    /// There is none, and no retry.
    NoMore,
}

/// A function classifies errors; every value is a success. Made by
/// [`Retry::when`](crate::Retry::when).
///
/// ```
/// use backoff_retry::{Loop, Retry, WhenError};
/// struct Client {
///     plan: Loop<'static, Result<(), u8>, WhenError<fn(&u8) -> bool>>,
/// }
/// fn is_soft(code: &u8) -> bool {
///     *code < 100
/// }
/// let client = Client { plan: Retry::default().when(is_soft as fn(&u8) -> bool) };
/// assert_eq!(client.plan.clone().call(|| Err(100)), Err(100));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WhenError<W>(pub(crate) W);

/// One function classifies errors, another one values. Made by
/// [`Loop::when_value`](crate::Loop::when_value).
#[derive(Debug, Clone, Copy)]
pub struct WhenEither<W, X>(pub(crate) W, pub(crate) X);

/// A function classifies results of any type. Made by
/// [`Retry::classify`](crate::Retry::classify).
#[derive(Debug, Clone, Copy)]
pub struct ByResult<X>(pub(crate) X);

impl<T, E, V, W> Classify<Result<T, E>> for WhenError<W>
where
    V: IntoVerdict,
    W: FnMut(&E) -> V,
{
    fn classify(&mut self, result: &Result<T, E>) -> Verdict {
        match result {
            Ok(_) => Outcome::Success.into(),
            Err(error) => failure(self.0(error)),
        }
    }
}

impl<T, E, V, U, W, X> Classify<Result<T, E>> for WhenEither<W, X>
where
    V: IntoVerdict,
    U: IntoVerdict,
    W: FnMut(&E) -> V,
    X: FnMut(&T) -> U,
{
    fn classify(&mut self, result: &Result<T, E>) -> Verdict {
        match result {
            Ok(value) => self.1(value).into_verdict(Outcome::Success),
            Err(error) => failure(self.0(error)),
        }
    }
}

impl<R, V, X> Classify<R> for ByResult<X>
where
    V: IntoVerdict,
    X: FnMut(&R) -> V,
{
    fn classify(&mut self, result: &R) -> Verdict {
        self.0(result).into_verdict(Outcome::Success)
    }
}

/// The verdict of a failure. A failure is never a success.
fn failure(classified: impl IntoVerdict) -> Verdict {
    let verdict = classified.into_verdict(Outcome::Permanent);
    match verdict.outcome {
        Outcome::Success => Outcome::Permanent.into(),
        _ => verdict,
    }
}
