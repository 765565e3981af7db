//! A loop with a budget, which a target without 64-bit atomics has with a feature only.

use backoff_retry::{Budget, Retry, RetryStats};

pub fn fetch(budget: &Budget, stats: &RetryStats) -> Result<(), ()> {
    Retry::default().budget(budget).stats(stats).when(|()| true).call(|| Err(()))
}
