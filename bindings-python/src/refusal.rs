//! How Python hears of a refusal: `PolicyError`, which is a `ValueError`.

use backoff_core::{Field, ParseError, PolicyError};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyType};

use crate::arguments::SURROGATES;

/// What the core refused, in its words.
pub(crate) fn by_core(py: Python<'_>, error: &PolicyError) -> PyErr {
    raise(
        py,
        error.text().as_str(),
        error.code().name(),
        Some(error.field().name()),
        (error.value(), error.limit()),
        None,
    )
}

/// What the core refused of a line. All that was found is told, not only its beginning.
pub(crate) fn by_line(py: Python<'_>, error: &ParseError, line: &[u8]) -> PyErr {
    let (at, length) = (error.at(), error.found_length());
    let found = line.get(at..).and_then(|rest| rest.get(..length)).unwrap_or_default();
    // What is found ends between characters.
    match PyBytes::new(py, found).call_method1("decode", ("utf-8", SURROGATES)) {
        Ok(found) => raise(
            py,
            error.text().as_str(),
            error.code().name(),
            error.field().map(Field::name),
            (error.value(), error.limit()),
            Some((at, found)),
        ),
        Err(error) => error,
    }
}

/// What the core refused while a stand-in took the place of a value that no word can hold:
/// the message, and but for a kind the value, are about what the caller gave.
pub(crate) fn by_core_about(error: &PolicyError, given: &Bound<'_, PyAny>, is_kind: bool) -> PyErr {
    let py = given.py();
    let text = error.text();
    // "field value why": a value as the core writes it is one word.
    let why = text.as_str().splitn(3, ' ').nth(2).unwrap_or_default();
    let (code, field) = (error.code().name(), error.field().name());
    let message = format!("{field} {} {why}", shown(given));
    if is_kind {
        raise(py, &message, code, Some(field), (error.value(), error.limit()), None)
    } else {
        raise(py, &message, code, Some(field), (given, error.limit()), None)
    }
}

/// What cannot be handed to the core at all.
pub(crate) fn by_binding(
    code: &str,
    field: &str,
    given: &Bound<'_, PyAny>,
    limit: u64,
    why: &str,
) -> PyErr {
    let message = format!("{field} {} {why}", shown(given));
    raise(given.py(), &message, code, Some(field), (given, limit), None)
}

/// A value of a wrong type.
pub(crate) fn wrong_type(field: &str, expected: &str, given: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{field} must be {expected}, not {}", type_name(given)))
}

/// A value that gives no buffer of the kind that is needed. An exception that is about
/// something else, such as the end of memory, stays what it is.
pub(crate) fn no_buffer(
    error: PyErr,
    field: &str,
    expected: &str,
    given: &Bound<'_, PyAny>,
) -> PyErr {
    let py = given.py();
    let ours = error.is_instance_of::<PyBufferError>(py)
        || error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py);
    if ours { wrong_type(field, expected, given) } else { error }
}

fn raise<'py>(
    py: Python<'py>,
    message: &str,
    code: &str,
    field: Option<&str>,
    (value, limit): (impl IntoPyObject<'py>, u64),
    place: Option<(usize, Bound<'py, PyAny>)>,
) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS
        .import(py, "backoff_rs._error", "PolicyError")
        .and_then(|class| {
            let (at, found) = place.unzip();
            class.call1((message, code, field, value, limit, at, found))
        })
        .map_or_else(|error| error, PyErr::from_value)
}

/// The value as Python shows it. An int of too many digits has no repr at all.
pub(crate) fn shown(given: &Bound<'_, PyAny>) -> String {
    let repr = given.repr();
    let Ok(text) = repr.as_ref().map_err(|_| ()).and_then(|repr| repr.to_str().map_err(|_| ()))
    else {
        return format!("<{}>", type_name(given));
    };
    printable(given.py(), text)
}

fn type_name(given: &Bound<'_, PyAny>) -> String {
    given
        .get_type()
        .name()
        .map_or_else(|_| "?".to_owned(), |name| printable(given.py(), &name.to_string_lossy()))
}

/// A text of the caller's code, cut where it would fill a screen, on one line: what cannot be
/// printed is escaped as in Python's repr of a str.
fn printable(py: Python<'_>, text: &str) -> String {
    const LONGEST: usize = 60;
    let escaped = |char: char| match PyString::new(py, char.encode_utf8(&mut [0; 4])).repr() {
        Ok(repr) if !char.is_ascii_graphic() => {
            repr.to_string_lossy().trim_matches('\'').to_owned()
        }
        _ => char.to_string(),
    };
    let more = if text.chars().nth(LONGEST).is_some() { "..." } else { "" };
    text.chars().take(LONGEST).map(escaped).collect::<String>() + more
}
