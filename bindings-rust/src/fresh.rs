//! Streams of loops that were given none.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use backoff_core::{KeyHasher, Policy, Stream};

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use crate::time::{Clock, Monotonic};

/// A stream that no other loop has: of entropy that is asked for once, as that is slow.
pub(crate) fn stream() -> Stream {
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        // A loop is no place to fail for want of entropy; the standard library has some, too.
        let stream = Stream::from_entropy().map(Stream::state);
        stream.unwrap_or_else(|_| RandomState::new().hash_one(()))
    });
    static LOOPS: AtomicU64 = AtomicU64::new(0);

    let mut key = KeyHasher::new(*SEED);
    key.update(LOOPS.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    // A forked child goes on with the seed and the count, but later. (To ask for the process is a
    // system call, like asking for entropy.)
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    key.update(Monotonic.now_ns().to_le_bytes());
    key.stream()
}

/// The preset `default`, read once.
pub(crate) fn policy() -> Policy {
    static DEFAULT: LazyLock<Policy> =
        LazyLock::new(|| Policy::parse("default").expect("it is a preset"));
    *DEFAULT
}
