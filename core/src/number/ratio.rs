//! Exact ratios: multipliers and fractions of a window (SPEC 1.4).

use core::fmt;
use core::str::FromStr;

use crate::number::arithmetic::{MAX_NS, multiply};
use crate::number::digits::{is_digits, number, split};

/// An exact ratio, such as a multiplier of 8/5 or a fraction of 1/5.
///
/// In a policy, each term is at most 1,000,000 in lowest terms and the denominator is not zero;
/// [`PolicyBuilder::build`](crate::PolicyBuilder::build) checks it.
///
/// ```
/// use backoff_core::Ratio;
/// assert_eq!(Ratio::parse("1.6"), Ok(Ratio::new(8, 5)));
/// assert_eq!(Ratio::parse("20%"), Ok(Ratio::new(1, 5)));
/// assert_eq!(Ratio::parse("2.5e-1"), Ok(Ratio::new(1, 4)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Ratio {
    pub(crate) numerator: u32,
    pub(crate) denominator: u32,
}

/// Why a text is not a [`Ratio`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RatioError {
    /// The text has none of the forms `2`, `1.6`, `1.6e0`, `8/5` and `20%`.
    Syntax,
    /// The denominator is zero.
    ZeroDenominator,
    /// A term needs more than 32 bits in lowest terms, or more than 64 bits as written. (A policy
    /// refuses terms above 1,000,000.)
    TooFine,
    /// The text is longer than 1,024 bytes.
    TooLong,
}

impl fmt::Display for RatioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Syntax => "not a ratio such as 2, 1.6, 8/5 or 20%",
            Self::ZeroDenominator => "a ratio with a zero denominator",
            Self::TooFine => "a ratio with a term above 4294967295",
            Self::TooLong => "a ratio of more than 1024 bytes",
        })
    }
}

impl core::error::Error for RatioError {}

/// The terms of a ratio; `None` for a term of more than 64 bits.
type Terms = (Option<u64>, Option<u64>);

impl Ratio {
    /// The largest term that a policy accepts, in lowest terms.
    pub const MAX_TERM: u32 = 1_000_000;

    pub(crate) const DOUBLE: Self = Self::new(2, 1);

    /// The smallest base that this multiplier, floored to a nanosecond, makes longer; at least 1.
    pub(crate) fn min_growing_base(self) -> u64 {
        match self.numerator.saturating_sub(self.denominator) {
            0 => 1,
            excess => self.denominator.div_ceil(excess).into(),
        }
    }

    /// The ratio of two whole numbers, in lowest terms.
    #[must_use]
    pub const fn new(numerator: u32, denominator: u32) -> Self {
        let divisor = greatest_common_divisor(numerator as u64, denominator as u64);
        #[expect(clippy::cast_possible_truncation, reason = "it divides a 32-bit number")]
        let divisor = divisor as u32;
        match (numerator.checked_div(divisor), denominator.checked_div(divisor)) {
            (Some(numerator), Some(reduced)) if denominator != 0 => {
                Self { numerator, denominator: reduced }
            }
            _ => Self { numerator, denominator },
        }
    }

