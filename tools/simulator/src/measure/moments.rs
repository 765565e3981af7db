//! The mean and the spread of a value over runs.

use serde::{Deserialize, Serialize};

/// A value over runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean of the runs.
    pub mean: f64,
    /// The standard deviation of the runs (0 for one run).
    pub sd: f64,
    /// The standard error of the mean: the deviation divided by the square root of the runs.
    pub sem: f64,
}

/// A number of values, their sum and the sum of their squares, which add up exactly in any order.
///
/// Values are below 2^53 and runs at most 2^20, so that nothing overflows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Moments {
    count: u64,
    #[serde(with = "decimal")]
    sum: u128,
    #[serde(with = "decimal")]
    squares: u128,
}

impl Moments {
    pub(crate) fn add(&mut self, value: u64) {
        let value = u128::from(value);
        self.count += 1;
        self.sum += value;
        self.squares += value * value;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn sum(&self) -> u128 {
        self.sum
    }

    /// Whether there can be this number of values below 2^53 with these sums.
    ///
    /// The sums of a part come from a file. Those that no values have would overflow, or give a
    /// negative variance.
    pub(crate) fn is_sound(&self, count: u64) -> bool {
        let fits = |sum: u128, bits: u32| sum >> bits <= u128::from(count);
        if self.count != count || !fits(self.sum, 53) || !fits(self.squares, 106) {
            return false;
        }
        let count = u128::from(count.max(1));
        // The squares are at least the square of the sum, divided by the number of values.
        let (near, rest) = (self.sum / count, self.sum % count);
        self.squares >= count * near * near + 2 * near * rest + (rest * rest).div_ceil(count)
    }

    /// The mean, the standard deviation and the standard error, of values in this unit.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(crate) fn estimate(&self, unit: f64) -> Estimate {
        if self.count == 0 {
            return Estimate { mean: 0.0, sd: 0.0, sem: 0.0 };
        }
        let count = u128::from(self.count);
        let mean = self.sum as f64 / self.count as f64 / unit;
        // The squares of the distances from a whole number next to the mean, before anything is
        // rounded: a difference of rounded squares could be anything.
        let (near, rest) = (self.sum / count, self.sum % count);
        let squares = self.squares + count * near * near - 2 * near * self.sum;
        let squares = squares as f64 - rest as f64 * rest as f64 / self.count as f64;
        let sd = (squares / self.count.saturating_sub(1).max(1) as f64).sqrt() / unit;
        Estimate { mean, sd, sem: sd / (self.count as f64).sqrt() }
    }
}

/// 128-bit numbers as decimal strings: JSON numbers are doubles in many readers.
mod decimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(number: &u128, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "equal to the last digit")]
mod tests {
    use super::Moments;

    fn moments(values: &[u64]) -> Moments {
        let mut moments = Moments::default();
        for &value in values {
            moments.add(value);
        }
        moments
    }

    /// Python's `statistics.mean`, `statistics.stdev`.
    #[test]
    fn estimates_equal_those_of_python() {
        let estimate = moments(&[2, 4, 4, 4, 5, 5, 7, 9]).estimate(1.0);
        assert_eq!((estimate.mean, estimate.sd), (5.0, 2.138089935299395));
        let far = 1 << 52;
        let estimate = moments(&[far + 1, far + 2, far + 4]).estimate(1.0);
        assert_eq!(estimate.sd, 1.5275252316519468);
        assert_eq!(moments(&[7]).estimate(2.0).mean, 3.5);
        assert_eq!(moments(&[7]).estimate(2.0).sd, 0.0);
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        let mut all = Moments::default();
        for _ in 0..1 << 20 {
            all.add((1 << 53) - 1);
        }
        assert_eq!(all.estimate(1.0).sd, 0.0);
        assert_eq!(all.estimate(1.0).mean, 9007199254740991.0);
    }

    #[test]
    fn sums_that_no_values_have_are_unsound() {
        assert!(moments(&[]).is_sound(0));
        assert!(moments(&[7]).is_sound(1));
        assert!(moments(&[1, 2, 30, 4]).is_sound(4));
        assert!(moments(&[(1 << 53) - 1; 3]).is_sound(3));
        assert!(!moments(&[1, 2]).is_sound(3));
        for (count, sum, squares) in [
            (0, 1, 0),
            (1, 0, 1 << 107),
            (2, 1 << 55, u128::MAX),
            (2, 3, 4),
            (3, u128::MAX, u128::MAX),
        ] {
            assert!(!Moments { count, sum, squares }.is_sound(count), "{count} {sum} {squares}");
        }
    }

    #[test]
    fn merging_is_adding() {
        let mut merged = moments(&[1, 2]);
        merged.merge(&moments(&[30, 4]));
        assert_eq!(merged, moments(&[1, 2, 30, 4]));
    }
}
