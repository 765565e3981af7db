//! The field `RateLimit` of HTTP responses (SPEC 14.7).

use crate::decision::retry_after::{fits, seconds, trimmed};
use crate::number::digits::{is_digits, split};

/// The longest time of a quota that is used up, in nanoseconds.
pub(super) fn time_of_used_up(value: &[u8], now_ns: u64) -> Option<u64> {
    let mut left = Some(fits(value)?);
    let mut longest = None;
    while let Some(text) = left {
        let (member, rest) = split_outside_quotes(text, b',');
        longest = longest.max(time_of(member, now_ns));
        left = rest;
    }
    longest
}

/// The time of a quota, if it is used up.
fn time_of(member: &[u8], now_ns: u64) -> Option<u64> {
    let (mut is_used_up, mut time) = (false, None);
    let (_, mut left) = split_outside_quotes(member, b';');
    while let Some(text) = left {
        let (parameter, rest) = split_outside_quotes(text, b';');
        let (name, value) = split(trimmed(parameter), b'=');
        match (name, value) {
            (b"r", Some(value)) => {
                is_used_up = is_digits(value) && value.iter().all(|&digit| digit == b'0');
            }
            (b"t", Some(value)) => time = seconds(value, now_ns),
            _ => {}
        }
        left = rest;
    }
    time.filter(|_| is_used_up)
}

/// The text before the first `byte` outside double quotes, and the text after it if there is one.
fn split_outside_quotes(text: &[u8], byte: u8) -> (&[u8], Option<&[u8]>) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let at = text.iter().position(|&found| {
        let is_doubling = !core::mem::take(&mut is_escaped);
        match found {
            b'"' if is_doubling => is_quoted = !is_quoted,
            b'\\' if is_doubling && is_quoted => is_escaped = true,
            _ => return found == byte && !is_quoted,
        }
        false
    });
    match at {
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at.saturating_add(1)..)),
        None => (text, None),
    }
}
