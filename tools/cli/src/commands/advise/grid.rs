//! The policies that are tried.

use anyhow::Result;
use backoff_core::{FieldValue, Policy};
use backoff_sim::Group;

pub(crate) struct Candidate {
    pub(crate) group: Group,
    pub(crate) has_jitter: bool,
}

/// The first window, in mean service times.
const BASES: [u64; 3] = [2, 10, 50];

/// The longest window, unless the first is longer.
const CAP_NS: u64 = 20_000_000_000;

const RETRIES: [u32; 3] = [1, 3, 6];

/// A budget of the SRE book: retries are at most 10% of the operations. Twice as much. And that of
/// HTTP adapters: 20%, and 10 retries a second in each process.
const BUDGETS: [&str; 3] = ["sre", "ratio:ratio=0.2", "finagle"];

/// No retries first, and then each base, number of retries and budget with jitter, and without both.
pub(crate) fn candidates(
    latency_ns: u64,
    processes: u32,
    deadline_ns: Option<u64>,
) -> Result<Vec<Candidate>> {
    let group = |text: &str, budget: Option<&str>| -> Result<Group> {
        let mut group = Group::new(Policy::parse(text).map_err(anyhow::Error::msg)?);
        group.budget = budget.map(str::to_owned);
        group.processes = processes;
        group.deadline_ns = deadline_ns;
        // As short as it can be written.
        group.name = match budget {
            Some(budget) => format!("{text};budget={budget}"),
            None => text.to_owned(),
        };
        Ok(group)
    };
    let no_retries = group("off", None)?;
    let mut all = vec![Candidate { group: no_retries, has_jitter: false }];
    for base in BASES {
        let base_ns = latency_ns.saturating_mul(base);
        let (base, cap) = (FieldValue::from_ns(base_ns), FieldValue::from_ns(CAP_NS.max(base_ns)));
        for retries in RETRIES {
            let fields = format!("base={base},cap={cap},max_retries={retries}");
            for budget in BUDGETS.into_iter().map(Some).chain([None]) {
                let group = group(&format!("full:{fields}"), budget)?;
                all.push(Candidate { group, has_jitter: true });
            }
            let group = group(&format!("exponential:{fields}"), None)?;
            all.push(Candidate { group, has_jitter: false });
        }
    }
    Ok(all)
}
