//! Batches: many delays in one call into the core.

use backoff_core::{Policy, RandomStream};
use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PySlice};

use crate::duration::seconds;
use crate::errors;

/// The delays of `first`, `first + 1`, ...; fewer if the indices end.
pub(crate) fn delays(
    policy: &Policy,
    stream: RandomStream,
    first: u32,
    count: u64,
) -> PyResult<Vec<u64>> {
    let no_memory = || PyMemoryError::new_err(format!("no memory for {count} delays"));
    let left = EVERY_INDEX.saturating_sub(first.into());
    let length = usize::try_from(count.min(left)).map_err(|_| no_memory())?;
    let mut delays = Vec::new();
    delays.try_reserve_exact(length).map_err(|_| no_memory())?;
    delays.resize(length, 0);
    policy.fill_ns(stream, first, &mut delays);
    Ok(delays)
}

/// The delays as a list of float seconds. Python makes it from an array of floats: if memory runs
/// out, Python raises `MemoryError`, where PyO3 would panic.
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

/// Writes the delays of `first`, `first + 1`, ... into the caller's buffer until it is full or the
/// indices end, and returns how many it wrote.
pub(crate) fn fill(
    policy: &Policy,
    stream: RandomStream,
    first: u32,
    object: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    let py = object.py();
    let length = (capacity(object)? as u64).min(EVERY_INDEX.saturating_sub(first.into()));
    // Delays are at most 2^63 - 1, which is the same 8 bytes signed and unsigned.
    let view = PyMemoryView::from(object)?.call_method1("cast", ("B",))?;
    let view = view.call_method1("cast", ("Q",))?;
    let mut written = 0;
    while written < length {
        let index = u64::from(first).saturating_add(written);
        let part = CHUNK.saturating_sub(index % CHUNK).min(length.saturating_sub(written));
        let delays = delays(policy, stream, u32::try_from(index).unwrap_or(u32::MAX), part)?;
        let end = written.saturating_add(part);
        let slice = PySlice::new(py, written.try_into()?, end.try_into()?, 1);
        let slots = PyBuffer::get(&view.get_item(slice)?)
            .map_err(|error| errors::wrong_buffer(error, "buffer", EXPECTED, object))?;
        slots.copy_from_slice(py, &delays)?;
        written = end;
    }
    Ok(usize::try_from(written)?)
}

/// Delays are made in chunks that stay in the cache. Decorrelated jitter restarts at each multiple
/// of this number (SPEC 6.3), so that it reaches every chunk but the first in one step.
const CHUNK: u64 = 4096;

/// All indices are below this number.
const EVERY_INDEX: u64 = 1 << 32;

const EXPECTED: &str = "a writable, C-contiguous, aligned buffer of native 8-byte ints";

/// The number of 8-byte integers, signed or not, that the caller's buffer holds.
fn capacity(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    let wrong_type = || errors::wrong_type("buffer", EXPECTED, object);
    let buffer = PyUntypedBuffer::get(object)
        .map_err(|error| errors::wrong_buffer(error, "buffer", EXPECTED, object))?;
    if buffer.readonly() || !buffer.is_c_contiguous() || buffer.item_size() != size_of::<u64>() {
        return Err(wrong_type());
    }
    // `PyBuffer<u64>` would take `>Q` for native on a little-endian machine.
    let ([code] | [b'@', code]) = *buffer.format().to_bytes() else { return Err(wrong_type()) };
    match code {
        b'Q' | b'L' | b'N' | b'q' | b'l' | b'n' => Ok(buffer.item_count()),
        _ => Err(wrong_type()),
    }
}
