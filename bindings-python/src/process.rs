//! What belongs to one process: randomness, of which a forked child draws its own, so that the
//! workers of a pre-forking server do not wait in lockstep; and one interpreter.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use backoff_core::RandomStream;
use pyo3::exceptions::{PyImportError, PyOSError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// Fails in a second interpreter: it would share the classes with the first, whose code they call.
pub(crate) fn claim_for_this_interpreter(py: Python<'_>) -> PyResult<()> {
    // Each interpreter has its own. The reference keeps its address from being used again.
    static SYS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let own = py.import("sys")?;
    if SYS.get_or_init(py, || own.clone().unbind()).is(&own) {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "another interpreter has it: there is no support for subinterpreters",
    ))
}

/// The package as it was first imported. What imports it again, after something removed it from
/// `sys.modules`, needs the same one: the classes of another would not be those that are raised here.
#[pyfunction]
pub(crate) fn _first_package<'py>(package: &Bound<'py, PyModule>) -> Bound<'py, PyModule> {
    static FIRST: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    FIRST.get_or_init(package.py(), || package.clone().unbind()).bind(package.py()).clone()
}

// Counted by a hook: asking the operating system for the process ID each time is slower.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// The number of forks between the process that imported this module and this one.
pub(crate) fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Counts forks from now on, on platforms that have `fork`.
pub(crate) fn watch_forks(py: Python<'_>) -> PyResult<()> {
    if let Some(register) = py.import("os")?.getattr_opt("register_at_fork")? {
        let hooks = PyDict::new(py);
        hooks.set_item("after_in_child", wrap_pyfunction!(forked, py)?)?;
        register.call((), Some(&hooks))?;
    }
    Ok(())
}

#[pyfunction]
fn forked() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// A stream from the operating system's randomness.
pub(crate) fn entropy() -> PyResult<RandomStream> {
    RandomStream::from_entropy().map_err(|error| {
        PyOSError::new_err(format!("the operating system has no randomness to give: {error}"))
    })
}

/// The seed of the loops that have no stream of their own, and the number of the next one.
struct Loops {
    seed: u64,
    next: u64,
    generation: u32,
}

/// The stream of the next loop without one (SPEC 18.1): one seed from entropy per process, and
/// under it one stream per loop.
pub(crate) fn next_loop_stream() -> PyResult<RandomStream> {
    static LOOPS: Mutex<Option<Loops>> = Mutex::new(None);
    let mut loops = LOOPS.lock().unwrap_or_else(PoisonError::into_inner);
    let generation = generation();
    let current = match loops.take() {
        Some(loops) if loops.generation == generation => loops,
        _ => Loops { seed: entropy()?.state(), next: 0, generation },
    };
    let stream = RandomStream::nth(current.seed, current.next);
    *loops = Some(Loops { next: current.next.wrapping_add(1), ..current });
    Ok(stream)
}
