//! SipHash-2-4 (Aumasson and Bernstein, 2012), which turns a key into a stream.
//!
//! Written out here because the value may never change with a dependency.

/// The 64-bit SipHash-2-4 of a message under the key `(k0, k1)`.
pub(crate) fn siphash_2_4(k0: u64, k1: u64, message: &[u8]) -> u64 {
    let mut state = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    let (words, rest) = message.as_chunks::<8>();
    for word in words {
        absorb(&mut state, u64::from_le_bytes(*word));
    }
    // The last word holds the bytes that are left and, on top, the length modulo 256.
    let mut last = (message.len() as u64).wrapping_shl(56);
    for (&byte, shift) in rest.iter().zip((0_u32..).step_by(8)) {
        last |= u64::from(byte).wrapping_shl(shift);
    }
    absorb(&mut state, last);
    let [v0, v1, v2, v3] = state;
    let [v0, v1, v2, v3] = round(round(round(round([v0, v1, v2 ^ 0xff, v3]))));
    v0 ^ v1 ^ v2 ^ v3
}

fn absorb(state: &mut [u64; 4], word: u64) {
    let [v0, v1, v2, v3] = *state;
    let [v0, v1, v2, v3] = round(round([v0, v1, v2, v3 ^ word]));
    *state = [v0 ^ word, v1, v2, v3];
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
    use super::siphash_2_4;
    use core::hash::Hasher;

    /// Appendix A of the SipHash paper: key 00 01 ... 0f, message 00 01 ... 0e.
    #[test]
    fn agrees_with_the_published_vector() {
        let message: [u8; 15] = core::array::from_fn(|i| i.to_le_bytes()[0]);
        let hash = siphash_2_4(0x0706050403020100, 0x0f0e0d0c0b0a0908, &message);
        assert_eq!(hash, 0xa129ca6149be45e5);
    }

    #[test]
    fn agrees_with_another_implementation_at_every_length() {
        let message: [u8; 300] = core::array::from_fn(|i| (i * 7).to_le_bytes()[0]);
        for length in 0..=message.len() {
            let message = &message[..length];
            let mut other = siphasher::sip::SipHasher24::new_with_keys(42, u64::MAX);
            other.write(message);
            assert_eq!(siphash_2_4(42, u64::MAX, message), other.finish(), "length {length}");
        }
    }
}
