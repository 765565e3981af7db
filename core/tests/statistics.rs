//! The distribution of each jitter: a chi-square test of uniformity, and the mean against its
//! closed form, over many keys of one seed, like a fleet of clients.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the statistics use floats; the delays under test do not"
)]

use backoff_core::{Policy, RandomStream};

const CLIENTS: u32 = 200_000;
const CELLS: usize = 100;
/// The 0.999999 quantile of chi-square with 99 degrees of freedom is 177; the seeds are
/// fixed, so these tests give the same answer every time.
const CHI_SQUARE_LIMIT: f64 = 177.0;

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
fn delays_are_uniform_over_their_ranges() {
    for (text, index, low, high) in [
        ("full:base=100ms,cap=20s", 0, 0, S / 10),
        ("full:base=100ms,cap=20s", 5, 0, 32 * S / 10),
        ("full:base=100ms,cap=20s", 4_000_000_000, 0, 20 * S),
        ("constant:base=1s,jitter=equal", 1, S / 2, S),
        (
            "constant:base=1s,jitter_below=0.2,jitter_above=0.5,jitter=proportional",
            2,
            8 * S / 10,
            15 * S / 10,
        ),
        ("constant:base=1s,jitter=additive,jitter_max=2s,jitter_increment=1s", 3, S, 6 * S),
        // They do not gather on a floor.
        ("constant:base=1s,jitter=full,floor=400ms", 0, 4 * S / 10, S),
        ("decorrelated:base=1s", 0, S, 3 * S),
    ] {
        assert_uniform(Policy::parse(text).unwrap(), index, low, high);
    }
}

#[test]
fn slotted_uses_each_slot_equally_often() {
    let policy =
        Policy::parse("constant:base=819200ns,jitter=slotted,jitter_slot=51200ns").unwrap();
    let mut slots = [0_u32; 16];
    for delay in delays(policy, 0) {
        assert_eq!(delay % 51_200, 0);
        slots[usize::try_from(delay / 51_200).unwrap()] += 1;
    }
    // The 0.999999 quantile with 15 degrees of freedom.
    assert_even(&slots, 56.5);
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
