//! The clients, small enough for ten million of them.

use backoff_core::ffi::{OPERATION_WORDS, operation_from_words, operation_to_words};
use backoff_core::{Field, FieldValue, Operation, Policy, RandomStream};
use serde::{Deserialize, Serialize};

use crate::error::ExperimentError;

/// Clients with the same policy.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Group {
    /// The name in results; the policy string by default.
    pub name: String,
    /// The share of the clients, in proportion to the weights of the other groups.
    pub weight: u32,
    /// When its clients retry.
    pub policy: Policy,
    /// The budget string, if there is one.
    pub budget: Option<String>,
    /// The number of processes that the clients are spread over. Each has a budget of its own.
    pub processes: u32,
    /// How long after its beginning an operation may retry.
    pub deadline_ns: Option<u64>,
}

impl Group {
    /// All clients, with this policy and without a budget.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        let name = policy.to_string();
        Self { name, weight: 1, policy, budget: None, processes: 1, deadline_ns: None }
    }

    /// Refuses what no simulated client does.
    pub(crate) fn check_policy(&self) -> Result<(), ExperimentError> {
        let defaults = [
            (Field::AttemptTimeout, "none"),
            (Field::ResetAfter, "none"),
            (Field::ElapsedFrom, "begin"),
        ];
        let set = defaults.into_iter().find(|(field, default)| {
            self.policy.get(*field).is_none_or(|value| value.to_string() != *default)
        });
        set.map_or(Ok(()), |(field, default)| Err(ExperimentError::Field(field, default)))
    }

    /// Whether an operation ends in a server that never answers.
    pub(crate) fn gives_up(&self) -> bool {
        let limits = [Field::MaxRetries, Field::MaxElapsed].map(|field| self.policy.get(field));
        limits != [Some(FieldValue::NoLimit); 2] || self.deadline_ns.is_some()
    }
}

/// A client and its operation.
///
/// An [`Operation`] of the core is 250 bytes, most of them its policy. This is what differs between
/// the operations of a group.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    stream: RandomStream,
    pub(crate) began_ns: u64,
    held: u64,
    retries: u32,
    /// Counts the attempts of this place, in all operations that it was used for. Tells an answer
    /// to the current attempt from one that comes too late.
    pub(crate) attempt: u32,
    /// The operations that it has yet to begin.
    pub(crate) operations_left: u32,
    /// Its group, and [`Self::UNMEASURED`].
    group: u16,
    pub(crate) process: u16,
}

impl Client {
    /// The highest bit: there are fewer groups. A place of its own would take 8 bytes more.
    const UNMEASURED: u16 = 1 << 15;

    pub(crate) const fn new(
        stream: RandomStream,
        group: u16,
        process: u16,
        is_measured: bool,
    ) -> Self {
        let (began_ns, held, retries, attempt, operations_left) = (0, 0, 0, 0, 0);
        let group = if is_measured { group } else { group | Self::UNMEASURED };
        Self { stream, began_ns, held, retries, attempt, operations_left, group, process }
    }

    pub(crate) const fn group(&self) -> u16 {
        self.group & !Self::UNMEASURED
    }

    /// Whether its operations count in the results.
    pub(crate) const fn is_measured(&self) -> bool {
        self.group & Self::UNMEASURED == 0
    }

    /// The stream of its next operation: that of an iterator after a reset (SPEC 9).
    pub(crate) fn next_stream(&self) -> RandomStream {
        self.stream.advance(self.retries.into())
    }

    /// Something of its first bytes and of its last, which may be in another line of a cache.
    pub(crate) fn ends(&self) -> u64 {
        self.stream.state() ^ u64::from(self.process)
    }

    /// Takes over the state of an operation.
    pub(crate) fn store(&mut self, operation: &Operation) {
        let [stream, began_ns, _, _, retries, held, ..] = operation_to_words(operation);
        self.stream = RandomStream::from_seed(stream);
        self.began_ns = began_ns;
        self.held = held;
        // No run has time for 2^32 retries.
        self.retries = u32::try_from(retries).unwrap_or(u32::MAX);
    }

    /// The operation, which has not stopped.
    pub(crate) fn operation(&self, group: &Group) -> Operation {
        let deadline = group.deadline_ns.map(|ns| self.began_ns.saturating_add(ns));
        let words: [u64; OPERATION_WORDS] = [
            self.stream.state(),
            self.began_ns,
            // Nobody knows when the attempt began, so it never counts anew.
            u64::MAX,
            deadline.unwrap_or_default(),
            self.retries.into(),
            self.held,
            0,
            deadline.is_some().into(),
        ];
        operation_from_words(group.policy, &words)
    }
}

#[cfg(test)]
mod tests {
    use super::Client;
    use crate::events::Event;

    #[test]
    fn a_waiting_client_takes_at_most_64_bytes() {
        assert!(size_of::<Client>() + size_of::<Event>() <= 64);
    }
}
