//! A generator of the caller's, through the traits of `rand`.

use std::time::Duration;

use backoff_core::{Backoff, Jitter, Policy, RandomStream, RngBackoff};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn policy() -> Policy {
    Policy::exponential(Duration::from_millis(100)).jitter(Jitter::Full).build().unwrap()
}

/// Policies whose windows depend on the index, on the previous window, and on the previous delay.
fn policies() -> [Policy; 4] {
    let second = Duration::from_secs(1);
    let widening = Jitter::Additive { max: second, increment: second };
    [
        policy(),
        Policy::linear(second).jitter(widening).build().unwrap(),
        Policy::fibonacci(second).jitter(Jitter::Equal).build().unwrap(),
        Policy::exponential(second).jitter(Jitter::Decorrelated).build().unwrap(),
    ]
}

#[test]
fn splitmix64_of_another_crate_gives_the_delays_of_a_stream() {
    for seed in [0, 1, 42, u64::MAX, 0x9E3779B97F4A7C15] {
        for policy in policies() {
            let theirs = RngBackoff::new(policy, SplitMix64::seed_from_u64(seed));
            let ours = Backoff::new(policy, RandomStream::from_seed(seed));
            assert!(theirs.take(5000).eq(ours.take(5000)), "seed {seed}, {policy:?}");
        }
    }
}

#[test]
fn it_ends_after_the_last_retry_and_draws_nothing_more() {
    let policy = Policy::parse("full:base=100ms,max_retries=3,max_elapsed=0s").unwrap();
    let ours: Vec<_> = Backoff::new(policy, RandomStream::from_seed(42)).collect();
    let mut theirs = RngBackoff::new(policy, SplitMix64::seed_from_u64(42));
    assert_eq!(theirs.size_hint(), (3, Some(3)));
    assert_eq!((theirs.by_ref().collect::<Vec<_>>(), ours.len()), (ours, 3));
    assert_eq!((theirs.next(), theirs.size_hint()), (None, (0, Some(0))));
    theirs.reset();
    let mut generator = theirs.clone().into_rng();
    assert_eq!(generator.next_u64(), RandomStream::from_seed(42).draw(3));
    assert_eq!(theirs.count(), 3);
}

#[test]
fn any_generator_of_rand_works_and_a_reset_continues_with_it() {
    let mut backoff = RngBackoff::new(policy(), rand::rng());
    let first: Vec<_> = backoff.by_ref().take(8).collect();
    backoff.reset();
    let second: Vec<_> = backoff.by_ref().take(8).collect();
    assert_ne!(first, second);
    for (index, delay) in (0..).zip(second) {
        assert!(delay <= policy().window(index));
    }
    drop(backoff.into_rng());
}
