//! The policy of tower's retry middleware.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ::http::{Method, Request};
use ::tower::retry::Policy;
use backoff_retry::{Clock, Field, FieldValue, Monotonic, Outcome, Retry};
use tokio::time::{Sleep, sleep};

use crate::http::{self, Rules};
use crate::tower::classifier::{ByResult, Classifier, Http, HttpAttempt, Kind};
use crate::tower::session::{Hook, Session};

/// What a hook of [`RetryPolicy::http`] receives. `event.request` is the request without its body.
pub type RequestEvent<'a> = http::RequestEvent<'a, Request<()>, HttpAttempt>;

/// A policy of tower's [`Retry`](::tower::retry::Retry) and
/// [`RetryLayer`](::tower::retry::RetryLayer). It waits with tokio's timer.
///
/// One operation is one request: it begins when the service is called, and it is cancelled if its
/// future is dropped. The service gets the same result as without retries: the last one.
pub struct RetryPolicy<J: Kind, C = Monotonic> {
    retry: Retry<'static, C>,
    classifier: J,
    on_retry: Hook<J::Attempt, J::About>,
    on_stop: Hook<J::Attempt, J::About>,
    /// The operation of a request. `Retry` asks the policy of the service to copy the request, which
    /// begins an operation, and then clones the policy for the request. That clone takes it over.
    session: Mutex<Option<Session<J::Attempt, J::About>>>,
}

