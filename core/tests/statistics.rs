//! The distribution of each jitter: a chi-square test of uniformity, and the mean against its
//! closed form, over many keys of one seed, like a fleet of clients.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the statistics use floats; the delays under test do not"
)]

use std::time::Duration;

use backoff_core::{CapOn, Jitter, Policy, PolicyBuilder, RandomStream, Ratio};

const CLIENTS: u32 = 200_000;
const CELLS: usize = 100;
/// The 0.999999 quantile of chi-square with 99 degrees of freedom is 177; the seeds are
/// fixed, so these tests give the same answer every time.
const CHI_SQUARE_LIMIT: f64 = 177.0;

fn second() -> PolicyBuilder {
    Policy::constant(Duration::from_secs(1))
}

fn delays(policy: Policy, index: u32) -> impl Iterator<Item = u64> {
    (0..CLIENTS).map(move |client| {
        policy.delay_ns(RandomStream::from_key(42, format!("client-{client}")), index)
    })
}

/// The delays are uniform over `low ..= high`, and their mean is its middle.
#[track_caller]
fn assert_uniform(policy: Policy, index: u32, low: u64, high: u64) {
    let width = (high - low + 1) as f64;
    let (mut cells, mut sum) = ([0_u32; CELLS], 0_u128);
    for delay in delays(policy, index) {
        assert!((low..=high).contains(&delay), "{delay}");
        cells[((delay - low) as f64 / width * CELLS as f64) as usize] += 1;
        sum += u128::from(delay);
    }
    assert_even(&cells, CHI_SQUARE_LIMIT);
    assert_mean(sum as f64 / f64::from(CLIENTS), f64::midpoint(low as f64, high as f64), width);
}

/// The counts of a sample of all clients pass a chi-square test of uniformity.
#[track_caller]
fn assert_even(cells: &[u32], chi_square_limit: f64) {
    let expected = f64::from(CLIENTS) / cells.len() as f64;
    let squares = cells.iter().map(|&cell| (f64::from(cell) - expected).powi(2));
    let chi_square = squares.sum::<f64>() / expected;
    assert!(chi_square < chi_square_limit, "chi-square {chi_square}");
}

/// Within five standard errors of a uniform range of this width.
#[track_caller]
fn assert_mean(mean: f64, closed_form: f64, width: f64) {
    let standard_error = width / (12.0 * f64::from(CLIENTS)).sqrt();
    assert!((mean - closed_form).abs() < 5.0 * standard_error, "{mean} against {closed_form}");
}

const S: u64 = 1_000_000_000;

#[test]
fn full_is_uniform_from_zero() {
    assert_uniform(second().jitter(Jitter::Full).build().unwrap(), 0, 0, S);
}

#[test]
fn full_is_uniform_at_every_index_and_at_the_cap() {
    let policy = Policy::exponential(Duration::from_millis(100))
        .cap(Duration::from_secs(20))
        .jitter(Jitter::Full)
        .build()
        .unwrap();
    for (index, window) in [(0, S / 10), (5, 32 * S / 10), (9, 20 * S), (4_000_000_000, 20 * S)] {
        assert_uniform(policy, index, 0, window);
    }
}

#[test]
fn equal_is_uniform_over_the_upper_half() {
    assert_uniform(second().jitter(Jitter::Equal).build().unwrap(), 1, S / 2, S);
}

#[test]
fn proportional_is_uniform_around_the_window() {
    let jitter = Jitter::Proportional { below: Ratio::new(1, 5), above: Ratio::new(1, 2) };
    assert_uniform(second().jitter(jitter).build().unwrap(), 2, 8 * S / 10, 15 * S / 10);
}

#[test]
fn additive_is_uniform_above_the_window() {
    let jitter =
        Jitter::Additive { max: Duration::from_secs(2), increment: Duration::from_secs(1) };
    assert_uniform(second().jitter(jitter).build().unwrap(), 3, S, 6 * S);
}

#[test]
fn delays_do_not_gather_on_a_floor() {
    let policy = second().jitter(Jitter::Full).floor(Duration::from_millis(400)).build().unwrap();
    assert_uniform(policy, 0, 4 * S / 10, S);
}

#[test]
fn slotted_uses_each_slot_equally_often() {
    let policy = Policy::constant(Duration::from_nanos(51_200 * 16))
        .jitter(Jitter::Slotted { slot: Duration::from_nanos(51_200) })
        .build()
        .unwrap();
    let mut slots = [0_u32; 16];
    for delay in delays(policy, 0) {
        assert_eq!(delay % 51_200, 0);
        slots[usize::try_from(delay / 51_200).unwrap()] += 1;
    }
    // The 0.999999 quantile with 15 degrees of freedom.
    assert_even(&slots, 56.5);
}

#[test]
fn decorrelated_starts_uniform_and_has_the_mean_of_its_recursion() {
    let policy =
        Policy::exponential(Duration::from_secs(1)).jitter(Jitter::Decorrelated).build().unwrap();
    assert_uniform(policy, 0, S, 3 * S);
    // Without a cap E(d) = (base + 3 * E(previous)) / 2, so 2, 3.5, 5.75 seconds.
    for (index, mean) in [(1, 3.5e9), (2, 5.75e9)] {
        let sum: f64 = delays(policy, index).map(|delay| delay as f64).sum();
        assert_mean(sum / f64::from(CLIENTS), mean, 27.0 * S as f64);
    }
}

/// Brooker's decorrelated jitter clamps the delay: from a previous delay at the cap `c` the
/// next is exactly `c` with probability 2c / (3c - b). With the cap on the window it is not.
#[test]
fn decorrelated_gathers_only_at_a_cap_on_the_delay() {
    let share = |cap_on| {
        let policy = Policy::exponential(Duration::from_millis(5))
            .cap(Duration::from_secs(2))
            .cap_on(cap_on)
            .jitter(Jitter::Decorrelated)
            .build()
            .unwrap();
        let mut delays = vec![0; 1_000_000];
        let filled: usize = delays
            .chunks_mut(4096)
            .zip(0_u32..)
            .map(|(chunk, client)| {
                policy.fill_ns(RandomStream::from_key(7, client.to_le_bytes()), 0, chunk)
            })
            .sum();
        assert_eq!(filled, delays.len());
        let pairs = delays.windows(2).filter(|pair| pair[0] == 2 * S);
        let (after_cap, at_cap) = pairs
            .fold((0_u32, 0_u32), |(all, at), pair| (all + 1, at + u32::from(pair[1] == 2 * S)));
        (after_cap, f64::from(at_cap) / f64::from(after_cap.max(1)))
    };
    let (after_cap, at_cap) = share(CapOn::Delay);
    let closed_form = 2.0 * 2000.0 / (3.0 * 2000.0 - 5.0);
    assert!(after_cap > 100_000);
    assert!((at_cap - closed_form).abs() < 0.01, "{at_cap} against {closed_form}");
    let (after_cap, _) = share(CapOn::Window);
    assert_eq!(after_cap, 0);
}

/// A weak hash of keys would skew the high bits, which decide a sample.
#[test]
fn consecutive_keys_are_spread_evenly() {
    for prefix in ["", "job-", "client-00000000-"] {
        let mut cells = [0_u32; CELLS];
        for number in 0..CLIENTS {
            let draw = RandomStream::from_key(0, format!("{prefix}{number}")).draw(0);
            cells[usize::try_from((u128::from(draw) * CELLS as u128) >> 64).unwrap()] += 1;
        }
        assert_even(&cells, CHI_SQUARE_LIMIT);
    }
}
