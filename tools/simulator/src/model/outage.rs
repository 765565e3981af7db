//! A time in which a server does not serve.

use serde::{Deserialize, Serialize};

use crate::error::{ExperimentError, check_range};
use crate::limits::MAX_TIME_NS;

/// A time in which a server does not serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// When it begins, in nanoseconds since the beginning of the run.
    pub from_ns: u64,
    /// When it ends, in nanoseconds since the beginning of the run.
    pub until_ns: u64,
    /// What happens to calls that arrive in this time.
    pub mode: OutageMode,
}

/// What happens to calls that arrive during an outage. Those that are already served are not
/// disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutageMode {
    /// The server accepts them, and serves none before the end of the outage.
    #[default]
    Stalled,
    /// The server rejects them at once.
    Refusing,
}

impl Outage {
    pub(crate) fn validate(&self) -> Result<(), ExperimentError> {
        check_range("the beginning of the outage in ns", self.from_ns, 0, MAX_TIME_NS - 1)?;
        check_range("the end of the outage in ns", self.until_ns, self.from_ns + 1, MAX_TIME_NS)
    }

    /// Whether it is a time of this outage and this mode.
    pub(crate) fn is_now(&self, mode: OutageMode, now_ns: u64) -> bool {
        self.mode == mode && (self.from_ns..self.until_ns).contains(&now_ns)
    }
}

/// The outcome of a rejected call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rejection {
    /// That the server is overloaded: the outcome `throttled`.
    #[default]
    Throttled,
    /// That something went wrong: the outcome `transient`.
    Transient,
}
