//! How clients arrive.

use serde::{Deserialize, Serialize};

use crate::random::distribution::Distribution;

/// How clients arrive.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Load {
    /// A number of clients, each with its operations one after another.
    Closed {
        /// The number of clients.
        clients: u32,
        /// The number of operations of each client.
        operations: u32,
        /// When a client begins its first operation.
        start: Distribution,
        /// The time between two operations of a client.
        think: Distribution,
    },
    /// Operations that arrive whatever happened to those before them, each from a client of its
    /// own.
    Open {
        /// The time between two arrivals.
        interval: Distribution,
        /// Until when operations arrive, in nanoseconds.
        duration_ns: u64,
    },
}

impl Load {
    /// The number of clients, if it does not depend on what happens.
    pub(crate) fn clients(&self) -> usize {
        match *self {
            Self::Closed { clients, .. } => clients as usize,
            Self::Open { .. } => 0,
        }
    }
}
