// Loops, and the start of a process. Timers fire at once, for everyone.

import { execFileSync } from "node:child_process";
import * as main from "backoff-wasm";
import * as js from "backoff-wasm/js";
import { ConstantBackoff, retry as cockatiel, handleAll } from "cockatiel";
import { backOff } from "exponential-backoff";
import pRetry, { makeRetriable as pMakeRetriable } from "p-retry";
import { versions } from "./versions.mjs";

const { setTimeout, clearTimeout } = globalThis;
const Immediate = setImmediate(() => {}).constructor;

/** Replaces the timers of waits by ones that fire in the next turn of the event loop. Those of time limits are left. */
export function hurryTimers() {
	globalThis.setTimeout = (callback, delay = 0, ...rest) =>
		delay > 1 ? setTimeout(callback, delay, ...rest) : setImmediate(callback, ...rest);
	globalThis.clearTimeout = (timer) => (timer instanceof Immediate ? clearImmediate(timer) : clearTimeout(timer));
}

/** A call with the timers of the platform. */
const withTimers = (call) => async () => {
	Object.assign(globalThis, { setTimeout, clearTimeout });
	await call();
	hurryTimers();
};

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

/** The libraries with waits of so many ms: each has `retry` of a function, and `retriable`, which makes a function. */
function libraries({ retry, makeRetriable }, wait) {
	const ours = { policy: `constant:base=${wait}ms,max_retries=5`, shouldRetry: () => true };
	const ofPRetry = { retries: 5, minTimeout: wait, factor: 1 };
	const ofBackOff = { numOfAttempts: 6, startingDelay: wait, timeMultiple: 1 };
	const policy = cockatiel(handleAll, { maxAttempts: 5, backoff: new ConstantBackoff(wait) });
	return {
		ours: { retry: (fn) => retry(fn, ours), retriable: (fn) => makeRetriable(fn, ours) },
		[`p-retry ${versions["p-retry"]}`]: {
			retry: (fn) => pRetry(fn, ofPRetry),
			retriable: (fn) => pMakeRetriable(fn, ofPRetry),
		},
		[`cockatiel ${versions.cockatiel}`]: {
			retry: (fn) => policy.execute(fn),
			retriable: (fn) => (given) => policy.execute(() => fn(given)),
		},
		[`exponential-backoff ${versions["exponential-backoff"]}`]: { retry: (fn) => backOff(fn, ofBackOff) },
	};
}

const concurrent = (call) => call && (() => Promise.all(Array.from({ length: 1000 }, call)));

/** Calls a function that was made once and calls what it gets; undefined without one. */
function calling(retriable, failures) {
	const run = retriable?.((fn) => fn());
	return run && (() => run(failing(failures)));
}

/** What each library does, by the work; undefined where a library has no such function. */
const LOOPS = {
	"loop, success at once":
		({ retry }) =>
		() =>
			retry(failing(0)),
	"loop, one failure":
		({ retry }) =>
		() =>
			retry(failing(1)),
	"loop, two failures":
		({ retry }) =>
		() =>
			retry(failing(2)),
	"1000 loops": ({ retry }) => concurrent(() => retry(failing(2))),
	"retriable function, success at once": ({ retriable }) => calling(retriable, 0),
	"retriable function, one failure": ({ retriable }) => calling(retriable, 1),
	"retriable function, two failures": ({ retriable }) => calling(retriable, 2),
	"retriable function, 1000 loops": ({ retriable }) => concurrent(calling(retriable, 2)),
};
const WAITING = {
	"loop, two failures, waits of 1 ms": ({ retry }) => withTimers(() => retry(failing(2))),
	"1000 loops, waits of 1 ms": ({ retry }) => withTimers(concurrent(() => retry(failing(2)))),
};

/** The works over an entry. What is not of the main one says so. */
const works = (entry, suffix = "") =>
	[
		[LOOPS, 0],
		[WAITING, 1],
	].flatMap(([loops, wait]) =>
		Object.entries(loops).flatMap(([work, make]) =>
			Object.entries(libraries(entry, wait))
				.map(([by, library]) => [work + suffix, by, 1, make(library)])
				.filter(([, , , call]) => call),
		),
	);

/** The start and the end of a process with this code. */
const processOf = (code) => () =>
	void execFileSync(process.execPath, ["--input-type=module", "--eval", code], { cwd: import.meta.dirname });

const USED = `import { retry } from "backoff-wasm";
let calls = 0;
await retry(() => { if (++calls < 2) throw new Error("busy"); }, { policy: "constant:base=0s,max_retries=5", shouldRetry: () => true });`;
const P_RETRY_USED = `import pRetry from "p-retry";
let calls = 0;
await pRetry(() => { if (++calls < 2) throw new Error("busy"); }, { minTimeout: 0 });`;

export const LOOP_WORKS = [
	...works(main),
	...works(js, ", backoff-wasm/js"),
	["import", "ours", 1, processOf('import "backoff-wasm"')],
	["import", "bare Node.js", 1, processOf("")],
	["import", `p-retry ${versions["p-retry"]}`, 1, processOf('import "p-retry"')],
	["import and first retry", "ours", 1, processOf(USED)],
	["import and first retry", "bare Node.js", 1, processOf("")],
	["import and first retry", `p-retry ${versions["p-retry"]}`, 1, processOf(P_RETRY_USED)],
];
