//! SipHash-2-4 (Aumasson and Bernstein, 2012), which turns a key into a stream.
//!
//! Written out here because the value must never change with a dependency.

/// The 64-bit SipHash-2-4 of a message that may arrive in parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SipHash {
    state: [u64; 4],
    /// The bytes of the current, incomplete word, the first byte lowest.
    word: u64,
    /// The position of the next byte in that word: 0, 8, ... 56.
    shift: u32,
    length: u64,
}

impl SipHash {
    pub(crate) const fn new(k0: u64, k1: u64) -> Self {
        let state = [
            k0 ^ 0x736f_6d65_7073_6575,
            k1 ^ 0x646f_7261_6e64_6f6d,
            k0 ^ 0x6c79_6765_6e65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ];
        Self { state, word: 0, shift: 0, length: 0 }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.word |= u64::from(byte).wrapping_shl(self.shift);
            self.shift = self.shift.wrapping_add(8) & 63;
            self.length = self.length.wrapping_add(1);
            if self.shift == 0 {
                self.absorb();
            }
        }
    }

    pub(crate) fn finish(mut self) -> u64 {
        // The last word holds the remaining bytes and, on top, the length modulo 256.
        self.word |= self.length.wrapping_shl(56);
        self.absorb();
        let [v0, v1, v2, v3] = self.state;
        let [v0, v1, v2, v3] = round(round(round(round([v0, v1, v2 ^ 0xff, v3]))));
        v0 ^ v1 ^ v2 ^ v3
    }

    fn absorb(&mut self) {
        let word = core::mem::take(&mut self.word);
        let [v0, v1, v2, v3] = self.state;
        let [v0, v1, v2, v3] = round(round([v0, v1, v2, v3 ^ word]));
        self.state = [v0 ^ word, v1, v2, v3];
    }
}

const fn round([mut v0, mut v1, mut v2, mut v3]: [u64; 4]) -> [u64; 4] {
    v0 = v0.wrapping_add(v1);
    v1 = v1.rotate_left(13) ^ v0;
    v0 = v0.rotate_left(32);
    v2 = v2.wrapping_add(v3);
    v3 = v3.rotate_left(16) ^ v2;
    v0 = v0.wrapping_add(v3);
    v3 = v3.rotate_left(21) ^ v0;
    v2 = v2.wrapping_add(v1);
    v1 = v1.rotate_left(17) ^ v2;
    v2 = v2.rotate_left(32);
    [v0, v1, v2, v3]
}

#[cfg(test)]
mod tests {
    use super::SipHash;
    use core::hash::Hasher;

    fn hash(k0: u64, k1: u64, parts: &[&[u8]]) -> u64 {
        let mut hash = SipHash::new(k0, k1);
        for part in parts {
            hash.write(part);
        }
        hash.finish()
    }

    /// Appendix A of the SipHash paper: key 00 01 ... 0f, message 00 01 ... 0e.
    #[test]
    fn agrees_with_the_published_vector() {
        let message: [u8; 15] = core::array::from_fn(|i| i.to_le_bytes()[0]);
        let hash = hash(0x0706050403020100, 0x0f0e0d0c0b0a0908, &[&message]);
        assert_eq!(hash, 0xa129ca6149be45e5);
    }

    #[test]
    fn agrees_with_another_implementation_at_every_length_and_cut() {
        let message: [u8; 300] = core::array::from_fn(|i| (i * 7).to_le_bytes()[0]);
        for length in 0..=message.len() {
            let message = &message[..length];
            let mut other = siphasher::sip::SipHasher24::new_with_keys(42, u64::MAX);
            other.write(message);
            let (head, tail) = message.split_at(length / 3);
            assert_eq!(hash(42, u64::MAX, &[head, &[], tail]), other.finish(), "length {length}");
        }
    }
}
