//! Exact ratios: multipliers and parts of a window (SPEC 1.4).

use core::fmt;

use crate::arithmetic::MAX_NS;
use crate::value::{is_digits, number, split};

/// An exact ratio such as a multiplier of 8/5 or a part of 1/5.
///
/// Each term is at most 1,000,000 in lowest terms, and the denominator is not zero;
/// [`PolicyBuilder::build`](crate::PolicyBuilder::build) checks it.
///
/// ```
/// use backoff_core::Ratio;
/// assert_eq!(Ratio::parse("1.6"), Ok(Ratio::new(8, 5)));
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
    /// It is neither `digits`, `digits.digits`, one of these with `%`, nor `digits/digits`.
    Syntax,
    /// Its denominator is zero.
    ZeroDenominator,
    /// One of its terms is above 32 bits in lowest terms, or above 64 bits as written. (A policy
    /// refuses terms above 1,000,000.)
    TooFine,
}

impl fmt::Display for RatioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Syntax => "not a ratio: it is written 2, 1.6, 8/5 or 20%",
            Self::ZeroDenominator => "a ratio with a zero denominator",
            Self::TooFine => "a ratio with a term above 4294967295",
        })
    }
}

impl core::error::Error for RatioError {}

impl Ratio {
    /// The largest term of a ratio in lowest terms.
    pub const MAX_TERM: u32 = 1_000_000;

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

    /// The ratio that a decimal (`1.6`), a fraction (`8/5`) or a percentage (`20%`) names, exactly.
    ///
    /// # Errors
    /// [`RatioError`] says whether the text is malformed, has a zero denominator, or is
    /// finer than a ratio can be.
    pub fn parse(text: &str) -> Result<Self, RatioError> {
        Self::of_text(text.as_bytes())
    }

    pub(crate) fn of_text(text: &[u8]) -> Result<Self, RatioError> {
        let (numerator, denominator) = match (split(text, b'/'), text) {
            ((over, Some(under)), _) => {
                let (over, under) = (digits(over)?, digits(under)?);
                if under.iter().all(|&digit| digit == b'0') {
                    return Err(RatioError::ZeroDenominator);
                }
                (number(over), number(under))
            }
            (_, [hundredths @ .., b'%']) => decimal(hundredths, 2)?,
            _ => decimal(text, 0)?,
        };
        let (Some(numerator), Some(denominator)) = (numerator, denominator) else {
            return Err(RatioError::TooFine);
        };
        let divisor = greatest_common_divisor(numerator, denominator);
        let term = |n: u64| {
            n.checked_div(divisor).and_then(|n| u32::try_from(n).ok()).ok_or(RatioError::TooFine)
        };
        Ok(Self { numerator: term(numerator)?, denominator: term(denominator)? })
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

    /// The ratio as one word, the numerator above the denominator: its form in
    /// [`Params`](crate::Params) and in the value and limit of an error.
    #[must_use]
    pub const fn to_word(self) -> u64 {
        Self::word(self.numerator, self.denominator)
    }

    /// The word of two terms as they were given, reduced or not.
    #[must_use]
    pub const fn word(numerator: u32, denominator: u32) -> u64 {
        (numerator as u64).wrapping_shl(32) | denominator as u64
    }

    /// The ratio of such a word.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the word")]
    pub const fn from_word(word: u64) -> Self {
        Self::new(word.wrapping_shr(32) as u32, word as u32)
    }

    /// The ratio of a word whose terms are the lowest.
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the word")]
    pub(crate) const fn of_terms(word: u64) -> Self {
        Self { numerator: word.wrapping_shr(32) as u32, denominator: word as u32 }
    }

    /// `floor(ns * self)`, at most `MAX_NS`.
    ///
    /// Dividing first keeps every term in 64 bits: with `ns = q * d + r` the result is
    /// `q * n + floor(r * n / d)`.
    #[inline]
    pub(crate) fn scale(self, ns: u64) -> u64 {
        let numerator = u64::from(self.numerator);
        if self.denominator <= 1 {
            return ns.saturating_mul(numerator).min(MAX_NS);
        }
        let denominator = u64::from(self.denominator);
        let quotient = ns.checked_div(denominator).unwrap_or(0);
        let remainder = ns.checked_rem(denominator).unwrap_or(0);
        let part = remainder.saturating_mul(numerator).checked_div(denominator).unwrap_or(0);
        quotient.saturating_mul(numerator).saturating_add(part).min(MAX_NS)
    }

    /// Whether this ratio is below the other; neither denominator is zero.
    pub(crate) fn is_below(self, other: Self) -> bool {
        u64::from(self.numerator).wrapping_mul(u64::from(other.denominator))
            < u64::from(other.numerator).wrapping_mul(u64::from(self.denominator))
    }
}

/// The terms of a decimal that is to be divided by a power of ten, those of at most 64 bits.
fn decimal(text: &[u8], more_places: usize) -> Result<(Option<u64>, Option<u64>), RatioError> {
    let (units, decimals) = split(text, b'.');
    let mut decimals = digits(decimals.unwrap_or(b"0"))?;
    // Zeros at the end say nothing.
    while let [before @ .., b'0'] = decimals {
        decimals = before;
    }
    let numerator = number(digits(units)?.iter().chain(decimals));
    let places = decimals.len().saturating_add(more_places);
    let zeros = core::iter::repeat_n(&b'0', places);
    Ok((numerator, number(core::iter::once(&b'1').chain(zeros))))
}

/// At least one digit, and nothing else.
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
