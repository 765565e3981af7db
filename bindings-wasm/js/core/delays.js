import { module } from "../wasm/module.js";
import { batchLength } from "./arguments.js";
import { stateOf } from "./stream.js";

/** An array of the delays of `first`, `first + 1`, ...; shorter than `count` where the indices end. */
export function fill(policy, makeCurrent, stream, Delays, count, first, readWord) {
	const state = stateOf(stream);
	const delays = new Delays(batchLength(count, first));
	makeCurrent(policy);
	const { exports } = module();
	for (let done = 0; done < delays.length; ) {
		// The module returns no more at once than its words hold.
		const filled = exports.fill(state, first + done, delays.length - done);
		for (let position = 0; position < filled; position++) {
			delays[done++] = readWord(position);
		}
	}
	return delays;
}
