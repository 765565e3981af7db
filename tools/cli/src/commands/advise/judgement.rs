//! Which of the policies is recommended, and why the others are not.

use super::trial::Trial;
use super::verdict::Verdict;

pub(crate) const RULE: &str = "A policy is safe if it has jitter, the service recovers in every \
run, its recovery takes at most as long as without retries plus the length of the outage, and it \
gets at most two calls for each operation. Of the safe policies that meet the goals, the one with \
the most successes in normal operation is recommended. Those within two standard errors of it are \
as good: of them, the one with the fewest calls in the outage; of those within one percent, the \
one with the shortest p99. A policy is recommended only if it has more successes than no retries, \
by more than two standard errors.";

const MAX_CALLS: f64 = 2.0;
const SAME_CALLS: f64 = 1.01;
const STANDARD_ERRORS: f64 = 2.0;

/// Whether a policy has more successes than chance explains.
fn is_better(this: &Trial, other: &Trial) -> bool {
    let error = this.success_sem.hypot(other.success_sem);
    this.success_rate - other.success_rate > STANDARD_ERRORS * error
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    pub(crate) p99_ms: Option<f64>,
    pub(crate) success_rate: Option<f64>,
}

impl Limits {
    pub(crate) fn are_met(&self, trial: &Trial) -> bool {
        let p99_ms = trial.p99_ms.unwrap_or(f64::INFINITY);
        self.p99_ms.is_none_or(|most| p99_ms <= most)
            && self.success_rate.is_none_or(|least| trial.success_rate >= least)
    }
}

/// Judges the trials, and returns the number of the recommended one. The first trial is that
/// without retries.
pub(crate) fn judge(trials: &mut [Trial], outage_ms: f64, limits: &Limits) -> Option<usize> {
    let no_retries = trials.first()?.clone();
    for trial in trials.iter_mut() {
        trial.verdict = safety(trial, &no_retries, outage_ms).unwrap_or(Verdict::AsGood);
    }
    lose(trials, Verdict::MissesGoal, |trial| !limits.are_met(trial));
    let most = |trials: &[Trial], verdict| {
        (trials.iter().filter(|trial| trial.verdict == verdict))
            .max_by(|a, b| a.success_rate.total_cmp(&b.success_rate))
            .cloned()
    };
    // Nothing is known about a service that does not recover by itself.
    no_retries.recovery_ms?;
    let most = most(trials, Verdict::AsGood)?;
    lose(trials, Verdict::FewerSuccesses, |trial| is_better(&most, trial));
    let fewest = least(trials, |trial| trial.calls_per_operation);
    lose(trials, Verdict::MoreCalls, |trial| trial.calls_per_operation > fewest * SAME_CALLS);
    let latency = |trial: &Trial| trial.p99_ms.unwrap_or(f64::INFINITY);
    let shortest = least(trials, latency);
    lose(trials, Verdict::LongerLatency, |trial| latency(trial) > shortest);
    trials[0].verdict = Verdict::NoRetries;
    let chosen = trials.iter().position(|trial| trial.verdict == Verdict::AsGood)?;
    if !is_better(&trials[chosen], &no_retries) {
        return None;
    }
    trials[chosen].verdict = Verdict::Recommended;
    Some(chosen)
}

fn safety(trial: &Trial, no_retries: &Trial, outage_ms: f64) -> Option<Verdict> {
    let Some(recovery) = trial.recovery_ms else { return Some(Verdict::NoRecovery) };
    let longest = no_retries.recovery_ms.map(|without| without + outage_ms);
    if longest.is_some_and(|longest| recovery > longest) {
        Some(Verdict::LateRecovery)
    } else if trial.calls_per_operation > MAX_CALLS {
        Some(Verdict::TooManyCalls)
    } else if !trial.has_jitter && trial != no_retries {
        Some(Verdict::NoJitter)
    } else {
        None
    }
}

/// The least value of those that have not lost.
fn least(trials: &[Trial], value: impl Fn(&Trial) -> f64) -> f64 {
    let left = trials.iter().filter(|trial| trial.verdict == Verdict::AsGood);
    left.map(value).fold(f64::INFINITY, f64::min)
}

