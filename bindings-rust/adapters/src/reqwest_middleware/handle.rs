//! The loop of one request.

use std::time::Duration;

use ::reqwest_middleware::{Error, Middleware, Next};
use async_trait::async_trait;
use backoff_retry::{Clock, Field, FieldValue, Outcome, RetryEvent, Verdict};
use http::{Extensions, StatusCode};
use reqwest::{Request, Response};

use crate::http::{MayRepeat, SentOnce, judged};
use crate::reqwest_middleware::attempt::{
    Attempt, AttemptTimeout, Came, Copies, Last, with_whole_body,
};
use crate::reqwest_middleware::{Hook, RequestEvent, RetryMiddleware, network};

#[async_trait]
impl<C: Clock + Clone + Send + Sync + 'static> Middleware for RetryMiddleware<C> {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response, Error> {
        let copies = Copies::of(request);
        let sent_once = self.sent_once(&copies, extensions);
        let last = Last::default();
        let mut retry = self.retry.clone();
        if let Some(budgets) = &self.budgets {
            retry = retry.budget(budgets.of(copies.request.url()));
        }
        // The attempts use it one after another.
        let extensions = tokio::sync::Mutex::new(extensions);
        let limit = self.attempt_limit();
        let attempt = async |begun: backoff_retry::Attempt<Attempt>| {
            *last.lock() = Came::default();
            let mut extensions = extensions.lock().await;
            let running = next.clone().run(copies.next(), &mut extensions);
            let reading = async {
                let response = running.await?;
                if !self.read_body {
                    return Ok(response);
                }
                last.lock().head = Some((response.status(), response.headers().clone()));
                Ok(with_whole_body(response).await?)
            };
            // Not by the loop, which would retry also a request that is sent once.
            let left = begun.time_left.filter(|left| !left.is_zero());
            let limit = limit.map(|limit| left.unwrap_or(limit));
            let response = AttemptTimeout::within(limit, reading).await?;
            let status = response.status();
            last.lock().response = Some(response);
            Ok(status)
        };
        let report = |hook: Option<&Hook>, event: &RetryEvent<'_, Attempt>| {
            let Some(hook) = hook else { return };
            let status = event.value().copied().or_else(|| Some(self.of_head(&last)?.0));
            report(hook, event, &copies.request, status, sent_once);
        };
        let status = retry
            .sleep(|delay| last.clone().wait(delay))
            .classify(|attempt: &Attempt| {
                let url = copies.request.url();
                let never_sent = !self.follows_redirects
                    && attempt.as_ref().is_err_and(|error| network::was_never_sent(error, url));
                judged(self.verdict(&copies.request, attempt, &last), sent_once, never_sent)
            })
            .on_retry(|event| report(self.on_retry.as_ref(), event))
            .on_stop(|event| report(self.on_stop.as_ref(), event))
            .call_async_with_attempt(attempt)
            .await?;
        let response = last.lock().response.take();
        Ok(response
            .unwrap_or_else(|| unreachable!("an attempt with status {status} has a response")))
    }
}

impl<C> RetryMiddleware<C> {
    fn attempt_limit(&self) -> Option<Duration> {
        match self.retry.policy().get(Field::AttemptTimeout) {
            Some(FieldValue::Duration(limit)) => Some(limit),
            _ => None,
        }
    }

    fn sent_once(&self, copies: &Copies, extensions: &Extensions) -> Option<SentOnce> {
        let request = &copies.request;
        let switch = match extensions.get::<MayRepeat>() {
            Some(switch) => Some(switch.0),
            None => self.may_repeat.as_ref().map(|may_repeat| may_repeat(request)),
        };
        let (method, fields) = (request.method(), request.headers());
        self.rules.sent_once(method, fields, switch, copies.has_body_for_once)
    }

    /// The verdict on an attempt of a request that may be repeated.
    fn verdict(&self, request: &Request, attempt: &Attempt, last: &Last) -> Verdict {
        let of_head = self.of_head(last);
        let Came { response, head } = &*last.lock();
        let result = match (response, attempt) {
            (Some(response), _) => Ok(response),
            (None, Err(error)) => Err(error),
            (None, Ok(status)) => unreachable!("an attempt with status {status} has a response"),
        };
        if let Some(classify) = &self.classify
            && let Some(verdict) = classify(request, result)
        {
            return verdict;
        }
        match (result, of_head) {
            (Ok(response), _) => self.rules.verdict(response.status(), response.headers()),
            (Err(_), Some((_, verdict))) => verdict,
            (Err(error), None) if head.is_some() => network::outcome_of_body(error).into(),
            (Err(error), None) => network::outcome(error).into(),
        }
    }

    /// The status that decides although the body of its response is missing, and its verdict.
    fn of_head(&self, last: &Last) -> Option<(StatusCode, Verdict)> {
        let came = last.lock();
        let (status, fields) = came.head.as_ref()?;
        let verdict = self.rules.verdict(*status, fields);
        (verdict.outcome != Outcome::Success).then_some((*status, verdict))
    }
}

fn report(
    hook: &Hook,
    event: &RetryEvent<'_, Attempt>,
    request: &Request,
    status: Option<StatusCode>,
    sent_once: Option<SentOnce>,
) {
    let mut url = request.url().clone();
    // Only a URL without a host has none of these, and there is no such request.
    let _ = (url.set_username(""), url.set_password(None));
    url.set_query(None);
    url.set_fragment(None);
    let error = event.error().map(network::text);
    let (event, method, url) = (*event, request.method(), url.as_str());
    hook(&RequestEvent { event, method, url, status, sent_once, request, error });
}
