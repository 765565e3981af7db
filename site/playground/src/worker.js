// Simulates, apart from the page: it stays responsive, and it cancels by ending this worker.

import init, { Simulation } from "../../engine/pkg/backoff.js";

/** How often the worker reports to the page, which then draws, in milliseconds. */
const EVERY = 120;

self.onmessage = async ({ data }) => {
	try {
		await simulate(data);
	} catch (error) {
		// What the engine refuses is JSON. Anything else is an engine that died, most likely without memory.
		postMessage(
			typeof error === "string"
				? JSON.parse(error)
				: {
						error: { message: `it died (${error.message}): try fewer clients, arrivals or runs`, option: "simulation" },
					},
		);
	}
};

async function simulate({ module, input }) {
	await init({ module_or_path: module });
	const began = performance.now();
	const simulation = new Simulation(JSON.stringify(input));
	postMessage({ begun: JSON.parse(simulation.begun()) });
	const changed = new Map();
	let done = 0;
	let reported = performance.now();
	for (;;) {
		const text = simulation.step();
		const step = text === "" ? undefined : JSON.parse(text);
		if (step?.error) {
			postMessage(step);
			return;
		}
		if (step) {
			changed.set(step.point, step.summary);
			done = step.done;
		}
		const now = performance.now();
		if (!step || now - reported > EVERY) {
			postMessage({ done: step ? done : 1, isEnd: !step, points: [...changed], seconds: (now - began) / 1000 });
			changed.clear();
			reported = now;
		}
		if (!step) {
			return;
		}
	}
}
