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

/// The quantile of the exponential distribution with mean 1.
pub(crate) fn exponential_quantile(p: f64) -> f64 {
    -libm::log(1.0 - p)
}

/// The quantile of the standard normal distribution, to about 16 digits: Wichura, "Algorithm AS
/// 241: The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988), PPND16.
#[expect(clippy::excessive_precision, reason = "the digits as published")]
pub(crate) fn normal_quantile(p: f64) -> f64 {
    const CENTRAL: Rational = Rational {
        above: [
            2.5090809287301226727e3,
            3.3430575583588128105e4,
            6.7265770927008700853e4,
            4.5921953931549871457e4,
            1.3731693765509461125e4,
            1.9715909503065514427e3,
            1.3314166789178437745e2,
            3.3871328727963666080e0,
        ],
        below: [
            5.2264952788528545610e3,
            2.8729085735721942674e4,
            3.9307895800092710610e4,
            2.1213794301586595867e4,
            5.3941960214247511077e3,
            6.8718700749205790830e2,
            4.2313330701600911252e1,
            1.0,
        ],
    };
    const MIDDLE: Rational = Rational {
        above: [
            7.74545014278341407640e-4,
            2.27238449892691845833e-2,
            2.41780725177450611770e-1,
            1.27045825245236838258e0,
            3.64784832476320460504e0,
            5.76949722146069140550e0,
            4.63033784615654529590e0,
            1.42343711074968357734e0,
        ],
        below: [
            1.05075007164441684324e-9,
            5.47593808499534494600e-4,
            1.51986665636164571966e-2,
            1.48103976427480074590e-1,
            6.89767334985100004550e-1,
            1.67638483018380384940e0,
            2.05319162663775882187e0,
            1.0,
        ],
    };
    const FAR: Rational = Rational {
        above: [
            2.01033439929228813265e-7,
            2.71155556874348757815e-5,
            1.24266094738807843860e-3,
            2.65321895265761230930e-2,
            2.96560571828504891230e-1,
            1.78482653991729133580e0,
            5.46378491116411436990e0,
            6.65790464350110377720e0,
        ],
        below: [
            2.04426310338993978564e-15,
            1.42151175831644588870e-7,
            1.84631831751005468180e-5,
            7.86869131145613259100e-4,
            1.48753612908506148525e-2,
            1.36929880922735805310e-1,
            5.99832206555887937690e-1,
            1.0,
        ],
    };
    let from_median = p - 0.5;
    if from_median.abs() <= 0.425 {
        return from_median * CENTRAL.at(0.180625 - from_median * from_median);
    }
    let tail = if from_median < 0.0 { p } else { 1.0 - p };
    let depth = (-libm::log(tail)).sqrt();
    let quantile = if depth <= 5.0 { MIDDLE.at(depth - 1.6) } else { FAR.at(depth - 5.0) };
    quantile.copysign(from_median)
}

/// A quotient of two polynomials, the highest power first.
struct Rational {
    above: [f64; 8],
    below: [f64; 8],
}

impl Rational {
    fn at(&self, x: f64) -> f64 {
        let value = |terms: &[f64; 8]| terms.iter().fold(0.0, |sum, term| sum * x + term);
        value(&self.above) / value(&self.below)
    }
}

#[cfg(test)]
mod tests {
    use super::{exponential_quantile, normal_quantile, unit};

    /// Python's `statistics.NormalDist().inv_cdf(p)` and `-math.log(1 - p)`.
    #[test]
    fn quantiles_equal_those_of_python() {
        for (p, normal, exponential) in [
            (1e-12, -7.034483825301132, 9.999778782803785e-13),
            (1e-09, -5.9978070150076865, 9.999999722180686e-10),
            (1e-05, -4.2648907939228256, 1.0000050000287824e-05),
            (0.001, -3.090232306167813, 0.0010005003335835344),
            (0.02, -2.0537489106318225, 0.020202707317519466),
            (0.074, -1.4466320671589785, 0.07688104433595762),
            (0.075, -1.4395314709384557, 0.0779615414697118),
            (0.2, -0.8416212335729142, 0.2231435513142097),
            (0.5000001, 2.506628273311649e-07, 0.6931473805599652),
            (0.7, 0.5244005127080407, 1.203972804325936),
            (0.925, 1.439531470938456, 2.590267165445827),
            (0.926, 1.4466320671589785, 2.603690185777968),
            (0.99, 2.3263478740408408, 4.605170185988091),
            (0.999999, 4.753424308817089, 13.815510557935518),
            (0.99999999999, 6.706023143414748, 25.328435940194137),
        ] {
            assert!((normal_quantile(p) - normal).abs() <= 1e-15 * normal.abs(), "{p}");
            assert!((exponential_quantile(p) - exponential).abs() <= 2e-16 * exponential, "{p}");
        }
    }

    #[test]
    fn the_unit_interval_is_open() {
        assert!(unit(0) > 0.0);
        assert!(unit(u64::MAX) < 1.0);
        assert!(
            normal_quantile(unit(0)).is_finite() && normal_quantile(unit(u64::MAX)).is_finite()
        );
    }
}
