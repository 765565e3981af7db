//! What Rust callers read of values, and how values are shown. Vectors have their numbers.

use std::time::Duration;

use backoff_core::{
    Budget, BudgetEvent, BudgetState, ErrorCode, Field, FieldValue, Jitter, Operation, Outcome,
    Policy, RandomStream, Ratio, StopReason, Waits, parse_duration_ns,
};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn of_policies() {
    let policy = Policy::parse("exponential:base=100ms,jitter=equal,max_retries=3").unwrap();
    assert_eq!(policy.window(2), Duration::from_millis(400));
    let stream = RandomStream::from_seed(42);
    assert_eq!(policy.delay(stream, 2), Duration::from_nanos(policy.delay_ns(stream, 2)));
    assert!(policy.delay(stream, 2) >= Duration::from_millis(200));
    assert_eq!((policy.max_retries(), policy.max_attempts()), (3, 4));
    assert_eq!(policy.get(Field::Multiplier).unwrap().as_ratio(), Some(Ratio::new(2, 1)));
    assert_eq!(policy.get(Field::MaxElapsed), Some(FieldValue::NoLimit));
    assert_eq!(policy.get(Field::Base).unwrap().as_ratio(), None);
    let waits: Waits = [SECOND, 2 * SECOND].into_iter().collect();
    assert_eq!(waits.as_ns(), [1_000_000_000, 2_000_000_000]);
    let steps = Policy::parse("steps:waits=1s/2s").unwrap();
    assert_eq!(steps.get(Field::Waits).unwrap().as_waits(), Some(waits));
    assert_eq!(steps.to_builder().set(Field::Waits, FieldValue::Waits(waits)).build(), Ok(steps));
}

#[test]
fn of_jitters_with_parameters() {
    let table = [
        (
            Jitter::Proportional { below: Ratio::new(1, 4), above: Ratio::new(1, 2) },
            "jitter=proportional,jitter_below=1/4,jitter_above=1/2",
        ),
        (
            Jitter::Additive { max: SECOND, increment: 2 * SECOND },
            "jitter=additive,jitter_max=1s,jitter_increment=2s",
        ),
        (Jitter::Slotted { slot: SECOND }, "jitter=slotted,jitter_slot=1s"),
    ];
    for (jitter, fields) in table {
        let policy = Policy::parse(format!("exponential:base=1s,{fields}")).unwrap();
        assert_eq!(Policy::exponential(SECOND).jitter(jitter).build(), Ok(policy), "{fields}");
    }
}

#[test]
fn of_operations_and_budgets() {
    let policy = Policy::parse("constant:base=1s,max_retries=1").unwrap();
    let mut operation = Operation::begin(policy, RandomStream::from_seed(1), 0, None, None);
    assert_eq!((operation.attempts(), operation.reason()), (1, None));
    operation.decide(Outcome::Transient, None, 0, None);
    operation.cancel(None);
    assert_eq!((operation.attempts(), operation.reason()), (2, Some(StopReason::Cancelled)));
    let budget = Budget::parse("quota").unwrap();
    let mut state = BudgetState::full(&budget);
    for version in 0..3 {
        assert_eq!(state.version(), version);
        state = state.step(BudgetEvent::RetryRequested { outcome: Outcome::Transient }, 0).0;
    }
}

/// A retry that is refused ends its attempt, so that another operation may use its slot.
#[test]
fn of_refused_retries() {
    let policy = Policy::parse("constant:base=1s").unwrap();
    let budget = Budget::parse("concurrent:ratio=0,min_concurrent=1").unwrap();
    let begin = || Operation::begin(policy, RandomStream::from_seed(1), 0, None, Some(&budget));
    let (mut first, mut second) = (begin(), begin());
    let failed = |operation: &mut Operation| {
        operation.decide(Outcome::Transient, None, 0, Some(&budget));
        operation.reason()
    };
    assert_eq!(failed(&mut first), None);
    assert_eq!(first.refuse_retry(Some(&budget)), StopReason::Budget);
    assert_eq!(failed(&mut second), None);
}

#[test]
fn longest_duration() {
    assert_eq!(parse_duration_ns("9223372036854775807ns"), Ok(i64::MAX as u64));
    let error = parse_duration_ns("9223372036854775808ns").unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooLarge);
    let message = "the duration 9223372036854775808ns is above 9223372036854775807ns";
    assert_eq!(error.to_string(), message);
    assert_eq!(parse_duration_ns("5").unwrap_err().code(), ErrorCode::MissingUnit);
}

/// A width pads each of them.
#[test]
fn shown() {
    assert_eq!(format!("{:>4}|{:<6}|", Ratio::new(6, 4), Waits::from_ns([1, 2])), " 1.5|1ns/2ns|");
    assert_eq!(format!("{:>8}", ErrorCode::Unused), "  unused");
    let policy = Policy::parse("linear:base=1s").unwrap();
    assert_eq!(format!("{:>15}", policy.text()), " linear:base=1s");
    assert!(format!("{policy:?}").contains("linear:base=1s"));
    assert!(format!("{:?}", Budget::parse("quota:cost=2").unwrap()).contains("quota:cost=2"));
}

/// A builder refuses each as its method says.
#[test]
fn values_in_the_unit_of_another_field() {
    let second = FieldValue::Duration(SECOND);
    let table = [
        (Field::CapOn, FieldValue::Count(1), ErrorCode::UnknownKind, 0),
        (Field::Jitter, second, ErrorCode::UnknownKind, 0),
        (Field::Base, FieldValue::Kind("full"), ErrorCode::TooLarge, u64::MAX),
        (Field::MaxRetries, second, ErrorCode::TooLarge, u64::MAX),
    ];
    for (field, value, code, number) in table {
        let error = Policy::exponential(SECOND).set(field, value).build().unwrap_err();
        assert_eq!((error.code(), error.field(), error.value()), (code, field, number), "{error}");
    }
    let fine = Policy::exponential(SECOND).set(Field::Multiplier, second).build().unwrap_err();
    assert_eq!((fine.code(), fine.field()), (ErrorCode::RatioTooFine, Field::Multiplier));
}
