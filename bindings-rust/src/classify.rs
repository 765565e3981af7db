//! Which calls may be repeated: nothing that the caller did not say (SPEC 18.3).

use backoff_core::Outcome;

use crate::verdict::{IntoVerdict, Verdict};

/// Says how a call ended whose result is an `R`. Made by [`Retry::when`](crate::Retry::when) and
/// its siblings.
pub trait Classify<R> {
    /// The verdict of a result.
    fn classify(&mut self, result: &R) -> Verdict;
}

/// Errors by a function; every value is a success.
#[derive(Debug, Clone, Copy)]
pub struct WhenError<W>(pub(crate) W);

/// Errors by a function, and values by another.
#[derive(Debug, Clone, Copy)]
pub struct WhenEither<W, X>(pub(crate) W, pub(crate) X);

/// Results of any type by a function.
#[derive(Debug, Clone, Copy)]
pub struct Whole<X>(pub(crate) X);

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

/// The verdict of a failure, which is never a success.
fn failure(answer: impl IntoVerdict) -> Verdict {
    let verdict = answer.into_verdict(Outcome::Permanent);
    match verdict.outcome {
        Outcome::Success => Outcome::Permanent.into(),
        _ => verdict,
    }
}

impl<R, V, X> Classify<R> for Whole<X>
where
    V: IntoVerdict,
    X: FnMut(&R) -> V,
{
    fn classify(&mut self, result: &R) -> Verdict {
        self.0(result).into_verdict(Outcome::Success)
    }
}
