/** As its namesake in wasm/, but a number of more than nine decimals has too large terms for it. */
export function ratioOfText(text) {
	const [, whole, decimals = ""] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
	const numerator = BigInt((whole ?? "") + decimals);
	return whole === undefined || numerator >> 32n ? 0n : (numerator << 32n) | (10n ** BigInt(decimals.length));
}
