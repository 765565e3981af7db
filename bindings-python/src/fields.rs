//! The fields of a policy: arguments of `Policy(...)` to the core's params, and back.

use backoff_core::ffi::{self, FieldSet, Unit};
use backoff_core::{Field, FieldValue, MAX_NS, Policy, PolicyError, Waits};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::{PyCFunction, PyDict, PyFrozenSet, PySet, PyString, PyTuple};
use pyo3::{IntoPyObjectExt, PyClass};

use crate::numbers::{self, Value};
use crate::{duration, errors, ratio};

/// The policy of the arguments of a call; the growth may be positional.
pub(crate) fn policy(
    positional: &Bound<'_, PyTuple>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Policy> {
    let arguments = by_name(positional, keywords)?;
    let (mut params, mut conversions) = (FieldSet::default(), Conversions::default());
    conversions.set(&mut params, &arguments)?;
    ffi::build_policy(&params).map_err(|error| conversions.error(arguments.py(), &error))
}

/// The policy with these fields beside it.
pub(crate) fn replaced(policy: &Policy, fields: &Bound<'_, PyDict>) -> PyResult<Policy> {
    let py = fields.py();
    reject_unknown("replace()", fields)?;
    let (mut params, mut conversions) = (FieldSet::default(), Conversions::default());
    conversions.set(&mut params, fields)?;
    let mut policy = *policy;
    // Without a growth there is no policy.
    for field in ffi::POLICY_FIELDS.into_iter().filter(|&field| field != Field::Growth) {
        if fields.get_item(field.name())?.is_some_and(|value| value.is_none()) {
            let pair = format!("{}=none", field.name());
            policy = ffi::change_policy_by(&policy, pair.as_bytes())
                .map_err(|error| errors::parse_error(py, &error, pair.as_bytes()))?;
        }
    }
    ffi::change_policy_fields(&policy, &params).map_err(|error| conversions.error(py, &error))
}

/// The policy that `fit` finds for these arguments.
pub(crate) fn fitted<'py>(
    attempts: &Bound<'py, PyAny>,
    total: &Bound<'py, PyAny>,
    fit: impl FnOnce(u64, u64) -> Result<Policy, PolicyError>,
) -> PyResult<Policy> {
    let mut conversions = Conversions::default();
    let attempts = conversions.number(Field::MaxAttempts, attempts)?;
    let total_ns = conversions.number(Field::MaxElapsed, total)?;
    fit(attempts, total_ns).map_err(|error| conversions.error(total.py(), &error))
}

/// Converts the arguments of one call, and remembers those that the core cannot be passed.
#[derive(Default)]
struct Conversions<'py> {
    unrepresentable: Vec<(Field, Bound<'py, PyAny>)>,
}

impl<'py> Conversions<'py> {
    /// Sets the fields that have these names.
    fn set(&mut self, params: &mut FieldSet, arguments: &Bound<'py, PyDict>) -> PyResult<()> {
        for field in ffi::POLICY_FIELDS {
            let Some(value) = arguments.get_item(field.name())? else { continue };
            if field == Field::Waits && !value.is_none() {
                params.set_waits(self.waits(&value)?);
            } else if !value.is_none() {
                params.set(field, self.number(field, &value)?);
            } else if field == Field::RetryAfterMax {
                // None is no limit, and this is the only limit that a policy has by default.
                params.set(field, MAX_NS);
            }
        }
        Ok(())
    }

    /// The number to pass to the core.
    fn number(&mut self, field: Field, object: &Bound<'py, PyAny>) -> PyResult<u64> {
        let value = value(field, object)?;
        if matches!(value, Value::Unrepresentable(_)) {
            self.unrepresentable.push((field, object.clone()));
        }
        Ok(value.number())
    }

    /// The waits to pass to the core.
    fn waits(&mut self, objects: &Bound<'py, PyAny>) -> PyResult<Waits> {
        let is_text = objects.is_instance_of::<PyString>();
        // A set has no order.
        let is_set = objects.is_instance_of::<PySet>() || objects.is_instance_of::<PyFrozenSet>();
        let objects = objects.try_iter().ok().filter(|_| !is_text && !is_set).ok_or_else(|| {
            errors::wrong_type(Field::Waits.name(), "an iterable of durations", objects)
        })?;
        // Of a list that is too long, which may be endless, the length is all that matters.
        let mut waits = Vec::new();
        for object in objects.take(Waits::MAX + 1) {
            waits.push(self.number(Field::Waits, &object?)?);
        }
        Ok(Waits::from_ns(waits))
    }

