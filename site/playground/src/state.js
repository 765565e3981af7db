// What the page shows: the values of the address, and the functions that run when one changes.

import { read, write } from "./address.js";
import { ARTICLE } from "./models.js";

export const state = read(location.hash);

/** What a new reader sees: the usual policy, beside those of the article. */
const FIRST = ["default", ...ARTICLE];
if (state.policy === undefined) {
	state.policy = [...FIRST];
}

const listeners = new Set();

export const onChange = (listener) => listeners.add(listener);

/** Choices, each of which has an entry of its own in the history. */
const CHOICES = ["tabs", "preset", "experiment", "model"];

/** The history has an entry for each visit of a field, not for each key. */
let visit = 0;
let writtenIn;
addEventListener("focusin", () => {
	visit += 1;
});

let timer;
const written = () => `#${write(state)}`;

function flush() {
	if (timer !== undefined) {
		clearTimeout(timer);
		timer = undefined;
		history.replaceState(null, "", written());
	}
}

/** Changes values; those that are undefined or empty go. Tells everyone, and the address. */
export function set(changes, source) {
	const before = written();
	const isNew = CHOICES.includes(source) || visit !== writtenIn;
	if (isNew) {
		flush();
	}
	for (const [key, value] of Object.entries(changes)) {
		if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
			delete state[key];
		} else {
			state[key] = value;
		}
	}
	if (written() !== before) {
		if (isNew) {
			history.pushState(null, "", written());
			writtenIn = visit;
		} else {
			// A browser refuses many changes of the address at once.
			timer ??= setTimeout(flush, 100);
		}
	}
	for (const listener of listeners) {
		listener(source, changes);
	}
}

export const address = () => `${location.href.split("#")[0]}${written()}`;

addEventListener("hashchange", () => {
	clearTimeout(timer);
	timer = undefined;
	writtenIn = undefined;
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

/** What is edited: a policy string, perhaps with a name in front of it and a budget and more behind it. */
export const lineText = () => state.policy[0] ?? "";

/** The policy string in it. */
export const policyText = () => parts(lineText()).policy;

/** The policies with another first one. The same policy with a budget, for example, stays the same policy. */
export function withLine(policies, text) {
	const [before, after] = [parts(policies[0] ?? "").policy, parts(text).policy];
	const others = policies.slice(1).map((other) => {
		const { name, policy, rest } = parts(other);
		return policy === before ? join(name, after, rest) : other;
	});
	return [text, ...others];
}

export const seed = () => state.seed ?? "1";

/** What the first policy says itself, such as its `budget`. */
export const ownText = (name) => new RegExp(`;${name}=([^;]*)`).exec(parts(lineText()).rest)?.[1];

/** The budget of the first policy: its own, or that of all. */
export const budgetText = () => ownText("budget") ?? state.budget ?? "";

export const deadlineText = () => ownText("deadline") ?? state.deadline ?? "";
