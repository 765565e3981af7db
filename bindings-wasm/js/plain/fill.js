import { batchLength } from "../core/arguments.js";
import { delaysOf } from "./schedule.js";
import { stateOf } from "./stream.js";

/** An array of the delays of `first`, `first + 1`, ...; shorter than `count` where the indices end. */
export function fill(fields, stream, Delays, count, first, show) {
	const state = stateOf(stream);
	const next = delaysOf(fields, state, first);
	return new Delays(batchLength(count, first)).map(() => show(next()));
}
