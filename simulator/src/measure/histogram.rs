//! Latencies, with the relative precision of an HDR histogram.

use hdrhistogram::Histogram;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::MAX_TIME_NS;

/// Counts of times in nanoseconds, to three significant digits. Counts add up exactly.
#[derive(Debug, Clone)]
pub(crate) struct Latencies(Histogram<u64>);

impl Default for Latencies {
    /// It grows with the times: a third of a megabyte for the longest.
    #[expect(clippy::expect_used, reason = "the number of digits is a constant")]
    fn default() -> Self {
        Self(Histogram::new(3).expect("up to five digits"))
    }
}

impl Latencies {
    /// Counts a time. One below a nanosecond counts as zero.
    #[inline]
    pub(crate) fn record(&mut self, ns: u64) {
        self.record_n(ns, 1);
    }

    #[inline]
    #[expect(clippy::expect_used, reason = "it grows to any time")]
    fn record_n(&mut self, ns: u64, count: u64) {
        self.0.record_n(ns, count).expect("a histogram that grows");
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for value in other.0.iter_recorded() {
            self.record_n(value.value_iterated_to(), value.count_at_value());
        }
    }

    /// The number of times counted.
    pub(crate) fn count(&self) -> u64 {
        self.0.len()
    }

    /// The time that this many percent of the times do not exceed.
    pub(crate) fn percentile(&self, percent: f64) -> u64 {
        self.0.value_at_percentile(percent)
    }
}

impl PartialEq for Latencies {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter_recorded().eq(other.0.iter_recorded())
    }
}

/// The times and how often each was counted, which is all that the histogram knows.
impl Serialize for Latencies {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let pair = |value: hdrhistogram::iterators::IterationValue<u64>| {
            (value.value_iterated_to(), value.count_at_value())
        };
        to.collect_seq(self.0.iter_recorded().map(pair))
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut latencies = Self::default();
        for (ns, count) in Vec::<(u64, u64)>::deserialize(from)? {
            if ns > MAX_TIME_NS {
                return Err(D::Error::custom(format!("{ns} ns is above {MAX_TIME_NS}")));
            }
            latencies.record_n(ns, count);
        }
        Ok(latencies)
    }
}
