// The module's bytes as printable ASCII, mostly one character a byte. Base64 would spread each byte
// over two characters, and gzip would then find no patterns (the package would grow by a quarter).
//
// A byte plus SHIFT, mod 256, is a code. A code from SPACE to below PAIR is written as that character.
// Any other code is written as two: PAIR plus its two high bits, and SPACE plus its six low bits.

const SHIFT = 40;
const SPACE = 0x20;
const PAIR = 0x7b;

/** @param {Uint8Array} bytes */
export function encode(bytes) {
	const characters = Array.from(bytes, (byte) => {
		const code = (byte + SHIFT) & 0xff;
		const isOne = code >= SPACE && code < PAIR;
		return isOne ? [code] : [PAIR + (code >> 6), SPACE + (code & 0x3f)];
	});
	return String.fromCharCode(...characters.flat());
}

/** @param {string} text */
export function decode(text) {
	const bytes = new Uint8Array(text.length);
	let count = 0;
	for (let position = 0; position < text.length; position++) {
		let code = text.charCodeAt(position);
		if (code >= PAIR) {
			code = ((code - PAIR) << 6) | (text.charCodeAt(++position) - SPACE);
		}
		bytes[count++] = code - SHIFT;
	}
	return bytes.subarray(0, count);
}
