//! What bindings and tools ask beside the public interface.

use std::time::Duration;

use backoff_core::ffi::{self, BUDGET_FIELDS, POLICY_FIELDS, PolicyNumbers, Progress, Unit};
use backoff_core::{
    Budget, BudgetLevel, BudgetMember, Decision, ErrorCode, Fallback, Field, MAX_NS, Operation,
    Outcome, Policy, RandomStream, RetryStats, StopReason,
};

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
    assert!(ffi::sets_retries(&second.max_retries(3)));
    assert!(ffi::sets_retries(&second.max_attempts(3)));
    let preset = Policy::parse("default").unwrap().to_builder();
    assert!(!ffi::sets_retries(&preset));
    assert!(ffi::sets_retries(&preset.max_retries(3)));
}

/// Other languages keep them in memory of their own, so no length changes by accident.
#[test]
fn states_as_numbers() {
    let lengths = [ffi::BUDGET_WORDS, ffi::OPERATION_WORDS, ffi::MEMBER_WORDS, ffi::STATS_WORDS];
    assert_eq!(lengths, [21, 8, 93, 20]);
    let budget = Budget::parse("quota:max_tokens=10,cost=5").unwrap();
    let policy = Policy::parse("constant:base=1s,max_retries=1").unwrap();
    let stream = RandomStream::from_seed(42);
    let mut operation = Operation::begin(policy, stream, 7, None, Some(&budget));
    operation.decide(Outcome::Transient, None, 8, Some(&budget));
    let copy = ffi::budget_from_words(&ffi::budget_to_words(&budget));
    assert_eq!(copy.level(8), BudgetLevel { level: 5, max: 10, unit: 1 });
    operation.decide(Outcome::Transient, None, 9, Some(&budget));
    let copy = ffi::operation_from_words(policy, &ffi::operation_to_words(&operation));
    assert_eq!((copy.attempts(), copy.reason()), (2, Some(StopReason::MaxRetries)));
    let mut member = BudgetMember::new(&budget, &budget, 3, Fallback::Refuse, 4, 5);
    member.request(Outcome::Throttled, 6);
    assert_eq!(ffi::member_from_words(&ffi::member_to_words(&member)), member);
    assert_ne!(member, BudgetMember::new(&budget, &budget, 3, Fallback::Refuse, 4, 5));
    let stats = RetryStats::new();
    stats.record(3, StopReason::Success);
    let copy = ffi::stats_from_words(&ffi::stats_to_words(&stats));
    assert_eq!((copy.operations(), copy.retries(), copy.stops(StopReason::Success)), (1, 2, 1));
}

#[test]
fn a_budget_that_no_thread_holds_is_free() {
    let budget = Budget::parse("sre").unwrap();
    assert!(ffi::wait_until_free(&budget, || unreachable!(), || unreachable!()));
}

/// SPEC 13.4, without a budget and a server that asks for a wait.
#[test]
fn reasons_to_stop() {
    let table = [
        (Outcome::Success, 0, None, Some(StopReason::Success)),
        (Outcome::Permanent, 0, None, Some(StopReason::Permanent)),
        (Outcome::Transient, 1, None, None),
        (Outcome::Timeout, 2, None, Some(StopReason::MaxRetries)),
        (Outcome::Transient, 0, Some(14), Some(StopReason::Deadline)),
        (Outcome::Transient, 0, Some(15), None),
    ];
    for (outcome, retries, deadline, reason) in table {
        let found = ffi::reason_to_stop(outcome, (retries, 2), (1, 100), deadline, 10, 5);
        assert_eq!(found, reason, "{outcome:?} {retries} {deadline:?}");
    }
    let late = ffi::reason_to_stop(Outcome::Transient, (0, 2), (1, 100), None, 97, 5);
    assert_eq!(late, Some(StopReason::MaxElapsed));
}

