//! Retries of requests of [reqwest-middleware](https://docs.rs/reqwest-middleware), as a middleware.

mod network;
mod origins;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::reqwest_middleware::{Error, Middleware, Next};
use async_trait::async_trait;
use backoff_retry::{
    Clock, Monotonic, ParseError, Retry, RetryEvent, Verdict, is_idempotent_method,
};
use http::Extensions;
use reqwest::{Request, Response, StatusCode};
use tokio::time::{sleep, timeout};

use crate::reqwest_middleware::origins::OriginBudgets;

/// What is read of a response before a retry, so that its connection can be used again.
const DRAINED: usize = 64 * 1024;

/// The result of one attempt, as hooks see it.
pub type Attempt = Result<StatusCode, Error>;

type Hook = Arc<dyn Fn(&RetryEvent<'_, Attempt>) + Send + Sync>;

/// A middleware that repeats requests.
///
/// - A request is repeated if its method is idempotent (GET, HEAD, OPTIONS, TRACE, PUT, DELETE) or if
///   it has an `Idempotency-Key` that is not empty. Any other request is sent once.
/// - The status and the header fields of a response decide as
///   [`Verdict::of_http`] says. Timeouts and errors of the network are
///   retried; invalid requests, bad certificates, too many redirects and errors of other middlewares
///   are not.
/// - If the retries end, the caller gets the last response, with its body, or the last error.
/// - Every origin (scheme, host and port) has a budget of its own, the preset `grpc-retry`.
/// - The body of a response is not part of an attempt: once a response is returned, an error while its
///   body is read is the caller's.
///
/// ```
/// use backoff_adapters::reqwest_middleware::RetryMiddleware;
/// use backoff_retry::Retry;
/// use reqwest_middleware::ClientBuilder;
/// let retry = Retry::new("full:base=100ms,cap=20s,max_retries=4".parse()?);
/// let client = ClientBuilder::new(reqwest::Client::new()).with(RetryMiddleware::new(retry)).build();
/// # let _ = client;
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
#[derive(Clone)]
pub struct RetryMiddleware<C = Monotonic> {
    retry: Retry<'static, C>,
    budgets: Option<Arc<OriginBudgets>>,
    attempt_timeout: Option<Duration>,
    on_retry: Hook,
    on_stop: Hook,
}

impl<C> RetryMiddleware<C> {
    /// Repeats requests as this `Retry` says. Its budget is not used unless
    /// [`without_origin_budgets`](Self::without_origin_budgets) is called; its sleep is tokio's timer.
    #[must_use]
    pub fn new(retry: Retry<'static, C>) -> Self {
        Self {
            retry,
            budgets: Some(Arc::default()),
            attempt_timeout: None,
            on_retry: Arc::new(|_| {}),
            on_stop: Arc::new(|_| {}),
        }
    }

    /// Gives every origin a budget of this string (SPEC 15) instead of `grpc-retry`. The budgets of
    /// the 1000 origins that were used last are kept.
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

    /// Uses the budget of the `Retry` for all origins, or none if it has none.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::RetryMiddleware;
    /// use backoff_retry::{Budget, Retry};
    /// use std::sync::Arc;
    /// let retry = Retry::default().budget(Arc::new(Budget::parse("sre")?));
    /// let middleware = RetryMiddleware::new(retry).without_origin_budgets();
    /// # let _ = middleware;
    /// # Ok::<(), backoff_retry::ParseError>(())
    /// ```
    #[must_use]
    pub fn without_origin_budgets(mut self) -> Self {
        self.budgets = None;
        self
    }

    /// Limits the time of one attempt, until the header fields of the response are there. The outcome
    /// is then `Timeout`, and the error an [`AttemptTimeout`]. Timeouts of the client and of the
    /// request stay. A request that is sent once is not limited.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::RetryMiddleware;
    /// use backoff_retry::Retry;
    /// use std::time::Duration;
    /// let middleware = RetryMiddleware::new(Retry::default()).attempt_timeout(Duration::from_secs(5));
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn attempt_timeout(mut self, limit: Duration) -> Self {
        self.attempt_timeout = Some(limit);
        self
    }

    /// Sets the hook that runs before each wait. It replaces an earlier one.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::RetryMiddleware;
    /// use backoff_retry::Retry;
    /// let middleware = RetryMiddleware::new(Retry::default())
    ///     .on_retry(|event| eprintln!("{:?}, waiting {:?}", event.result, event.delay));
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn on_retry<H>(mut self, hook: H) -> Self
    where
        H: Fn(&RetryEvent<'_, Attempt>) + Send + Sync + 'static,
    {
        self.on_retry = Arc::new(hook);
        self
    }

    /// Sets the hook that runs once after the last attempt, whatever the reason, also when the
    /// request's future is dropped. It replaces an earlier one. It does not run for requests that are
    /// sent once.
    ///
    /// ```
    /// use backoff_adapters::reqwest_middleware::RetryMiddleware;
    /// use backoff_retry::Retry;
    /// let middleware = RetryMiddleware::new(Retry::default())
    ///     .on_stop(|event| eprintln!("{} attempts: {:?}", event.attempts, event.reason));
    /// # let _ = middleware;
    /// ```
    #[must_use]
    pub fn on_stop<H>(mut self, hook: H) -> Self
    where
        H: Fn(&RetryEvent<'_, Attempt>) + Send + Sync + 'static,
    {
        self.on_stop = Arc::new(hook);
        self
    }
}

impl<C> fmt::Debug for RetryMiddleware<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryMiddleware")
            .field("retry", &self.retry)
            .field("budgets", &self.budgets)
            .field("attempt_timeout", &self.attempt_timeout)
            .finish_non_exhaustive()
    }
}

/// Switches retries off for one request: it is then sent once.
///
/// ```
/// use backoff_adapters::reqwest_middleware::NoRetry;
/// # let client = reqwest_middleware::ClientWithMiddleware::default();
/// let request = client.get("http://127.0.0.1/").with_extension(NoRetry);
/// # let _ = request;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoRetry;

/// The error of a request that may be repeated, but whose body cannot be sent twice. It is in
/// [`Error::Middleware`]; the request was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamedBody;

impl fmt::Display for StreamedBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the request may be repeated, but its body is a stream or a form of parts, which can be sent \
             only once: pass the body as bytes, or add the extension NoRetry to the request",
        )
    }
}

