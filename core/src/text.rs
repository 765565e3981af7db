//! Short lines of text without allocation and without `core::fmt`, whose machinery
//! would be most of the WebAssembly package.

use crate::field::Unit;
use crate::ratio::Ratio;

/// The units of a duration in nanoseconds, from the largest (SPEC 8.9, 11.4).
pub(crate) const UNITS: [(&str, u64); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// A short text, such as the message of an error or the line of a policy; at most 768 bytes
/// of ASCII.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    bytes: [u8; Self::CAPACITY],
    length: usize,
}

// What writes a part is not inlined: text is rarely wanted, and its code would stand in every
// caller.
impl Text {
    /// The longest text in bytes.
    pub const CAPACITY: usize = 768;

    pub(crate) const fn new() -> Self {
        Self { bytes: [0; Self::CAPACITY], length: 0 }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The text in bytes, which are all ASCII.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Appends what fits; the longest message is shorter (a test holds every one).
    #[inline(never)]
    pub(crate) fn push(&mut self, text: &str) -> &mut Self {
        for &byte in text.as_bytes() {
            self.push_byte(byte);
        }
        self
    }

    fn push_byte(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte;
            self.length = self.length.saturating_add(1);
        }
    }

    /// A byte that is visible ASCII as it is, any other as `\x` and two digits.
    pub(crate) fn push_printable(&mut self, byte: u8) -> &mut Self {
        const DIGITS: &str = "0123456789abcdef";
        if byte.is_ascii_graphic() {
            self.push_byte(byte);
            return self;
        }
        let digit = |of: u8| DIGITS.get(usize::from(of)..=usize::from(of)).unwrap_or_default();
        self.push("\\x").push(digit(byte.wrapping_shr(4))).push(digit(byte & 15))
    }

    #[inline(never)]
    pub(crate) fn push_number(&mut self, number: u64) -> &mut Self {
        let mut scale = 1_u64;
        while number.checked_div(scale).is_some_and(|rest| rest >= 10) {
            scale = scale.saturating_mul(10);
        }
        while scale > 0 {
            let digit = number.checked_div(scale).and_then(|rest| rest.checked_rem(10));
            #[expect(clippy::cast_possible_truncation, reason = "below 10")]
            self.push_byte(b'0'.wrapping_add(digit.unwrap_or_default() as u8));
            scale = scale.checked_div(10).unwrap_or_default();
        }
        self
    }

    /// A duration in the largest unit that divides it: `100ms`, `1500ms`, `20s`.
    #[inline(never)]
    pub(crate) fn push_duration(&mut self, ns: u64) -> &mut Self {
        if ns == 0 {
            return self.push("0s");
        }
        for (name, unit) in UNITS {
            if ns.checked_rem(unit) == Some(0) {
                return self.push_number(ns.checked_div(unit).unwrap_or(0)).push(name);
            }
        }
        self
    }

    /// A ratio as a decimal if at most six digits hold it exactly, else as a fraction.
    #[inline(never)]
    pub(crate) fn push_ratio(&mut self, ratio: Ratio) -> &mut Self {
        const MILLION: u64 = 1_000_000;
        let (numerator, denominator) = (u64::from(ratio.numerator), u64::from(ratio.denominator));
        if MILLION.checked_rem(denominator) != Some(0) {
            return self.push_number(numerator).push("/").push_number(denominator);
        }
        let scale = MILLION.checked_div(denominator).unwrap_or(1);
        let millionths = numerator.saturating_mul(scale);
        self.push_number(millionths.checked_div(MILLION).unwrap_or(0));
        let mut rest = millionths.checked_rem(MILLION).unwrap_or(0);
        if rest > 0 {
            self.push(".");
        }
        let mut place = 100_000_u64;
        while rest > 0 {
            self.push_number(rest.checked_div(place).unwrap_or(0));
            rest = rest.checked_rem(place).unwrap_or(0);
            place = place.checked_div(10).unwrap_or(1);
        }
        self
    }

    /// The name of a kind, or its number if it has none.
    #[inline(never)]
    pub(crate) fn push_kind(&mut self, names: &[&str], number: u64) -> &mut Self {
        let name = number
            .checked_sub(1)
            .and_then(|position| usize::try_from(position).ok())
            .and_then(|position| names.get(position));
        match name {
            Some(name) => self.push(name),
            None => self.push_number(number),
        }
    }

    /// `constant, linear, exponential`
    pub(crate) fn push_list<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> &mut Self {
        for (position, name) in names.enumerate() {
            self.push(if position > 0 { ", " } else { "" }).push(name);
        }
        self
    }

    /// The number of a field, written in its unit.
    #[inline(never)]
    pub(crate) fn push_word(&mut self, unit: Unit, word: u64) -> &mut Self {
        match unit {
            Unit::Kind(names) => self.push_kind(names, word),
            Unit::Duration => self.push_duration(word),
            Unit::Ratio => self.push_ratio(Ratio::from_word(word)),
            Unit::Count => self.push_number(word),
        }
    }
}
