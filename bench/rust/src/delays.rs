//! Delays: one by one, by their index, and many at once.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Duration;

use backoff_core::{Backoff, Policy, RandomStream};
use backon::BackoffBuilder as _;
use tokio_retry::strategy::jitter;

pub const ENTRIES: &[(&str, &str, fn(u64))] = &[
    ("next", "ours", |times| next(FULL, times, Backoff::next)),
    ("next", "by hand (fastrand)", |times| next_by_hand(times, Duration::from_nanos)),
    ("next", "by hand (Duration and fastrand)", next_by_hand_of_durations),
    ("next", "tokio-retry", |times| repeat(times, tokio_retry)),
    ("next, proportional", "ours", |times| next(PROPORTIONAL, times, Backoff::next)),
    ("next, proportional", "backon", |times| repeat(times, backon)),
    ("next, proportional", "exponential-backoff", next_of_exponential_backoff),
    ("next in ns", "ours", |times| next(FULL, times, Backoff::next_ns)),
    ("next in ns", "by hand (fastrand)", |times| next_by_hand(times, |ns| ns)),
    ("next, decorrelated", "ours", |times| next(DECORRELATED, times, Backoff::next)),
    ("random access", "ours", random_access),
    ("random access", "by hand (SplitMix64)", random_access_by_hand),
    ("new and 8 delays", "ours", |times| eight(times, ours)),
    ("new and 8 delays", "tokio-retry", |times| eight(times, tokio_retry)),
    ("new and 8 delays, proportional", "ours", |times| eight(times, ours_proportional)),
    ("new and 8 delays, proportional", "backon", |times| eight(times, backon)),
    ("batch of 16", "ours", |times| batch(16, times)),
    ("batch of 16", "memset", |times| memset(16, times)),
    ("batch of 1000000", "ours", |times| batch(1_000_000, times)),
    ("batch of 1000000", "memset", |times| memset(1_000_000, times)),
];

const FULL: &str = "full:base=100ms,cap=20s";
/// The jitter of backon. That of exponential-backoff has another range.
const PROPORTIONAL: &str =
    "exponential:base=100ms,cap=20s,jitter=proportional,jitter_below=0,jitter_above=1";
const DECORRELATED: &str = "decorrelated:base=100ms,cap=20s";
const BASE: Duration = Duration::from_millis(100);
const CAP: Duration = Duration::from_secs(20);
const DELAYS: u64 = 8;

fn policy(text: &str) -> Policy {
    Policy::parse(text).expect("a policy")
}

fn full() -> Policy {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| policy(FULL));
    *POLICY
}

fn stream() -> RandomStream {
    RandomStream::from_key(42, "job-1")
}

fn next<T>(text: &str, times: u64, next: impl Fn(&mut Backoff) -> T) {
    let mut backoff = Backoff::new(black_box(policy(text)), stream());
    for i in 0..times {
        if i % DELAYS == 0 {
            backoff.reset();
        }
        black_box(next(&mut backoff));
    }
}

/// Whole nanoseconds, and a generator of its own.
fn next_by_hand<T>(times: u64, delay: impl Fn(u64) -> T) {
    let mut rng = fastrand::Rng::with_seed(42);
    let [base, cap] = black_box([BASE, CAP].map(|time| time.as_nanos() as u64));
    for i in 0..times {
        let window = base.saturating_mul(1 << (i % DELAYS)).min(cap);
        black_box(Some(delay(rng.u64(0..=window))));
    }
}

/// As above, but computing with durations.
fn next_by_hand_of_durations(times: u64) {
    let mut rng = fastrand::Rng::with_seed(42);
    let [base, cap] = black_box([BASE, CAP]);
    for i in 0..times {
        let window = base.saturating_mul(1 << (i % DELAYS)).min(cap);
        black_box(Some(Duration::from_nanos(rng.u64(0..=window.as_nanos() as u64))));
    }
}

fn ours() -> impl Iterator<Item = Duration> {
    Backoff::new(full(), RandomStream::from_seed(black_box(42)))
}

fn ours_proportional() -> impl Iterator<Item = Duration> {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| policy(PROPORTIONAL));
    Backoff::new(*POLICY, RandomStream::from_seed(black_box(42)))
}

fn backon() -> impl Iterator<Item = Duration> {
    backon::ExponentialBuilder::new()
        .with_jitter()
        .with_min_delay(BASE)
        .with_max_delay(CAP)
        .without_max_times()
        .build()
}

fn tokio_retry() -> impl Iterator<Item = Duration> {
    tokio_retry::strategy::ExponentialBackoff::from_millis(2).factor(50).max_delay(CAP).map(jitter)
}

/// Iterators that cannot be reset are made anew.
fn repeat<D: Iterator<Item = Duration>>(times: u64, make: fn() -> D) {
    let mut delays = make();
    for i in 0..times {
        if i % DELAYS == 0 {
            delays = black_box(make)();
        }
        black_box(delays.next());
    }
}

fn next_of_exponential_backoff(times: u64) {
    let make = || exponential_backoff::Backoff::new(u32::MAX, BASE, CAP).into_iter();
    let mut delays = make();
    for i in 0..times {
        if i % DELAYS == 0 {
            delays = make();
        }
        black_box(delays.next());
    }
}

fn eight<D: Iterator<Item = Duration>>(times: u64, make: fn() -> D) {
    for _ in 0..times {
        black_box(make)().take(DELAYS as usize).for_each(|delay| {
            black_box(delay);
        });
    }
}

fn random_access(times: u64) {
    let (policy, stream) = black_box((full(), stream()));
    for i in 0..times {
        black_box(policy.delay(stream, (i % DELAYS) as u32));
    }
}

/// The same formula.
fn random_access_by_hand(times: u64) {
    let [base, cap] = black_box([BASE, CAP].map(|time| time.as_nanos() as u64));
    let stream = black_box(stream().state());
    for i in 0..times {
        let index = i % DELAYS;
        let window = base.saturating_mul(1 << index).min(cap);
        let z = stream.wrapping_add((index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let delay = (u128::from(z ^ (z >> 31)) * u128::from(window + 1)) >> 64;
        black_box(Duration::from_nanos(delay as u64));
    }
}

thread_local! {
    static BUFFER: RefCell<Vec<u64>> = RefCell::new(vec![1; 1_000_000]);
}

fn batch(length: usize, times: u64) {
    let (policy, stream) = (black_box(full()), stream());
    BUFFER.with_borrow_mut(|buffer| {
        for _ in 0..times {
            policy.fill_ns(stream, 0, &mut black_box(&mut buffer[..])[..length]);
        }
    });
}

fn memset(length: usize, times: u64) {
    BUFFER.with_borrow_mut(|buffer| {
        for _ in 0..times {
            black_box(&mut buffer[..])[..length].fill(black_box(0));
        }
    });
}

/// The first delays of `docs/programs.md`.
pub fn check() {
    let mut delays = [0; 3];
    full().fill_ns(stream(), 0, &mut delays);
    assert_eq!(delays, [11_399_434, 83_043_876, 229_309_811]);
    let taken: Vec<_> = Backoff::new(full(), stream()).take(3).collect();
    assert_eq!(taken, delays.map(Duration::from_nanos));
}
