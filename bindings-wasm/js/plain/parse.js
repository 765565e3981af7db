// Policy strings and budget strings, and their errors (SPEC 11.1 to 11.7).

import { PolicyError, wrongType } from "../core/errors.js";
import { fillIn, messageOf, UNITS } from "./messages.js";
import { least, ratioOf, WORD_MAX } from "./numbers.js";
import { termsOfText } from "./ratio.js";
import { utf8 } from "./utf8.js";

const MAX_LENGTH = 1024;

function failAt(at, code, found = "", field = undefined, names = []) {
	const parts = { F: field?.name, V: excerpt(code, found, names), K: names.join(", ") };
	throw new PolicyError(code, field?.name, 0n, 0n, `at ${at}: ${fillIn(code, parts)}`, at, found);
}

const MAX_SHOWN = 32;

/** The codes of names whose message has all that are known, unless it has the one that is meant. */
const LISTS = { unknown_head: "names", unknown_key: "keys" };

/** What other libraries call heads and keys, without the `_` between words. */
const PEERS = {
	constant: "fixed const",
	exponential: "exp expo",
	full: "fulljitter",
	equal: "equaljitter",
	decorrelated: "decorrelatedjitter",
	base: "delay min mindelay mintimeout initial initialdelay initialinterval initialbackoff startingdelay interval retrydelay",
	increment: "step",
	multiplier: "factor expbase backofffactor backoffmultiplier timemultiple exponent",
	cap: "max maxdelay maxwait maxtimeout maxinterval maxbackoff backofflimit",
	jitter: "randomize randomizationfactor",
	max_retries: "retries maxretry limit numretries maxtimes backofflimit",
	max_attempts: "attempts tries maxtries stop stopafterattempt numofattempts times",
	max_elapsed: "maxtime maxelapsedtime deadline maxretrytime stopafterdelay",
	waits: "delays steps",
	attempt_timeout: "timeout pertrytimeout",
	max_tokens: "tokens capacity burst",
	ratio: "tokenratio retryratio budgetpercent percentcanretry",
	min_concurrent: "minretryconcurrency",
};

const lettersOf = (name) => name.replace(/[_-]/g, "").toLowerCase();

/** What an unknown head or key stands for, as the reason why it is refused. */
function meant(unknown, names) {
	const letters = lettersOf(unknown);
	const same = names.filter((name) => [lettersOf(name), ...(PEERS[name]?.split(" ") ?? [])].includes(letters));
	return same.length ? ` (did you mean ${same.join(" or ")}?)` : "";
}

