//! Where requests come from.

use anyhow::Result;

use super::plan::Plan;
use super::{budgets, clauses, decisions, delays, insight, protocol, responses, strings};

impl Plan {
    /// The requests that every vector gives, and those of the protocol.
    pub(crate) fn new() -> Result<Self> {
        let mut plan = Self::EMPTY;
        delays::add(&mut plan)?;
        strings::add(&mut plan)?;
        decisions::add(&mut plan)?;
        responses::add(&mut plan)?;
        budgets::add(&mut plan)?;
        insight::add(&mut plan)?;
        protocol::add(&mut plan);
        plan.cases.sort_by_key(|case| clauses::order(case.clause));
        plan.unchecked.sort_by_key(|unchecked| clauses::order(unchecked.clause));
        Ok(plan)
    }
}
