//! Properties of every policy, checked on random ones.

use backoff_core::ffi::{self, FieldSet, POLICY_FIELDS, PolicyNumbers};
use backoff_core::{
    Backoff, Field, FieldValue, MAX_NS, Operation, Outcome, Policy, RandomStream, Ratio,
    RetryAfterMode, Waits,
};
use proptest::prelude::*;

/// Any number, with those at which formulas tend to break more often.
fn value() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(MAX_NS),
        Just(MAX_NS + 1),
        Just(u64::MAX),
        any::<u64>(),
        (any::<u32>(), any::<u32>()).prop_map(|(n, d)| ffi::ratio_value(n, d)),
        (0_u32..2000, 1_u32..1000).prop_map(|(n, d)| ffi::ratio_value(n, d)),
    ]
}

fn params() -> impl Strategy<Value = FieldSet> {
    let any_fields = prop::collection::vec(prop::option::of(value()), POLICY_FIELDS.len());
    let waits = prop::collection::vec(value(), 0..20);
    let kinds = (0_u64..8, 0_u64..9, 0_u64..4, 0_u64..5, 0_u64..4);
    (any_fields, kinds, prop::option::of(waits)).prop_map(
        |(values, (growth, jitter, cap_on, retry_after, elapsed_from), waits)| {
            let mut params = FieldSet::default();
            for (field, value) in POLICY_FIELDS.into_iter().zip(values) {
                if let Some(value) = value {
                    params.set(field, value);
                }
            }
            params.set(Field::Growth, growth);
            params.set(Field::Jitter, jitter);
            params.set(Field::CapOn, cap_on);
            params.set(Field::RetryAfter, retry_after);
            params.set(Field::ElapsedFrom, elapsed_from);
            params.clear(Field::Waits);
            if let Some(waits) = waits {
                params.set_waits(Waits::from_ns(waits));
            }
            params
        },
    )
}

/// A policy of each growth and of each jitter.
fn policy() -> impl Strategy<Value = Policy> {
    prop::sample::select(vec![
        "full:base=100ms,cap=20s",
        "equal:base=1ns,cap=1h",
        "decorrelated:base=1ms,cap=9s",
        "ethernet",
        "sidekiq",
        "google-cloud",
        "grpc-connect",
        "fibonacci:base=1s,jitter=1/3",
        "linear:base=1s",
        "steps:waits=1s/5s/2s,jitter=equal",
        "none",
    ])
    .prop_map(|text| Policy::parse(text).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_fields_give_a_policy_or_an_error_with_a_complete_message(params in params()) {
        if let Err(error) = ffi::build_policy(&params) {
            let message = error.to_string();
            prop_assert!(message.starts_with(error.field().name()));
            prop_assert!(message.len() < ffi::TEXT_CAPACITY, "truncated: {message}");
        }
    }

    #[test]
    fn an_iterator_returns_as_many_delays_as_it_says_and_no_more_after_its_end(
        policy in policy(), retries in 0_usize..100, seed: u64, taken in 0_usize..100,
    ) {
        let policy = policy.to_builder().unset(Field::MaxRetries).max_retries(retries as u64).build().unwrap();
        let mut backoff = Backoff::new(policy, RandomStream::from_seed(seed));
        let taken = backoff.by_ref().take(taken).count();
        let left = retries - taken;
        prop_assert_eq!(backoff.size_hint(), (left, Some(left)));
        prop_assert_eq!(backoff.by_ref().count(), left);
        prop_assert_eq!((backoff.next(), backoff.next_ns(), backoff.fill_ns(&mut [0; 9])), (None, None, 0));
        prop_assert_eq!((backoff.size_hint(), backoff.index()), ((0, Some(0)), retries as u64));
        backoff.reset();
        prop_assert_eq!(backoff.count(), retries);
    }

    #[test]
    fn a_batch_ends_at_the_last_index_and_writes_nothing_after_it(policy in policy(), seed: u64, left in 0_u32..4) {
        let mut delays = [u64::MAX; 8];
        let first = u32::MAX - left;
        let written = policy.fill_ns(RandomStream::from_seed(seed), first, &mut delays);
        prop_assert_eq!(written, left as usize + 1);
        prop_assert!(delays[..written].iter().all(|&delay| delay <= MAX_NS));
        prop_assert!(delays[written..].iter().all(|&delay| delay == u64::MAX));
    }

    #[test]
    fn a_policy_that_draws_nothing_decides_the_same_on_every_stream(
        policy in policy(), spreads: bool, seed: u64, retries in 0_u64..9, retry_after_ns: Option<u64>,
    ) {
        let mode = if spreads { RetryAfterMode::Spread } else { RetryAfterMode::Exact };
        let policy = policy.to_builder().retry_after(mode).build().unwrap();
        let decide = |seed| {
            let stream = RandomStream::from_seed(seed);
            let mut operation = Operation::resume(policy, stream, retries, 0, None);
            operation.decide(Outcome::Transient, retry_after_ns, 0, None)
        };
        prop_assert!(PolicyNumbers::of(&policy).draw() || decide(seed) == decide(!seed));
        prop_assert_eq!(PolicyNumbers::of(&policy).draw(), spreads || policy.get(Field::Jitter) != Some(FieldValue::Kind("none")));
    }

    #[test]
    fn a_float_passed_as_text_is_the_ratio_of_its_digits(digits in 1_u32..=999_999, exponent in -6_i32..=6) {
        let float: f64 = format!("{digits}e{exponent}").parse().unwrap();
        let (n, d) = if exponent < 0 {
            (digits, 10_u32.pow(exponent.unsigned_abs()))
        } else {
            (digits.saturating_mul(10_u32.pow(exponent.unsigned_abs())), 1)
        };
        let is_exact = n < u32::MAX;
        for text in [format!("{float}"), format!("{float:?}"), format!("{float:e}"), format!("{float:E}")] {
            prop_assert!(!is_exact || Ratio::parse(&text) == Ok(Ratio::new(n, d)), "{}", text);
        }
    }
    // C keeps an operation in the memory of its caller.
    #[test]
    fn any_numbers_are_an_operation_that_keeps_the_limits(
        words: [u64; 8], now in value(), own_delay in prop::option::of(value()), retries in 0_u64..4,
    ) {
        let text = "full:base=1s,cap=1h,max_retries=3,attempt_timeout=5s,reset_after=1m,elapsed_from=failure";
        let policy = Policy::parse(text).unwrap();
        for retries in [words[4], retries] {
            let mut words = words;
            words[4] = retries;
            let mut operation = ffi::operation_from_words(policy, &words);
            let limit = operation.attempt_limit_ns(now);
            prop_assert!((Some(1)..=Some(5_000_000_000)).contains(&limit));
            let index = operation.retry_index(now);
            prop_assert!(index == 0 || index == retries);
            let decision = match own_delay {
                Some(own_delay) => operation.decide_with_delay(Outcome::Timeout, None, own_delay, now, None),
                None => operation.decide(Outcome::Timeout, None, now, None),
            };
            let reason = operation.reason();
            prop_assert_eq!(decision.stop_reason(), reason);
            prop_assert!(reason.is_some() || (operation.retries() == index + 1 && index < 3));
            prop_assert!(own_delay.is_none_or(|own| reason.is_some() || decision.delay_ns() == own.min(MAX_NS)));
        }
    }
}
