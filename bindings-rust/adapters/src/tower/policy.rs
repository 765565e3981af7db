//! The policy of tower's retry middleware.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ::tower::retry::Policy;
use backoff_retry::{Clock, Monotonic, Retry, RetryEvent, Verdict};
use tokio::time::{Sleep, sleep};

use crate::tower::judge::{Http, Judge, Results};
use crate::tower::session::{Hook, Session};

/// A policy of tower's [`Retry`](::tower::retry::Retry) and
/// [`RetryLayer`](::tower::retry::RetryLayer). It waits with tokio's timer.
///
/// One operation is one request: it begins when the service is called, and it is cancelled if its
/// future is dropped. The service gets the same result as without retries: the last one.
///
/// ```
/// use backoff_adapters::tower::RetryPolicy;
/// use backoff_retry::Retry;
/// use tower::{ServiceBuilder, retry::RetryLayer, service_fn};
/// let retry = Retry::new("full:base=100ms,cap=20s,max_retries=4".parse()?);
/// // A failure may be repeated if it is "busy".
/// let policy = RetryPolicy::new(retry, |_: &u8, result: &Result<u8, &str>| *result == Err("busy"));
/// let service = ServiceBuilder::new()
///     .layer(RetryLayer::new(policy))
///     .service(service_fn(async |request: u8| Ok::<u8, &str>(request)));
/// # let _ = service;
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
pub struct RetryPolicy<J, C = Monotonic> {
    retry: Retry<'static, C>,
    judge: J,
    on_retry: Hook,
    on_stop: Hook,
    /// The operation of a request. `Retry` asks the policy of the service to copy the request, which
    /// begins an operation, and then clones the policy for the request. That clone takes it over.
    session: Mutex<Option<Session>>,
}

impl<F, C> RetryPolicy<Results<F>, C> {
    /// Repeats requests as this `Retry` says, if this function returns `true`, a retryable
    /// [`Outcome`](backoff_retry::Outcome), or a [`Verdict`] with one. `true` stands for `Transient`,
    /// and `false` for a success.
    pub fn new<Req, Res, E, V>(retry: Retry<'static, C>, classify: F) -> Self
    where
        F: FnMut(&Req, &Result<Res, E>) -> V,
    {
        Self::of(retry, Results(classify))
    }
}

impl<F, C> RetryPolicy<Http<F>, C> {
    /// Repeats HTTP requests as this `Retry` says, for services of `http::Request` and
    /// `http::Response`.
    ///
    /// - A request is repeated if its method is idempotent or it has an `Idempotency-Key` that is not
    ///   empty. Any other request is sent once.
    /// - The status and the header fields of a response decide as [`Verdict::of_http`] says.
    /// - This function decides on errors: `true`, or a retryable
    ///   [`Outcome`](backoff_retry::Outcome), means retry.
    /// - The body of a request must be `Clone`, which streams are not.
    /// - A response that is followed by a retry is dropped before the wait, with its body unread.
    ///
    /// ```
    /// use backoff_adapters::tower::RetryPolicy;
    /// use backoff_retry::{Outcome, Retry};
    /// use std::io::{self, ErrorKind};
    /// let policy = RetryPolicy::http(Retry::default(), |error: &io::Error| match error.kind() {
    ///     ErrorKind::TimedOut => Outcome::Timeout,
    ///     ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => Outcome::Transient,
    ///     _ => Outcome::Permanent,
    /// });
    /// # let _ = policy;
    /// ```
    pub fn http<E, V>(retry: Retry<'static, C>, classify: F) -> Self
    where
        F: FnMut(&E) -> V,
    {
        Self::of(retry, Http(classify))
    }
}

impl<J, C> RetryPolicy<J, C> {
    fn of(retry: Retry<'static, C>, judge: J) -> Self {
        let (on_retry, on_stop): (Hook, Hook) = (Arc::new(|_| {}), Arc::new(|_| {}));
        Self { retry, judge, on_retry, on_stop, session: Mutex::default() }
    }

    /// Sets the hook that runs before each wait. It replaces an earlier one.
    #[must_use]
    pub fn on_retry<H>(mut self, hook: H) -> Self
    where
        H: Fn(&RetryEvent<'_, Verdict>) + Send + Sync + 'static,
    {
        self.on_retry = Arc::new(hook);
        self
    }

    /// Sets the hook that runs once after the last attempt, whatever the reason, also when the
    /// request's future is dropped. It replaces an earlier one.
    #[must_use]
    pub fn on_stop<H>(mut self, hook: H) -> Self
    where
        H: Fn(&RetryEvent<'_, Verdict>) + Send + Sync + 'static,
    {
        self.on_stop = Arc::new(hook);
        self
    }

    fn begin(&self) -> Session
    where
        C: Clock + Clone + Send + 'static,
    {
        Session::begin(&self.retry, Arc::clone(&self.on_retry), Arc::clone(&self.on_stop))
    }

    fn session(&mut self) -> &mut Option<Session> {
        self.session.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J, C, Req, Res, E> Policy<Req, Res, E> for RetryPolicy<J, C>
where
    J: Judge<Req, Res, E>,
    C: Clock + Clone + Send + 'static,
{
    type Future = Sleep;

    fn retry(&mut self, request: &mut Req, result: &mut Result<Res, E>) -> Option<Sleep> {
        let verdict = self.judge.verdict(request, result);
        let mut session = self.session().take().unwrap_or_else(|| self.begin());
        let delay = session.end_attempt(verdict)?;
        *self.session() = Some(session);
        Some(sleep(delay))
    }

    fn clone_request(&mut self, request: &Req) -> Option<Req> {
        let copy = self.judge.copy(request)?;
        // Later calls for the same request go on with its operation.
        if !self.session().as_ref().is_some_and(|session| session.has_verdict) {
            let session = self.begin();
            *self.session() = Some(session);
        }
        Some(copy)
    }
}

impl<J: Clone, C: Clone> Clone for RetryPolicy<J, C> {
    fn clone(&self) -> Self {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).take();
        Self {
            retry: self.retry.clone(),
            judge: self.judge.clone(),
            on_retry: Arc::clone(&self.on_retry),
            on_stop: Arc::clone(&self.on_stop),
            session: Mutex::new(session),
        }
    }
}

impl<J, C> fmt::Debug for RetryPolicy<J, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPolicy").field("retry", &self.retry).finish_non_exhaustive()
    }
}
