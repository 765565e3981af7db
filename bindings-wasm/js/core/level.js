/** What a budget has left, and what a full one has, in tokens or retries of `unit` parts. */
export function levelOf(level, max, unit) {
	return Object.freeze({ left: Number(level) / Number(unit), most: Number(max) / Number(unit) });
}
