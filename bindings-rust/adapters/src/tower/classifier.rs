//! Which requests to repeat, and after which results.

use std::sync::Arc;

use ::http::{Request, Response, StatusCode};
use backoff_retry::{IntoVerdict, Outcome, RetryEvent, Verdict};

use crate::http::{MayRepeat, RequestEvent, Rules, SentOnce, judged};

/// What hooks get, by the kind of a policy: of results, or of HTTP.
pub trait Kind {
    /// The end of an attempt.
    type Attempt: Send + 'static;
    /// What hooks get of the request.
    type About: Send + Sync + 'static;
    /// What hooks receive.
    type Event<'a>;

    /// The verdict on an attempt.
    fn verdict(attempt: &Self::Attempt) -> Verdict;

    /// What hooks receive of an event of the loop.
    fn event<'a>(event: &RetryEvent<'a, Self::Attempt>, about: &'a Self::About) -> Self::Event<'a>;
}

/// Says which requests may be repeated and classifies results. [`ByResult`] and [`Http`] implement it.
pub trait Classifier<Req, Res, E>: Kind {
    /// A copy of a request for the next attempt; `None` if hooks, stats and budgets do not see it.
    fn copy(&self, request: &Req) -> Option<Req>;

    /// What hooks get of a request.
    fn about(&self, request: &Req) -> Self::About;

    /// The end of an attempt.
    fn classify(
        &mut self,
        request: &Req,
        about: &Self::About,
        result: &Result<Res, E>,
    ) -> Self::Attempt;
}

/// A function classifies the results of requests that are `Clone`. Made by
/// [`RetryPolicy::new`](super::RetryPolicy::new).
#[derive(Debug, Clone, Copy)]
pub struct ByResult<F>(pub(super) F);

impl<F> Kind for ByResult<F> {
    type Attempt = Verdict;
    type About = ();
    type Event<'a> = RetryEvent<'a, Verdict>;

    fn verdict(attempt: &Verdict) -> Verdict {
        *attempt
    }

    fn event<'a>(event: &RetryEvent<'a, Verdict>, (): &'a ()) -> RetryEvent<'a, Verdict> {
        *event
    }
}

impl<Req, Res, E, F, V> Classifier<Req, Res, E> for ByResult<F>
where
    Req: Clone,
    F: FnMut(&Req, &Result<Res, E>) -> V,
    V: IntoVerdict,
{
    fn copy(&self, request: &Req) -> Option<Req> {
        Some(request.clone())
    }

    fn about(&self, _: &Req) {}

    fn classify(&mut self, request: &Req, (): &(), result: &Result<Res, E>) -> Verdict {
        self.0(request, result).into_verdict(Outcome::Success)
    }
}

/// HTTP: the method and the status decide, and a function classifies errors. Made by
/// [`RetryPolicy::http`](super::RetryPolicy::http).
#[derive(Clone)]
pub struct Http<F> {
    pub(super) of_error: F,
    pub(super) rules: Rules,
    pub(super) may_repeat: Option<Predicate>,
}

type Predicate = Arc<dyn Fn(&Request<()>) -> bool + Send + Sync>;

/// The end of an attempt of an HTTP request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpAttempt {
    /// The verdict.
    pub verdict: Verdict,
    /// The status of the response; `None` after an error.
    pub status: Option<StatusCode>,
}

/// An HTTP request, as hooks get it.
#[derive(Debug)]
pub struct About {
    request: Request<()>,
    url: String,
    sent_once: Option<SentOnce>,
}

impl<F> Kind for Http<F> {
    type Attempt = HttpAttempt;
    type About = About;
    type Event<'a> = RequestEvent<'a, Request<()>, HttpAttempt>;

    fn verdict(attempt: &HttpAttempt) -> Verdict {
        attempt.verdict
    }

    fn event<'a>(event: &RetryEvent<'a, HttpAttempt>, about: &'a About) -> Self::Event<'a> {
        RequestEvent {
            event: *event,
            method: about.request.method(),
            url: &about.url,
            status: event.result.and_then(|attempt| attempt.status),
            sent_once: about.sent_once,
            request: &about.request,
            // An error of a service may have no text.
            error: None,
        }
    }
}

impl<B, D, E, F, V> Classifier<Request<B>, Response<D>, E> for Http<F>
where
    B: Clone,
    F: FnMut(&E) -> V,
    V: IntoVerdict,
{
    /// Also if it is sent once: tower tells a policy nothing more of a request without a copy.
    fn copy(&self, request: &Request<B>) -> Option<Request<B>> {
        Some(request.clone())
    }

    fn about(&self, request: &Request<B>) -> About {
        let mut head = Request::new(());
        *head.method_mut() = request.method().clone();
        *head.uri_mut() = request.uri().clone();
        *head.version_mut() = request.version();
        *head.headers_mut() = request.headers().clone();
        *head.extensions_mut() = request.extensions().clone();
        let switch = match head.extensions().get::<MayRepeat>() {
            Some(switch) => Some(switch.0),
            None => self.may_repeat.as_ref().map(|may_repeat| may_repeat(&head)),
        };
        let sent_once = self.rules.sent_once(head.method(), head.headers(), switch, false);
        About { url: url(&head), request: head, sent_once }
    }

    fn classify(
        &mut self,
        _: &Request<B>,
        about: &About,
        result: &Result<Response<D>, E>,
    ) -> HttpAttempt {
        let (verdict, status) = match result {
            Ok(response) => {
                let status = response.status();
                (self.rules.verdict(status, response.headers()), Some(status))
            }
            Err(error) => match (self.of_error)(error).into_verdict(Outcome::Permanent) {
                // An error is never a success.
                Verdict { outcome: Outcome::Success, .. } => (Outcome::Permanent.into(), None),
                verdict => (verdict, None),
            },
        };
        HttpAttempt { verdict: judged(verdict, about.sent_once, false), status }
    }
}

/// The URL of a request without user information and query.
fn url(request: &Request<()>) -> String {
    let uri = request.uri();
    match (uri.scheme(), uri.authority()) {
        (Some(scheme), Some(authority)) => {
            let host = authority.as_str().rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{}", uri.path())
        }
        _ => uri.path().to_owned(),
    }
}