impl<F, C> RetryPolicy<ByResult<F>, C> {
    /// Repeats requests as this `Retry` says, if this function returns `true`, a retryable
    /// [`Outcome`](backoff_retry::Outcome), or a [`Verdict`](backoff_retry::Verdict) with one. `true` stands for `Transient`,
    /// and `false` for a success, also for an `Err`. For a failure that is not repeated return
    /// [`Outcome::Permanent`].
    ///
    /// # Panics
    /// If the policy has an `attempt_timeout`: tower cannot end an attempt. Put a `TimeoutLayer` inside of the
    /// retry layer.
    #[track_caller]
    pub fn new<Req, Res, E, V>(retry: Retry<'static, C>, classify: F) -> Self
    where
        F: FnMut(&Req, &Result<Res, E>) -> V,
    {
        Self::of(retry, ByResult(classify))
    }
}

impl<F, C> RetryPolicy<Http<F>, C> {
    /// Repeats HTTP requests as this `Retry` says, for services of `http::Request` and
    /// `http::Response`. The [module](super) says which ones. This function decides on errors: `true`, or a
    /// retryable [`Outcome`], means retry.
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
    ///
    /// # Panics
    /// As [`RetryPolicy::new`].
    #[track_caller]
    pub fn http<E, V>(retry: Retry<'static, C>, classify: F) -> Self
    where
        F: FnMut(&E) -> V,
    {
        Self::of(retry, Http { of_error: classify, rules: Rules::default(), may_repeat: None })
    }

    /// The methods of requests that may be repeated, instead of the idempotent ones.
    #[must_use]
    pub fn methods(mut self, methods: impl IntoIterator<Item = Method>) -> Self {
        self.classifier.rules.methods = Some(methods.into_iter().collect());
        self
    }

    /// The outcomes of these statuses, instead of those of [`Outcome::from_http_status`].
    ///
    /// ```
    /// use backoff_adapters::tower::{PROXY_STATUSES, RetryPolicy};
    /// use backoff_retry::Retry;
    /// let policy = RetryPolicy::http(Retry::default(), |_: &std::io::Error| true);
    /// let policy = policy.statuses(PROXY_STATUSES);
    /// # let _ = policy;
    /// ```
    #[must_use]
    pub fn statuses(mut self, statuses: impl IntoIterator<Item = (u16, Outcome)>) -> Self {
        self.classifier.rules.statuses = statuses.into_iter().collect();
        self
    }

    /// Says whether a request, which is passed without its body, may be repeated: `true` whatever its
    /// method, and `false` that it is sent once. The extension [`MayRepeat`](super::MayRepeat) of a
    /// request comes first.
    #[must_use]
    pub fn may_repeat<P>(mut self, may_repeat: P) -> Self
    where
        P: Fn(&Request<()>) -> bool + Send + Sync + 'static,
    {
        self.classifier.may_repeat = Some(Arc::new(may_repeat));
        self
    }
}

impl<J: Kind, C> RetryPolicy<J, C> {
    /// Sets the hook that runs before each wait. It replaces an earlier one.
    ///
    /// ```
    /// use backoff_adapters::tower::RetryPolicy;
    /// use backoff_retry::Retry;
    /// let policy = RetryPolicy::http(Retry::default(), |_: &std::io::Error| true)
    ///     .on_retry(|event| eprintln!("{event}")); // GET http://.., attempt 1: 503, waiting 73ms
    /// # let _ = policy;
    /// ```
    #[must_use]
    pub fn on_retry<H>(mut self, hook: H) -> Self
    where
        H: Fn(&J::Event<'_>) + Send + Sync + 'static,
    {
        self.on_retry = Arc::new(move |event, about| hook(&J::event(event, about)));
        self
    }

    /// Sets the hook that runs once after the last attempt of every request, whatever the reason, also
    /// when the request's future is dropped. It replaces an earlier one.
    #[must_use]
    pub fn on_stop<H>(mut self, hook: H) -> Self
    where
        H: Fn(&J::Event<'_>) + Send + Sync + 'static,
    {
        self.on_stop = Arc::new(move |event, about| hook(&J::event(event, about)));
        self
    }

    #[track_caller]
    fn of(retry: Retry<'static, C>, classifier: J) -> Self {
        assert!(
            retry.policy().get(Field::AttemptTimeout) == Some(FieldValue::NoLimit),
            "tower cannot end an attempt: put a TimeoutLayer inside of the retry layer, and leave the \
             attempt_timeout out of the policy {}",
            retry.policy()
        );
        let on_retry: Hook<J::Attempt, J::About> = Arc::new(|_, _| {});
        let on_stop = Arc::clone(&on_retry);
        Self { retry, classifier, on_retry, on_stop, session: Mutex::default() }
    }

    fn begin(&self, about: J::About) -> Session<J::Attempt, J::About>
    where
        C: Clock + Clone + Send + 'static,
    {
        let (on_retry, on_stop) = (Arc::clone(&self.on_retry), Arc::clone(&self.on_stop));
        Session::begin(&self.retry, about, J::verdict, on_retry, on_stop)
    }

    fn session(&mut self) -> &mut Option<Session<J::Attempt, J::About>> {
        self.session.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<J, C, Req, Res, E> Policy<Req, Res, E> for RetryPolicy<J, C>
where
    J: Classifier<Req, Res, E>,
    C: Clock + Clone + Send + 'static,
{
    type Future = Sleep;

    fn retry(&mut self, request: &mut Req, result: &mut Result<Res, E>) -> Option<Sleep> {
        let session = self.session().take();
        let mut session = session.unwrap_or_else(|| self.begin(self.classifier.about(request)));
        let attempt = self.classifier.classify(request, &session.about, result);
        let delay = session.end_attempt(attempt)?;
        *self.session() = Some(session);
        Some(sleep(delay))
    }

    fn clone_request(&mut self, request: &Req) -> Option<Req> {
        let copy = self.classifier.copy(request)?;
        // Later calls for the same request go on with its operation.
        if !self.session().as_ref().is_some_and(|session| session.has_verdict) {
            let session = self.begin(self.classifier.about(request));
            *self.session() = Some(session);
        }
        Some(copy)
    }
}

impl<J: Kind + Clone, C: Clone> Clone for RetryPolicy<J, C> {
    fn clone(&self) -> Self {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner).take();
        Self {
            retry: self.retry.clone(),
            classifier: self.classifier.clone(),
            on_retry: Arc::clone(&self.on_retry),
            on_stop: Arc::clone(&self.on_stop),
            session: Mutex::new(session),
        }
    }
}

impl<J: Kind, C> fmt::Debug for RetryPolicy<J, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryPolicy").field("retry", &self.retry).finish_non_exhaustive()
    }
}
