//! The stream and the policy of a loop that sets none.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use backoff_core::{Policy, RandomStream};

/// The stream of this process's next loop (SPEC 18.1): number `n` under the seed of the process.
pub(crate) fn stream() -> RandomStream {
    static LOOPS: AtomicU64 = AtomicU64::new(0);
    RandomStream::nth(seed(), LOOPS.fetch_add(1, Ordering::Relaxed))
}

/// The seed of this process, drawn from entropy at its first use.
///
/// A forked child has a copy of its parent's memory, so a seed counts only for the process ID that
/// it was drawn for. There is no lock, because a fork would copy a lock that another thread holds.
fn seed() -> u64 {
    /// The ID of the process that drew the seed; 0 before the first draw.
    static PROCESS: AtomicU32 = AtomicU32::new(0);
    static SEED: AtomicU64 = AtomicU64::new(0);

    let process = process_id();
    if PROCESS.load(Ordering::Acquire) != process {
        SEED.store(draw_seed(), Ordering::Relaxed);
        PROCESS.store(process, Ordering::Release);
    }
    SEED.load(Ordering::Relaxed)
}

fn draw_seed() -> u64 {
    // A loop must start even if the system has no entropy; the standard library has its own.
    let stream = RandomStream::from_entropy().map(RandomStream::state);
    stream.unwrap_or_else(|_| RandomState::new().hash_one(()))
}

/// The ID of this process. Elsewhere than on Unix a process cannot fork, and may have no ID.
fn process_id() -> u32 {
    if cfg!(unix) { std::process::id() } else { 1 }
}

/// The preset `default`, parsed once.
pub(crate) fn policy() -> Policy {
    static DEFAULT: LazyLock<Policy> =
        LazyLock::new(|| Policy::parse("default").expect("a preset of the core"));
    *DEFAULT
}

#[cfg(test)]
mod tests {
    use super::{RandomStream, seed, stream};

    #[test]
    fn loops_use_consecutive_streams_under_one_seed() {
        let seed = seed();
        for n in 0..10 {
            assert_eq!(stream(), RandomStream::nth(seed, n));
        }
    }
}
