//! What bindings and tools ask beside the public interface.

use std::time::Duration;

use backoff_core::ffi::{self, BUDGET_FIELDS, POLICY_FIELDS, PolicyNumbers, Unit};
use backoff_core::{ErrorCode, Field, MAX_NS, Outcome, Policy, StopReason};

#[test]
fn numbers_of_fields_codes_outcomes_and_reasons() {
    let fields: Vec<Field> = POLICY_FIELDS.into_iter().chain(BUDGET_FIELDS).collect();
    for number in 0..1000 {
        let field = fields.iter().copied().find(|&field| field as u32 == number);
        assert_eq!(ffi::field_from_number(number), field);
        let code = ErrorCode::ALL.iter().copied().find(|&code| code as u32 == number);
        assert_eq!(ffi::error_code_from_number(number), code);
        let outcome = Outcome::ALL.iter().copied().find(|&outcome| outcome as u32 == number);
        assert_eq!(ffi::outcome_from_number(number), outcome);
        let reason = StopReason::ALL.iter().copied().find(|&reason| reason as u32 == number);
        assert_eq!(ffi::reason_from_number(number), reason);
    }
}

/// Which fields only some kinds use, and which have a number for no limit (SPEC 5.1).
#[test]
fn what_fields_are() {
    let always = "growth cap cap_on floor jitter max_retries max_attempts max_elapsed retry_after retry_after_max \
         retry_after_max_extra attempt_timeout reset_after elapsed_from budget level";
    let unlimited =
        "cap max_elapsed retry_after_max retry_after_max_extra attempt_timeout reset_after";
    for field in POLICY_FIELDS.into_iter().chain(BUDGET_FIELDS) {
        let is_always = always.split_whitespace().any(|name| name == field.name());
        assert_eq!(ffi::is_conditional(field), !is_always, "{field}");
        let is_unlimited = unlimited.split_whitespace().any(|name| name == field.name());
        let none = match field {
            Field::MaxRetries => Some(1 << 32),
            Field::MaxAttempts => Some((1 << 32) + 1),
            _ => is_unlimited.then_some(MAX_NS),
        };
        assert_eq!(ffi::no_limit(field), none, "{field}");
        let description = ffi::field_description(field);
        assert!(description.contains(' ') && description.ends_with('.'), "{description}");
        assert_eq!(format!("{field:>30}").trim_start(), field.name());
        assert_eq!(!field.kinds().is_empty(), matches!(ffi::field_unit(field), Unit::Kind(_)));
    }
}

/// A loop reads no clock and makes no stream if its policy needs none.
#[test]
fn what_policies_need() {
    let table = [
        ("constant:base=1s", [false; 3]),
        ("constant:base=1s,max_elapsed=1m", [true, false, false]),
        ("constant:base=1s,reset_after=1m", [true, false, false]),
        ("constant:base=1s,attempt_timeout=1s", [true, true, false]),
        ("constant:base=1s,jitter=full", [false, false, true]),
        ("constant:base=1s,retry_after=spread", [false, false, true]),
        ("constant:base=1s,retry_after=exact", [false; 3]),
    ];
    for (text, needs) in table {
        let policy = Policy::parse(text).unwrap();
        let of = PolicyNumbers::of(&policy);
        assert_eq!([of.need_time(), of.limit_attempts(), of.draw()], needs, "{text}");
    }
}

#[test]
fn a_builder_knows_whether_its_caller_set_a_limit_of_retries() {
    let second = Policy::constant(Duration::from_secs(1));
    assert!(!ffi::sets_retries(&second));
    assert!(ffi::sets_retries(&second.clone().max_retries(3)));
    assert!(ffi::sets_retries(&second.max_attempts(3)));
    let preset = Policy::parse("default").unwrap().to_builder();
    assert!(!ffi::sets_retries(&preset));
    assert!(ffi::sets_retries(&preset.max_retries(3)));
}
