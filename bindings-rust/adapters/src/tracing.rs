//! The hooks for tracing.

use ::tracing::{Level, event};
use backoff_retry::StopReason;

use crate::observed::{Facts, Observed, Request};

/// The hook for `on_retry`: an event `backoff.retry` in the current span, with the level `WARN` and the target
/// `backoff`.
///
/// ```
/// use backoff_retry::Retry;
/// let retry = Retry::new("constant:base=1ms,max_retries=1".parse()?).when(|_: &&str| true);
/// let retry = retry.on_retry(|event| backoff_adapters::tracing::on_retry(event));
/// assert_eq!(retry.call(|| Err::<(), _>("busy")), Err("busy"));
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
pub fn on_retry(event: &impl Observed) {
    record("backoff.retry", &event.facts());
}

/// The hook for `on_stop`: an event `backoff.stop` in the current span if the loop gave up at a limit, with the level
/// `WARN` and the target `backoff`. A success, a permanent failure and a cancelled loop have no event.
pub fn on_stop(event: &impl Observed) {
    let facts = event.facts();
    if facts.gave_up() {
        record("backoff.stop", &facts);
    }
}

fn record(name: &str, facts: &Facts<'_>) {
    let (request, resent) = (facts.request, facts.attempts.saturating_sub(1));
    let method = request.as_ref().map(Request::known_method);
    let unknown = request.filter(|_| method == Some("_OTHER")).map(|request| request.method);
    event!(
        target: "backoff",
        Level::WARN,
        {
            "backoff.attempts" = facts.attempts,
            "backoff.outcome" = facts.outcome,
            "backoff.stop_reason" = facts.reason.map(StopReason::name),
            "backoff.delay" = facts.delay,
            "backoff.elapsed" = facts.elapsed,
            "backoff.budget_is_local" = facts.budget_is_local.then_some(true),
            "error.type" = facts.error_type.as_deref(),
            "http.request.method" = method,
            "http.request.method_original" = unknown,
            "http.request.resend_count" = request.filter(|_| resent > 0).map(|_| resent),
            "http.response.status_code" = request.and_then(|request| request.status),
            "url.full" = request.map(|request| request.url),
        },
        "{name}"
    );
}