#[test]
fn delays_of_doubling_policies_by_their_numbers() {
    let stream = RandomStream::from_seed(42);
    for text in
        ["full:base=100ms,cap=20s", "full:base=7ns", "full:base=2ns,cap=5ns", "full:base=1s,cap=1s"]
    {
        let policy = Policy::parse(text).unwrap();
        let (base, cap) = ffi::doubling_base_and_cap(&policy).unwrap();
        let mut next = base;
        for index in 0..80 {
            let window = ffi::doubling_window_ns(base, cap, index);
            assert_eq!([window, next], [policy.window_ns(index); 2], "{text} {index}");
            let delay = policy.delay_ns(stream, index);
            assert_eq!(ffi::doubling_delay_ns(window, stream.draw(index)), delay, "{text} {index}");
            next = ffi::next_doubling_window_ns(next, cap);
        }
    }
    for text in [
        "equal:base=1s",
        "full:base=1s,multiplier=3",
        "full:base=1s,offset=1ms",
        "linear:base=1s,jitter=full",
    ] {
        assert_eq!(ffi::doubling_base_and_cap(&Policy::parse(text).unwrap()), None, "{text}");
    }
}

#[test]
fn stats_with_a_prefix_that_is_no_name() {
    let mut pieces = 0;
    let written = ffi::write_stats(&RetryStats::new(), "a-b", &|_| None, &mut |_| pieces += 1);
    assert!(written.is_err() && pieces == 0);
}

/// A loop that begins before it knows its stream and the time.
#[test]
fn a_progress_that_begins_later() {
    let policy = Policy::parse("full:base=1s,max_retries=3").unwrap();
    let mut progress = Progress::new(RandomStream::from_seed(1), None);
    progress.begin_at(7, None);
    progress.set_stream(RandomStream::from_seed(42));
    assert_eq!((progress.began_ns(), progress.retries()), (7, 0));
    for retries in 1..4 {
        let decision = progress.decide(ffi::schedule(&policy), Outcome::Transient, None, 8, None);
        let delay_ns = policy.delay_ns(RandomStream::from_seed(42), retries - 1);
        assert_eq!(decision, Decision::Wait { delay_ns });
        assert_eq!(progress.retries(), u64::from(retries));
    }
}

#[test]
fn pairs_are_as_long_as_a_text() {
    let policy = Policy::parse("default").unwrap();
    let code = |length| ffi::change_policy_by(&policy, &vec![b'x'; length]).unwrap_err().code();
    assert_eq!([code(1024), code(1025)], [ErrorCode::UnknownKey, ErrorCode::TextTooLong]);
    let error = ffi::change_policy_by(&policy, b"max_retries=1,max_attempts=2").unwrap_err();
    assert_eq!((error.code(), error.at()), (ErrorCode::GivenTwice, 14));
}

/// A rule that pairs break is found in them, and not in the string of the policy.
#[test]
fn errors_of_pairs_have_places_in_them() {
    let policy = Policy::parse("exponential:base=1s,cap=20s").unwrap();
    let table: [(&str, _, _, usize, &[u8]); 4] = [
        ("max_elapsed=1m,cap=500ms", ErrorCode::CapBelowBase, Field::Cap, 19, b"500ms"),
        ("max_elapsed=1m,increment=1s", ErrorCode::Unused, Field::Increment, 15, b"increment"),
        // Nothing sets it, so its place is the end.
        ("jitter=slotted", ErrorCode::Missing, Field::JitterSlot, 14, b""),
        // Only the policy sets it.
        ("max_elapsed=1m,base=1m", ErrorCode::CapBelowBase, Field::Cap, 0, b""),
    ];
    for (pairs, code, field, at, found) in table {
        let error = ffi::change_policy_by(&policy, pairs.as_bytes()).unwrap_err();
        assert_eq!((error.code(), error.field()), (code, Some(field)), "{pairs}: {error}");
        assert_eq!((error.at(), error.found()), (at, found), "{pairs}: {error}");
    }
}
