//! One attempt, and what is left of it until the next one.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::reqwest_middleware::Error;
use http::HeaderMap;
use reqwest::{Body, Request, Response, ResponseBuilderExt, StatusCode};
use tokio::time::{sleep, timeout};

/// What is read of a response before a retry, so that its connection can be used again.
const DRAINED: usize = 64 * 1024;

/// The result of one attempt, as hooks see it.
pub type Attempt = Result<StatusCode, Error>;

/// The error of an attempt that took longer than
/// [`attempt_timeout`](super::RetryMiddleware::attempt_timeout). It is in [`Error::Middleware`]:
/// `Error::Middleware(e)` with `e.is::<AttemptTimeout>()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AttemptTimeout {
    /// The limit.
    pub limit: Duration,
}

impl AttemptTimeout {
    /// Limits the time of an attempt, if there is a limit.
    pub(super) async fn within<T>(
        limit: Option<Duration>,
        attempt: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let Some(limit) = limit else { return attempt.await };
        timeout(limit, attempt).await.unwrap_or_else(|_| Err(Error::middleware(Self { limit })))
    }
}

impl fmt::Display for AttemptTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no response within {:?}", self.limit)
    }
}

impl std::error::Error for AttemptTimeout {}

/// The error of an [`attempt_timeout`](super::RetryMiddleware::attempt_timeout) of zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ZeroTimeout;

impl fmt::Display for ZeroTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the attempt timeout is zero, and must be longer")
    }
}

impl std::error::Error for ZeroTimeout {}

/// The request that hooks get, and the copies of it that are sent.
pub(super) struct Copies {
    /// Without its body if that can be sent only once.
    pub(super) request: Request,
    pub(super) has_body_for_once: bool,
    first: Mutex<Option<Request>>,
}

impl Copies {
    pub(super) fn of(request: Request) -> Self {
        let (request, first, has_body_for_once) = match request.try_clone() {
            Some(copy) => (request, copy, false),
            None => (without_body(&request), request, true),
        };
        Self { request, has_body_for_once, first: Mutex::new(Some(first)) }
    }

    /// The request of the next attempt.
    pub(super) fn next(&self) -> Request {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.or_else(|| self.request.try_clone()).expect("a request with such a body is sent once")
    }
}

fn without_body(request: &Request) -> Request {
    let mut copy = Request::new(request.method().clone(), request.url().clone());
    *copy.timeout_mut() = request.timeout().copied();
    *copy.version_mut() = request.version();
    *copy.headers_mut() = request.headers().clone();
    copy
}

/// What came in the last attempt.
#[derive(Default)]
pub(super) struct Came {
    /// Between the attempt and its classification, then until the wait begins.
    pub(super) response: Option<Response>,
    /// The head of a response whose body is read in the attempt.
    pub(super) head: Option<(StatusCode, HeaderMap)>,
}

#[derive(Clone, Default)]
pub(super) struct Last(Arc<Mutex<Came>>);

impl Last {
    pub(super) fn lock(&self) -> MutexGuard<'_, Came> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits, and drains the response meanwhile.
    pub(super) async fn wait(self, delay: Duration) {
        let until = sleep(delay);
        let response = self.lock().response.take();
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

/// The response with its body in memory.
pub(super) async fn with_whole_body(mut response: Response) -> reqwest::Result<Response> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk);
    }
    let url = response.url().clone();
    let (head, _) = http::Response::<Body>::from(response).into_parts();
    let builder = http::Response::builder().status(head.status).version(head.version).url(url);
    let mut whole = builder.body(bytes).expect("the parts are those of a response");
    *whole.headers_mut() = head.headers;
    whole.extensions_mut().extend(head.extensions);
    Ok(whole.into())
}
