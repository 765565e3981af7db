//! Properties of every policy, checked on random ones.

use std::time::Duration;

use backoff_core::ffi::{self, FieldSet, POLICY_FIELDS};
use backoff_core::{
    Backoff, Field, MAX_NS, Operation, Outcome, Policy, RandomStream, Ratio, StopReason,
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
        1_u64..20,
        any::<u64>(),
        0..MAX_NS,
        (0_u32..64).prop_map(|shift| 1 << shift),
        (any::<u32>(), any::<u32>()).prop_map(|(n, d)| ffi::ratio_value(n, d)),
        (0_u32..2000, 1_u32..1000).prop_map(|(n, d)| ffi::ratio_value(n, d)),
    ]
}

fn params() -> impl Strategy<Value = FieldSet> {
    let any_fields = prop::collection::vec(prop::option::of(value()), POLICY_FIELDS.len());
    (any_fields, 0_u64..8, 0_u64..9, 0_u64..4, 0_u64..5).prop_map(
        |(values, growth, jitter, cap_on, retry_after)| {
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
            params
        },
    )
}

/// Valid policies: random fields, with those repaired or removed that break a rule. (Proptest would
/// spend most of its time on fields that it rejects.)
fn policy() -> impl Strategy<Value = Policy> {
    params().prop_filter_map("a valid policy", |mut params| {
        for _ in 0..2 * POLICY_FIELDS.len() {
            let error = match ffi::build_policy(&params) {
                Ok(policy) => return Some(policy),
                Err(error) => error,
            };
            match error.field() {
                Field::Growth => params.set(Field::Growth, error.value() % 5 + 1),
                Field::Base => params.set(Field::Base, error.value() % MAX_NS + 1_000),
                field => params.clear(field),
            }
        }
        None
    })
}

/// Strings that resemble policy strings.
fn policy_string() -> impl Strategy<Value = String> {
    let pair = "(base|cap|jitter|jitter_below|multiplier|power|retry_after|max_retries|max_attempts|bse|)(=|==|)([0-9]{0,3}(\\.[0-9]{1,3})?(s|ms|d|%|/[0-9]|)|none|full|exact|é)";
    let head = "(exponential|constant|full|equal|decorrelated|sidekiq|grpc-connect|x|)(:|)";
    (head, prop::collection::vec(pair, 0..6)).prop_map(|(head, pairs)| head + &pairs.join(","))
}

