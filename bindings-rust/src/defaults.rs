//! The stream and the policy of a loop that sets none.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
#[cfg(target_has_atomic = "64")]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;

use backoff_core::{Policy, RandomStream};
#[cfg(not(target_has_atomic = "64"))]
use portable_atomic::AtomicU64;

/// The number of loops on default streams that this process has begun.
static LOOPS: AtomicU64 = AtomicU64::new(0);

/// The stream of this process's next loop (SPEC 18.1): number `n` under the seed of the process.
pub(crate) fn stream() -> RandomStream {
    let seed = seed();
    RandomStream::nth(seed, LOOPS.fetch_add(1, Ordering::Relaxed))
}

/// The seed of this process, drawn from entropy at its first use.
///
/// A forked child starts with a copy of its parent's memory, so the seed counts only together with
/// the process ID for which it was drawn. A lock would not do: the child would copy it even while
/// another thread holds it, and wait for ever.
fn seed() -> u64 {
    static SEED: AtomicU64 = AtomicU64::new(0);
    /// The process that draws the seed, as twice its ID; one more once it is drawn.
    static STATE: AtomicU64 = AtomicU64::new(0);

    let drawing = u64::from(process_id()) << 1;
    let drawn = drawing | 1;
    loop {
        let state = STATE.load(Ordering::Acquire);
        if state == drawn {
            return SEED.load(Ordering::Relaxed);
        }
        if state == drawing {
            thread::yield_now();
        } else if STATE
            .compare_exchange(state, drawing, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            SEED.store(draw_seed(), Ordering::Relaxed);
            LOOPS.store(0, Ordering::Relaxed);
            STATE.store(drawn, Ordering::Release);
        }
    }
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
    use std::collections::BTreeSet;
    use std::thread;

    use super::{RandomStream, seed, stream};

    /// The only test that uses default streams here, so it uses the first ones of the process.
    #[test]
    fn the_loops_of_all_threads_have_consecutive_streams_under_one_seed() {
        let threads = [(); 4].map(|()| thread::spawn(|| [(); 25].map(|()| stream().state())));
        let streams = threads.map(|thread| thread.join().unwrap());
        let seed = seed();
        let expected: BTreeSet<_> = (0..100).map(|n| RandomStream::nth(seed, n).state()).collect();
        assert_eq!(BTreeSet::from_iter(streams.concat()), expected);
    }
}
