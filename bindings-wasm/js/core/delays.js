import { module } from "../wasm/module.js";
import { batchLength } from "./arguments.js";
import { makeCurrent } from "./policy-state.js";
import { stateOf } from "./stream.js";

/** An array of a policy's delays of `first`, `first + 1`, ...; shorter than `count` where the indices end. */
export function fill(state, stream, Delays, count, first, readWord) {
	const ofStream = stateOf(stream);
	const delays = new Delays(batchLength(count, first));
	makeCurrent(state);
	const { exports } = module();
	for (let done = 0; done < delays.length; ) {
		// The module returns no more at once than its words hold.
		const filled = exports.fill(ofStream, first + done, delays.length - done);
		for (let position = 0; position < filled; position++) {
			delays[done++] = readWord(position);
		}
	}
	return delays;
}
