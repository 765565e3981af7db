// The harness of JavaScript: see ../README.md for its arguments.

import assert from "node:assert";
import { Policy, RandomStream } from "backoff-wasm";
import { measure } from "mitata";
import { DELAY_WORKS } from "./delays.mjs";
import { HTTP_WORKS } from "./http.mjs";
import { hurryTimers, LOOP_WORKS } from "./loops.mjs";
import { versions } from "./versions.mjs";

const WORKS = [...DELAY_WORKS, ...LOOP_WORKS, ...HTTP_WORKS];

/** The time that an engine gets to compile what is called often. */
const WARM_UP_MS = 100;

/** One sample is a batch of calls, so that the clock is read rarely; long calls are samples by themselves. */
const options = () => ({
	min_cpu_time: Number(process.env.BENCH_TIME_MS ?? 100) * 1e6,
	min_samples: 3,
	batch_samples: 256,
});

async function warmUp(call) {
	const begin = performance.now();
	while (performance.now() - begin < WARM_UP_MS) {
		const result = call();
		if (result instanceof Promise) {
			await result;
		}
	}
}

async function measureAll(work) {
	const entries = WORKS.filter(([name]) => name === work);
	assert.notStrictEqual(entries.length, 0, work);
	if (process.env.BENCH_REVERSED === "1") {
		entries.reverse();
	}
	for (const [, by, operations, call] of entries) {
		await warmUp(call);
		const { p50 } = await measure(call, options());
		console.log(JSON.stringify({ work, by, ns: p50 / operations }));
	}
}

async function check() {
	const policy = Policy.parse("full:base=100ms,cap=20s");
	const stream = new RandomStream(42, "job-1");
	assert.deepStrictEqual([...policy.delaysNs(stream, 3)], [11399434n, 83043876n, 229309811n]);
	for (const [work, by, , call] of WORKS) {
		const result = await call();
		assert(result !== 0 && !Number.isNaN(result), `${work}, ${by}: ${result}`);
	}
}

const [verb, argument] = process.argv.slice(2);
if (verb !== "works" && verb !== "versions") {
	hurryTimers();
}
switch (verb) {
	case "works":
		console.log([...new Set(WORKS.map(([work]) => work))].join("\n"));
		break;
	case "measure":
		await measureAll(argument);
		break;
	case "check":
		await check();
		break;
	case "versions":
		for (const [name, version] of Object.entries({ "Node.js": process.versions.node, ...versions })) {
			console.log(JSON.stringify({ name, version }));
		}
		break;
	default:
		console.error("usage: works | measure WORK | check | versions");
		process.exitCode = 2;
}
