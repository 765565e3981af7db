//! The methods of HTTP requests and the header fields of responses (SPEC 14.5, 14.6).

use core::iter;

use crate::decision::rate_limit::time_of_used_up;
use crate::decision::retry_after::{first_of, parse_retry_after_ns, seconds};
use crate::number::arithmetic::{add, multiply};
use crate::number::digits::{count, number, split};

const TOO_MANY_REQUESTS: u16 = 429;

const NS_PER_MS: u64 = 1_000_000;
/// The digits of a fraction of a millisecond down to nanoseconds.
const DIGITS_OF_NS: usize = 6;

/// The time that a server asked to wait, in nanoseconds, from the status and the header fields of
/// its response: `retry-after-ms` in milliseconds, or `Retry-After`, or, with status 429,
/// `RateLimit`, `RateLimit-Reset` or `X-RateLimit-Reset` (SPEC 14.5).
///
/// `fields` has one field in a line, as in HTTP/1.1; other fields are ignored. `now_ns` is the
/// nanoseconds since 1970 (UTC), for a date. `None` means that no such field has a valid value.
///
/// ```
/// use backoff_core::http_retry_after_ns;
/// let fields = "Content-Length: 0\r\nRetry-After: 120\r\nretry-after-ms: 1500.5\r\n";
/// assert_eq!(http_retry_after_ns(503, fields, 0), Some(1_500_500_000));
/// assert_eq!(http_retry_after_ns(503, "Retry-After: 120", 0), Some(120_000_000_000));
/// assert_eq!(http_retry_after_ns(429, "RateLimit-Reset: 7", 0), Some(7_000_000_000));
/// assert_eq!(http_retry_after_ns(503, "RateLimit-Reset: 7", 0), None);
/// ```
#[must_use]
pub fn http_retry_after_ns(status: u16, fields: impl AsRef<[u8]>, now_ns: u64) -> Option<u64> {
    let fields = fields.as_ref();
    let asked = field(fields, b"retry-after-ms")
        .and_then(read_ms)
        .or_else(|| parse_retry_after_ns(field(fields, b"retry-after")?, now_ns));
    if status != TOO_MANY_REQUESTS {
        return asked;
    }
    let reset = |name| seconds(first_of(field(fields, name)?)?, now_ns);
    asked
        .or_else(|| {
            values(fields, b"ratelimit").filter_map(|value| time_of_used_up(value, now_ns)).max()
        })
        .or_else(|| reset(b"ratelimit-reset"))
        .or_else(|| reset(b"x-ratelimit-reset"))
}

/// Whether a request with this method may be repeated without asking anyone: GET, HEAD, OPTIONS,
/// TRACE, PUT or DELETE (RFC 9110, 9.2.2; SPEC 14.6). Methods are case-sensitive.
///
/// ```
/// use backoff_core::is_idempotent_method;
/// assert!(is_idempotent_method("PUT"));
/// assert!(!is_idempotent_method("POST"));
/// ```
#[must_use]
pub fn is_idempotent_method(method: impl AsRef<[u8]>) -> bool {
    matches!(method.as_ref(), b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE" | b"PUT" | b"DELETE")
}

/// The value of the first field with this name, which is in lower case.
fn field<'a>(fields: &'a [u8], name: &'a [u8]) -> Option<&'a [u8]> {
    values(fields, name).next()
}

/// The values of the fields with this name.
fn values<'a>(fields: &'a [u8], name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    fields.split(|byte| *byte == b'\n').filter_map(move |line| {
        let (found, value) = split(line, b':');
        let value = value.filter(|_| found.eq_ignore_ascii_case(name))?;
        Some(value.strip_suffix(b"\r").unwrap_or(value))
    })
}

/// A decimal number of milliseconds, rounded down to nanoseconds.
fn read_ms(value: &[u8]) -> Option<u64> {
    let (whole, fraction) = split(first_of(value)?, b'.');
    let fraction = fraction.unwrap_or(b"0");
    let whole = multiply(count(whole)?, NS_PER_MS);
    count(fraction)?;
    let ns = number(fraction.iter().chain(iter::repeat(&b'0')).take(DIGITS_OF_NS))?;
    Some(add(whole, ns))
}
