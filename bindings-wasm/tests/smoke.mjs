// What runtimes.test.mjs runs in each runtime. The test copies it into a project that has the package
// installed, beside an `input.mjs`.

import { Backoff, fetchOutcome, Policy, RandomStream, retry } from "backoff-wasm";
import input from "./input.mjs";

const { count, key, policy: policyString, refused, seed, server, urls } = input;

/** The outcome of a request that fails, or the text of a response. */
async function outcomeOf(url) {
	try {
		return await (await fetch(url)).text();
	} catch (error) {
		return fetchOutcome(error);
	}
}

export async function smoke() {
	const policy = Policy.parse(policyString);
	const stream = new RandomStream(seed, key);
	const waits = [];
	const clock = { now: () => 0, sleep: (delay) => void waits.push(delay) };
	const load = async ({ attempt }) => (await fetch(attempt <= count ? refused : server)).text();
	const outcomes = Object.entries(urls).map(async ([name, url]) => [name, await outcomeOf(url)]);
	return {
		delays: Array.from(policy.delaysNs(stream, count), String),
		next: new Backoff(policy, stream).next().value,
		loaded: await retry(load, { policy, stream, clock, shouldRetry: fetchOutcome }),
		waits,
		outcomes: Object.fromEntries(await Promise.all(outcomes)),
	};
}
