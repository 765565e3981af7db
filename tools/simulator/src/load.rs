//! How clients arrive.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::client::Group;
use crate::model::outage::Outage;
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
    ///
    /// Those that arrive in the first quarter of the duration are not measured, unless an outage
    /// begins earlier: a server that begins idle is no server under load. After the duration others
    /// go on arriving, unmeasured, until the measured ones have ended: a server that nobody else
    /// calls would serve their retries. If a group retries without a limit, none arrive after the
    /// duration: its operations may never end under load, and all of them succeed in the end.
    Open {
        /// The time between two arrivals.
        interval: Distribution,
        /// Until when measured operations arrive, in nanoseconds.
        duration_ns: u64,
    },
}

/// How many times as long as the duration operations can arrive, if clients give up very late.
const MAX_ARRIVALS: u64 = 10;

impl Load {
    /// When the operations that are measured begin, if not all are.
    pub(crate) fn measured(&self, outage: Option<&Outage>) -> Option<Range<u64>> {
        match *self {
            Self::Closed { .. } => None,
            Self::Open { duration_ns, .. } => {
                let outage_ns = outage.map_or(u64::MAX, |outage| outage.from_ns);
                Some(outage_ns.min(duration_ns / 4)..duration_ns)
            }
        }
    }

    /// Until when operations can arrive, if they do by themselves.
    pub(crate) fn arrivals_end_ns(&self, groups: &[Group]) -> u64 {
        match *self {
            Self::Closed { .. } => 0,
            Self::Open { duration_ns, .. } if groups.iter().all(Group::gives_up) => {
                duration_ns.saturating_mul(MAX_ARRIVALS)
            }
            Self::Open { duration_ns, .. } => duration_ns,
        }
    }

    /// The number of clients, if it does not depend on what happens.
    pub(crate) fn clients(&self) -> usize {
        match *self {
            Self::Closed { clients, .. } => clients as usize,
            Self::Open { .. } => 0,
        }
    }
}
