//! Any script of outcomes over two operations that share any budget: every answer keeps the
//! limits, and nothing that has stopped goes on.

use backoff_core::{Budget, Decision, Field, Operation, Outcome, Policy, Stream};

/// One input of the fuzzer.
pub(crate) fn check(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |&byte| byte == b'\n');
    let mut part = || parts.next().unwrap_or_default();
    let (Ok(policy), budget) = (Policy::parse(part()), Budget::parse(part()).ok()) else { return };
    let budget = budget.as_ref();
    let mut now = 0_u64;
    let stream = Stream::from_seed(7);
    let deadline = 1 << 40;
    let mut operations = [
        Operation::begin(policy, stream, now, None, budget),
        Operation::begin(policy, stream, now, Some(deadline), budget),
    ];
    for step in part().chunks_exact(4) {
        let [which, outcome, hint, passed] = *step else { unreachable!() };
        now = now.saturating_add(1 << (passed % 64));
        let is_second = which % 2 == 1;
        let operation = &mut operations[usize::from(is_second)];
        let stopped = operation.stopped();
        let outcome = Outcome::from_number(u32::from(outcome % 6));
        let Some(outcome) = outcome else {
            operation.cancel(budget);
            continue;
        };
        let hint = (hint < 128).then(|| 1 << (hint % 64));
        match operation.decide(outcome, hint, now, budget) {
            Decision::Wait(delay) => {
                assert_eq!(stopped, None);
                assert!(!is_second || now + delay <= deadline);
                // Both began at 0.
                assert!(limit(&policy, Field::MaxElapsed).is_none_or(|most| now + delay <= most));
                let retries = operation.retries();
                assert!(limit(&policy, Field::MaxRetries).is_none_or(|most| retries <= most));
            }
            Decision::Stop { reason, .. } => {
                assert_eq!(operation.stopped(), Some(reason));
                assert!(stopped.is_none_or(|before| before == reason));
            }
        }
    }
}

fn limit(policy: &Policy, field: Field) -> Option<u64> {
    policy.params().word(field)
}
