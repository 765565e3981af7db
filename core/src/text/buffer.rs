//! A fixed-capacity string. It needs neither allocation nor `core::fmt`, whose machinery would be
//! most of the WebAssembly package.

use core::fmt;

use crate::field::Unit;
use crate::field::kind::name_of;
use crate::field::waits::Waits;
use crate::number::ratio::Ratio;

/// The units of a duration in nanoseconds, from the largest (SPEC 8.9, 11.4).
pub(crate) const DURATION_UNITS: [(&str, u64); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// A string of at most 768 bytes, such as an error message or a policy string.
#[derive(Clone, Copy)]
pub struct TextBuf {
    bytes: [u8; Self::CAPACITY],
    length: usize,
}

// The `push` methods are not inlined: text is rarely needed, and inlining would copy their code
// into every caller.
impl TextBuf {
    /// The longest text in bytes.
    pub(crate) const CAPACITY: usize = 768;

    pub(crate) const fn new() -> Self {
        Self { bytes: [0; Self::CAPACITY], length: 0 }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The bytes of the text.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    pub(crate) fn push(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.push_bytes(text.as_ref())
    }

    /// Appends the bytes that fit. (A test checks that every message fits.)
    #[inline(never)]
    fn push_bytes(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            if let Some(slot) = self.bytes.get_mut(self.length) {
                *slot = byte;
                self.length = self.length.saturating_add(1);
            }
        }
        self
    }

    /// Appends visible ASCII as it is, and any other byte as `\x` and two digits.
    pub(crate) fn push_escaped(&mut self, byte: u8) -> &mut Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        if byte.is_ascii_graphic() {
            return self.push([byte]);
        }
        let digit = |of: u8| DIGITS.get(usize::from(of)).copied().unwrap_or_default();
        self.push([b'\\', b'x', digit(byte.wrapping_shr(4)), digit(byte & 15)])
    }

    #[inline(never)]
    pub(crate) fn push_number(&mut self, number: u64) -> &mut Self {
        let mut scale = 1_u64;
        while number.checked_div(scale).is_some_and(|rest| rest >= 10) {
            scale = scale.saturating_mul(10);
        }
        while scale > 0 {
            let digit = number.checked_div(scale).and_then(|rest| rest.checked_rem(10));
            let digit = digit.and_then(|digit| u8::try_from(digit).ok()).unwrap_or_default();
            self.push([b'0'.wrapping_add(digit)]);
            scale = scale.checked_div(10).unwrap_or_default();
        }
        self
    }

    /// Appends a duration in the largest unit that divides it: `100ms`, `1500ms`, `20s`.
    #[inline(never)]
    pub(crate) fn push_duration(&mut self, ns: u64) -> &mut Self {
        if ns == 0 {
            return self.push("0s");
        }
        for (name, unit) in DURATION_UNITS {
            if ns.checked_rem(unit) == Some(0) {
                return self.push_number(ns.checked_div(unit).unwrap_or(0)).push(name);
            }
        }
        self
    }

    /// Appends durations, separated by a slash.
    #[inline(never)]
    pub(crate) fn push_waits(&mut self, waits: &Waits) -> &mut Self {
        for (position, &ns) in waits.as_ns().iter().enumerate() {
            self.push(if position > 0 { "/" } else { "" }).push_duration(ns);
        }
        self
    }

    /// Appends a ratio as a decimal if at most six decimals hold it exactly, else as a fraction.
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

    /// Appends the name of a kind, or its number if it has no name.
    pub(crate) fn push_kind(&mut self, names: &[&str], number: u64) -> &mut Self {
        match name_of(names, number) {
            Some(name) => self.push(name),
            None => self.push_number(number),
        }
    }

    /// Appends names, separated by a comma and a space.
    pub(crate) fn push_list<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> &mut Self {
        for (position, name) in names.enumerate() {
            self.push(if position > 0 { ", " } else { "" }).push(name);
        }
        self
    }

    /// Appends the value of a field in its unit.
    #[inline(never)]
    pub(crate) fn push_value(&mut self, unit: Unit, value: u64) -> &mut Self {
        match unit {
            Unit::Kind(names) => self.push_kind(names, value),
            // A single wait.
            Unit::Duration | Unit::Waits => self.push_duration(value),
            Unit::Ratio => self.push_ratio(Ratio::from_value(value)),
            Unit::Count => self.push_number(value),
        }
    }
}

impl AsRef<[u8]> for TextBuf {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Display for TextBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for TextBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
