//! backoff-rs: the Python extension over backoff-core. What is documented here is the
//! docstring that a Python programmer reads.
//!
//! It computes no delay and decides nothing: it converts, validates, and calls the core.

// The docs are docstrings: Python's names in them are read as plain text.
#![allow(clippy::doc_markdown)]
#![deny(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod arguments;
mod backoff;
mod batch;
mod budget;
mod decision;
mod fields;
mod fork;
mod history;
mod http_status;
mod names;
mod numbers;
mod operation;
mod policy;
mod preview;
mod refusal;
mod retry_after;
mod seconds;
mod stream;

/// Backoff with jitter as a pure function of (policy, stream, index).
#[pyo3::pymodule(name = "_backoff", gil_used = false)]
mod extension {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::backoff::Backoff;
    #[pymodule_export]
    use crate::budget::Budget;
    #[pymodule_export]
    use crate::decision::Decision;
    #[pymodule_export]
    use crate::history::History;
    #[pymodule_export]
    use crate::http_status::_outcome_of_http_status;
    #[pymodule_export]
    use crate::operation::Operation;
    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use crate::preview::PreviewRow;
    #[pymodule_export]
    use crate::retry_after::parse_retry_after;
    #[pymodule_export]
    use crate::stream::Stream;

    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::fork::watch(module.py())
    }
}