    /// The exact ratio that a decimal (`1.6`, `1.6e-3`), a fraction (`8/5`) or a percentage
    /// (`20%`) denotes. Pass a float as its shortest decimal text, as `{:?}` prints it.
    ///
    /// # Errors
    /// [`RatioError`]: the text has none of these forms or is longer than 1,024 bytes, the
    /// denominator is zero, or a term is too large.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, RatioError> {
        let text = text.as_ref();
        if text.len() > MAX_LENGTH {
            return Err(RatioError::TooLong);
        }
        let is_exponent_mark = |byte: &u8| matches!(byte, b'e' | b'E');
        let Some(at) = text.iter().position(is_exponent_mark) else {
            return Self::parse_bytes(text);
        };
        let (mantissa, exponent) = text.split_at_checked(at).unwrap_or_default();
        let (is_negative, places) = match exponent {
            [_, b'-', places @ ..] => (true, places),
            [_, b'+', places @ ..] | [_, places @ ..] => (false, places),
            [] => (false, exponent),
        };
        // No nonzero ratio of 64-bit terms has a larger exponent, and a larger one costs time.
        let places = number(digits(places)?).map_or(MAX_PLACES, |n| n.min(MAX_PLACES));
        let places = usize::try_from(places).unwrap_or_default();
        reduce(if is_negative {
            decimal(mantissa, 0, places)?
        } else {
            decimal(mantissa, places, 0)?
        })
    }

    /// The ratio in a policy string, where an exponent is not allowed (SPEC 11.4).
    pub(crate) fn parse_bytes(text: &[u8]) -> Result<Self, RatioError> {
        reduce(match (split(text, b'/'), text) {
            ((over, Some(under)), _) => {
                let (over, under) = (digits(over)?, digits(under)?);
                if under.iter().all(|&digit| digit == b'0') {
                    return Err(RatioError::ZeroDenominator);
                }
                (number(over), number(under))
            }
            (_, [hundredths @ .., b'%']) => decimal(hundredths, 0, 2)?,
            _ => decimal(text, 0, 0)?,
        })
    }

    /// The numerator, in lowest terms.
    #[must_use]
    pub const fn numerator(self) -> u32 {
        self.numerator
    }

    /// The denominator, in lowest terms.
    #[must_use]
    pub const fn denominator(self) -> u32 {
        self.denominator
    }

    /// The ratio as a field's value: the numerator in the upper 32 bits, the denominator in the
    /// lower. An error reports it in this form.
    pub(crate) const fn to_value(self) -> u64 {
        (self.numerator as u64).wrapping_shl(32) | self.denominator as u64
    }

    /// The ratio of such a value, in lowest terms.
    pub(crate) const fn from_value(value: u64) -> Self {
        let Self { numerator, denominator } = Self::from_reduced(value);
        Self::new(numerator, denominator)
    }

    /// The ratio of such a value whose terms are the lowest.
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the value")]
    pub(crate) const fn from_reduced(value: u64) -> Self {
        Self { numerator: value.wrapping_shr(32) as u32, denominator: value as u32 }
    }

    /// `floor(ns * self)`, at most `MAX_NS`.
    ///
    /// Dividing first keeps every term in 64 bits: with `ns = q * d + r` the result is
    /// `q * n + floor(r * n / d)`.
    #[inline]
    pub(crate) fn scale(self, ns: u64) -> u64 {
        let numerator = u64::from(self.numerator);
        if self.denominator <= 1 {
            return multiply(ns, numerator);
        }
        let denominator = u64::from(self.denominator);
        let quotient = ns.checked_div(denominator).unwrap_or(0);
        let remainder = ns.checked_rem(denominator).unwrap_or(0);
        let product = remainder.saturating_mul(numerator);
        let part = product.checked_div(denominator).unwrap_or(0);
        quotient.saturating_mul(numerator).saturating_add(part).min(MAX_NS)
    }

    /// Whether this ratio is below the other; neither denominator is zero.
    pub(crate) fn is_below(self, other: Self) -> bool {
        u64::from(self.numerator).wrapping_mul(u64::from(other.denominator))
            < u64::from(other.numerator).wrapping_mul(u64::from(self.denominator))
    }
}

impl FromStr for Ratio {
    type Err = RatioError;

    fn from_str(text: &str) -> Result<Self, RatioError> {
        Self::parse(text)
    }
}

/// The longest text in bytes. Zeros alone could make a text of any length.
const MAX_LENGTH: usize = 1024;

/// More decimal places, either way, than 64-bit terms can have.
const MAX_PLACES: u64 = 4096;

/// The terms of a decimal, times ten to the power `up`, over ten to the power `down`.
fn decimal(text: &[u8], up: usize, down: usize) -> Result<Terms, RatioError> {
    let (units, decimals) = split(text, b'.');
    let mut decimals = digits(decimals.unwrap_or(b"0"))?;
    while let [before @ .., b'0'] = decimals {
        decimals = before;
    }
    let digits = digits(units)?.iter().chain(decimals);
    if digits.clone().all(|&digit| digit == b'0') {
        return Ok((Some(0), Some(1)));
    }
    let places = decimals.len().saturating_add(down);
    let zeros = |count| core::iter::repeat_n(&b'0', count);
    let (up, places) = (up.saturating_sub(places), places.saturating_sub(up));
    let power_of_ten = core::iter::once(&b'1').chain(zeros(places));
    Ok((number(digits.chain(zeros(up))), number(power_of_ten)))
}

/// The ratio of these terms, in lowest terms.
fn reduce(terms: Terms) -> Result<Ratio, RatioError> {
    let (Some(numerator), Some(denominator)) = terms else { return Err(RatioError::TooFine) };
    let divisor = greatest_common_divisor(numerator, denominator);
    let term = |n: u64| {
        n.checked_div(divisor).and_then(|n| u32::try_from(n).ok()).ok_or(RatioError::TooFine)
    };
    Ok(Ratio { numerator: term(numerator)?, denominator: term(denominator)? })
}

fn digits(text: &[u8]) -> Result<&[u8], RatioError> {
    if is_digits(text) { Ok(text) } else { Err(RatioError::Syntax) }
}

/// Euclid's algorithm; 0 only if both are 0.
const fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while let Some(remainder) = a.checked_rem(b) {
        (a, b) = (b, remainder);
    }
    a
}
