use backoff_core::retry_after_ns;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDateTime, PyTzInfo};

use crate::numbers::{self, Word};
use crate::seconds::seconds;
use crate::{arguments, refusal};

/// How long a server asked to wait, in float seconds, by the value of its Retry-After header
/// (SPEC 14), a str or bytes: seconds, or a date, which is compared with now. 0.0 for a date
/// that has passed; None for a value that is neither, and for None, a header that is not
/// there. What it gives is a hint for Operation.decide().
///
/// Now is seconds since 1970 (int, float, Decimal or Fraction) or a datetime with a time zone;
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
    let now_ns = match now {
        Some(now) => since_1970(now)?,
        None => py.import("time")?.call_method0("time_ns")?.extract()?,
    };
    if header.is_none() {
        return Ok(None);
    }
    let hint = match header.cast::<PyBytes>() {
        Ok(bytes) => retry_after_ns(bytes.as_bytes(), now_ns),
        Err(_) => retry_after_ns(arguments::utf8("header", "a str or bytes", header)?, now_ns),
    };
    Ok(hint.map(seconds))
}

/// A time in nanoseconds since 1970.
fn since_1970(now: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = now.py();
    let since = if now.is_instance_of::<PyDateTime>() {
        if now.call_method0("utcoffset")?.is_none() {
            return Err(refusal::wrong_type("now", "a datetime with a time zone", now));
        }
        let utc = PyTzInfo::utc(py)?;
        let epoch = PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, Some(&utc))?;
        if now.lt(&epoch)? {
            return Err(refusal::by_binding("negative", "now", now, 0, "is before 1970"));
        }
        numbers::duration("now", &now.sub(epoch)?)?
    } else {
        numbers::seconds("now", NOW, now)?
    };
    match since {
        Word::Exact(ns) => Ok(ns),
        Word::StandIn(most) => {
            Err(refusal::by_binding("too_large", "now", now, most, &format!("is above {most}ns")))
        }
    }
}

const NOW: &str =
    "seconds since 1970 (int, float, Decimal or Fraction) or a datetime with a time zone";
