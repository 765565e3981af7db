//! Retries of requests of [reqwest-middleware](https://docs.rs/reqwest-middleware), as a middleware.

mod attempt;
mod handle;
mod network;
mod origins;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::reqwest_middleware::Error;
use backoff_retry::{MAX_NS, Monotonic, Outcome, ParseError, Retry, Verdict};
use reqwest::{Method, Request, Response};

use crate::http::{self, Rules};
use crate::reqwest_middleware::origins::OriginBudgets;

pub use crate::http::{MayRepeat, PROXY_STATUSES, SentOnce};
pub use attempt::{Attempt, AttemptTimeout, ZeroTimeout};

/// What a hook receives. `event.request` is the request of reqwest, without its body if that can be sent
/// only once, and `event.result` the [`Attempt`].
pub type RequestEvent<'a> = http::RequestEvent<'a, Request, Attempt>;

type Hook = Arc<dyn Fn(&RequestEvent<'_>) + Send + Sync>;
type Predicate = Arc<dyn Fn(&Request) -> bool + Send + Sync>;
type Classify = Arc<dyn Fn(&Request, Result<&Response, &Error>) -> Option<Verdict> + Send + Sync>;

/// A middleware that repeats requests (SPEC 19).
///
/// The [module](self) says what it repeats, and what it does not.
#[derive(Clone)]
pub struct RetryMiddleware<C = Monotonic> {
    retry: Retry<'static, C>,
    budgets: Option<Arc<OriginBudgets>>,
    rules: Rules,
    may_repeat: Option<Predicate>,
    classify: Option<Classify>,
    read_body: bool,
    follows_redirects: bool,
    on_retry: Option<Hook>,
    on_stop: Option<Hook>,
}

impl<C> RetryMiddleware<C> {
    /// Repeats requests as this `Retry` says. If it has a budget, all origins share it, unless
    /// [`origin_budgets`](Self::origin_budgets) is called. It sleeps with tokio's timer.
    #[must_use]
    pub fn new(retry: Retry<'static, C>) -> Self {
        let budgets = (!retry.has_budget()).then(Arc::default);
        Self {
            retry,
            budgets,
            rules: Rules::default(),
            may_repeat: None,
            classify: None,
            read_body: false,
            follows_redirects: true,
            on_retry: None,
            on_stop: None,
        }
    }

    /// Gives every origin a budget of this string (SPEC 15) instead of `finagle`. The budgets of the
    /// 1000 origins that were used last are kept.
    ///
    /// # Errors
    /// The first rule of SPEC 11 or 15 that the string breaks.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::RetryMiddleware;
    /// use backoff_retry::Retry;
    /// let middleware = RetryMiddleware::new(Retry::default()).origin_budgets("ratio:ratio=20%")?;
    /// # let _ = middleware;
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    pub fn origin_budgets(mut self, budget: impl Into<String>) -> Result<Self, ParseError> {
        self.budgets = Some(Arc::new(OriginBudgets::parse(budget.into())?));
        Ok(self)
    }

    /// Gives no origin a budget of its own. If the `Retry` has a budget, all origins share it.
    #[must_use]
    pub fn without_origin_budgets(mut self) -> Self {
        self.budgets = None;
        self
    }

    /// The methods of requests that may be repeated, instead of the idempotent ones.
    #[must_use]
    pub fn methods(mut self, methods: impl IntoIterator<Item = Method>) -> Self {
        self.rules.methods = Some(methods.into_iter().collect());
        self
    }

    /// The outcomes of these statuses, instead of those of
    /// [`Outcome::from_http_status`].
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::{PROXY_STATUSES, RetryMiddleware};
    /// use backoff_retry::{Outcome, Retry};
    /// let statuses = PROXY_STATUSES.into_iter().chain([(409, Outcome::Transient)]);
    /// let middleware = RetryMiddleware::new(Retry::default()).statuses(statuses);
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn statuses(mut self, statuses: impl IntoIterator<Item = (u16, Outcome)>) -> Self {
        self.rules.statuses = statuses.into_iter().collect();
        self
    }

    /// Says whether a request may be repeated: `true` whatever its method, and `false` that it is sent
    /// once. The extension [`MayRepeat`] of a request comes first.
    #[must_use]
    pub fn may_repeat<P>(mut self, may_repeat: P) -> Self
    where
        P: Fn(&Request) -> bool + Send + Sync + 'static,
    {
        self.may_repeat = Some(Arc::new(may_repeat));
        self
    }

    /// Classifies attempts before the other rules, which apply if it returns `None`. It cannot make a
    /// request repeatable that is sent once, whose failure stays permanent: [`may_repeat`](Self::may_repeat)
    /// does that, unless the body can be sent only once.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::RetryMiddleware;
    /// use backoff_retry::{Outcome, Retry};
    /// let middleware = RetryMiddleware::new(Retry::default()).classify(|request, result| match result {
    ///     Ok(response) if request.method() == "GET" && response.status() == 404 => {
    ///         Some(Outcome::Transient.into()) // it will be there soon
    ///     }
    ///     _ => None,
    /// });
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn classify<F>(mut self, classify: F) -> Self
    where
        F: Fn(&Request, Result<&Response, &Error>) -> Option<Verdict> + Send + Sync + 'static,
    {
        self.classify = Some(Arc::new(classify));
        self
    }

    /// Says that the client follows no redirects. A failed connection then means that a request was
    /// never sent, so it is repeated whatever its method, unless its body can be sent only once or the
    /// caller said no.
    ///
    /// Without this a POST whose connection fails is sent once: the connection may be one to the target
    /// of a redirect, and the errors of reqwest do not tell.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::RetryMiddleware;
    /// use backoff_retry::Retry;
    /// use reqwest::{Client, redirect::Policy};
    /// use reqwest_middleware::ClientBuilder;
    /// let client = Client::builder().redirect(Policy::none()).build()?;
    /// let middleware = RetryMiddleware::new(Retry::default()).without_redirects();
    /// let client = ClientBuilder::new(client).with(middleware).build();
    /// # let _ = client;
    /// # Ok::<(), reqwest::Error>(())
    /// ```
    #[must_use]
    pub fn without_redirects(mut self) -> Self {
        self.follows_redirects = false;
        self
    }

    /// Limits the time of each attempt of every request, until the header fields of the response are
    /// there. It limits the body only with [`read_body`](Self::read_body). It is the `attempt_timeout` of the policy,
    /// which may also be in its string: the limit is less if `max_elapsed` would have ended sooner. Without it there
    /// is no limit, unless the client has a timeout. Timeouts of the client and of the request stay.
    ///
    /// The outcome of an attempt that took longer is `Timeout`. If it was the last one, the caller gets an
    /// [`AttemptTimeout`] in [`Error::Middleware`]:
    ///
    /// # Errors
    /// A limit of zero, within which no attempt can end.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::{AttemptTimeout, RetryMiddleware};
    /// use backoff_retry::Retry;
    /// use reqwest_middleware::Error;
    /// use std::time::Duration;
    /// let middleware = RetryMiddleware::new(Retry::default()).attempt_timeout(Duration::from_secs(5))?;
    /// # let _ = middleware;
    /// fn is_attempt_timeout(error: &Error) -> bool {
    ///     matches!(error, Error::Middleware(e) if e.is::<AttemptTimeout>())
    /// }
    /// # Ok::<(), backoff_adapters::reqwest_middleware::ZeroTimeout>(())
    /// ```
    pub fn attempt_timeout(mut self, limit: Duration) -> Result<Self, ZeroTimeout> {
        let limit = limit.min(Duration::from_nanos(MAX_NS));
        let changed = self.retry.policy_with(|policy| policy.attempt_timeout(limit));
        self.retry = changed.map_err(|_| ZeroTimeout)?;
        Ok(self)
    }

    /// Makes the body of the response a part of the attempt: it is read into memory, and a success whose
    /// body ends early is a failure that may be retried. A failure decides by its status also then: a 404
    /// is not retried. If the retries end, the caller gets the error of the body. Not for endless bodies.
    /// Trailers are lost.
    #[must_use]
    pub fn read_body(mut self) -> Self {
        self.read_body = true;
        self
    }

    /// Sets the hook that runs before each wait. It replaces an earlier one.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::RetryMiddleware;
    /// use backoff_retry::Retry;
    /// let middleware = RetryMiddleware::new(Retry::default())
    ///     .on_retry(|event| eprintln!("{event}")); // GET http://.., attempt 1: 503, waiting 73ms
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn on_retry<H>(mut self, hook: H) -> Self
    where
        H: Fn(&RequestEvent<'_>) + Send + Sync + 'static,
    {
        self.on_retry = Some(Arc::new(hook));
        self
    }

    /// Sets the hook that runs once after the last attempt of every request, whatever the reason, also
    /// when the request's future is dropped. It replaces an earlier one.
    #[must_use]
    pub fn on_stop<H>(mut self, hook: H) -> Self
    where
        H: Fn(&RequestEvent<'_>) + Send + Sync + 'static,
    {
        self.on_stop = Some(Arc::new(hook));
        self
    }
}

impl<C> fmt::Debug for RetryMiddleware<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryMiddleware")
            .field("retry", &self.retry)
            .field("budgets", &self.budgets)
            .field("rules", &self.rules)
            .field("read_body", &self.read_body)
            .finish_non_exhaustive()
    }
}
