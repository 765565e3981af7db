// What the page shows, as the part of the address after `#`: README.md has the keys.

/** Keys that may be repeated. */
const LISTS = ["policy", "key", "attempt"];

/** The characters that would end a value or that browsers escape by themselves. */
const escaped = (value) =>
	value.replace(/[%#& +"<>`{}|\\^]|[^\x20-\x7e]/gu, (character) => encodeURIComponent(character));

function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** Chats encode a whole fragment: one without any `=` of its own. */
const plain = (fragment) => (/^[^=]*%3d/i.test(fragment) && !fragment.includes("=") ? decoded(fragment) : fragment);

/** The values by their keys: a list for keys that may be repeated, otherwise the last text. */
export function read(hash) {
	const state = {};
	for (const pair of plain(hash.replace(/^#/, "")).split("&")) {
		const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
		if (key === undefined) {
			continue;
		}
		if (LISTS.includes(key)) {
			state[key] = [...(state[key] ?? []), decoded(value)];
		} else {
			state[key] = decoded(value);
		}
	}
	return state;
}

/** The other way; values that are empty are left out. */
export function write(state) {
	const pairs = Object.entries(state).flatMap(([key, value]) => [value].flat().map((one) => [key, one]));
	// A policy that is not written yet is the first all the same.
	const written = pairs.filter(([key, value]) => value !== undefined && (value !== "" || key === "policy"));
	return written.map(([key, value]) => `${key}=${escaped(String(value))}`).join("&");
}
