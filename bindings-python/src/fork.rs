//! Notices that the process is a forked child, without asking the operating system each time.

use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;

static GENERATION: AtomicU32 = AtomicU32::new(0);

/// How many forks lie between the process that imported this and this one.
pub(crate) fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// Counts the forks from now on, where there is `fork`.
pub(crate) fn watch(py: Python<'_>) -> PyResult<()> {
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
