// Loops, and the start of a process. Timers fire at once, for everyone.

import { execFileSync } from "node:child_process";
import { makeRetriable, retry } from "backoff-wasm";
import { ConstantBackoff, retry as cockatiel, handleAll } from "cockatiel";
import { backOff } from "exponential-backoff";
import pRetry, { makeRetriable as pMakeRetriable } from "p-retry";
import { versions } from "./versions.mjs";

/** Replaces the timers of waits by ones that fire in the next turn of the event loop. Those of time limits are left. */
export function hurryTimers() {
	const { setTimeout, clearTimeout } = globalThis;
	globalThis.setTimeout = (callback, delay = 0, ...rest) =>
		delay > 1 ? setTimeout(callback, delay, ...rest) : setImmediate(callback, ...rest);
	globalThis.clearTimeout = (timer) => (timer instanceof Immediate ? clearImmediate(timer) : clearTimeout(timer));
}

const Immediate = setImmediate(() => {}).constructor;

const failure = new Error("busy");

/** A function that fails the given number of times before it succeeds. */
function failing(failures) {
	let calls = 0;
	return async () => {
		if (++calls <= failures) {
			throw failure;
		}
		return calls;
	};
}

const OURS = { policy: "constant:base=0s,max_retries=5", shouldRetry: () => true };
const P_RETRY = { retries: 5, minTimeout: 0 };
const BACK_OFF = { numOfAttempts: 6, startingDelay: 0 };
const cockatielPolicy = cockatiel(handleAll, { maxAttempts: 5, backoff: new ConstantBackoff(0) });

const LOOPS = [
	["ours", (failures) => retry(failing(failures), OURS)],
	[`p-retry ${versions["p-retry"]}`, (failures) => pRetry(failing(failures), P_RETRY)],
	[`cockatiel ${versions.cockatiel}`, (failures) => cockatielPolicy.execute(failing(failures))],
	[`exponential-backoff ${versions["exponential-backoff"]}`, (failures) => backOff(failing(failures), BACK_OFF)],
];

const call = failing(0);
const RETRIABLE = [
	["ours", makeRetriable(call, OURS)],
	[`p-retry ${versions["p-retry"]}`, pMakeRetriable(call, P_RETRY)],
	[`cockatiel ${versions.cockatiel}`, () => cockatielPolicy.execute(call)],
];

const works = (work, run) => LOOPS.map(([by, loop]) => [work, by, 1, run(loop)]);
const concurrent = (loop) => () => Promise.all(Array.from({ length: 1000 }, () => loop(2)));

/** The start and the end of a process with this code. */
const processOf = (code) => () =>
	void execFileSync(process.execPath, ["--input-type=module", "--eval", code], { cwd: import.meta.dirname });

const USED = `import { retry } from "backoff-wasm";
let calls = 0;
await retry(() => { if (++calls < 2) throw new Error("busy"); }, { policy: "constant:base=0s", shouldRetry: () => true });`;
const P_RETRY_USED = `import pRetry from "p-retry";
let calls = 0;
await pRetry(() => { if (++calls < 2) throw new Error("busy"); }, { minTimeout: 0 });`;

export const LOOP_WORKS = [
	...works("loop, success at once", (loop) => () => loop(0)),
	...RETRIABLE.map(([by, retriable]) => ["retriable function, success at once", by, 1, () => retriable()]),
	...works("loop, one failure", (loop) => () => loop(1)),
	...works("loop, two failures", (loop) => () => loop(2)),
	...works("1000 loops", concurrent),
	["import", "ours", 1, processOf('import "backoff-wasm"')],
	["import", "bare Node.js", 1, processOf("")],
	["import", `p-retry ${versions["p-retry"]}`, 1, processOf('import "p-retry"')],
	["import and first retry", "ours", 1, processOf(USED)],
	["import and first retry", "bare Node.js", 1, processOf("")],
	["import and first retry", `p-retry ${versions["p-retry"]}`, 1, processOf(P_RETRY_USED)],
];
