//! What the adapters of HTTP clients have in common: which requests may be repeated, what a response
//! means, and what hooks receive (SPEC 19).

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use ::http::{HeaderMap, Method, StatusCode};
use backoff_retry::{Outcome, RetryEvent, StopReason, Verdict, is_idempotent_method};

/// The outcomes of statuses that proxies and overloaded services send and no standard has (SPEC 14.8).
/// They are permanent unless a client gets this table: `statuses(PROXY_STATUSES)`.
pub const PROXY_STATUSES: [(u16, Outcome); 6] = [
    (520, Outcome::Transient),
    (521, Outcome::Transient),
    (522, Outcome::Timeout),
    (523, Outcome::Transient),
    (524, Outcome::Timeout),
    (529, Outcome::Throttled),
];

/// The switch for one request: `MayRepeat(true)` says that the request may be repeated whatever its
/// method, and `MayRepeat(false)` that it is sent once. It is an extension of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MayRepeat(pub bool);

/// Why a request is sent once (SPEC 19.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SentOnce {
    /// The caller said so, by [`MayRepeat`] or by the predicate `may_repeat`.
    Caller,
    /// Its body can be sent only once.
    Body,
    /// Its method is not one of `methods`, and it has no `Idempotency-Key`.
    Method,
}

impl SentOnce {
    /// The name, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Body => "body",
            Self::Method => "method",
        }
    }
}

impl fmt::Display for SentOnce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a hook receives: the [`RetryEvent`] of the loop, and its request. It is printed as a line of a
/// log: `GET http://127.0.0.1/orders, attempt 1: 503, waiting 73ms`. Without a status the line has the
/// error of the attempt, or its outcome if hooks do not get the error. The line of a failure that is not
/// repeated because of the request says so: `stopped: permanent, not repeatable (method)`.
#[derive(Debug)]
#[non_exhaustive]
pub struct RequestEvent<'a, Q, R> {
    /// The event of the loop. Its members can be read through this event, too.
    pub event: RetryEvent<'a, R>,
    /// The method of the request.
    pub method: &'a Method,
    /// The URL of the request, without user information, query and fragment.
    pub url: &'a str,
    /// The status of the last response, also if it failed and only its body is missing (SPEC 19.7); `None`
    /// after another failure.
    pub status: Option<StatusCode>,
    /// Why the request is sent once; `None` if it may be repeated.
    pub sent_once: Option<SentOnce>,
    /// The request.
    pub request: &'a Q,
    /// What [`Display`](fmt::Display) prints of the error of the attempt.
    pub(crate) error: Option<String>,
}

impl<'a, Q, R> Deref for RequestEvent<'a, Q, R> {
    type Target = RetryEvent<'a, R>;

    fn deref(&self) -> &RetryEvent<'a, R> {
        &self.event
    }
}

impl<Q, R> fmt::Display for RequestEvent<'_, Q, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, attempt {}", self.method, self.url, self.attempts)?;
        match (self.status, &self.error, self.outcome) {
            (Some(status), _, _) => write!(f, ": {}", status.as_u16())?,
            (None, Some(error), _) => write!(f, ": {error}")?,
            (None, None, Some(outcome)) => write!(f, ": {outcome}")?,
            (None, None, None) => {}
        }
        match self.reason {
            Some(reason) => write!(f, ", stopped: {reason}")?,
            None => write!(f, ", waiting {:?}", self.delay)?,
        }
        // A request that was never sent is repeated, whatever its method.
        match (self.reason, self.sent_once) {
            (Some(StopReason::Permanent), Some(why)) => write!(f, ", not repeatable ({why})"),
            _ => Ok(()),
        }
    }
}

/// What the caller says about requests and statuses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    pub(crate) methods: Option<Arc<[Method]>>,
    pub(crate) statuses: Arc<[(u16, Outcome)]>,
}

impl Rules {
    /// Why a request is sent once. `switch` is what the caller says about it.
    pub(crate) fn sent_once(
        &self,
        method: &Method,
        fields: &HeaderMap,
        switch: Option<bool>,
        has_body_for_once: bool,
    ) -> Option<SentOnce> {
        if switch == Some(false) {
            return Some(SentOnce::Caller);
        }
        if has_body_for_once {
            return Some(SentOnce::Body);
        }
        let may_be_repeated = switch == Some(true) || has_key(fields) || self.allows(method);
        (!may_be_repeated).then_some(SentOnce::Method)
    }

    fn allows(&self, method: &Method) -> bool {
        match &self.methods {
            Some(methods) => methods.contains(method),
            None => is_idempotent_method(method.as_str()),
        }
    }

    /// The verdict on a response.
    pub(crate) fn verdict(&self, status: StatusCode, fields: &HeaderMap) -> Verdict {
        let verdict = Verdict::of_http(status.as_u16(), fields);
        match self.statuses.iter().find(|(number, _)| *number == status.as_u16()) {
            Some((_, outcome)) => Verdict::from(*outcome).retry_after(verdict.retry_after),
            None => verdict,
        }
    }
}

/// The verdict on an attempt of a request that may be sent once.
pub(crate) fn judged(verdict: Verdict, sent_once: Option<SentOnce>, never_sent: bool) -> Verdict {
    match sent_once {
        None => verdict,
        Some(SentOnce::Method) if never_sent => verdict,
        Some(_) if verdict.outcome == Outcome::Success => verdict,
        Some(_) => Outcome::Permanent.into(),
    }
}

/// Whether the server can recognize the request when it comes again.
fn has_key(fields: &HeaderMap) -> bool {
    ["idempotency-key", "x-idempotency-key"]
        .into_iter()
        .flat_map(|name| fields.get_all(name))
        .any(|value| !value.as_bytes().trim_ascii().is_empty())
}
