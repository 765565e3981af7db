// What waits for signals to abort: one listener a signal, because Node.js warns of the eleventh.

/** Whatever waits for one signal. */
class Waiting extends Set {
	handleEvent() {
		for (const act of this) {
			act();
		}
	}
}

/** @type {WeakMap<AbortSignal, Waiting>} */
const waiting = new WeakMap();

/** Acts when a signal aborts; what is returned ends that. */
export function whenAborted(signal, act) {
	let acts = waiting.get(signal);
	if (!acts) {
		acts = new Waiting();
		waiting.set(signal, acts);
		signal.addEventListener("abort", acts);
	}
	acts.add(act);
	return () => {
		acts.delete(act);
		if (acts.size === 0 && waiting.get(signal) === acts) {
			waiting.delete(signal);
			signal.removeEventListener("abort", acts);
		}
	};
}
