// Numbers as people read them.

const UNITS = [
	["d", 86400e9],
	["h", 3600e9],
	["m", 60e9],
	["s", 1e9],
	["ms", 1e6],
	["us", 1e3],
	["ns", 1],
];

const [SECOND, MINUTE, HOUR, DAY] = [1e9, 60e9, 3600e9, 86400e9];

/** A time in nanoseconds as the command prints it: `11.4ms`, `1m 41s`. */
export function time(nanoseconds) {
	const ns = Math.round(Number(nanoseconds));
	const rounded = (unit) => Math.round(ns / unit) * unit;
	if (ns < MINUTE) {
		return short(ns);
	}
	if (rounded(SECOND) < HOUR) {
		return two(rounded(SECOND), MINUTE, "m", SECOND, "s");
	}
	if (rounded(MINUTE) < DAY) {
		return two(rounded(MINUTE), HOUR, "h", MINUTE, "m");
	}
	if (rounded(HOUR) < 100 * DAY) {
		return two(rounded(HOUR), DAY, "d", HOUR, "h");
	}
	return ns < 3650 * DAY ? `${Math.round(ns / DAY)}d` : `${Math.floor(ns / (365 * DAY))} years`;
}

function two(ns, large, name, small, rest) {
	const count = Math.round((ns % large) / small);
	return `${Math.floor(ns / large)}${name}${count === 0 ? "" : ` ${count}${rest}`}`;
}

/** Below a minute: exact if four digits are enough, otherwise three. */
function short(ns) {
	if (ns === 0) {
		return "0s";
	}
	const [name, unit] = UNITS.find(([, unit]) => ns >= unit);
	const value = ns / unit;
	const exact = String(value);
	if (exact.replace(/\D/g, "").length <= 4) {
		return `${exact}${name}`;
	}
	const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
	const text = value.toFixed(digits);
	const carried = Math.round(Number(text) * unit);
	return (unit > 1 && unit < SECOND && carried === unit * 1000) || carried === MINUTE
		? time(carried)
		: `${text}${name}`;
}

/** A number to three digits, or all digits of its whole part. */
export function count(value) {
	const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
	return Number(value.toFixed(digits)).toLocaleString("en", { maximumFractionDigits: digits });
}

/** Percent: 100% only if nothing failed. */
export function percent(part) {
	const text = `${(part * 100).toFixed(1)}%`;
	return text === "100.0%" ? (part < 1 ? ">99.9%" : "100%") : text;
}

const NAMES = { d: "days", h: "hours", m: "minutes" };

/** A unit in which all of these times in nanoseconds can be read from an axis, and its length. */
export function axisUnit(longest) {
	const [unit, length] = UNITS.find(([, length]) => longest >= 2 * length) ?? UNITS.at(-1);
	return [NAMES[unit] ?? unit, length];
}
