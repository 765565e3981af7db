//! Errors as Python raises them: `PolicyError`, which is a `ValueError`, and `TypeError`.

use backoff_core::{Field, ParseError, PolicyError};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// A class of Python, which is imported once.
macro_rules! class {
    ($py:expr, $module:expr, $name:literal) => {{
        static CLASS: pyo3::sync::PyOnceLock<pyo3::Py<pyo3::types::PyType>> =
            pyo3::sync::PyOnceLock::new();
        CLASS.import($py, $module, $name)
    }};
}
pub(crate) use class;

/// The codec error handler that encodes lone surrogates, which UTF-8 does not have.
pub(crate) const SURROGATES: &str = "surrogatepass";

/// An error of the core, with its own message.
pub(crate) fn policy_error(py: Python<'_>, error: &PolicyError) -> PyErr {
    raise(
        py,
        error.message().as_str(),
        error.code().name(),
        Some(error.field().name()),
        (error.value(), error.limit()),
        None,
    )
}

/// An error of the core about an object that has no value in the core: the error reports the object
/// in place of the value that was passed for it. The `value` of an unknown kind stays 0.
pub(crate) fn policy_error_about(
    error: &PolicyError,
    object: &Bound<'_, PyAny>,
    shown: &str,
    is_kind: bool,
) -> PyErr {
    let (py, limit) = (object.py(), error.limit());
    let message = error.message_with(shown);
    let (code, field) = (error.code().name(), Some(error.field().name()));
    if is_kind {
        raise(py, message.as_str(), code, field, (error.value(), limit), None)
    } else {
        raise(py, message.as_str(), code, field, (object, limit), None)
    }
}

/// An error of the core about a policy string or budget string. `found` is the whole excerpt,
/// which the message may cut.
pub(crate) fn parse_error(py: Python<'_>, error: &ParseError, text: &[u8]) -> PyErr {
    let (at, length) = (error.at(), error.found_length());
    let found = text.get(at..).and_then(|rest| rest.get(..length)).unwrap_or_default();
    // The core cuts between characters, so this decodes.
    match PyBytes::new(py, found).call_method1("decode", ("utf-8", SURROGATES)) {
        Ok(found) => raise(
            py,
            error.message().as_str(),
            error.code().name(),
            error.field().map(Field::name),
            (error.value(), error.limit()),
            Some((at, found)),
        ),
        Err(error) => error,
    }
}

/// A value of the right type that cannot be converted (SPEC 8.7).
pub(crate) fn invalid(
    code: &str,
    field: &str,
    object: &Bound<'_, PyAny>,
    limit: u64,
    why: &str,
) -> PyErr {
    invalid_shown(code, field, (object, &shown(object)), limit, why)
}

/// The same, of a value that is shown otherwise than by its repr.
pub(crate) fn invalid_shown(
    code: &str,
    field: &str,
    (object, shown): (&Bound<'_, PyAny>, &str),
    limit: u64,
    why: &str,
) -> PyErr {
    let message = format!("{field} {shown} {why}");
    raise(object.py(), &message, code, Some(field), (object, limit), None)
}

/// Whether an exception is a `PolicyError` with this code.
pub(crate) fn has_code(py: Python<'_>, error: &PyErr, code: &str) -> bool {
    let found = error.value(py).getattr("code").and_then(|found| found.eq(code));
    found.unwrap_or(false)
}

/// A value of a wrong type.
pub(crate) fn wrong_type(field: &str, expected: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let found = type_name(object);
    let advice =
        if found == "backoff_rs.SharedBudget" { ": only retry and retrying take one" } else { "" };
    PyTypeError::new_err(format!("{field} must be {expected}, not {found}{advice}"))
}

/// A value that has no buffer of the kind that is needed. Exceptions about something else, such
/// as `MemoryError`, stay as they are.
pub(crate) fn wrong_buffer(
    error: PyErr,
    field: &str,
    expected: &str,
    object: &Bound<'_, PyAny>,
) -> PyErr {
    let py = object.py();
    let about_the_value = error.is_instance_of::<PyBufferError>(py)
        || error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py);
    if about_the_value { wrong_type(field, expected, object) } else { error }
}

fn raise<'py>(
    py: Python<'py>,
    message: &str,
    code: &str,
    field: Option<&str>,
    (value, limit): (impl IntoPyObject<'py>, u64),
    excerpt: Option<(usize, Bound<'py, PyAny>)>,
) -> PyErr {
    class!(py, "backoff_rs._policy_error", "PolicyError")
        .and_then(|class| {
            let (at, found) = excerpt.unzip();
            let arguments = (message, code, field, value, limit, at, found).into_pyobject(py)?;
            // Not an instance: Python sets the context only of an exception that it makes itself.
            Ok(PyErr::from_type(class.clone(), arguments.unbind()))
        })
        .unwrap_or_else(|error| error)
}

/// The repr of a value, printable and cut to a line. An int of too many digits has no repr.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> String {
    cut(object, object.repr()).unwrap_or_else(|| format!("<{}>", type_name(object)))
}

/// The `str` of a value in the same way. An int of too many digits has none.
pub(crate) fn text(object: &Bound<'_, PyAny>) -> Option<String> {
    cut(object, object.str())
}

fn cut(object: &Bound<'_, PyAny>, text: PyResult<Bound<'_, PyString>>) -> Option<String> {
    const MAX_LENGTH: usize = 60;
    let text = text.ok()?;
    text.to_str().ok().map(|text| printable(object.py(), text, MAX_LENGTH))
}

/// The type of a value, with its module if that is not Python's own: "int", "numpy.bool".
fn type_name(object: &Bound<'_, PyAny>) -> String {
    const MAX_LENGTH: usize = 200;
    let class = object.get_type();
    class.fully_qualified_name().or_else(|_| class.name()).map_or_else(
        |_| "?".to_owned(),
        |name| printable(object.py(), &name.to_string_lossy(), MAX_LENGTH),
    )
}

/// The same, for the messages of the loops.
#[pyfunction]
pub(crate) fn _type_name(object: &Bound<'_, PyAny>) -> String {
    type_name(object)
}

/// The first characters of a text that the caller's code made, on one line: characters that
/// cannot be printed are escaped as in the repr of a `str`.
fn printable(py: Python<'_>, text: &str, max_length: usize) -> String {
    let escaped = |char: char| match PyString::new(py, char.encode_utf8(&mut [0; 4])).repr() {
        Ok(repr) if !char.is_ascii_graphic() => {
            repr.to_string_lossy().trim_matches('\'').to_owned()
        }
        _ => char.to_string(),
    };
    let more = if text.chars().nth(max_length).is_some() { "..." } else { "" };
    text.chars().take(max_length).map(escaped).collect::<String>() + more
}
