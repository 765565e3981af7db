// The stream of a seed and a key: SipHash-2-4 (SPEC 3). It works on halves of words: bigints take many times as long.

const WORD_32 = 2 ** 32;

/** The stream of a key's words, each as its low and its high half. The last one has the length. */
function streamOf(seed, words) {
	const [low, high] = [Number(seed & 0xffffffffn), Number(seed >> 32n)];
	// The second and the fourth word are mixed with the word "jitter-1".
	const v = Uint32Array.of(
		...[low ^ 0x70736575, high ^ 0x736f6d65, 0x1a100607, 0x55420004],
		...[low ^ 0x6e657261, high ^ 0x6c796765, 0x0d000c19, 0x45481607],
	);
	/** Adds the second word to the first; then the second becomes the sum XOR the second rotated to the left. */
	const mix = (a, b, by) => {
		const [x, y] = [v[b], v[b + 1]];
		const sum = v[a] + x;
		v[a] = sum;
		v[a + 1] += y + (sum < WORD_32 ? 0 : 1);
		v[b] = v[a] ^ ((x << by) | (y >>> (32 - by)));
		v[b + 1] = v[a + 1] ^ ((y << by) | (x >>> (32 - by)));
	};
	/** Exchanges the halves of a word: rotates it by 32. */
	const swap = (a) => {
		const half = v[a];
		v[a] = v[a + 1];
		v[a + 1] = half;
	};
	const rounds = (count) => {
		for (let round = 0; round < count; round++) {
			mix(0, 2, 13);
			swap(0);
			mix(4, 6, 16);
			mix(0, 6, 21);
			mix(4, 2, 17);
			swap(4);
		}
	};
	for (let at = 0; at < words.length; at += 2) {
		v[6] ^= words[at];
		v[7] ^= words[at + 1];
		rounds(2);
		v[0] ^= words[at];
		v[1] ^= words[at + 1];
	}
	v[4] ^= 0xff;
	rounds(4);
	const xorOf = (half) => BigInt((v[half] ^ v[half + 2] ^ v[half + 4] ^ v[half + 6]) >>> 0);
	return (xorOf(1) << 32n) | xorOf(0);
}

/** The stream of a key, which is bytes. */
export function streamOfKey(seed, key) {
	const words = new Uint32Array(2 * Math.floor(key.length / 8) + 2);
	for (const [at, byte] of key.entries()) {
		words[at >> 2] |= byte << (8 * (at & 3));
	}
	words[words.length - 1] |= key.length << 24;
	return streamOf(seed, words);
}

/** The stream of a number that is a key of 8 bytes. */
export function streamOfNumber(seed, number) {
	return streamOf(seed, [number, Math.floor(number / WORD_32), 0, 8 << 24]);
}
