//! Stats that many threads record into.

use std::sync::atomic::{AtomicU64, Ordering};

use backoff_core::{RetryStats, StopReason};

const THREADS: u64 = 4;
const OPERATIONS: u64 = if cfg!(miri) { 50 } else { 20_000 };

#[test]
fn threads_lose_no_count() {
    static STATS: RetryStats = RetryStats::new();
    let stats = &STATS;
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for attempts in 1..=OPERATIONS {
                    stats.record(attempts % 3 + 1, StopReason::Budget);
                }
            });
        }
    });
    assert_eq!(stats.operations(), THREADS * OPERATIONS);
    assert_eq!(stats.stops(StopReason::Budget), THREADS * OPERATIONS);
    let attempts: u64 = (1..=OPERATIONS).map(|attempts| attempts % 3 + 1).sum();
    assert_eq!(stats.attempts(), THREADS * attempts);
}

#[test]
fn the_lines_show_the_counts_of_one_moment() {
    let stats = RetryStats::new();
    let done = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for attempts in 1..=OPERATIONS {
                stats.record(attempts % 7, StopReason::Success);
            }
            done.store(1, Ordering::Relaxed);
        });
        let mut before = 0;
        while done.load(Ordering::Relaxed) == 0 {
            let lines: Vec<_> = stats.prometheus().collect();
            let value = |start| -> u64 {
                let rest = lines.iter().find_map(|line| line.as_str().strip_prefix(start));
                rest.unwrap().trim().parse().unwrap()
            };
            let all = value("backoff_attempts_count");
            assert_eq!(value("backoff_attempts_bucket{le=\"+Inf\"}"), all);
            let retries = value("backoff_retries_total ");
            assert_eq!(value("backoff_attempts_sum"), all + retries);
            assert!(retries >= before, "{retries} after {before}");
            before = retries;
        }
    });
}

#[test]
fn counts_saturate() {
    let stats = RetryStats::new();
    stats.record(u64::MAX, StopReason::Success);
    stats.record(2, StopReason::Success);
    assert_eq!((stats.attempts(), stats.operations()), (u64::MAX, 2));
    stats.merge(&stats.clone());
    assert_eq!((stats.attempts(), stats.operations()), (u64::MAX, 4));
}
