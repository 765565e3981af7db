// What the page shows: the values of the address, and the functions that run when one changes.

import { read, write } from "./address.js";

export const state = read(location.hash);

/** What a new reader sees: a policy, beside those of the article. */
const FIRST = [
	"full:base=100ms,cap=20s,max_retries=5",
	"none=none",
	"exponential=exponential:base=10ms,cap=2s",
	"decorrelated=decorrelated:base=5ms,cap=2s",
];
if (state.policy === undefined) {
	state.policy = [...FIRST];
}

const listeners = new Set();

export const onChange = (listener) => listeners.add(listener);

let isWritten = false;

/** Changes values; those that are undefined or empty go. Tells everyone, and the address. */
export function set(changes, source) {
	for (const [key, value] of Object.entries(changes)) {
		if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
			delete state[key];
		} else {
			state[key] = value;
		}
	}
	if (!isWritten) {
		isWritten = true;
		// A browser refuses many changes of the address at once.
		setTimeout(() => {
			isWritten = false;
			history.replaceState(null, "", `#${write(state)}`);
		}, 100);
	}
	for (const listener of listeners) {
		listener(source, changes);
	}
}

export const address = () => `${location.href.split("#")[0]}#${write(state)}`;

addEventListener("hashchange", () => {
	for (const key of Object.keys(state)) {
		delete state[key];
	}
	Object.assign(state, read(location.hash));
	state.policy ??= [...FIRST];
	for (const listener of listeners) {
		listener("address", state);
	}
});

/** The parts of `[NAME=]POLICY[;budget=B]...`, as the simulator reads it. */
export function parts(text) {
	const [head, ...rest] = text.split(";");
	const [, name, policy] = /^([^=:]*)=(.*)$/s.exec(head) ?? [head, undefined, head];
	return { name, policy, rest: rest.map((pair) => `;${pair}`).join("") };
}

export const join = (name, policy, rest) => `${name === undefined ? "" : `${name}=`}${policy}${rest}`;

/** The policy string that is edited. */
export const policyText = () => parts(state.policy[0] ?? "").policy;

export function setPolicyText(text, source) {
	const { name, rest } = parts(state.policy[0] ?? "");
	const before = policyText();
	// The same policy with a budget, for example, stays the same policy.
	const others = state.policy.slice(1).map((other) => {
		const { name, policy, rest } = parts(other);
		return policy === before ? join(name, text, rest) : other;
	});
	set({ policy: [join(name, text, rest), ...others] }, source);
}

export const seed = () => state.seed ?? "1";

/** The budget of the first policy: its own, or that of all. */
export function budgetText() {
	const own = /;budget=([^;]*)/.exec(parts(state.policy[0] ?? "").rest);
	return own?.[1] ?? state.budget ?? "";
}
