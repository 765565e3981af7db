//! The members of requests. Each function returns `None` for a value that tests/README.md does not
//! allow.

use std::fmt::Display;

use backoff_core::MAX_NS;
use serde_json::{Map, Value};

pub(crate) type Members = Map<String, Value>;

/// A list of objects.
pub(crate) fn list(value: &Value) -> Option<Vec<&Members>> {
    value.as_array()?.iter().map(Value::as_object).collect()
}

/// A value is not what it should be.
pub(crate) struct NotARequest;

/// A member that may be `null` or absent.
pub(crate) fn or<'a, T>(
    value: Option<&'a Value>,
    read: impl FnOnce(&'a Value) -> Option<T>,
) -> Result<Option<T>, NotARequest> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => read(value).map(Some).ok_or(NotARequest),
    }
}

pub(crate) fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

pub(crate) fn time(value: &Value) -> Option<u64> {
    digits(text(value)?, MAX_NS)
}

pub(crate) fn word(value: &Value) -> Option<u64> {
    digits(text(value)?, u64::MAX)
}

pub(crate) fn digits(text: &str, limit: u64) -> Option<u64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_digits && *number <= limit)
}

/// A whole number up to a limit, in any notation.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the range")]
pub(crate) fn whole(number: &Value, limit: u32) -> Option<u32> {
    let number = number.as_f64()?;
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(limit)).contains(&number);
    is_whole.then_some(number as u32)
}

/// What an answer has in quotes, or null.
pub(crate) fn shown(value: Option<impl Display>) -> String {
    value.map_or("null".to_owned(), |value| format!("\"{value}\""))
}
