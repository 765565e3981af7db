//! backoff-rs: the Python extension over backoff-core. It converts, validates, and calls the
//! core; it computes no delay and makes no decision.
//!
//! The doc comments of classes, methods and functions are the docstrings that Python shows.

// They write Python's names without the backticks that Rust's docs would need.
#![allow(clippy::doc_markdown)]
#![deny(unsafe_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod arguments;
mod backoff;
mod batch;
mod budget;
mod budget_state;
mod decision;
mod duration;
mod enums;
mod errors;
mod export;
mod fields;
mod member;
mod numbers;
mod operation;
mod policy;
mod preview;
mod process;
mod ratio;
mod retry_after;
mod stats;
mod stream;
mod watched;

/// Backoff with jitter as a pure function of (policy, stream, index).
#[pyo3::pymodule(name = "_backoff", gil_used = false)]
mod extension {
    use backoff_core::Field;
    use pyo3::prelude::*;

    use crate::fields;

    #[pymodule_export]
    use crate::backoff::Backoff;
    #[pymodule_export]
    use crate::budget::Budget;
    #[pymodule_export]
    use crate::budget_state::BudgetState;
    #[pymodule_export]
    use crate::decision::Decision;
    #[pymodule_export]
    use crate::enums::_outcome_of_http_status;
    #[pymodule_export]
    use crate::errors::_type_name;
    #[pymodule_export]
    use crate::member::_Member;
    #[pymodule_export]
    use crate::operation::{
        _begin, _checked_clock_ns, _checked_deadline_ns, _checked_delays, _checked_retry_after,
        _checked_time_ns, Operation,
    };
    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use crate::preview::PreviewRow;
    #[pymodule_export]
    use crate::process::_first_package;
    #[pymodule_export]
    use crate::retry_after::{
        _http_retry_after_ns, is_idempotent_method, parse_retry_after, parse_retry_after_ns,
    };
    #[pymodule_export]
    use crate::stats::RetryStats;
    #[pymodule_export]
    use crate::stream::RandomStream;
    #[pymodule_export]
    use crate::watched::Watched;

    #[expect(non_upper_case_globals, reason = "Python's name for it")]
    #[pymodule_export]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let (policies, budgets) = (Field::POLICY, Field::BUDGET.get(1..).unwrap_or_default());
        fields::add_properties(module.py(), policies, |policy: &Policy, field| {
            policy.0.get(field)
        })?;
        fields::add_properties(module.py(), budgets, |budget: &Budget, field| budget.0.get(field))?;
        crate::process::claim_for_this_interpreter(module.py())?;
        crate::process::watch_forks(module.py())
    }
}
