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

use crate::wiped::{self, Words};

/// The stream of this process's next loop (SPEC 18.1).
pub(crate) fn stream() -> RandomStream {
    /// A forked child has a copy of them, which counts only for the process with its parent's ID.
    static COPIED: Words = [const { AtomicU64::new(0) }; 3];

    match wiped::words() {
        Some(words) => next(words, 1),
        None => next(&COPIED, process_id()),
    }
}

/// The next stream of the process with this ID: number `n` under the seed of the process, which is
/// drawn from entropy at its first use.
///
/// The words say how far the seed is, what it is, and how many loops have begun. In a new process
/// all are 0.
///
/// A lock would not do: a forked child would copy it even while another thread holds it, and wait
/// for ever.
fn next([state, seed, loops]: &Words, process: u32) -> RandomStream {
    let drawing = u64::from(process) << 1;
    let drawn = drawing | 1;
    loop {
        let current = state.load(Ordering::Acquire);
        if current == drawn {
            let seed = seed.load(Ordering::Relaxed);
            return RandomStream::nth(seed, loops.fetch_add(1, Ordering::Relaxed));
        }
        if current == drawing {
            thread::yield_now();
        } else if state
            .compare_exchange(current, drawing, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
        {
            seed.store(draw_seed(), Ordering::Relaxed);
            loops.store(0, Ordering::Relaxed);
            state.store(drawn, Ordering::Release);
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
    use std::sync::atomic::Ordering;
    use std::thread;

    use super::{AtomicU64, RandomStream, Words, next};

    #[test]
    fn the_loops_of_all_threads_have_consecutive_streams_under_one_seed() {
        let words = Words::default();
        let streams = thread::scope(|scope| {
            let thread = || scope.spawn(|| [(); 25].map(|()| next(&words, 1).state()));
            [(); 4].map(|()| thread()).map(|thread| thread.join().unwrap())
        });
        let seed = words[1].load(Ordering::Relaxed);
        let expected: BTreeSet<_> = (0..100).map(|n| RandomStream::nth(seed, n).state()).collect();
        assert_eq!(BTreeSet::from_iter(streams.concat()), expected);
    }

    /// The words of a child are a copy of these, also while another thread draws the seed.
    #[test]
    fn the_words_of_another_process_count_for_nothing() {
        for parent in [[0, 0, 0], [2 * 7, 0, 0], [2 * 7 + 1, 5, 3]] {
            let words: Words = parent.map(AtomicU64::new);
            let first = next(&words, 8);
            let [state, seed, loops] = words.map(AtomicU64::into_inner);
            assert_eq!((state, loops), (2 * 8 + 1, 1));
            assert_ne!(seed, parent[1]);
            assert_eq!(first, RandomStream::nth(seed, 0));
        }
    }
}
