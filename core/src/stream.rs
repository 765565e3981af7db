//! Streams of random words, and how a seed and a key pick one (SPEC 2, 3).

use crate::siphash::SipHash;

/// The step of SplitMix64: 2^64 divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// `jitter-1` in little-endian bytes: keeps these streams apart from any other use of
/// SipHash under the same seed.
const KEY_DOMAIN: u64 = u64::from_le_bytes(*b"jitter-1");

/// The 64-bit state from which the draws of every index follow.
///
/// Whoever shares a stream waits the same. That is what a worker wants that takes over
/// another's job, and what clients must never do at once: give each client or job a key of
/// its own with [`Stream::from_key`], or use [`Stream::from_entropy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Stream(u64);

impl Stream {
    /// The stream of a seed alone, which is its state (SPEC 3.1).
    ///
    /// Its draws are those of `java.util.SplittableRandom(seed).nextLong()`. Two clients
    /// with one seed wait the same; two with seeds that differ by a multiple of the step of
    /// SplitMix64 wait the same, shifted. Give each a key instead.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream that a key picks under a seed: SipHash-2-4 of the key (SPEC 3.2).
    ///
    /// ```
    /// use backoff_core::Stream;
    /// assert_eq!(Stream::from_key(42, "job-1").state(), 7581291595918318509);
    /// ```
    #[must_use]
    pub fn from_key(seed: u64, key: impl AsRef<[u8]>) -> Self {
        let mut hasher = KeyHasher::new(seed);
        hasher.update(key);
        hasher.stream()
    }

    /// A stream that nobody else has, from the operating system.
    ///
    /// # Errors
    /// The operating system's, if it has no randomness to give.
    #[cfg(feature = "getrandom")]
    pub fn from_entropy() -> Result<Self, getrandom::Error> {
        getrandom::u64().map(Self)
    }

    /// The state: `Stream::from_seed` of it is this stream again.
    #[must_use]
    pub const fn state(self) -> u64 {
        self.0
    }

    /// The random word of an index: SplitMix64, counted (SPEC 2).
    #[must_use]
    #[inline]
    pub const fn draw(self, index: u32) -> u64 {
        mix64(self.advance((index as u64).wrapping_add(1)).0)
    }

    /// The stream whose first draw is this one's draw of index `draws`.
    #[must_use]
    #[inline]
    pub const fn advance(self, draws: u64) -> Self {
        Self(self.0.wrapping_add(draws.wrapping_mul(GAMMA)))
    }
}

/// The stream of a seed and a key that comes in parts: [`Stream::from_key`] of the whole.
///
/// ```
/// use backoff_core::{KeyHasher, Stream};
/// let mut hasher = KeyHasher::new(42);
/// hasher.update("job");
/// hasher.update("-1");
/// assert_eq!(hasher.stream(), Stream::from_key(42, "job-1"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct KeyHasher(SipHash);

impl KeyHasher {
    /// No part of the key yet, under a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(SipHash::new(seed, KEY_DOMAIN))
    }

    /// The next part of the key.
    pub fn update(&mut self, part: impl AsRef<[u8]>) {
        self.0.write(part.as_ref());
    }

    /// The stream of the key so far.
    #[must_use]
    pub fn stream(self) -> Stream {
        Stream(self.0.finish())
    }
}

/// The finaliser of SplitMix64: Stafford's variant 13.
#[inline]
const fn mix64(z: u64) -> u64 {
    let z = (z ^ z.wrapping_shr(30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z.wrapping_shr(27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z.wrapping_shr(31)
}
