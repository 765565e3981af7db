/** The bytes of a text in UTF-8, as a string of their codes. A lone surrogate becomes U+FFFD. jsdom has no TextEncoder. */
export function utf8(text) {
	return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd")).replace(/%(..)/g, (_, hex) =>
		String.fromCharCode(Number.parseInt(hex, 16)),
	);
}