fn lose(trials: &mut [Trial], verdict: Verdict, loses: impl Fn(&Trial) -> bool) {
    for trial in trials.iter_mut() {
        if trial.verdict == Verdict::AsGood && loses(trial) {
            trial.verdict = verdict;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, Trial, Verdict, judge};

    fn trial(success_rate: f64, calls_per_operation: f64, recovery_ms: Option<f64>) -> Trial {
        Trial {
            policy: format!("{success_rate} {calls_per_operation} {recovery_ms:?}"),
            budget: None,
            success_rate,
            success_sem: 0.001,
            p99_ms: Some(10.0),
            calls_per_operation,
            recovery_ms,
            name: String::new(),
            recovered: 5,
            recovery: String::new(),
            verdict: Verdict::default(),
            has_jitter: true,
        }
    }

    /// The verdicts on these policies and on no retries.
    fn verdicts<const N: usize>(trials: [Trial; N]) -> [Verdict; N] {
        let no_retries = Trial { has_jitter: false, ..trial(0.9, 1.0, Some(10e3)) };
        let mut all = vec![no_retries];
        all.extend(trials);
        let chosen = judge(&mut all, 10e3, &Limits::default());
        assert_eq!(chosen, all.iter().position(|trial| trial.verdict == Verdict::Recommended));
        assert_eq!(all[0].verdict, Verdict::NoRetries);
        std::array::from_fn(|number| all[number + 1].verdict)
    }

    #[test]
    fn the_most_successes_of_what_is_safe() {
        let verdicts = verdicts([
            trial(0.999, 1.5, None),
            trial(0.998, 1.5, Some(20.1e3)),
            trial(0.997, 2.1, Some(10e3)),
            Trial { has_jitter: false, ..trial(0.996, 1.0, Some(10e3)) },
            trial(0.99, 2.0, Some(20e3)),
            trial(0.98, 1.1, Some(10e3)),
        ]);
        let expected = [
            Verdict::NoRecovery,
            Verdict::LateRecovery,
            Verdict::TooManyCalls,
            Verdict::NoJitter,
            Verdict::Recommended,
            Verdict::FewerSuccesses,
        ];
        assert_eq!(verdicts, expected);
    }

    /// Two standard errors of a difference are 0.0028.
    #[test]
    fn what_chance_explains_is_as_good() {
        let recovery = Some(10e3);
        let quick = Trial { p99_ms: Some(9.0), ..trial(0.99, 1.205, recovery) };
        let verdicts = verdicts([
            trial(0.9925, 1.3, recovery),
            trial(0.9896, 1.1, recovery),
            trial(0.99, 1.2, recovery),
            quick.clone(),
            quick,
        ]);
        let expected = [
            Verdict::MoreCalls,
            Verdict::FewerSuccesses,
            Verdict::LongerLatency,
            Verdict::Recommended,
            Verdict::AsGood,
        ];
        assert_eq!(verdicts, expected);
    }

    #[test]
    fn nothing_if_retries_gain_no_more_than_chance() {
        let recovery = Some(10e3);
        assert_eq!(verdicts([trial(0.9027, 1.1, recovery)]), [Verdict::MoreCalls]);
        assert_eq!(verdicts([trial(0.9029, 1.1, recovery)]), [Verdict::Recommended]);
        let mut overloaded = [trial(0.9, 1.0, None), trial(0.99, 1.4, Some(5.0))];
        assert_eq!(judge(&mut overloaded, 10e3, &Limits::default()), None);
        assert_eq!(judge(&mut [], 10e3, &Limits::default()), None);
    }

    #[test]
    fn a_policy_that_misses_a_goal_is_not_recommended() {
        let slow = Trial { p99_ms: Some(47e3), ..trial(0.999, 1.0, Some(10e3)) };
        let mut all = vec![
            Trial { has_jitter: false, ..trial(0.9, 1.0, Some(10e3)) },
            slow,
            trial(0.99, 1.5, Some(10e3)),
        ];
        let none = Limits::default();
        assert_eq!(judge(&mut all, 10e3, &none), Some(1));
        let p99 = Limits { p99_ms: Some(9e3), ..none };
        assert_eq!(judge(&mut all, 10e3, &p99), Some(2));
        assert_eq!(all[1].verdict, Verdict::MissesGoal);
        let both = Limits { success_rate: Some(0.995), ..p99 };
        assert_eq!(judge(&mut all, 10e3, &both), None);
        assert_eq!(all[2].verdict, Verdict::MissesGoal);
    }
}
