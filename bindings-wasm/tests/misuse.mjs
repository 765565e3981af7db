// What the tests of policies and of bad input share.

import { Policy, RandomStream } from "./installed.mjs";

export const good = { growth: "exponential", base: 100, cap: 20_000, jitter: "full" };
export const policy = new Policy(good);
export const stream = new RandomStream(42, "job-1");
/** The first delay of this policy on this stream: `full` of tests/vectors/jitters.json. */
export const FIRST = 11_399_434n;
export const MAX_NS = 2n ** 63n - 1n;
export const MAX_UINT64 = 2n ** 64n - 1n;

/** Makes a policy of the good options and these. */
export const policyOf = (options) => () => new Policy({ ...good, ...options });
