use backoff_core::Outcome;
use pyo3::prelude::*;

use crate::arguments::Status;

/// The name of the outcome that the status of an HTTP response is; Outcome.of_http_status()
/// makes it a member.
#[pyfunction]
pub(crate) fn _outcome_of_http_status(status: Status) -> &'static str {
    Outcome::from_http_status(status.0).name()
}
