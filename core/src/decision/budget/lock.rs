//! The lock of a budget, and the words that it guards. It knows only atomics and how to wait, so that a model can put
//! others in their place and try every order of the threads (`core/models`).

use super::patience::{SLEEPS, SPINS, YIELDS, sleep, spin, yield_now};
use crate::decision::atomic::{AtomicU64, Ordering};

/// Words that one thread at a time changes.
#[repr(C)]
pub(super) struct Locked<const WORDS: usize> {
    /// 1 while a thread changes the words. A lock of the operating system would need an operating
    /// system, and this one is held for nanoseconds.
    pub(super) lock: AtomicU64,
    pub(super) words: [AtomicU64; WORDS],
}

/// The value of a lock that nobody frees.
pub(super) const DAMAGED: u64 = 2;

impl<const WORDS: usize> Locked<WORDS> {
    pub(super) fn new(words: [u64; WORDS]) -> Self {
        Self { lock: AtomicU64::new(0), words: words.map(AtomicU64::new) }
    }

    /// The words, which no other thread changes until [`Self::unlock`]. `None` if the lock is damaged.
    #[inline]
    pub(super) fn lock(&self) -> Option<[u64; WORDS]> {
        let take = || self.lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed);
        while take().is_err() {
            if !self.wait_until_free(yield_now, sleep) {
                return None;
            }
        }
        Some(self.words.each_ref().map(|word| word.load(Ordering::Relaxed)))
    }

    /// Keeps the words and frees the lock.
    #[inline]
    pub(super) fn unlock(&self, words: &[u64; WORDS]) {
        for (word, value) in self.words.iter().zip(words) {
            word.store(*value, Ordering::Relaxed);
        }
        // A lock that counts as damaged stays so: other threads have given up changes.
        let _ = self.lock.compare_exchange(1, 0, Ordering::Release, Ordering::Relaxed);
    }

    /// Waits until no thread holds the lock, which takes nanoseconds unless its holder was
    /// preempted. The wait then yields the processor, and later sleeps for milliseconds, so that
    /// its length hardly depends on how busy the machine is. Returns false if the lock is damaged:
    /// it has no value of a lock, or nobody frees it, because the memory was copied or the process
    /// was forked under it. Only the first call waits for a lock that nobody frees; from then on it
    /// is damaged.
    pub(super) fn wait_until_free(&self, yield_now: impl Fn(), sleep: impl Fn()) -> bool {
        for tries in 0..SPINS + YIELDS + SLEEPS {
            match self.lock.load(Ordering::Relaxed) {
                0 => return true,
                1 if tries < SPINS => spin(),
                1 if tries < SPINS + YIELDS => yield_now(),
                1 => sleep(),
                _ => return false,
            }
        }
        // It may have become free just now.
        let order = Ordering::Relaxed;
        self.lock.compare_exchange(1, DAMAGED, order, order) == Err(0)
    }
}
