//! Quantiles, in arithmetic that is the same on every machine.
//!
//! Addition, multiplication, division and square root are exactly rounded everywhere. Logarithms
//! come from the crate `libm`, which computes them from those operations, never from the platform.

/// The middle of one of 2^52 equal parts of the interval from 0 to 1, exactly.
#[expect(clippy::cast_precision_loss, reason = "it is below 2^52")]
pub(crate) fn unit(draw: u64) -> f64 {
    const PART: f64 = 1.0 / (1_u64 << 52) as f64;
    ((draw >> 12) as f64 + 0.5) * PART
}

/// The middle of one of 2^53 equal parts of the interval from -1 to 1, exactly.
#[expect(clippy::cast_precision_loss, reason = "it is below 2^52")]
pub(crate) fn signed_unit(draw: u64) -> f64 {
    const PART: f64 = 1.0 / (1_u64 << 52) as f64;
    ((draw.cast_signed() >> 11) as f64 + 0.5) * PART
}

/// The quantile of the exponential distribution with mean 1.
pub(crate) fn exponential_quantile(p: f64) -> f64 {
    -libm::log(1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::{exponential_quantile, unit};

    /// Python's `-math.log(1 - p)`.
    #[test]
    fn quantiles_equal_those_of_python() {
        for (p, expected) in [
            (1e-12, 9.999778782803785e-13),
            (1e-09, 9.999999722180686e-10),
            (1e-05, 1.0000050000287824e-05),
            (0.001, 0.0010005003335835344),
            (0.02, 0.020202707317519466),
            (0.074, 0.07688104433595762),
            (0.075, 0.0779615414697118),
            (0.2, 0.2231435513142097),
            (0.5000001, 0.6931473805599652),
            (0.7, 1.203972804325936),
            (0.925, 2.590267165445827),
            (0.926, 2.603690185777968),
            (0.99, 4.605170185988091),
            (0.999999, 13.815510557935518),
            (0.99999999999, 25.328435940194137),
        ] {
            assert!((exponential_quantile(p) - expected).abs() <= 2e-16 * expected, "{p}");
        }
    }

    #[test]
    fn the_unit_interval_is_open() {
        assert!(unit(0) > 0.0);
        assert!(unit(u64::MAX) < 1.0);
        assert!(exponential_quantile(unit(u64::MAX)).is_finite());
    }
}
