//! What the hooks for tracing and metrics read of an event, by the semantic conventions of OpenTelemetry.

use std::any::type_name;
use std::borrow::Cow;

use backoff_retry::{Outcome, RetryEvent, StopReason};

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
use crate::http::RequestEvent;

/// An event that hooks record: that of a loop whose calls return a `Result`, that of a request, or that of any loop of the
/// program, for [`Defaults`](backoff_retry::Defaults).
pub trait Observed: sealed::Sealed {}

impl<V: sealed::Sealed> Observed for V {}

pub(crate) mod sealed {
    pub trait Sealed {
        fn facts(&self) -> super::Facts<'_>;
    }
}

/// The members of an event. `error.type` has few values, and no text that may be secret.
#[derive(Debug)]
pub struct Facts<'a> {
    pub(crate) attempts: u64,
    pub(crate) outcome: Option<&'static str>,
    pub(crate) reason: Option<StopReason>,
    pub(crate) delay: f64,
    pub(crate) elapsed: f64,
    pub(crate) budget_is_local: bool,
    pub(crate) error_type: Option<Cow<'a, str>>,
    pub(crate) request: Option<Request<'a>>,
}

/// What an event says about its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) url: &'a str,
    pub(crate) status: Option<u16>,
}

impl<'a> Facts<'a> {
    /// `class` is that of a failure which is not a value.
    fn of<R>(event: &RetryEvent<'_, R>, class: Option<Cow<'a, str>>) -> Self {
        let outcome = event.outcome.map(Outcome::name);
        let failed = outcome.filter(|name| *name != "success");
        Self {
            attempts: event.attempts,
            outcome,
            reason: event.reason,
            delay: event.delay.as_secs_f64(),
            elapsed: event.elapsed.as_secs_f64(),
            budget_is_local: event.budget_is_local,
            error_type: failed.map(|name| class.unwrap_or(Cow::Borrowed(name))),
            request: None,
        }
    }

    /// Whether a loop gave up at a limit. Other ends need no event: the caller knows them.
    pub(crate) fn gave_up(&self) -> bool {
        use StopReason::{Cancelled, Permanent, Success};
        self.reason.is_some_and(|reason| !matches!(reason, Success | Permanent | Cancelled))
    }
}

impl<T, E> sealed::Sealed for RetryEvent<'_, Result<T, E>> {
    fn facts(&self) -> Facts<'_> {
        Facts::of(self, self.error().map(|_| Cow::Borrowed(type_name::<E>())))
    }
}

/// The event of a hook of the program, which has no result.
impl sealed::Sealed for RetryEvent<'_, ()> {
    fn facts(&self) -> Facts<'_> {
        Facts::of(self, None)
    }
}

#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
impl<Q, R> sealed::Sealed for RequestEvent<'_, Q, R> {
    fn facts(&self) -> Facts<'_> {
        let status = self.status.map(|status| status.as_u16());
        let class = status.filter(|status| *status >= 400).map(|status| status.to_string().into());
        let request = Request { method: self.method.as_str(), url: self.url, status };
        Facts { request: Some(request), ..Facts::of(&self.event, class) }
    }
}

impl Request<'_> {
    /// The method as `http.request.method` may have it.
    pub(crate) fn known_method(&self) -> &str {
        const KNOWN: [&str; 10] = [
            "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
        ];
        if KNOWN.contains(&self.method) { self.method } else { "_OTHER" }
    }
}
