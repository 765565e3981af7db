//! Any sequence of outcomes over two operations that share any budget: every decision keeps the
//! limits, and an operation that has stopped stays stopped.

use backoff_core::{Budget, Decision, Field, MAX_NS, Operation, Policy, RandomStream, ffi};

/// Checks one input of the fuzzer: a policy string, a budget string and the steps, separated by
/// line feeds. A step is four bytes: the operation and perhaps a delay of the caller, the outcome, the
/// `retry_after` and the time that passes.
pub(crate) fn check(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |&byte| byte == b'\n');
    let mut part = || parts.next().unwrap_or_default();
    let (Ok(policy), budget) = (Policy::parse(part()), Budget::parse(part()).ok()) else { return };
    let budget = budget.as_ref();
    let mut now = 0_u64;
    let stream = RandomStream::from_seed(7);
    let deadline = 1 << 40;
    let mut operations = [
        Operation::begin(policy, stream, now, None, budget),
        Operation::begin(policy, stream, now, Some(deadline), budget),
    ];
    for step in part().chunks_exact(4) {
        let [which, outcome, retry_after, passed] = *step else { unreachable!() };
        now = now.saturating_add(1 << (passed % 64));
        let is_second = which % 2 == 1;
        let operation = &mut operations[usize::from(is_second)];
        let reason_before = operation.reason();
        let timeout = limit(&policy, Field::AttemptTimeout).filter(|&timeout| timeout < MAX_NS);
        let attempt_limit = operation.attempt_limit_ns(now);
        assert_eq!(attempt_limit.is_some(), timeout.is_some());
        assert!(attempt_limit <= timeout && attempt_limit != Some(0));
        let index = operation.retry_index(now);
        assert!(index == 0 || index == operation.retries());
        let Some(outcome) = ffi::outcome_from_number(u32::from(outcome % 6)) else {
            operation.cancel(budget);
            continue;
        };
        let retry_after = (retry_after < 128).then(|| 1 << (retry_after % 64));
        let own_delay = (which & 2 == 0).then(|| 1 << (which % 63));
        let decision = match own_delay {
            Some(own_delay) => {
                operation.decide_with_delay(outcome, retry_after, own_delay, now, budget)
            }
            None => operation.decide(outcome, retry_after, now, budget),
        };
        match decision {
            Decision::Wait { delay_ns } => {
                assert_eq!(reason_before, None);
                assert!(!is_second || now + delay_ns <= deadline);
                // Both operations began at time 0, if nothing counts from another time.
                let counts_anew =
                    limit(&policy, Field::ResetAfter).is_some_and(|time| time < MAX_NS);
                let from_failure = limit(&policy, Field::ElapsedFrom) == Some(2);
                let end = if counts_anew || from_failure {
                    delay_ns
                } else {
                    now.saturating_add(delay_ns)
                };
                assert!(
                    limit(&policy, Field::MaxElapsed)
                        .is_none_or(|most| end <= most || most == MAX_NS)
                );
                let retries = operation.retries();
                assert_eq!(retries, index + 1);
                assert!(limit(&policy, Field::MaxRetries).is_none_or(|most| retries <= most));
            }
            decision => {
                let reason = decision.stop_reason();
                assert!(reason.is_some());
                assert_eq!(operation.reason(), reason);
                assert!(reason_before.is_none_or(|before| Some(before) == reason));
            }
        }
    }
}

fn limit(policy: &Policy, field: Field) -> Option<u64> {
    ffi::policy_params(policy).get(field)
}
