//! Streams of random numbers, and how a seed and a key select one (SPEC 2, 3).

use crate::random::siphash::SipHash;

/// The step of SplitMix64: 2^64 divided by the golden ratio, made odd.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// `jitter-1` in little-endian bytes. It separates these streams from any other use of SipHash
/// under the same seed.
const KEY_DOMAIN: u64 = u64::from_le_bytes(*b"jitter-1");

/// The 64-bit state from which the draws of every index follow.
///
/// Clients that share a stream wait for the same times. That is right for a worker that takes over
/// another worker's job, and wrong for clients that retry at the same moment: give each client
/// or job its own key with [`RandomStream::from_key`], or use `RandomStream::from_entropy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct RandomStream(u64);

impl RandomStream {
    /// The stream of a seed alone, which is its state (SPEC 3.1).
    ///
    /// Its draws equal those of `java.util.SplittableRandom(seed).nextLong()`. Two clients with
    /// the same seed wait for the same times. Seeds that differ by a multiple of the step of
    /// SplitMix64 give the same draws at shifted indices. Prefer one seed and a key per client.
    #[must_use]
    pub const fn from_seed(seed: u64) -> Self {
        Self(seed)
    }

    /// The stream that a key selects under a seed: SipHash-2-4 of the key (SPEC 3.2).
    ///
    /// ```
    /// use backoff_core::RandomStream;
    /// assert_eq!(RandomStream::from_key(42, "job-1").state(), 7581291595918318509);
    /// ```
    #[must_use]
    pub fn from_key(seed: u64, key: impl AsRef<[u8]>) -> Self {
        let mut hasher = KeyHasher::new(seed);
        hasher.update(key);
        hasher.stream()
    }

    /// The stream of client number `n` under a seed: that of the key of `n`'s 8 little-endian
    /// bytes (SPEC 3.4). Loops without a stream of their own use it (SPEC 18.1).
    ///
    /// ```
    /// use backoff_core::RandomStream;
    /// assert_eq!(RandomStream::nth(42, 7), RandomStream::from_key(42, 7_u64.to_le_bytes()));
    /// ```
    #[must_use]
    pub fn nth(seed: u64, n: u64) -> Self {
        Self::from_key(seed, n.to_le_bytes())
    }

    /// A unique stream, from the randomness of the operating system.
    ///
    /// # Errors
    /// The operating system's error if it has no randomness available.
    #[cfg(feature = "getrandom")]
    pub fn from_entropy() -> Result<Self, getrandom::Error> {
        getrandom::u64().map(Self)
    }

    /// The state; `RandomStream::from_seed` of it is this stream again.
    #[must_use]
    pub const fn state(self) -> u64 {
        self.0
    }

    /// The random number of an index: SplitMix64 used as a counter (SPEC 2).
    #[must_use]
    #[inline]
    pub const fn draw(self, index: u32) -> u64 {
        mix64(self.advance((index as u64).wrapping_add(1)).0)
    }

    /// The stream whose draw of index 0 is this stream's draw of index `draws`.
    #[must_use]
    #[inline]
    pub const fn advance(self, draws: u64) -> Self {
        Self(self.0.wrapping_add(draws.wrapping_mul(GAMMA)))
    }
}

/// Hashes a key that arrives in parts: the result is [`RandomStream::from_key`] of the whole.
///
/// ```
/// use backoff_core::{RandomStream, ffi::KeyHasher};
/// let mut hasher = KeyHasher::new(42);
/// hasher.update("job");
/// hasher.update("-1");
/// assert_eq!(hasher.stream(), RandomStream::from_key(42, "job-1"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct KeyHasher(SipHash);

impl KeyHasher {
    /// The hasher of an empty key under a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(SipHash::new(seed, KEY_DOMAIN))
    }

    /// Appends the next part of the key.
    pub fn update(&mut self, part: impl AsRef<[u8]>) {
        self.0.write(part.as_ref());
    }

    /// The stream of the key so far.
    #[must_use]
    pub fn stream(self) -> RandomStream {
        RandomStream(self.0.finish())
    }
}

/// The finaliser of SplitMix64: Stafford's variant 13.
#[inline]
const fn mix64(z: u64) -> u64 {
    let z = (z ^ z.wrapping_shr(30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z.wrapping_shr(27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z.wrapping_shr(31)
}
