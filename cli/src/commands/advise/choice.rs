//! Which of the policies is recommended.

use backoff_sim::{Experiment, Summary};
use serde::Serialize;

/// What a policy did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Trial {
    pub(crate) policy: String,
    pub(crate) budget: Option<String>,
    /// Operations that succeeded, from 0 to 1.
    pub(crate) success_rate: f64,
    /// Calls that the service received for each operation.
    pub(crate) calls_per_operation: f64,
    pub(crate) p99_ms: Option<f64>,
    /// From the end of the outage to the recovery, if the service recovered in every run.
    pub(crate) recovery_ms: Option<f64>,
    /// Whether it may be recommended.
    pub(crate) is_safe: bool,
    #[serde(skip)]
    pub(crate) has_jitter: bool,
}

impl Trial {
    pub(crate) fn new(experiment: &Experiment, summary: &Summary, has_jitter: bool) -> Self {
        let recovery = summary.recovery_ms.filter(|_| summary.recovered == summary.runs);
        let operations = summary.all.operations.mean;
        Self {
            policy: experiment
                .groups
                .first()
                .map(|group| group.policy.to_string())
                .unwrap_or_default(),
            budget: summary.budget.clone(),
            success_rate: summary.all.success_rate,
            calls_per_operation: summary.all.calls.mean / operations.max(f64::MIN_POSITIVE),
            p99_ms: summary.all.latency_ms.map(|latency| latency.p99),
            recovery_ms: recovery.map(|recovery| recovery.mean),
            is_safe: false,
            has_jitter,
        }
    }
}

/// The rule in words.
pub(crate) const RULE: &str = "A policy is safe if it has jitter, or no retries, and if the \
service recovers in every run, in at most the time that it needs without retries and the length of \
the outage, with at most two calls for each operation. Of the safe policies, the one with the most \
successes is recommended; of those within 0.1 percent, the one with the fewest calls; of those \
within 1 percent, one with a budget, then the one with the shortest p99.";

const MOST_CALLS: f64 = 2.0;
const SAME_SUCCESS: f64 = 0.001;
const SAME_CALLS: f64 = 1.01;

/// Marks the trials that are safe, and returns the number of the recommended one. The first trial
/// is that without retries.
pub(crate) fn choose(trials: &mut [Trial], outage_ms: f64) -> Option<usize> {
    let without = trials.first().and_then(|trial| trial.recovery_ms)?;
    for (number, trial) in trials.iter_mut().enumerate() {
        let longest = without + outage_ms;
        trial.is_safe = (number == 0 || trial.has_jitter)
            && trial.recovery_ms.is_some_and(|recovery| recovery <= longest)
            && trial.calls_per_operation <= MOST_CALLS;
    }
    let mut left: Vec<_> = (0..trials.len()).filter(|&number| trials[number].is_safe).collect();
    let most =
        |left: &[usize]| left.iter().map(|&number| trials[number].success_rate).fold(0.0, f64::max);
    let success = most(&left);
    left.retain(|&number| trials[number].success_rate >= success - SAME_SUCCESS);
    let calls = |number: usize| trials[number].calls_per_operation;
    let fewest = left.iter().map(|&number| calls(number)).fold(f64::INFINITY, f64::min);
    left.retain(|&number| calls(number) <= fewest * SAME_CALLS);
    left.into_iter().min_by(|&a, &b| {
        let (a, b) = (&trials[a], &trials[b]);
        let retries_without_budget = |trial: &Trial| trial.budget.is_none();
        let latency = |trial: &Trial| trial.p99_ms.unwrap_or(f64::INFINITY);
        (retries_without_budget(a).cmp(&retries_without_budget(b)))
            .then(latency(a).total_cmp(&latency(b)))
    })
}

#[cfg(test)]
mod tests {
    use super::{Trial, choose};

    fn trial(success_rate: f64, calls_per_operation: f64, recovery_ms: Option<f64>) -> Trial {
        Trial {
            policy: String::new(),
            budget: None,
            success_rate,
            calls_per_operation,
            p99_ms: Some(10.0),
            recovery_ms,
            is_safe: false,
            has_jitter: true,
        }
    }

    #[test]
    fn the_most_successes_of_what_is_safe() {
        let mut trials = [
            trial(0.9, 1.0, Some(10e3)),
            trial(0.99, 1.5, None),
            trial(0.98, 2.1, Some(10e3)),
            trial(0.97, 1.5, Some(21e3)),
            trial(0.96, 1.5, Some(20e3)),
            trial(0.95, 1.2, Some(11e3)),
        ];
        assert_eq!(choose(&mut trials, 10e3), Some(4));
        let safe: Vec<_> = trials.iter().map(|trial| trial.is_safe).collect();
        assert_eq!(safe, [true, false, false, false, true, true]);
    }

    #[test]
    fn ties_are_broken_by_work_then_by_budget_then_by_latency() {
        let recovery = Some(1.0);
        let first = trial(0.5, 1.0, recovery);
        let with_budget = Trial { budget: Some("sre".into()), ..trial(0.9, 1.205, recovery) };
        let mut trials = [first.clone(), trial(0.9005, 1.3, recovery), trial(0.9, 1.2, recovery)];
        assert_eq!(choose(&mut trials, 10e3), Some(2), "fewer calls");
        let mut trials = [first.clone(), trial(0.9, 1.2, recovery), with_budget.clone()];
        assert_eq!(choose(&mut trials, 10e3), Some(2), "a budget");
        let plain = Trial { has_jitter: false, ..trial(0.99, 1.0, recovery) };
        let quick = Trial { p99_ms: Some(9.0), ..with_budget.clone() };
        let mut trials = [first, plain, with_budget, quick];
        assert_eq!(choose(&mut trials, 10e3), Some(3), "latency, and never without jitter");
    }

    #[test]
    fn no_retries_if_they_do_not_help() {
        let mut trials = [trial(0.9, 1.0, Some(5.0)), trial(0.9, 1.4, Some(5.0))];
        assert_eq!(choose(&mut trials, 10e3), Some(0));
        let mut trials = [trial(0.9, 1.0, None), trial(0.99, 1.4, Some(5.0))];
        assert_eq!(
            choose(&mut trials, 10e3),
            None,
            "nothing is known about a service that never recovers"
        );
        assert_eq!(choose(&mut [], 10e3), None);
    }
}
