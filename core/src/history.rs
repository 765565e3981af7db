//! Counting how operations ended, for the client to keep and a server to be told (SPEC 17).

use core::sync::atomic::{AtomicU64, Ordering};

use crate::operation::StopReason;
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
    /// The operations of each bucket, the last without a bound.
    buckets: [AtomicU64; History::BUCKETS],
    /// Counted by themselves, so that they never go down while others record.
    retries: AtomicU64,
    stops: [AtomicU64; StopReason::ALL.len()],
}

/// What a line of the printed form says.
#[derive(Clone, Copy)]
enum Line {
    Heading(&'static str),
    Bucket(usize),
    Count(&'static str, u64),
    Stops(StopReason),
}

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
        if let Some(count) = self.buckets.get(bucket) {
            add(count, 1);
        }
        add(&self.retries, attempts.saturating_sub(1));
        if let Some(count) = self.stops.get((reason as usize).wrapping_sub(1)) {
            add(count, 1);
        }
    }

    /// Adds the counts of another history.
    pub fn merge(&self, other: &Self) {
        for (count, more) in self.counts().zip(other.counts()) {
            add(count, more.load(Ordering::Relaxed));
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
        self.retries.load(Ordering::Relaxed)
    }

    /// The operations that stopped for a reason.
    #[must_use]
    pub fn stopped(&self, reason: StopReason) -> u64 {
        let count = self.stops.get((reason as usize).wrapping_sub(1));
        count.map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// The operations of each bucket by itself, as OpenTelemetry wants them.
    #[must_use]
    pub fn buckets(&self) -> [u64; Self::BUCKETS] {
        self.buckets.each_ref().map(|count| count.load(Ordering::Relaxed))
    }

    /// The text format of Prometheus, line by line, of the counts now.
    pub fn lines(&self) -> impl Iterator<Item = Text> + use<> {
        let now = self.clone();
        let [attempts, operations, retries] = [now.attempts(), now.operations(), now.retries()];
        let heading = |text| core::iter::once(Line::Heading(text));
        let count = |name, count| core::iter::once(Line::Count(name, count));
        heading("# HELP backoff_attempts Attempts of an operation.")
            .chain(heading("# TYPE backoff_attempts histogram"))
            .chain((1..=Self::BUCKETS).map(Line::Bucket))
            .chain(count("backoff_attempts_sum ", attempts))
            .chain(count("backoff_attempts_count ", operations))
            .chain(heading("# HELP backoff_retries_total Retries of all operations."))
            .chain(heading("# TYPE backoff_retries_total counter"))
            .chain(count("backoff_retries_total ", retries))
            .chain(heading(
                "# HELP backoff_stops_total Operations by the reason for which they stopped.",
            ))
            .chain(heading("# TYPE backoff_stops_total counter"))
            .chain(StopReason::ALL.into_iter().map(Line::Stops))
            .map(move |line| now.text(line))
    }

    /// The history as words, for a binding that keeps it outside of Rust.
    #[must_use]
    pub fn to_words(&self) -> [u64; Self::WORDS] {
        let mut words = [0; Self::WORDS];
        for (word, count) in words.iter_mut().zip(self.counts()) {
            *word = count.load(Ordering::Relaxed);
        }
        words
    }

    /// The history of such words.
    #[must_use]
    pub fn from_words(words: &[u64; Self::WORDS]) -> Self {
        let mut words = words.iter().copied();
        let mut count = || AtomicU64::new(words.next().unwrap_or_default());
        Self {
            buckets: core::array::from_fn(|_| count()),
            retries: count(),
            stops: core::array::from_fn(|_| count()),
        }
    }

    fn text(&self, line: Line) -> Text {
        let mut text = Text::new();
        match line {
            Line::Heading(heading) => {
                text.push(heading);
            }
            Line::Bucket(number) => {
                text.push("backoff_attempts_bucket{le=\"");
                match Self::BOUNDS.get(number.wrapping_sub(1)) {
                    Some(bound) => text.push_number(*bound),
                    None => text.push("+Inf"),
                };
                text.push("\"} ").push_number(self.within(number));
            }
            Line::Count(name, count) => {
                text.push(name).push_number(count);
            }
            Line::Stops(reason) => {
                text.push("backoff_stops_total{reason=\"").push(reason.name());
                text.push("\"} ").push_number(self.stopped(reason));
            }
        }
        text
    }

    /// The operations of so many buckets together.
    fn within(&self, buckets: usize) -> u64 {
        self.buckets().iter().take(buckets).fold(0, |sum, count| sum.saturating_add(*count))
    }

    fn counts(&self) -> impl Iterator<Item = &AtomicU64> {
        self.buckets.iter().chain([&self.retries]).chain(&self.stops)
    }
}

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

/// Adds to a count that stays at the largest number there is.
fn add(count: &AtomicU64, more: u64) {
    let sum = |count: u64| Some(count.saturating_add(more));
    // The closure always gives a number, so this cannot fail.
    let _ = count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
}
