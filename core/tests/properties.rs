//! What must hold of every policy, tried on random ones.

use backoff_core::{Backoff, Field, MAX_NS, Params, Policy, Ratio, Stream};
use proptest::prelude::*;

/// Numbers where formulas break, and any others.
fn word() -> impl Strategy<Value = u64> {
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
        (any::<u32>(), any::<u32>()).prop_map(|(n, d)| Ratio::word(n, d)),
        (0_u32..2000, 1_u32..1000).prop_map(|(n, d)| Ratio::word(n, d)),
    ]
}

fn params() -> impl Strategy<Value = Params> {
    let any_fields = prop::collection::vec(prop::option::of(word()), Field::ALL.len());
    (any_fields, 0_u64..8, 0_u64..9, 0_u64..4, 0_u64..5).prop_map(
        |(words, growth, jitter, cap_on, hint)| {
            let mut params = Params::default();
            for (field, word) in Field::ALL.into_iter().zip(words) {
                if let Some(word) = word {
                    params.set(field, word);
                }
            }
            params.set(Field::Growth, growth);
            params.set(Field::Jitter, jitter);
            params.set(Field::CapOn, cap_on);
            params.set(Field::Hint, hint);
            params
        },
    )
}

/// Valid policies: random fields, without those that this growth and jitter refuse.
fn policy() -> impl Strategy<Value = Policy> {
    params().prop_filter_map("a valid policy", |mut params| {
        for _ in Field::ALL {
            match params.build() {
                Ok(policy) => return Some(policy),
                Err(error) => match error.field() {
                    Field::Growth | Field::Base => return None,
                    field => params.clear(field),
                },
            }
        }
        None
    })
}

/// Lines that are nearly those of policies.
fn line() -> impl Strategy<Value = String> {
    let pair = "(base|cap|jitter|jitter_below|multiplier|power|hint|max_retries|max_attempts|bse|)(=|==|)([0-9]{0,3}(\\.[0-9]{1,3})?(s|ms|d|%|/[0-9]|)|none|full|exact|é)";
    let head = "(exponential|constant|full|equal|decorrelated|sidekiq|grpc-connect|x|)(:|)";
    (head, prop::collection::vec(pair, 0..6)).prop_map(|(head, pairs)| head + &pairs.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_fields_give_a_policy_or_an_error_whose_message_is_whole(params in params()) {
        if let Err(error) = params.build() {
            let message = error.to_string();
            prop_assert!(message.starts_with(error.field().name()));
            prop_assert!(message.len() < backoff_core::Text::CAPACITY, "cut: {message}");
        }
    }

    #[test]
    fn random_access_iterator_and_batch_agree(policy in policy(), seed: u64, first in 0_u32..5000) {
        let stream = Stream::from_seed(seed);
        let mut backoff = Backoff::new(policy, stream);
        let taken: Vec<u64> =
            (0..first + 20).map(|_| backoff.next_ns().unwrap()).skip(first as usize).collect();
        let mut filled = [0; 20];
        prop_assert_eq!(policy.fill_ns(stream, first, &mut filled), 20);
        prop_assert_eq!(&taken[..], &filled[..]);
        let asked: Vec<u64> =
            (first..first + 20).map(|index| policy.delay_ns(stream, index)).collect();
        prop_assert_eq!(taken, asked);
    }

    #[test]
    fn every_delay_is_in_its_bounds(policy in policy(), seed: u64, index: u32) {
        let params = policy.params();
        let delay = policy.delay_ns(Stream::from_seed(seed), index);
        prop_assert!(delay <= MAX_NS);
        prop_assert!(delay >= params.word(Field::Floor).unwrap());
        if params.word(Field::CapOn) == Some(2) {
            prop_assert!(delay <= params.word(Field::Cap).unwrap());
        }
    }

    #[test]
    fn windows_never_shrink(policy in policy(), index in 0..u32::MAX) {
        prop_assert!(policy.window_ns(index) <= policy.window_ns(index + 1));
    }

    #[test]
    fn a_policy_is_rebuilt_from_its_params(policy in policy()) {
        prop_assert_eq!(policy.params().build(), Ok(policy));
    }

    #[test]
    fn a_policy_is_read_as_it_is_printed(policy in policy()) {
        let line = policy.to_string();
        prop_assert!(line.len() < backoff_core::Text::CAPACITY, "cut: {line}");
        prop_assert_eq!(Policy::parse(&line), Ok(policy), "{}", line);
    }

    #[test]
    fn any_line_gives_a_policy_or_an_error_within_it(line in line()) {
        match Policy::parse(&line) {
            Ok(policy) => prop_assert_eq!(Policy::parse(policy.line().as_str()), Ok(policy)),
            Err(error) => {
                prop_assert!(error.at() <= line.len());
                let found = line.as_bytes().get(error.at()..).unwrap_or_default();
                prop_assert!(found.starts_with(error.found()), "{}", error);
            }
        }
    }

    #[test]
    fn a_reset_goes_on_with_the_next_draw(policy in policy(), seed: u64, taken in 0_u32..200) {
        let stream = Stream::from_seed(seed);
        let mut backoff = Backoff::new(policy, stream);
        for _ in 0..taken {
            backoff.next_ns();
        }
        backoff.reset();
        prop_assert_eq!(backoff.index(), 0);
        prop_assert_eq!(backoff.stream().draw(0), stream.draw(taken));
        prop_assert_eq!(backoff.next_ns(), Some(policy.delay_ns(backoff.stream(), 0)));
    }

    #[test]
    fn indices_end_and_nothing_is_written_beyond(policy in policy(), seed: u64, left in 0_u32..4) {
        let mut delays = [u64::MAX; 8];
        let first = u32::MAX - left;
        let written = policy.fill_ns(Stream::from_seed(seed), first, &mut delays);
        prop_assert_eq!(written, left as usize + 1);
        prop_assert!(delays[..written].iter().all(|&delay| delay <= MAX_NS));
        prop_assert!(delays[written..].iter().all(|&delay| delay == u64::MAX));
    }

    #[test]
    fn a_ratio_is_read_as_it_is_written(n in 0_u32..=1_000_000, d in 1_u32..=1_000_000) {
        prop_assert_eq!(Ratio::parse(&format!("{n}/{d}")), Ok(Ratio::new(n, d)));
        let decimal = format!("{}.{:06}", n, d - 1);
        let exact = u64::from(n) * 1_000_000 + u64::from(d - 1);
        if let Ok(ratio) = Ratio::parse(&decimal) {
            let (n, d) = (u64::from(ratio.numerator()), u64::from(ratio.denominator()));
            prop_assert_eq!(n * 1_000_000, exact * d);
        }
    }
}
