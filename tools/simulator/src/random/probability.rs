//! Probabilities, exact to a millionth.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How likely something is, in millionths; as text a decimal number from `0` to `1` with at most
/// six digits behind the point.
///
/// ```
/// use backoff_sim::Probability;
/// let probability: Probability = "0.25".parse()?;
/// assert_eq!(probability.millionths(), 250_000);
/// assert_eq!(probability.to_string(), "0.25");
/// # Ok::<(), backoff_sim::ProbabilityError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Probability(u32);

/// A text that is no probability.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a number from 0 to 1 with at most 6 digits behind the point, such as 0.25")]
pub struct ProbabilityError(String);

impl Probability {
    const ONE: u32 = 1_000_000;
    const DIGITS: usize = 6;

    /// Never.
    pub const ZERO: Self = Self(0);

    /// One of ten.
    pub const TENTH: Self = Self(100_000);

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a function of a reference")]
    pub(crate) const fn is_zero(&self) -> bool {
        self.0 == 0
    }

    /// The number of millionths.
    #[must_use]
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// The probability as a number from 0 to 1.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE)
    }
}

impl FromStr for Probability {
    type Err = ProbabilityError;

    fn from_str(text: &str) -> Result<Self, ProbabilityError> {
        let wrong = || ProbabilityError(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !matches!(whole, "0" | "1")
            || !digits(fraction)
            || !(1..=Self::DIGITS).contains(&fraction.len())
        {
            return Err(wrong());
        }
        let millionths: u32 = format!("{whole}{fraction:0<width$}", width = Self::DIGITS)
            .parse()
            .map_err(|_| wrong())?;
        if millionths > Self::ONE { Err(wrong()) } else { Ok(Self(millionths)) }
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / Self::ONE, self.0 % Self::ONE);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{rest:0width$}", width = Self::DIGITS);
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl From<Probability> for String {
    fn from(probability: Probability) -> Self {
        probability.to_string()
    }
}

impl TryFrom<String> for Probability {
    type Error = ProbabilityError;

    fn try_from(text: String) -> Result<Self, ProbabilityError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::Probability;

    #[test]
    fn reads_and_prints_decimals() {
        for (text, millionths, printed) in [
            ("0", 0, "0"),
            ("1", 1_000_000, "1"),
            ("0.5", 500_000, "0.5"),
            ("0.000001", 1, "0.000001"),
            ("0.10", 100_000, "0.1"),
            ("1.000000", 1_000_000, "1"),
        ] {
            let probability: Probability = text.parse().unwrap();
            assert_eq!(
                (probability.millionths(), probability.to_string()),
                (millionths, printed.into())
            );
        }
    }

    #[test]
    fn refuses_what_is_no_probability() {
        for text in
            ["", ".", "0.", ".5", "1.000001", "2", "-0.1", "0.1234567", "1e-3", " 1", "½", "nan"]
        {
            let error = text.parse::<Probability>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{text}` is not a number from 0 to 1")), "{error}");
        }
    }
}
