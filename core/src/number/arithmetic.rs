//! Saturating integer arithmetic on nanoseconds (SPEC 1, 4).

/// The longest duration, in nanoseconds: 2^63 - 1, about 292 years (SPEC 1.2).
///
/// It is the limit of Go's `time.Duration` and of a signed 64-bit integer.
pub const MAX_NS: u64 = i64::MAX as u64;

pub(crate) const NS_PER_SECOND: u64 = 1_000_000_000;

/// `a + b`, at most [`MAX_NS`].
#[inline]
pub(crate) fn add(a: u64, b: u64) -> u64 {
    a.saturating_add(b).min(MAX_NS)
}

/// `a * b`, at most [`MAX_NS`].
#[inline]
pub(crate) fn multiply(a: u64, b: u64) -> u64 {
    a.saturating_mul(b).min(MAX_NS)
}

/// `n^exponent`, at most [`MAX_NS`].
#[inline]
pub(crate) fn power(n: u64, exponent: u32) -> u64 {
    let (mut power, mut square, mut rest) = (1_u64, n, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            power = power.saturating_mul(square);
        }
        rest = rest.wrapping_shr(1);
        if rest > 0 {
            square = square.saturating_mul(square);
        }
    }
    power.min(MAX_NS)
}

/// A value of `low ..= high` that the draw selects: exactly one draw, no rejection (SPEC 4).
///
/// Both ends are at most [`MAX_NS`], so the span is at most 2^63 and fits 64 bits.
#[inline]
pub(crate) fn sample(draw: u64, low: u64, high: u64) -> u64 {
    let span = high.wrapping_sub(low).wrapping_add(1);
    low.wrapping_add(mulhi(draw, span))
}

/// The upper half of a product.
#[inline]
fn mulhi(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b)).wrapping_shr(64);
    #[expect(clippy::cast_possible_truncation, reason = "a 128-bit product shifted by 64")]
    let half = product as u64;
    half
}

/// `floor(n / d)` for a nonzero `d` and a quotient that fits 64 bits.
///
/// It divides bit by bit. The callers are rare, and the general 128-bit division is twenty
/// times as much code.
pub(crate) fn divide(n: u128, d: u64) -> u64 {
    let (mut quotient, mut rest) = (0_u64, 0_u128);
    for bit in (0..128_u32).rev() {
        rest = rest.wrapping_shl(1) | (n.wrapping_shr(bit) & 1);
        quotient = quotient.wrapping_shl(1);
        if rest >= d.into() {
            rest = rest.wrapping_sub(d.into());
            quotient |= 1;
        }
    }
    quotient
}
