// Works without a loop: delays, policies, decisions.

import { createRequire } from "node:module";
import { Backoff, Budget, Operation, Policy, RandomStream } from "backoff-wasm";
import { ExponentialBackoff, fullJitterGenerator } from "cockatiel";
import { versions } from "./versions.mjs";

// exponential-backoff exports no delay, only a loop with delays.
const { DelayFactory } = createRequire(import.meta.url)("exponential-backoff/dist/delay/delay.factory.js");

const BASE = 100;
const CAP = 20_000;
/** The delays of one call of these functions. */
const DELAYS = 8;

const LIMITED = "full:base=100ms,cap=20s,max_retries=5";
const policy = Policy.parse("full:base=100ms,cap=20s");
const decorrelated = Policy.parse("decorrelated:base=100ms,cap=20s");
const limited = Policy.parse(LIMITED);
const stream = new RandomStream(42, "job-1");
const LIBRARIES = {
	exponentialBackoff: `exponential-backoff ${versions["exponential-backoff"]}`,
	cockatiel: `cockatiel ${versions.cockatiel}`,
};

/** The sum of the delays of an iterator that is then reset. */
function eightOf(backoff) {
	return () => {
		let sum = 0;
		for (let a = 0; a < DELAYS; a++) {
			sum += backoff.nextDelay();
		}
		backoff.reset();
		return sum;
	};
}

const power = (a) => Math.random() * Math.min(CAP, BASE * 2 ** a);
const shift = (a) => Math.random() * Math.min(CAP, BASE * (1 << a));

/** The sum of the delays of a function of the index. Each harness function has a copy of the loop. */
const eight = (delay) =>
	new Function(
		"delay",
		`return () => {
	let sum = 0;
	for (let a = 0; a < ${DELAYS}; a++) sum += delay(a);
	return sum;
}`,
	)(delay);

function eightOfExponentialBackoff() {
	const options = { delayFirstAttempt: true, jitter: "full", maxDelay: CAP, startingDelay: BASE, timeMultiple: 2 };
	return eight((a) => DelayFactory(options, a).jitteredDelay);
}

const cockatielFactory = new ExponentialBackoff({ generator: fullJitterGenerator, initialDelay: BASE, maxDelay: CAP });

function eightOfCockatiel() {
	let sum = 0;
	let backoff = cockatielFactory.next();
	for (let a = 0; a < DELAYS; a++) {
		sum += backoff.duration;
		backoff = backoff.next();
	}
	return sum;
}

function decorrelatedByHand() {
	let sum = 0;
	let last = BASE;
	for (let a = 0; a < DELAYS; a++) {
		last = Math.min(CAP, BASE + Math.random() * (3 * last - BASE));
		sum += last;
	}
	return sum;
}

function batchByHand(count) {
	return () => {
		const delays = new Float64Array(count);
		for (let a = 0; a < count; a++) {
			delays[a] = Math.random() * Math.min(CAP, BASE * 2 ** a);
		}
		return delays[count - 1];
	};
}

/** Decisions of operations that wait five times and then stop. */
function decide(options) {
	let operation;
	return () => {
		if (operation === undefined || operation.reason !== undefined) {
			operation = new Operation(limited, stream, { now: 0, ...options });
		}
		return operation.decide("transient", { now: 0 }).delay;
	};
}

const newAndEight = () => {
	const backoff = new Backoff(policy, stream);
	let sum = 0;
	for (let a = 0; a < DELAYS; a++) {
		sum += backoff.nextDelay();
	}
	return sum;
};

/** [work, who, how many operations a call does, the function] */
export const DELAY_WORKS = [
	["next", "ours", DELAYS, eightOf(new Backoff(policy, stream))],
	["next", "by hand (1<<a)", DELAYS, eight(shift)],
	["next", "by hand (2**a)", DELAYS, eight(power)],
	["next", LIBRARIES.exponentialBackoff, DELAYS, eightOfExponentialBackoff()],
	["next", LIBRARIES.cockatiel, DELAYS, eightOfCockatiel],
	["next, decorrelated", "ours", DELAYS, eightOf(new Backoff(decorrelated, stream))],
	["next, decorrelated", "by hand", DELAYS, decorrelatedByHand],
	["random access", "ours", DELAYS, eight((a) => policy.delay(stream, a))],
	["random access", "by hand (2**a)", DELAYS, eight(power)],
	["random access", LIBRARIES.exponentialBackoff, DELAYS, eightOfExponentialBackoff()],
	["new and 8 delays", "ours", 1, newAndEight],
	["new and 8 delays", LIBRARIES.cockatiel, 1, eightOfCockatiel],
	["batch of 16", "ours", 1, () => policy.delays(stream, 16)[15]],
	["batch of 16", "by hand (2**a)", 1, batchByHand(16)],
	["batch of 1000000", "ours", 1, () => policy.delays(stream, 1_000_000)[999_999]],
	["batch of 1000000", "by hand (2**a)", 1, batchByHand(1_000_000)],
	["parse", "ours", 1, () => Policy.parse(LIMITED)],
	["print", "ours", 1, () => limited.toString()],
	["decide", "ours", 1, decide({})],
	["decide with a budget", "ours", 1, decide({ budget: new Budget("concurrent") })],
];