impl std::error::Error for StreamedBody {}

/// The error of an attempt that took longer than
/// [`attempt_timeout`](RetryMiddleware::attempt_timeout). It is in [`Error::Middleware`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttemptTimeout {
    /// The limit.
    pub limit: Duration,
}

impl fmt::Display for AttemptTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no response within {:?}", self.limit)
    }
}

impl std::error::Error for AttemptTimeout {}

/// The response of the last attempt: between the attempt and its classification, then until the wait
/// begins.
#[derive(Clone, Default)]
struct LastResponse(Arc<Mutex<Option<Response>>>);

impl LastResponse {
    fn lock(&self) -> MutexGuard<'_, Option<Response>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn verdict(&self, attempt: &Attempt) -> Verdict {
        match (attempt, &*self.lock()) {
            (Ok(status), Some(response)) => Verdict::of_http(status.as_u16(), response.headers()),
            (Ok(status), None) => Verdict::of_http(status.as_u16(), [("", ""); 0]),
            (Err(error), _) => network::outcome(error).into(),
        }
    }

    /// Waits, and drains the response meanwhile.
    async fn wait(self, delay: Duration) {
        let until = sleep(delay);
        let response = self.lock().take();
        if let Some(response) = response {
            // A server that sends its body slowly does not prolong the wait.
            let _ = timeout(delay, drain(response)).await;
        }
        until.await;
    }
}

/// Reads the body of a response if it is short, and closes the connection otherwise.
async fn drain(mut response: Response) {
    let mut left = DRAINED;
    while let Ok(Some(chunk)) = response.chunk().await {
        let Some(rest) = left.checked_sub(chunk.len()) else { break };
        left = rest;
    }
}

fn may_be_repeated(request: &Request) -> bool {
    let has_key = || request.headers().get("idempotency-key").is_some_and(|key| !key.is_empty());
    is_idempotent_method(request.method().as_str()) || has_key()
}

#[async_trait]
impl<C: Clock + Clone + Send + Sync + 'static> Middleware for RetryMiddleware<C> {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response, Error> {
        if !may_be_repeated(&request) || extensions.get::<NoRetry>().is_some() {
            return next.run(request, extensions).await;
        }
        if request.try_clone().is_none() {
            return Err(Error::middleware(StreamedBody));
        }
        let last = LastResponse::default();
        let mut retry = self.retry.clone();
        if let Some(budgets) = &self.budgets {
            retry = retry.budget(budgets.of(request.url()));
        }
        // The attempts use it one after another.
        let extensions = tokio::sync::Mutex::new(extensions);
        let attempt = async || {
            let copy = request.try_clone().ok_or(Error::middleware(StreamedBody))?;
            let mut extensions = extensions.lock().await;
            let running = next.clone().run(copy, &mut extensions);
            let response = match self.attempt_timeout {
                None => running.await?,
                Some(limit) => timeout(limit, running)
                    .await
                    .map_err(|_| Error::middleware(AttemptTimeout { limit }))??,
            };
            let status = response.status();
            *last.lock() = Some(response);
            Ok(status)
        };
        let status = retry
            .sleep(|delay| last.clone().wait(delay))
            .classify(|attempt: &Attempt| last.verdict(attempt))
            .on_retry(|event| (self.on_retry)(event))
            .on_stop(|event| (self.on_stop)(event))
            .call_async(attempt)
            .await?;
        let response = last.lock().take();
        Ok(response
            .unwrap_or_else(|| unreachable!("an attempt with status {status} has a response")))
    }
}
