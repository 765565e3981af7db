// The waits that the header fields of a response ask for (SPEC 14).

import { UNITS } from "./messages.js";
import { most, sat } from "./numbers.js";
import { utf8 } from "./utf8.js";

const MAX_LENGTH = 1024;
const MAX_SECONDS = 1_000_000_000n;

const stripped = (text) => text.replace(/^[ \t]+|[ \t]+$/g, "");
const firstItem = (value) => stripped(value.split(",", 1)[0]);
const isLong = (value) => value.length > MAX_LENGTH || utf8(value).length > MAX_LENGTH;

/** The nanoseconds that fields of one name ask for, or undefined (SPEC 14.5). Only `ratelimit` has more than one value. */
export function retryAfterOf(status, name, values, now) {
	const fitting = values.map((value) => (isLong(value) ? "" : value));
	const [value] = fitting;
	if (name === "retry-after-ms") {
		return ofMilliseconds(firstItem(value));
	}
	if (name === "retry-after") {
		return parsedRetryAfter(value, now);
	}
	if (status !== 429) {
		return undefined;
	}
	return name === "ratelimit"
		? longest(fitting.flatMap((each) => ofQuotas(each, now)))
		: ofSeconds(firstItem(value), now);
}

/** The nanoseconds that a `Retry-After` asks for, or undefined (SPEC 14.1). */
export function parsedRetryAfter(value, now) {
	if (isLong(value)) {
		return undefined;
	}
	const parts = value.split(",");
	for (const count of [1, 2]) {
		const text = stripped(parts.slice(0, count).join(","));
		const date = dateOf(text, now);
		const wait = ofSeconds(text, now) ?? (date === undefined ? undefined : sat(most(0n, date - now)));
		if (wait !== undefined) {
			return wait;
		}
	}
	return undefined;
}

function ofSeconds(text, now) {
	if (!/^\d+$/.test(text)) {
		return undefined;
	}
	const seconds = BigInt(text);
	const ns = seconds * UNITS.s;
	return seconds <= MAX_SECONDS ? ns : sat(most(0n, ns - now));
}

function ofMilliseconds(text) {
	const [, whole, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
	return whole === undefined ? undefined : sat(BigInt(whole + fraction.slice(0, 6).padEnd(6, "0")));
}

const longest = (times) => (times.length ? times.reduce(most) : undefined);

/** The times of the quotas that are used up (SPEC 14.7). */
function ofQuotas(value, now) {
	return unquoted(value, ",").flatMap((member) => {
		const parameters = {};
		for (const parameter of unquoted(member, ";").slice(1)) {
			const [, name, text] = /^([^=]*)=(.*)$/s.exec(stripped(parameter)) ?? [];
			parameters[`=${name}`] = text;
		}
		const { "=r": left = "", "=t": seconds = "" } = parameters;
		const time = /^0+$/.test(left) ? ofSeconds(seconds, now) : undefined;
		return time === undefined ? [] : [time];
	});
}

/** The parts of a text that a separator outside double quotes separates. */
function unquoted(text, separator) {
	const parts =
		text.match(new RegExp(`(?:"(?:\\\\.|[^"\\\\])*(?:"|\\\\?$)|[^"${separator}])+|${separator}`, "gs")) ?? [];
	const found = [""];
	for (const part of parts) {
		if (part === separator) {
			found.push("");
		} else {
			found[found.length - 1] += part;
		}
	}
	return found;
}

const DAYS = "(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)";
const LONG_DAYS = "(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const TIME = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";

/** The three forms of a date. */
const formsOf = () => [
	`${DAYS}, (?<day>\\d\\d) (?<month>\\w{3}) (?<year>\\d{4}) ${TIME} GMT`,
	`${LONG_DAYS}, (?<day>\\d\\d)-(?<month>\\w{3})-(?<year>\\d\\d) ${TIME} GMT`,
	`${DAYS} (?<month>\\w{3}) (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})`,
];

const FIFTY_YEARS = 1_577_880_000_000_000_000n;
const MS_PER_DAY = 86_400_000;

/** The nanoseconds from 1970 to an HTTP-date, or undefined (SPEC 14.2, 14.3). */
function dateOf(text, now) {
	const { groups } =
		formsOf()
			.map((form) => new RegExp(`^${form}$`).exec(text))
			.find(Boolean) ?? {};
	const month = MONTHS.indexOf(groups?.month);
	if (month < 0) {
		return undefined;
	}
	const [day, hour, minute, second] = [groups.day, groups.hour, groups.minute, groups.second].map(Number);
	const clock = ((hour * 60 + minute) * 60 + second) * 1000;
	const at = (year) => BigInt(daysTo(year, month, day) * MS_PER_DAY + clock) * UNITS.ms;
	let year = Number(groups.year);
	if (groups.year.length === 2) {
		const current = new Date(Number(now / UNITS.ms)).getUTCFullYear();
		year += current - (current % 100);
		year -= at(year) > now + FIFTY_YEARS ? 100 : 0;
	}
	const last = daysTo(year, month + 1, 0) - daysTo(year, month, 0);
	return day < 1 || day > last || hour > 23 || minute > 59 || second > 60 ? undefined : at(year);
}

/** The days from 1970 to a day. `Date.UTC` takes a year below 100 for one of 1900 to 1999, so it gets one 400 later. */
function daysTo(year, month, day) {
	return Date.UTC(year + 400, month, day) / MS_PER_DAY - 146_097;
}
