//! Counting how operations ended, for the client to keep and a server to be told (SPEC 17).

use core::sync::atomic::{AtomicU64, Ordering};

use crate::outcome::StopReason;
use crate::text::Text;

/// How many operations made how many attempts, and why they stopped.
///
/// Any number of threads may record into one history by reference; what is read while they do
/// may lack a part of an operation.
///
/// ```
/// use backoff_core::{History, StopReason};
/// let history = History::new();
/// history.record(1, StopReason::Success);
/// history.record(3, StopReason::MaxRetries);
/// assert_eq!((history.operations(), history.attempts(), history.retries()), (2, 4, 2));
/// assert!(history.lines().any(|line| line.as_str() == "backoff_attempts_bucket{le=\"2\"} 1"));
/// ```
#[derive(Debug)]
#[repr(C)]
pub struct History {
    /// The operations of each bucket, the last without a bound; then the retries, counted by
    /// themselves so that they never go down while others record; then the operations of each
    /// reason.
    counts: [AtomicU64; Self::WORDS],
}

const RETRIES: usize = History::BUCKETS;

impl History {
    /// The most attempts of each bucket but the last, which has no bound.
    pub const BOUNDS: [u64; 11] = [1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50];

    /// The number of buckets.
    pub const BUCKETS: usize = 12;

    /// The number of words that [`History::to_words`] gives.
    pub const WORDS: usize = Self::BUCKETS + 1 + StopReason::ALL.len();

    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self::from_words(&[0; Self::WORDS])
    }

    /// Counts an operation that has ended after so many attempts, at least one.
    pub fn record(&self, attempts: u64, reason: StopReason) {
        let bucket = Self::BOUNDS.iter().filter(|bound| attempts > **bound).count();
        self.add(bucket, 1);
        self.add(RETRIES, attempts.saturating_sub(1));
        self.add(place(reason), 1);
    }

    /// Adds the counts of another history.
    pub fn merge(&self, other: &Self) {
        for (at, more) in other.to_words().into_iter().enumerate() {
            self.add(at, more);
        }
    }

    /// The operations counted.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.within(Self::BUCKETS)
    }

    /// The attempts of all operations.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.operations().saturating_add(self.retries())
    }

    /// The retries of all operations.
    #[must_use]
    pub fn retries(&self) -> u64 {
        self.count(RETRIES)
    }

    /// The operations that stopped for a reason.
    #[must_use]
    pub fn stopped(&self, reason: StopReason) -> u64 {
        self.count(place(reason))
    }

    /// The operations of each bucket by itself, as OpenTelemetry wants them.
    #[must_use]
    pub fn buckets(&self) -> [u64; Self::BUCKETS] {
        core::array::from_fn(|bucket| self.count(bucket))
    }

    /// The text format of Prometheus, line by line, of the counts now.
    pub fn lines(&self) -> impl Iterator<Item = Text> + use<> {
        let now = self.clone();
        (0..).map_while(move |number| now.line(number))
    }

    /// The history as words, for a binding that keeps it outside of Rust.
    #[must_use]
    pub fn to_words(&self) -> [u64; Self::WORDS] {
        core::array::from_fn(|at| self.count(at))
    }

    /// The history of such words.
    #[must_use]
    pub fn from_words(words: &[u64; Self::WORDS]) -> Self {
        Self { counts: words.map(AtomicU64::new) }
    }

    /// A line of the printed form, if there are so many.
    fn line(&self, number: usize) -> Option<Text> {
        const AFTER: usize = HEAD.len() + History::BUCKETS;
        const STOPS: usize = AFTER + BODY.len();
        let mut text = Text::new();
        if let Some(heading) = HEAD.get(number) {
            text.push(heading);
        } else if let Some(bucket) = number.checked_sub(HEAD.len()).filter(|at| *at < Self::BUCKETS)
        {
            text.push("backoff_attempts_bucket{le=\"");
            match Self::BOUNDS.get(bucket) {
                Some(bound) => text.push_number(*bound),
                None => text.push("+Inf"),
            };
            text.push("\"} ").push_number(self.within(bucket.saturating_add(1)));
        } else if let Some(line) = number.checked_sub(AFTER).and_then(|at| BODY.get(at)) {
            text.push(line);
            match *line {
                SUM => text.push_number(self.attempts()),
                COUNT => text.push_number(self.operations()),
                TOTAL => text.push_number(self.retries()),
                _ => &mut text,
            };
        } else {
            let reason = number.checked_sub(STOPS).and_then(|at| StopReason::ALL.get(at))?;
            text.push("backoff_stops_total{reason=\"").push(reason.name()).push("\"} ");
            text.push_number(self.stopped(*reason));
        }
        Some(text)
    }

    /// The operations of so many buckets together.
    fn within(&self, buckets: usize) -> u64 {
        self.buckets().iter().take(buckets).fold(0, |sum, count| sum.saturating_add(*count))
    }

    fn count(&self, at: usize) -> u64 {
        self.counts.get(at).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// Adds to a count that stays at the largest number there is.
    fn add(&self, at: usize, more: u64) {
        let sum = |count: u64| Some(count.saturating_add(more));
        if let Some(count) = self.counts.get(at) {
            // The closure always gives a number, so this cannot fail.
            let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
        }
    }
}

/// Where the operations of a reason are counted.
const fn place(reason: StopReason) -> usize {
    (reason as usize).wrapping_add(RETRIES)
}

// The printed form: these, the buckets, these, the reasons.
const HEAD: [&str; 2] =
    ["# HELP backoff_attempts Attempts of an operation.", "# TYPE backoff_attempts histogram"];
const SUM: &str = "backoff_attempts_sum ";
const COUNT: &str = "backoff_attempts_count ";
const TOTAL: &str = "backoff_retries_total ";
const BODY: [&str; 7] = [
    SUM,
    COUNT,
    "# HELP backoff_retries_total Retries of all operations.",
    "# TYPE backoff_retries_total counter",
    TOTAL,
    "# HELP backoff_stops_total Operations by the reason for which they stopped.",
    "# TYPE backoff_stops_total counter",
];

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for History {
    fn clone(&self) -> Self {
        Self::from_words(&self.to_words())
    }
}
