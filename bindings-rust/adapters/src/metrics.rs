//! The hooks for metrics.

use ::metrics::{
    Label, SharedString, Unit, counter, describe_counter, describe_histogram, histogram,
};
use backoff_retry::RetryStats;

use crate::observed::{Facts, Observed};

/// The metrics of a kind of loop or request, with labels of its own. They go to the recorder of the
/// program, or of the thread.
///
/// ```
/// use backoff_adapters::metrics::LoopMetrics;
/// use backoff_retry::Retry;
/// let metrics = LoopMetrics::new("fetch").label("upstream", "payments");
/// let retry = Retry::new("constant:base=1ms,max_retries=1".parse()?).when(|_: &&str| true);
/// let retry = retry.on_retry(|event| metrics.on_retry(event)).on_stop(|event| metrics.on_stop(event));
/// assert_eq!(retry.call(|| Err::<(), _>("busy")), Err("busy"));
/// # Ok::<(), backoff_retry::ParseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LoopMetrics(Vec<Label>);

impl LoopMetrics {
    /// The metrics of loops with this value of the label `name`. It describes them to the recorder.
    pub fn new(name: impl Into<SharedString>) -> Self {
        describe_counter!("backoff_retries_total", Unit::Count, "Retries of all operations.");
        let stops = "Operations by the reason for which they stopped.";
        describe_counter!("backoff_stops_total", Unit::Count, stops);
        describe_histogram!("backoff_attempts", Unit::Count, "Attempts of an operation.");
        let duration = "The time of an operation, with its waits.";
        describe_histogram!("backoff_duration_seconds", Unit::Seconds, duration);
        Self(vec![Label::new("name", name)])
    }

    /// Adds a label to all metrics. It replaces an earlier one with this key.
    ///
    /// # Panics
    /// If the key is that of a label that the metrics have anyway: `name`, `outcome`, `reason`, `error_type` or
    /// `method`. An exporter would refuse or lose a series with two labels of one name. Also if Prometheus has no such
    /// name of a label (SPEC 17.3): it has letters of A to Z and a to z, digits and `_`, no digit in front, and no `__`
    /// in front.
    #[must_use]
    #[track_caller]
    pub fn label(mut self, key: impl Into<SharedString>, value: impl Into<SharedString>) -> Self {
        let added = Label::new(key, value);
        let key = added.key();
        assert!(
            !["name", "outcome", "reason", "error_type", "method"].contains(&key),
            "the metrics of loops have a label {key:?} of their own: choose another key"
        );
        if let Err(error) = RetryStats::new().prometheus_text("backoff", &[(key, "")]) {
            panic!("{error}");
        }
        self.0.retain(|label| label.key() != key);
        self.0.push(added);
        self
    }

    /// The hook for `on_retry`: the counter `backoff_retries_total`.
    pub fn on_retry(&self, event: &impl Observed) {
        counter!("backoff_retries_total", self.labels(&event.facts())).increment(1);
    }

    /// The hook for `on_stop`: the counter `backoff_stops_total` and the histograms `backoff_attempts` and
    /// `backoff_duration_seconds`.
    pub fn on_stop(&self, event: &impl Observed) {
        let facts = event.facts();
        let mut labels = self.labels(&facts);
        labels.extend(facts.reason.map(|reason| Label::new("reason", reason.name())));
        counter!("backoff_stops_total", labels.clone()).increment(1);
        // Stats count a loop without a call so, too (SPEC 17.1).
        let attempts = u32::try_from(facts.attempts.max(1)).unwrap_or(u32::MAX);
        histogram!("backoff_attempts", labels.clone()).record(attempts);
        histogram!("backoff_duration_seconds", labels).record(facts.elapsed);
    }

    fn labels(&self, facts: &Facts<'_>) -> Vec<Label> {
        let mut labels = self.0.clone();
        labels.extend(facts.outcome.map(|outcome| Label::new("outcome", outcome)));
        let class = facts.error_type.as_deref().map(str::to_owned);
        labels.extend(class.map(|class| Label::new("error_type", class)));
        let method = facts.request.as_ref().map(|request| request.known_method().to_owned());
        labels.extend(method.map(|method| Label::new("method", method)));
        labels
    }
}
