//! Clients as arguments.

use backoff_core::Field;
use backoff_sim::{Clients, ClientsDefaults, ClientsError};
use clap::Args;

use crate::arguments::{BudgetArgument, duration, number};
use crate::refused::refused;

/// Reads a policy and what goes with it: `#[arg(value_parser = clients)]`.
pub(crate) fn clients(text: &str) -> Result<Clients, String> {
    text.parse().map_err(|error| match error {
        ClientsError::Policy { text, error } => refused(&text, &error, Field::POLICY),
        ClientsError::Budget { text, error } => refused(&text, &error, Field::BUDGET),
        ClientsError::Other(message) => message,
    })
}

/// What applies to clients that say nothing else.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Defaults {
    /// Budget of every policy that has none of its own
    #[arg(long)]
    budget: Option<BudgetArgument>,

    /// Processes that the clients are spread over; each has a budget of its own
    #[arg(long, value_name = "N", value_parser = number(1..=65_535_u32))]
    processes: Option<u32>,

    /// How long after its beginning an operation may retry
    #[arg(long, value_name = "TIME", value_parser = duration)]
    deadline: Option<u64>,
}

impl Defaults {
    pub(crate) fn of_clients(&self) -> ClientsDefaults {
        ClientsDefaults {
            budget: self.budget.as_ref().map(|budget| budget.text.clone()),
            processes: self.processes,
            deadline_ns: self.deadline,
        }
    }
}