/** The beginning of what was found, and why it is refused if users often overlook that. */
function excerpt(code, found, names) {
	const bytes = utf8(found);
	const start = bytes.slice(0, MAX_SHOWN);
	const escaped = start.replace(/[^!-~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
	const hasSpace = /[ \t-\r]/.test(start);
	const list = LISTS[code];
	const instead = list && !hasSpace ? meant(start, names) : "";
	const reason = hasSpace
		? " (spaces are not allowed)"
		: /[A-Z]/.test(start)
			? " (capital letters are not allowed)"
			: code === "unknown_unit" && /^(?:[dhms]|ms|us|ns)\d/.test(start)
				? " (a duration has one unit)"
				: code === "unknown_key" && start === ""
					? ' (a pair must follow every ":" and ",")'
					: "";
	const why = instead || reason + (list ? `; the ${list} are ${names.join(", ")}` : "");
	return `"${escaped}${bytes.length > MAX_SHOWN ? "..." : ""}"${why}`;
}

/** The names of a kind, each with the fields that it sets as a head. */
export function headsOf({ name, kinds }) {
	return Object.fromEntries(kinds.map((kind, number) => [kind, { [name]: BigInt(number + 1) }]));
}

/** Presets by name. */
export function readPresets(lines) {
	return Object.fromEntries(lines.split("\n").map((line) => line.split(" ")));
}

/**
 * What the check of a grammar makes of the fields that a text sets. A grammar has `heads`, the fields of each head or a
 * text that has them; `keys`, the fields by name, the first of which is no key; `setBy(key, value, read)`, what a pair
 * sets, if that is not its field; `alsoRemoved`, what a key removes of the head; and `check(fields, fail)`.
 */
export function parseText(grammar, text) {
	if (typeof text !== "string") {
		wrongType("text", "a string", text);
	}
	return read(grammar, text, grammar.check);
}

function read(grammar, text, check) {
	const { heads, keys, setBy, alsoRemoved = {} } = grammar;
	const names = Object.keys(keys).slice(1);
	if (text.length > MAX_LENGTH || utf8(text).length > MAX_LENGTH) {
		failAt(MAX_LENGTH, "text_too_long");
	}
	const [, head, rest] = /^([^:]*)(?::(.*))?$/s.exec(text);
	if (!Object.hasOwn(heads, head)) {
		failAt(0, "unknown_head", head, undefined, Object.keys(heads));
	}
	const ofHead = typeof heads[head] === "string" ? read(grammar, heads[head], (fields) => fields) : { ...heads[head] };
	const fields = {};
	/** By a key or a field: the places of the key and the value of its pair, and these. */
	const places = {};
	let at = head.length + 1;
	for (const pair of rest === undefined ? [] : rest.split(",")) {
		const [, key, value] = /^([^=]*)=?(.*)$/s.exec(pair);
		if (!names.includes(key)) {
			failAt(at, "unknown_key", key, undefined, names);
		}
		const field = keys[key];
		if (value === "") {
			failAt(at + pair.length, "missing_value", "", field);
		}
		const valueAt = at + key.length + 1;
		const readAs = (unit) => readValue({ ...field, unit }, value, valueAt);
		const sets = setBy?.(key, value, readAs) ?? (value === "none" ? {} : { [key]: readAs(field.unit) });
		const touched = [key, ...Object.keys(sets)];
		if (touched.some((name) => places[name])) {
			failAt(at, "repeated_key", key);
		}
		for (const name of touched) {
			places[name] = [at, key, valueAt, value];
		}
		Object.assign(fields, sets);
		for (const name of [key, ...(alsoRemoved[key] ?? [])]) {
			delete ofHead[name];
		}
		at += pair.length + 1;
	}
	return check({ ...ofHead, ...fields }, (code, field, value = 0n, limit = 0n, shown = undefined) => {
		const { name } = field;
		let [place, found] = ofHead[name] === undefined ? [text.length, ""] : [0, head];
		if (places[name]) {
			const [keyAt, key, valueAt, given] = places[name];
			[place, found] = code === "unused" || code === "given_twice" ? [keyAt, key] : [valueAt, given];
		}
		const message = `at ${place}: ${messageOf(code, field, value, limit, name, shown)}`;
		throw new PolicyError(code, name, value, limit, message, place, found);
	});
}

const NUMBER = /^\d+(?:\.\d+)?$/;

/** The terms of two numbers, a number or a percentage; undefined if the text is none of these. */
function termsOfRatio(text) {
	const [match, n, d, number, percent] = /^(\d+)\/(\d+)$|^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
	if (d) {
		return [n, d].map(BigInt);
	}
	const [over, under] = match ? termsOfText(number) : [];
	return match && [over, percent ? under * 100n : under];
}

function readValue(field, value, at) {
	const fail = (code, found = value, place = at, names = undefined) => failAt(place, code, found, field, names);
	if (field.unit === "kind") {
		return BigInt(field.kinds.indexOf(value) + 1 || fail("unknown_kind", value, at, field.kinds));
	}
	if (field.unit === "count") {
		return /^\d+$/.test(value) ? least(BigInt(value), WORD_MAX) : fail("not_a_count");
	}
	if (field.unit === "ratio") {
		const [n, d] = termsOfRatio(value) ?? fail("not_a_ratio");
		const ratio = d ? ratioOf(n, d) : fail("zero_denominator");
		return ratio === undefined || n > WORD_MAX || d > WORD_MAX ? fail("ratio_too_fine") : ratio;
	}
	if (field.unit === "waits") {
		return waitsOf(field, value, at);
	}
	const [, number, unit] = /^([\d.]*)(.*)$/s.exec(value);
	if (!NUMBER.test(number)) {
		fail("not_a_duration");
	}
	if (!Object.hasOwn(UNITS, unit)) {
		fail(unit ? "unknown_unit" : "missing_unit", unit, at + number.length, Object.keys(UNITS));
	}
	const [n, d] = termsOfText(number);
	const ns = n * UNITS[unit];
	return ns % d ? fail("duration_too_fine") : least(ns / d, WORD_MAX);
}

/** Durations that are separated by a slash. */
function waitsOf(field, value, at) {
	let start = at;
	return value.split("/").map((wait) => {
		const ns = readValue({ ...field, unit: "duration" }, wait, start);
		start += wait.length + 1;
		return ns;
	});
}
