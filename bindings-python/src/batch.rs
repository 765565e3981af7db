//! Many delays in one call into the core.

use backoff_core::{Policy, Stream};
use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice};

use crate::refusal;
use crate::seconds::seconds;

/// The delays of `first`, `first + 1`, ...; fewer where the indices end.
pub(crate) fn delays(
    policy: &Policy,
    stream: Stream,
    first: u32,
    count: u64,
) -> PyResult<Vec<u64>> {
    let left = u64::from(u32::MAX).saturating_sub(first.into()).saturating_add(1);
    let mut delays = Vec::new();
    usize::try_from(count.min(left))
        .ok()
        .and_then(|count| delays.try_reserve_exact(count).ok().map(|()| delays.resize(count, 0)))
        .ok_or_else(|| PyMemoryError::new_err(format!("no memory for {count} delays")))?;
    policy.fill_ns(stream, first, &mut delays);
    Ok(delays)
}

/// Such delays in a list of float seconds. Python makes it from an array of floats: where
/// memory ends, that is its `MemoryError` and no panic.
pub(crate) fn list<'py>(py: Python<'py>, delays: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    const WIDTH: usize = size_of::<f64>();
    let floats = PyBytes::new_with(py, size_of_val(delays), |bytes| {
        for (slot, &ns) in bytes.chunks_exact_mut(WIDTH).zip(delays) {
            slot.copy_from_slice(&seconds(ns).to_ne_bytes());
        }
        Ok(())
    })?;
    PyMemoryView::from(&floats)?.call_method1("cast", ("d",))?.call_method0("tolist")
}

/// Writes such delays into a buffer of the caller and returns how many. Where the indices end
/// the rest is not touched.
pub(crate) fn fill(
    policy: &Policy,
    stream: Stream,
    first: u32,
    given: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    let py = given.py();
    let length = words(given)?;
    if length == 0 {
        return Ok(0);
    }
    let delays = delays(policy, stream, first, length as u64)?;
    let written = delays.len();
    // Delays are at most 2^63 - 1: as a signed word each is the same 8 bytes.
    let view = PyMemoryView::from(given)?.call_method1("cast", ("B",))?;
    let start = view.call_method1("cast", ("Q",))?.get_item(PySlice::new(
        py,
        0,
        written.cast_signed(),
        1,
    ))?;
    let start = PyBuffer::get(&start)
        .map_err(|error| refusal::no_buffer(error, "buffer", EXPECTED, given))?;
    start.copy_from_slice(py, &delays)?;
    Ok(written)
}

const EXPECTED: &str = "a writable, C-contiguous, aligned buffer of native 8-byte ints";

/// How many 8-byte integers, signed or not, the caller's buffer holds.
fn words(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    let refused = || refusal::wrong_type("buffer", EXPECTED, given);
    let buffer = PyUntypedBuffer::get(given)
        .map_err(|error| refusal::no_buffer(error, "buffer", EXPECTED, given))?;
    if buffer.readonly() || !buffer.is_c_contiguous() || buffer.item_size() != size_of::<u64>() {
        return Err(refused());
    }
    // Not left to `PyBuffer<u64>`: it takes `>Q` for native on a little-endian machine.
    let ([code] | [b'@', code]) = *buffer.format().to_bytes() else { return Err(refused()) };
    match code {
        b'Q' | b'L' | b'N' | b'q' | b'l' | b'n' => Ok(buffer.item_count()),
        _ => Err(refused()),
    }
}
