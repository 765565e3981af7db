// Numbers as people read them.

const UNITS = [
	["d", 86400e9],
	["h", 3600e9],
	["m", 60e9],
	["s", 1e9],
	["ms", 1e6],
	["µs", 1e3],
	["ns", 1],
];

/** A time in nanoseconds to three digits: `1.28 s`. */
export function time(ns) {
	// 999.6 ms are 1 s.
	const value = Number(Number(ns).toPrecision(3));
	if (value === 0) {
		return "0 s";
	}
	const [unit, length] =
		UNITS.find(([unit, length]) => value >= length * ("dhm".includes(unit) ? 2 : 1)) ?? UNITS.at(-1);
	return `${count(value / length)} ${unit}`;
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
