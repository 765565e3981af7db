//! A limit on the calls that a server admits in a second, as most third-party services have one.

use serde::{Deserialize, Serialize};

use crate::error::{ExperimentError, check_range};
use crate::limits::MAX_TIME_NS;

/// A token bucket, which is full at first. A call that finds no token is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimit {
    /// The time in which a token returns, in nanoseconds.
    pub interval_ns: u64,
    /// The most tokens: the calls that are admitted at once.
    pub burst: u32,
}

impl RateLimit {
    /// A limit of calls in a second. As many are admitted at once, but at least one.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    pub fn per_second(calls: f64) -> Self {
        let interval_ns = (1e9 / calls).round().max(1.0) as u64;
        Self { interval_ns, burst: calls.max(1.0) as u32 }
    }

    pub(crate) fn validate(&self) -> Result<(), ExperimentError> {
        check_range("the interval of the rate limit in ns", self.interval_ns, 1, MAX_TIME_NS)?;
        check_range("the burst of the rate limit", self.burst.into(), 1, u32::MAX.into())
    }

    /// Whether a call is admitted, and takes a token. `full_at_ns` is when the bucket is full again.
    pub(crate) fn admits(&self, full_at_ns: &mut u64, now_ns: u64) -> bool {
        let taken_until_ns = (*full_at_ns).max(now_ns).saturating_add(self.interval_ns);
        let max_ns = self.interval_ns.saturating_mul(self.burst.into());
        let is_admitted = taken_until_ns - now_ns <= max_ns;
        if is_admitted {
            *full_at_ns = taken_until_ns;
        }
        is_admitted
    }
}

#[cfg(test)]
mod tests {
    use super::RateLimit;

    #[test]
    fn a_bucket_admits_its_burst_and_then_one_in_each_interval() {
        let limit = RateLimit { interval_ns: 10, burst: 3 };
        let mut full_at_ns = 0;
        let admitted: Vec<_> = [0, 0, 0, 0, 9, 10, 10, 35, 35, 35, 1000, 1000, 1000, 1000]
            .map(|now_ns| limit.admits(&mut full_at_ns, now_ns))
            .to_vec();
        let (yes, no) = (true, false);
        let expected = [yes, yes, yes, no, no, yes, no, yes, yes, no, yes, yes, yes, no];
        assert_eq!(admitted, expected);
    }
}
