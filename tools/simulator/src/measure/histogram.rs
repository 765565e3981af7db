//! Latencies, with the relative precision of an HDR histogram.

use hdrhistogram::Histogram;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::MAX_TIME_NS;

/// Counts of times in nanoseconds, to three significant digits, and the longest time exactly. They
/// add up exactly.
#[derive(Debug, Clone)]
pub(crate) struct Latencies {
    histogram: Histogram<u64>,
    longest_ns: u64,
}

impl Default for Latencies {
    /// It grows with the times: a third of a megabyte for the longest.
    #[expect(clippy::expect_used, reason = "the number of digits is a constant")]
    fn default() -> Self {
        Self { histogram: Histogram::new(3).expect("up to five digits"), longest_ns: 0 }
    }
}

impl Latencies {
    /// Counts a time. One below a nanosecond counts as zero.
    #[inline]
    pub(crate) fn record(&mut self, ns: u64) {
        self.record_n(ns, 1);
        self.longest_ns = self.longest_ns.max(ns);
    }

    #[inline]
    #[expect(clippy::expect_used, reason = "it grows to any time")]
    fn record_n(&mut self, ns: u64, count: u64) {
        self.histogram.record_n(ns, count).expect("a histogram that grows");
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for value in other.histogram.iter_recorded() {
            self.record_n(value.value_iterated_to(), value.count_at_value());
        }
        self.longest_ns = self.longest_ns.max(other.longest_ns);
    }

    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The time that this many percent of the times do not exceed. A time that is counted with
    /// others stands for the longest that would be, so the longest time of all limits it.
    pub(crate) fn percentile(&self, percent: f64) -> u64 {
        self.histogram.value_at_percentile(percent).min(self.longest_ns)
    }
}

impl PartialEq for Latencies {
    fn eq(&self, other: &Self) -> bool {
        self.longest_ns == other.longest_ns
            && self.histogram.iter_recorded().eq(other.histogram.iter_recorded())
    }
}

/// The longest time, and the times and how often each was counted: all that is known.
impl Serialize for Latencies {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let pair = |value: hdrhistogram::iterators::IterationValue<u64>| {
            (value.value_iterated_to(), value.count_at_value())
        };
        let counts: Vec<_> = self.histogram.iter_recorded().map(pair).collect();
        (self.longest_ns, counts).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut latencies = Self::default();
        let (longest_ns, counts) = <(u64, Vec<(u64, u64)>)>::deserialize(from)?;
        for (ns, count) in counts {
            if ns > MAX_TIME_NS {
                return Err(D::Error::custom(format!("{ns} ns is above {MAX_TIME_NS}")));
            }
            // The histogram would take it for the longest time, and not write it again.
            if count == 0 {
                return Err(D::Error::custom(format!("{ns} ns is counted 0 times")));
            }
            latencies.record_n(ns, count);
        }
        let histogram = &latencies.histogram;
        if !histogram.equivalent(longest_ns, histogram.max()) {
            return Err(D::Error::custom(format!("{longest_ns} ns is not the longest time")));
        }
        latencies.longest_ns = longest_ns;
        Ok(latencies)
    }
}

#[cfg(test)]
mod tests {
    use super::Latencies;

    fn latencies(times: &[u64]) -> Latencies {
        let mut latencies = Latencies::default();
        for &ns in times {
            latencies.record(ns);
        }
        latencies
    }

    #[test]
    fn the_longest_time_is_exact_and_limits_all() {
        let mut all = latencies(&[1_000_001]);
        assert_eq!([50.0, 99.0, 100.0].map(|percent| all.percentile(percent)), [1_000_001; 3]);
        all.merge(&latencies(&[5, 1_000_002]));
        assert_eq!(all.percentile(100.0), 1_000_002);
        assert_eq!(all.percentile(1.0), 5);
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Latencies>(&text).unwrap(), all);
    }

    #[test]
    fn a_longest_time_that_was_not_counted_is_refused() {
        for text in ["[1,[]]", "[7,[[5,1]]]", "[0,[[5,1]]]", "[18446744073709551615,[[5,1]]]"] {
            let error = serde_json::from_str::<Latencies>(text).unwrap_err().to_string();
            assert!(error.contains("is not the longest time"), "{text}: {error}");
        }
        assert_eq!(serde_json::from_str::<Latencies>("[0,[]]").unwrap(), latencies(&[]));
    }

    #[test]
    fn a_time_without_a_count_is_refused() {
        let error = serde_json::from_str::<Latencies>("[7,[[5,1],[7,0]]]").unwrap_err().to_string();
        assert!(error.contains("7 ns is counted 0 times"), "{error}");
    }
}
