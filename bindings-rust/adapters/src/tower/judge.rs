//! Which requests to repeat, and after which results.

use ::http::{Request, Response};
use backoff_retry::{IntoVerdict, Outcome, Verdict, is_idempotent_method};

/// Says which requests may be repeated and classifies results. [`Results`] and [`Http`] implement it.
pub trait Judge<Req, Res, E> {
    /// A copy of a request for the next attempt; `None` if it must not be repeated.
    fn copy(&self, request: &Req) -> Option<Req>;

    /// The verdict on a result.
    fn verdict(&mut self, request: &Req, result: &Result<Res, E>) -> Verdict;
}

/// A function classifies the results of requests that are `Clone`. Made by
/// [`RetryPolicy::new`](super::RetryPolicy::new).
#[derive(Debug, Clone, Copy)]
pub struct Results<F>(pub(super) F);

impl<Req, Res, E, F, V> Judge<Req, Res, E> for Results<F>
where
    Req: Clone,
    F: FnMut(&Req, &Result<Res, E>) -> V,
    V: IntoVerdict,
{
    fn copy(&self, request: &Req) -> Option<Req> {
        Some(request.clone())
    }

    fn verdict(&mut self, request: &Req, result: &Result<Res, E>) -> Verdict {
        self.0(request, result).into_verdict(Outcome::Success)
    }
}

/// HTTP: the method and the status decide, and a function classifies errors. Made by
/// [`RetryPolicy::http`](super::RetryPolicy::http).
#[derive(Debug, Clone, Copy)]
pub struct Http<F>(pub(super) F);

impl<B, D, E, F, V> Judge<Request<B>, Response<D>, E> for Http<F>
where
    B: Clone,
    F: FnMut(&E) -> V,
    V: IntoVerdict,
{
    fn copy(&self, request: &Request<B>) -> Option<Request<B>> {
        let key = request.headers().get("idempotency-key");
        let may_be_repeated = is_idempotent_method(request.method().as_str())
            || key.is_some_and(|key| !key.is_empty());
        may_be_repeated.then(|| request.clone())
    }

    fn verdict(&mut self, _: &Request<B>, result: &Result<Response<D>, E>) -> Verdict {
        match result {
            Ok(response) => Verdict::of_http(response.status().as_u16(), response.headers()),
            Err(error) => match self.0(error).into_verdict(Outcome::Permanent) {
                // An error is never a success.
                Verdict { outcome: Outcome::Success, .. } => Outcome::Permanent.into(),
                verdict => verdict,
            },
        }
    }
}