/// A policy with another base or cap, unless it is not valid.
fn with(policy: &Policy, field: Field, value: u64) -> Option<Policy> {
    let text = policy.to_string();
    let (head, pairs) = text.split_once(':').unwrap();
    let name = format!("{}=", field.name());
    let pairs = pairs.split(',').filter(|pair| !pair.starts_with(&name));
    let pairs: Vec<_> = pairs.map(str::to_owned).chain([format!("{name}{value}ns")]).collect();
    Policy::parse(format!("{head}:{}", pairs.join(","))).ok()
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
    fn random_access_iterator_and_batch_agree(policy in policy(), seed: u64, first in 0_u32..5000) {
        let stream = RandomStream::from_seed(seed);
        let mut filled = [0; 20];
        prop_assert_eq!(policy.fill_ns(stream, first, &mut filled), 20);
        let computed: Vec<u64> =
            (first..first + 20).map(|index| policy.delay_ns(stream, index)).collect();
        prop_assert_eq!(&filled[..], &computed[..]);
        // An iterator ends after the last retry.
        let last = usize::try_from(policy.max_retries().saturating_sub(first.into())).unwrap();
        let taken: Vec<_> = Backoff::new(policy, stream).skip(first as usize).take(20).collect();
        let computed: Vec<_> = computed.into_iter().map(Duration::from_nanos).take(last).collect();
        prop_assert_eq!(taken, computed);
    }

    #[test]
    fn a_batch_of_an_iterator_is_what_it_returns_one_by_one(
        policy in policy(), seed: u64, lengths in proptest::collection::vec(0_usize..40, 4),
    ) {
        let mut single = Backoff::new(policy, RandomStream::from_seed(seed));
        let mut batches = single.clone();
        for length in lengths {
            let mut delays = vec![0; length];
            let written = batches.fill_ns(&mut delays);
            let expected: Vec<_> = (0..length).map_while(|_| single.next_ns()).collect();
            prop_assert_eq!(&delays[..written], &expected[..]);
            prop_assert_eq!(&batches, &single);
        }
    }

    #[test]
    fn every_delay_is_between_floor_and_cap(policy in policy(), seed: u64, index: u32) {
        let params = ffi::policy_params(&policy);
        let delay = policy.delay_ns(RandomStream::from_seed(seed), index);
        prop_assert!(delay <= MAX_NS);
        prop_assert!(delay >= params.get(Field::Floor).unwrap());
        if params.get(Field::CapOn) == Some(2) {
            prop_assert!(delay <= params.get(Field::Cap).unwrap());
        }
    }

    #[test]
    fn windows_never_shrink(policy in policy(), index in 0..u32::MAX) {
        prop_assert!(policy.window_ns(index) <= policy.window_ns(index + 1));
    }

    #[test]
    fn a_policy_is_rebuilt_from_its_params(policy in policy()) {
        prop_assert_eq!(ffi::build_policy(&ffi::policy_params(&policy)), Ok(policy));
    }

    #[test]
    fn a_printed_policy_parses_to_the_same_policy(policy in policy()) {
        let text = policy.to_string();
        prop_assert!(text.len() < ffi::TEXT_CAPACITY, "truncated: {text}");
        prop_assert_eq!(Policy::parse(&text), Ok(policy), "{}", text);
    }

    #[test]
    fn any_string_gives_a_policy_or_an_error_at_a_place_in_it(text in policy_string()) {
        match Policy::parse(&text) {
            Ok(policy) => prop_assert_eq!(Policy::parse(policy.text().as_str()), Ok(policy)),
            Err(error) => {
                prop_assert!(error.at() <= text.len());
                let found = text.as_bytes().get(error.at()..).unwrap_or_default();
                prop_assert!(found.starts_with(error.found()), "{}", error);
            }
        }
    }

    #[test]
    fn an_iterator_returns_as_many_delays_as_it_says_and_no_more_after_its_end(
        policy in policy(), max_retries in 0_u64..100, seed: u64, taken in 0_usize..100,
    ) {
        let mut params = ffi::policy_params(&policy);
        params.set(Field::MaxRetries, max_retries);
        // `max_elapsed` does not concern it.
        params.set(Field::MaxElapsed, 0);
        let policy = ffi::build_policy(&params).unwrap();
        let retries = usize::try_from(max_retries).unwrap();
        let mut backoff = Backoff::new(policy, RandomStream::from_seed(seed));
        let taken = backoff.by_ref().take(taken).count();
        let left = retries - taken;
        prop_assert_eq!(backoff.size_hint(), (left, Some(left)));
        prop_assert_eq!(backoff.by_ref().count(), left);
        prop_assert_eq!((backoff.next(), backoff.next_ns(), backoff.fill_ns(&mut [0; 9])), (None, None, 0));
        prop_assert_eq!((backoff.size_hint(), backoff.index()), ((0, Some(0)), max_retries));
        backoff.reset();
        prop_assert_eq!(backoff.count(), retries);
    }

    #[test]
    fn a_reset_continues_with_the_next_draw(policy in policy(), seed: u64, taken in 0_u64..200) {
        let stream = RandomStream::from_seed(seed);
        let mut backoff = Backoff::new(policy, stream);
        for _ in 0..taken {
            backoff.next_ns();
        }
        backoff.reset();
        let taken = u32::try_from(taken.min(policy.max_retries())).unwrap();
        prop_assert_eq!(backoff.index(), 0);
        prop_assert_eq!(backoff.stream().draw(0), stream.draw(taken));
        let next = (policy.max_retries() > 0).then(|| policy.delay_ns(backoff.stream(), 0));
        prop_assert_eq!(backoff.next_ns(), next);
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

    #[test]
    fn a_ratio_parses_to_the_number_that_is_written(n in 0_u32..=1_000_000, d in 1_u32..=1_000_000) {
        prop_assert_eq!(Ratio::parse(format!("{n}/{d}")), Ok(Ratio::new(n, d)));
        let decimal = format!("{}.{:06}", n, d - 1);
        let millionths = u64::from(n) * 1_000_000 + u64::from(d - 1);
        if let Ok(ratio) = Ratio::parse(&decimal) {
            let (n, d) = (u64::from(ratio.numerator()), u64::from(ratio.denominator()));
            prop_assert_eq!(n * 1_000_000, millionths * d);
        }
    }

    #[test]
    fn every_delay_is_within_its_preview(
        text in prop::sample::select(vec![
            "full:base=100ms,cap=20s", "equal:base=1ns,cap=1h", "decorrelated:base=1ms,cap=9s",
            "exponential:base=3ms,jitter=decorrelated,cap=1s,floor=7ms", "ethernet", "sidekiq",
            "google-cloud", "grpc-connect", "fibonacci:base=1s,jitter=1/3", "celery",
        ]),
        seed: u64,
    ) {
        let policy = Policy::parse(text).unwrap();
        let mut total = 0;
        for (row, delay) in policy.preview().zip(Backoff::new(policy, RandomStream::from_seed(seed))).take(60) {
            let delay = u64::try_from(delay.as_nanos()).unwrap();
            total = backoff_core::MAX_NS.min(total + delay);
            prop_assert!((row.min_ns..=row.max_ns).contains(&delay));
            prop_assert!((row.total_min_ns..=row.total_max_ns).contains(&total));
        }
    }

    #[test]
    fn a_fitted_policy_fits_and_a_nanosecond_more_does_not(
        policy in policy(), is_base: bool, attempts in prop_oneof![4 => 1_u64..40, 1 => 1_u64..9000],
        total in prop_oneof![0_u64..1000, 0..MAX_NS, (0_u32..63).prop_map(|shift| 1 << shift)],
    ) {
        let fit = if is_base { Policy::fit_base } else { Policy::fit_cap };
        let field = if is_base { Field::Base } else { Field::Cap };
        let longest = |policy: &Policy| -> u64 {
            // The limits of the policy do not concern a fit.
            let mut params = ffi::policy_params(policy);
            params.clear(Field::MaxElapsed);
            params.clear(Field::MaxRetries);
            let rows = ffi::build_policy(&params).unwrap().preview();
            rows.take(usize::try_from(attempts - 1).unwrap()).last().map_or(0, |row| row.total_max_ns)
        };
        match fit(&policy, attempts, total) {
            Ok(fitted) => {
                prop_assert!(longest(&fitted) <= total, "{policy} {fitted}");
                let value = ffi::policy_params(&fitted).get(field).unwrap();
                if let Some(more) = with(&fitted, field, value + 1) {
                    prop_assert!(longest(&more) > total, "{policy} {fitted} {more}");
                }
            }
            Err(error) => {
                prop_assert_eq!((error.field(), error.limit()), (field, total));
                prop_assert!(error.value() > total || error.value() == 0, "{policy}: {error}");
            }
        }
    }

    #[test]
    fn no_wait_ends_after_max_elapsed_or_the_deadline(
        max_elapsed in 0_u64..1000, deadline in 0_u64..1000, steps in prop::collection::vec((0_u64..300, 0_u64..200), 1..20),
    ) {
        let policy = Policy::parse(format!("full:base=50ns,max_elapsed={max_elapsed}ns")).unwrap();
        let mut operation = Operation::begin(policy, RandomStream::from_seed(1), 5, Some(deadline), None);
        let mut now = 5;
        for (passed, retry_after) in steps {
            now += passed;
            let decision = operation.decide(Outcome::Transient, Some(retry_after), now, None);
            let delay_ns = decision.delay_ns();
            match decision.stop_reason() {
                None => {
                    now += delay_ns;
                    prop_assert!(now - 5 <= max_elapsed && now <= deadline);
                }
                Some(StopReason::MaxElapsed) => {
                    prop_assert!(now - 5 + delay_ns > max_elapsed);
                    break;
                }
                reason => {
                    prop_assert_eq!(reason, Some(StopReason::Deadline));
                    prop_assert!(now - 5 + delay_ns <= max_elapsed && now + delay_ns > deadline);
                    break;
                }
            }
        }
    }
}