    /// The core's error, about the caller's own object.
    fn error(&self, py: Python<'_>, error: &PolicyError) -> PyErr {
        match self.unrepresentable.iter().find(|(field, _)| *field == error.field()) {
            Some((field, object)) => {
                let (shown, is_kind) = match ffi::field_unit(*field) {
                    Unit::Duration | Unit::Waits => (duration::shown(object), false),
                    unit => (errors::shown(object), matches!(unit, Unit::Kind(_))),
                };
                errors::policy_error_about(error, object, &shown, is_kind)
            }
            None => errors::policy_error(py, error),
        }
    }
}

fn value(field: Field, object: &Bound<'_, PyAny>) -> PyResult<Value> {
    match ffi::field_unit(field) {
        Unit::Kind(_) => {
            let name = object
                .cast::<PyString>()
                .map_err(|_| errors::wrong_type(field.name(), "a str", object))?;
            Ok(match ffi::kind_number(field, &name.to_string_lossy()) {
                0 => Value::Unrepresentable(0),
                number => Value::Exact(number),
            })
        }
        Unit::Duration | Unit::Waits => duration::nanoseconds(field.name(), object),
        Unit::Ratio => ratio::value(field.name(), object),
        _ => numbers::count(field.name(), object),
    }
}

/// All arguments by the name of their field.
fn by_name<'py>(
    positional: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let arguments = match keywords {
        Some(keywords) => keywords.copy()?,
        None => PyDict::new(positional.py()),
    };
    reject_unknown("Policy()", &arguments)?;
    if positional.len() > 1 {
        return Err(PyTypeError::new_err(format!(
            "Policy() takes 1 positional argument, the growth, but {} were given",
            positional.len()
        )));
    }
    if let Some(growth) = positional.iter().next() {
        let name = Field::Growth.name();
        if arguments.contains(name)? {
            return Err(PyTypeError::new_err("Policy() got growth twice"));
        }
        arguments.set_item(name, growth)?;
    }
    Ok(arguments)
}

/// Refuses arguments of a function that are no fields.
fn reject_unknown(function: &str, arguments: &Bound<'_, PyDict>) -> PyResult<()> {
    for name in arguments.keys() {
        let text = name.cast::<PyString>()?.to_string_lossy();
        if !ffi::POLICY_FIELDS.iter().any(|field| field.name() == text) {
            let fields = ffi::POLICY_FIELDS.map(Field::name).join(", ");
            let advice = name.py().import("backoff_rs._advice")?;
            let advice = advice.getattr("did_you_mean")?.call1((&name,))?;
            let then = if advice.is_truthy()? { " The" } else { "; the" };
            return Err(PyTypeError::new_err(format!(
                "{function} has no field {}{advice}{then} fields are {fields}",
                errors::shown(&name)
            )));
        }
    }
    Ok(())
}

/// Gives a class a property for each field, whose documentation is that of the core.
pub(crate) fn add_properties<T: PyClass<Frozen = True> + Sync>(
    py: Python<'_>,
    fields: &[Field],
    get: fn(&T, Field) -> Option<FieldValue>,
) -> PyResult<()> {
    let property = py.import("builtins")?.getattr("property")?;
    for &field in fields {
        let read = move |arguments: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| {
            let object = arguments.get_item(0)?.cast_into::<T>()?;
            read(arguments.py(), get(object.get(), field))
        };
        let getter = PyCFunction::new_closure(py, None, None, read)?;
        let property = property.call1((getter, py.None(), py.None(), documentation(field)))?;
        py.get_type::<T>().setattr(field.name(), property)?;
    }
    Ok(())
}

/// The value as Python has it: a str, float seconds, a `Fraction` or an int; `None` for a field that is not used, and
/// for no limit.
fn read(py: Python<'_>, value: Option<FieldValue>) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Some(FieldValue::Kind(name)) => PyString::new(py, name).into_any().unbind(),
        Some(value @ FieldValue::Duration(_)) => {
            value.as_ns().map(duration::seconds).into_py_any(py)?
        }
        Some(FieldValue::Waits(waits)) => {
            PyTuple::new(py, waits.as_ns().iter().map(|&ns| duration::seconds(ns)))?
                .into_any()
                .unbind()
        }
        Some(FieldValue::Ratio(ratio)) => ratio::fraction(py, ratio)?.unbind(),
        Some(FieldValue::Count(count)) => count.into_py_any(py)?,
        _ => py.None(),
    })
}

fn documentation(field: Field) -> String {
    let unit = match ffi::field_unit(field) {
        Unit::Kind(names) => &format!(" One of \"{}\".", names.join("\", \"")),
        Unit::Duration => " In float seconds.",
        Unit::Waits => " A tuple of float seconds.",
        Unit::Ratio => " A Fraction.",
        _ => "",
    };
    let limit = if ffi::no_limit(field).is_some() { " None is no limit." } else { "" };
    ffi::field_description(field).trim().replace('`', "") + unit + limit
}
