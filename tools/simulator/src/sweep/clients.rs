//! Clients as text: a policy and what goes with it.

use std::str::FromStr;

use backoff_core::{Budget, ParseError, Policy, parse_duration_ns};

use crate::client::Group;

/// Clients with a policy: `[NAME=]POLICY[;budget=BUDGET][;processes=N][;deadline=TIME][;weight=N]`.
///
/// ```
/// use backoff_sim::{Clients, ClientsDefaults};
/// let clients: Clients = "mine=full:base=10ms,max_retries=5;budget=sre".parse()?;
/// let group = clients.group(&ClientsDefaults::default());
/// assert_eq!((group.name.as_str(), group.budget.as_deref()), ("mine", Some("sre")));
/// # Ok::<(), backoff_sim::ClientsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Clients {
    name: String,
    policy: Policy,
    budget: Option<String>,
    processes: Option<u32>,
    deadline_ns: Option<u64>,
    weight: Option<u32>,
}

/// What applies to clients that say nothing else.
#[derive(Debug, Clone, Default)]
pub struct ClientsDefaults {
    /// The budget string.
    pub budget: Option<String>,
    /// The number of processes that the clients are spread over; 1 if nothing is said.
    pub processes: Option<u32>,
    /// How long after its beginning an operation may retry.
    pub deadline_ns: Option<u64>,
}

/// Why a text is not clients.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientsError {
    /// The policy string is invalid.
    #[error("{error}")]
    Policy {
        /// The policy string.
        text: String,
        /// What is wrong with it.
        error: ParseError,
    },
    /// The budget string is invalid.
    #[error("{error}")]
    Budget {
        /// The budget string.
        text: String,
        /// What is wrong with it.
        error: ParseError,
    },
    /// Something else is wrong.
    #[error("{0}")]
    Other(String),
}

impl Clients {
    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The clients as a group of an experiment.
    #[must_use]
    pub fn group(&self, defaults: &ClientsDefaults) -> Group {
        Group {
            name: self.name.clone(),
            weight: self.weight.unwrap_or(1),
            policy: self.policy,
            budget: self.budget.as_ref().or(defaults.budget.as_ref()).cloned(),
            processes: self.processes.or(defaults.processes).unwrap_or(1),
            deadline_ns: self.deadline_ns.or(defaults.deadline_ns),
        }
    }

    fn set(&mut self, pair: &str) -> Result<(), ClientsError> {
        const EXPECTED: &str = "expected budget=, processes=, deadline= or weight=";
        let other = ClientsError::Other;
        let wrong = || other(format!("`{pair}`: {EXPECTED}"));
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let number = || {
            let error = format!("{name} `{value}` is not a whole number from 1 to 1000000");
            let number = value.parse().ok().filter(|number| (1..=1_000_000).contains(number));
            number.ok_or_else(|| other(error))
        };
        let is_set = match name.trim() {
            "budget" => {
                let text = || value.to_owned();
                Budget::parse(value)
                    .map_err(|error| ClientsError::Budget { text: text(), error })?;
                self.budget.replace(text()).is_some()
            }
            "processes" => self.processes.replace(number()?).is_some(),
            "deadline" => {
                let ns = parse_duration_ns(value);
                let ns = ns.map_err(|error| other(format!("deadline {error}")))?;
                self.deadline_ns.replace(ns).is_some()
            }
            "weight" => self.weight.replace(number()?).is_some(),
            _ => return Err(wrong()),
        };
        if is_set { Err(other(format!("{name} is given twice"))) } else { Ok(()) }
    }
}

impl FromStr for Clients {
    type Err = ClientsError;

    fn from_str(text: &str) -> Result<Self, ClientsError> {
        let (head, mut rest) = text.split_once(';').unwrap_or((text, ""));
        let (name, policy) = match head.split_once('=') {
            // A policy has a colon before its first `=`.
            Some((name, policy)) if !name.contains(':') => (name.trim(), policy),
            _ => (text.trim(), head),
        };
        let policy = Policy::parse(policy)
            .map_err(|error| ClientsError::Policy { text: policy.to_owned(), error })?;
        let mut clients = Self {
            name: name.to_owned(),
            policy,
            budget: None,
            processes: None,
            deadline_ns: None,
            weight: None,
        };
        while !rest.is_empty() {
            let (pair, after) = rest.split_once(';').unwrap_or((rest, ""));
            clients.set(pair)?;
            rest = after;
        }
        Ok(clients)
    }
}

#[cfg(test)]
mod tests {
    use super::{Clients, ClientsDefaults};

    #[test]
    fn clients_are_a_policy_and_what_goes_with_it() {
        let group =
            |text: &str| text.parse::<Clients>().unwrap().group(&ClientsDefaults::default());
        let full = group("full:base=10ms,cap=2s");
        assert_eq!(full.name, "full:base=10ms,cap=2s");
        assert_eq!((full.weight, full.budget, full.processes), (1, None, 1));
        let mine =
            group("mine=full:base=10ms;budget=ratio:ratio=0.1;processes=3;weight=2;deadline=1s");
        assert_eq!(mine.name, "mine");
        assert_eq!(mine.policy.to_string(), "exponential:base=10ms,jitter=full");
        assert_eq!(mine.budget.as_deref(), Some("ratio:ratio=0.1"));
        assert_eq!((mine.processes, mine.weight, mine.deadline_ns), (3, 2, Some(1_000_000_000)));
        let budget = group("none;budget=sre");
        assert_eq!(
            (budget.name.as_str(), budget.policy.to_string()),
            ("none;budget=sre", "constant:base=0s".into())
        );
    }

    #[test]
    fn defaults_apply_where_nothing_is_said() {
        let defaults = ClientsDefaults {
            budget: Some("sre".to_owned()),
            processes: Some(4),
            deadline_ns: Some(5),
        };
        let group = |text: &str| text.parse::<Clients>().unwrap().group(&defaults);
        let (none, own) = (group("none"), group("none;budget=quota;processes=2;deadline=1ns"));
        assert_eq!(
            (none.budget.as_deref(), none.processes, none.deadline_ns),
            (Some("sre"), 4, Some(5))
        );
        assert_eq!(
            (own.budget.as_deref(), own.processes, own.deadline_ns),
            (Some("quota"), 2, Some(1))
        );
    }

    #[test]
    fn wrong_clients_are_refused() {
        for (text, message) in [
            ("", "at 0"),
            ("fulll:base=1s", "at 0: unknown"),
            ("full:base=1sec", "unknown unit"),
            ("none;cost=3", "`cost=3`: expected budget="),
            ("none;weight=0", "weight `0` is not a whole number from 1"),
            ("none;weight=1;weight=2", "weight is given twice"),
            ("none;budget=rat", "at 0"),
            ("none;deadline=soon", "deadline"),
            ("a=b=c", "at 0"),
        ] {
            let error = text.parse::<Clients>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
