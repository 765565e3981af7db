//! The policies that are tried.

use anyhow::Result;
use backoff_core::Policy;
use backoff_core::ffi::duration_text;
use backoff_sim::Group;

/// A policy, and what it is made of.
pub(crate) struct Candidate {
    pub(crate) group: Group,
    pub(crate) has_jitter: bool,
}

/// The first window, in mean service times.
const BASES: [u64; 3] = [2, 10, 50];

/// The longest window, unless the first is longer.
const CAP_NS: u64 = 20_000_000_000;

const RETRIES: [u32; 3] = [1, 3, 6];

/// A budget of the SRE book: retries are at most 10% of the operations. And twice as much.
const BUDGETS: [Option<&str>; 3] = [None, Some("ratio:ratio=0.1"), Some("ratio:ratio=0.2")];

/// No retries first, and then each base, number of retries, jitter and budget.
pub(crate) fn candidates(latency_ns: u64, processes: u32) -> Result<Vec<Candidate>> {
    let group = |text: &str, budget: Option<&str>| -> Result<Group> {
        let mut group = Group::new(Policy::parse(text).map_err(anyhow::Error::msg)?);
        group.budget = budget.map(str::to_owned);
        group.processes = processes;
        Ok(group)
    };
    let no_retries = group("none:max_retries=0", None)?;
    let mut all = vec![Candidate { group: no_retries, has_jitter: false }];
    for base in BASES {
        let base_ns = latency_ns.saturating_mul(base);
        let (base, cap) = (duration_text(base_ns), duration_text(CAP_NS.max(base_ns)));
        for retries in RETRIES {
            for jitter in ["full", "exponential"] {
                let text = format!("{jitter}:base={base},cap={cap},max_retries={retries}");
                for budget in BUDGETS {
                    let group = group(&text, budget)?;
                    all.push(Candidate { group, has_jitter: jitter == "full" });
                }
            }
        }
    }
    Ok(all)
}
