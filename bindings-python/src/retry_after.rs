use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDateTime, PyTzInfo};

use crate::arguments::Status;
use crate::numbers::Value;
use crate::{arguments, duration, errors};

const NOW: &str =
    "seconds since 1970 (int, float, Decimal or Fraction) or a datetime with a time zone";

/// How long a server asked to wait, in float seconds: the value of its Retry-After header (SPEC
/// 14), a str or bytes, is seconds, or a date that is compared with now. Returns 0.0 for a date
/// in the past; None for any other value, and for None, a missing header. Pass the result to
/// Operation.decide() or a Verdict.
///
/// now is seconds since 1970 (int, float, Decimal or Fraction) or a datetime with a time zone;
/// None reads time.time_ns().
///
/// Raises PolicyError for a now before 1970 or after the year 2554; TypeError for other types.
#[pyfunction]
#[pyo3(signature = (header, *, now = None))]
pub(crate) fn parse_retry_after(
    py: Python<'_>,
    header: &Bound<'_, PyAny>,
    now: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<f64>> {
    Ok(parse_retry_after_ns(py, header, now)?.map(duration::seconds))
}

/// The same in nanoseconds, for tests: a float of more than 104 days has none.
#[pyfunction]
#[pyo3(name = "_parse_retry_after_ns", signature = (header, *, now = None))]
pub(crate) fn parse_retry_after_ns(
    py: Python<'_>,
    header: &Bound<'_, PyAny>,
    now: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<u64>> {
    let now_ns = now_ns(py, now)?;
    if header.is_none() {
        return Ok(None);
    }
    if let Ok(bytes) = header.cast::<PyBytes>() {
        return Ok(backoff_core::parse_retry_after_ns(bytes.as_bytes(), now_ns));
    }
    let text = arguments::utf8("header", "a str or bytes", header)?;
    Ok(backoff_core::parse_retry_after_ns(text, now_ns))
}

/// The nanoseconds of the wait that the header fields of a response ask for, a str with a field in
/// each line.
#[pyfunction]
pub(crate) fn _http_retry_after_ns(
    py: Python<'_>,
    status: Status,
    fields: &str,
    now: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<u64>> {
    Ok(backoff_core::http_retry_after_ns(status.0, fields, now_ns(py, now)?))
}

/// Whether a request with this method may be repeated without asking anyone: GET, HEAD, OPTIONS,
/// TRACE, PUT or DELETE (SPEC 14.6). Methods are case-sensitive.
///
/// Raises TypeError if it is no str.
#[pyfunction]
pub(crate) fn is_idempotent_method(method: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(backoff_core::is_idempotent_method(arguments::utf8("method", "a str", method)?))
}

fn now_ns(py: Python<'_>, now: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    match now {
        Some(now) => since_1970(now),
        None => py.import("time")?.call_method0("time_ns")?.extract(),
    }
}

/// A time in nanoseconds since 1970.
fn since_1970(now: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = now.py();
    let since = if now.is_instance_of::<PyDateTime>() {
        if now.call_method0("utcoffset")?.is_none() {
            return Err(PyTypeError::new_err("now must have a time zone"));
        }
        let utc = PyTzInfo::utc(py)?;
        let epoch = PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, Some(&utc))?;
        if now.lt(&epoch)? {
            return Err(errors::invalid("negative", "now", now, 0, "is before 1970"));
        }
        duration::nanoseconds("now", &now.sub(epoch)?)?
    } else {
        duration::of_seconds("now", NOW, now)?
    };
    match since {
        Value::Exact(ns) => Ok(ns),
        Value::Unrepresentable(max) => {
            let why = format!("is above {max}ns");
            Err(if now.is_instance_of::<PyDateTime>() {
                errors::invalid("too_large", "now", now, max, &why)
            } else {
                duration::invalid("too_large", "now", now, max, &why)
            })
        }
    }
}
