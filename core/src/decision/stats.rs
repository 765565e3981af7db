//! Counting how operations ended (SPEC 17).

use crate::decision::atomic::{AtomicU64, Ordering};
use crate::decision::outcome::StopReason;
use crate::text::buffer::TextBuf;

/// Counts operations by their number of attempts and by the reason why they stopped.
///
/// Any number of threads may record into the same stats by reference. A read during a write may
/// see an operation only partly counted.
///
/// ```
/// use backoff_core::{RetryStats, StopReason};
/// let stats = RetryStats::new();
/// stats.record(1, StopReason::Success);
/// stats.record(3, StopReason::MaxRetries);
/// assert_eq!((stats.operations(), stats.attempts(), stats.retries()), (2, 4, 2));
/// assert_eq!(stats.stops(StopReason::MaxRetries), 1);
/// let text: Vec<_> = stats.prometheus().collect();
/// assert!(text.iter().any(|line| line.as_str() == "backoff_attempts_bucket{le=\"2\"} 1"));
/// ```
#[derive(Debug)]
#[repr(C)]
pub struct RetryStats {
    /// The operations of each bucket, the last without a bound; then the retries, kept apart so
    /// that their count never falls while other threads record; then the stops by reason.
    counts: [AtomicU64; Self::WORDS],
}

const RETRIES: usize = RetryStats::BOUNDS.len() + 1;

impl RetryStats {
    /// The largest number of attempts of each bucket. A last bucket without a bound follows.
    pub const BOUNDS: &'static [u64] = &[1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50];

    /// The number of buckets.
    pub(crate) const BUCKETS: usize = RETRIES;

    /// The length of [`RetryStats::to_words`].
    pub(crate) const WORDS: usize = Self::BUCKETS + 1 + StopReason::ALL.len();

    /// Stats with every count at 0.
    #[must_use]
    pub const fn new() -> Self {
        Self { counts: [const { AtomicU64::new(0) }; Self::WORDS] }
    }

    /// Counts an operation that stopped after `attempts` attempts; 0 counts as 1.
    pub fn record(&self, attempts: u64, reason: StopReason) {
        let bucket = Self::BOUNDS.iter().filter(|bound| attempts > **bound).count();
        self.add(bucket, 1);
        self.add(RETRIES, attempts.saturating_sub(1));
        self.add(position(reason), 1);
    }

    /// Adds the counts of other stats.
    pub fn merge(&self, other: &Self) {
        for (at, count) in other.to_words().into_iter().enumerate() {
            self.add(at, count);
        }
    }

    /// The number of operations.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.cumulative(Self::BUCKETS)
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
    pub fn stops(&self, reason: StopReason) -> u64 {
        self.count(position(reason))
    }

    /// The operations of each bucket, not cumulative, as OpenTelemetry expects them: one count for
    /// each of [`BOUNDS`](Self::BOUNDS), and one beyond the last bound.
    pub fn buckets(&self) -> impl Iterator<Item = u64> + '_ {
        (0..Self::BUCKETS).map(|bucket| self.count(bucket))
    }

    /// The current counts in the text format of Prometheus, line by line.
    pub fn prometheus(&self) -> impl Iterator<Item = TextBuf> + use<> {
        let snapshot = self.clone();
        (0..).map_while(move |number| snapshot.line(number))
    }

    /// The counts as plain numbers.
    pub(crate) fn to_words(&self) -> [u64; Self::WORDS] {
        core::array::from_fn(|at| self.count(at))
    }

    /// The stats of such numbers.
    pub(crate) fn from_words(words: &[u64; Self::WORDS]) -> Self {
        Self { counts: words.map(AtomicU64::new) }
    }

    /// A line of the Prometheus text, or `None` after the last.
    fn line(&self, number: usize) -> Option<TextBuf> {
        const AFTER: usize = HEAD.len() + RetryStats::BUCKETS;
        const STOPS: usize = AFTER + BODY.len();
        let mut text = TextBuf::new();
        if let Some(heading) = HEAD.get(number) {
            text.push(heading);
        } else if let Some(bucket) = number.checked_sub(HEAD.len()).filter(|at| *at < Self::BUCKETS)
        {
            text.push("backoff_attempts_bucket{le=\"");
            match Self::BOUNDS.get(bucket) {
                Some(bound) => text.push_number(*bound),
                None => text.push("+Inf"),
            };
            text.push("\"} ").push_number(self.cumulative(bucket.saturating_add(1)));
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
            text.push_number(self.stops(*reason));
        }
        Some(text)
    }

    /// The operations of the first `buckets` buckets.
    fn cumulative(&self, buckets: usize) -> u64 {
        self.buckets().take(buckets).fold(0, u64::saturating_add)
    }

    fn count(&self, at: usize) -> u64 {
        self.counts.get(at).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// Adds to a count, saturating.
    fn add(&self, at: usize, amount: u64) {
        let sum = |count: u64| Some(count.saturating_add(amount));
        if let Some(count) = self.counts.get(at) {
            // The closure always returns a number, so this cannot fail.
            let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
        }
    }
}

/// The position of the count of a reason.
const fn position(reason: StopReason) -> usize {
    (reason as usize).wrapping_add(RETRIES)
}

// The text is the head, the buckets, the body and the reasons.
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

impl Default for RetryStats {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for RetryStats {
    fn clone(&self) -> Self {
        Self::from_words(&self.to_words())
    }
}
