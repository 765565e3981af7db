//! What a policy does to a service: in normal operation, and in an outage.

use anyhow::Result;
use backoff_sim::Summary;
use serde::Serialize;

use super::arguments::Arguments;
use super::grid::{Candidate, candidates};
use super::service::{Service, Simulated};
use super::verdict::Verdict;
use crate::commands::simulate::{Progress, summaries};
use crate::duration::humanize;
use crate::output::Output;
use crate::report;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Trial {
    /// The policy and its budget, as `simulate` reads them.
    #[serde(skip)]
    pub(crate) name: String,
    pub(crate) policy: String,
    pub(crate) budget: Option<String>,
    /// Operations that succeed in normal operation, from 0 to 1.
    pub(crate) success_rate: f64,
    pub(crate) success_sem: f64,
    /// Of the operations that succeed in normal operation.
    pub(crate) p99_ms: Option<f64>,
    /// Calls that the service receives for each operation in the runs with the outage.
    pub(crate) calls_per_operation: f64,
    /// From the end of the outage to the recovery, if the service recovered in every run.
    pub(crate) recovery_ms: Option<f64>,
    pub(crate) recovered: u64,
    #[serde(skip)]
    pub(crate) recovery: String,
    pub(crate) verdict: Verdict,
    #[serde(skip)]
    pub(crate) has_jitter: bool,
}

impl Trial {
    #[expect(clippy::cast_precision_loss, reason = "at most 1,000 runs")]
    fn new([normal, outage]: [&Summary; 2], simulated: &Simulated, has_jitter: bool) -> Self {
        let watched = humanize(simulated.outage.after_ns);
        let recovery = outage.recovery_ms.filter(|_| outage.recovered == outage.runs);
        let success_rate = normal.all.success_rate;
        let operations = normal.all.operations.mean * normal.runs as f64;
        let success_variance = success_rate * (1.0 - success_rate) / operations.max(1.0);
        let outage_operations = outage.all.operations.mean.max(f64::MIN_POSITIVE);
        Self {
            name: normal.name.clone(),
            policy: normal.policy.clone().unwrap_or_default(),
            budget: normal.budget.clone(),
            success_rate,
            success_sem: success_variance.max(0.0).sqrt(),
            p99_ms: normal.all.latency_ms.map(|latency| latency.p99),
            calls_per_operation: outage.all.calls.mean / outage_operations,
            recovery_ms: recovery.map(|recovery| recovery.mean),
            recovered: outage.recovered,
            recovery: report::recovery(outage, &format!("not within {watched}")),
            verdict: Verdict::default(),
            has_jitter,
        }
    }
}

/// Simulates all candidates; no retries first.
pub(crate) fn trials(
    arguments: &Arguments,
    service: &Service,
    simulated: &Simulated,
    output: &Output,
) -> Result<Vec<Trial>> {
    let candidates = candidates(service.latency_ns, simulated.processes, arguments.goals.deadline)?;
    let pair = |candidate: &Candidate| {
        [&simulated.normal, &simulated.outage].map(|it| it.experiment(candidate.group.clone()))
    };
    let experiments: Vec<_> = candidates.iter().flat_map(pair).collect();
    let is_hidden = Progress::is_unwanted(arguments.quiet, output.is_json());
    let summaries = summaries(&experiments, arguments.threads, is_hidden)?;
    let pairs = summaries.as_chunks().0.iter().zip(&candidates);
    let trial = |(pair, candidate): (&[Summary; 2], &Candidate)| {
        Trial::new(pair.each_ref(), simulated, candidate.has_jitter)
    };
    Ok(pairs.map(trial).collect())
}
