//! Many delays in one call into the core.

use backoff_core::{Policy, Stream};
use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

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
/// the rest stays as it was.
pub(crate) fn fill(
    policy: &Policy,
    stream: Stream,
    first: u32,
    given: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    let py = given.py();
    let target = words(given)?;
    let length = target.length();
    let mut delays = delays(policy, stream, first, length as u64)?;
    let written = delays.len();
    if written < length {
        delays.extend(target.read(py)?.into_iter().skip(written));
    }
    target.write(py, delays)?;
    Ok(written)
}

/// A buffer of 8-byte integers. Delays are at most 2^63 - 1: signed ones hold them as well.
enum Words {
    None,
    Unsigned(PyBuffer<u64>),
    Signed(PyBuffer<i64>),
}

impl Words {
    fn length(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Unsigned(buffer) => buffer.item_count(),
            Self::Signed(buffer) => buffer.item_count(),
        }
    }

    fn read(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Unsigned(buffer) => buffer.to_vec(py),
            Self::Signed(buffer) => {
                Ok(buffer.to_vec(py)?.into_iter().map(i64::cast_unsigned).collect())
            }
        }
    }

    fn write(&self, py: Python<'_>, words: Vec<u64>) -> PyResult<()> {
        match self {
            Self::None => Ok(()),
            Self::Unsigned(buffer) => buffer.copy_from_slice(py, &words),
            Self::Signed(buffer) => {
                let words = words.into_iter().map(u64::cast_signed).collect::<Vec<_>>();
                buffer.copy_from_slice(py, &words)
            }
        }
    }
}

/// The caller's buffer.
fn words(given: &Bound<'_, PyAny>) -> PyResult<Words> {
    let refused = || {
        let expected = "a writable, C-contiguous, aligned buffer of native 8-byte ints";
        refusal::wrong_type("buffer", expected, given)
    };
    let buffer = PyUntypedBuffer::get(given).map_err(|_| refused())?;
    if buffer.readonly() || !buffer.is_c_contiguous() || buffer.item_size() != size_of::<u64>() {
        return Err(refused());
    }
    // Not left to `into_typed`: it takes `>Q` for native on a little-endian machine.
    let ([code] | [b'@', code]) = *buffer.format().to_bytes() else { return Err(refused()) };
    match code {
        // Nothing is where an empty buffer points, so nothing is aligned.
        b'Q' | b'L' | b'N' | b'q' | b'l' | b'n' if buffer.item_count() == 0 => Ok(Words::None),
        b'Q' | b'L' | b'N' => buffer.into_typed().map(Words::Unsigned).map_err(|_| refused()),
        b'q' | b'l' | b'n' => buffer.into_typed().map(Words::Signed).map_err(|_| refused()),
        _ => Err(refused()),
    }
}
