// Types of backoff-wasm/delay: the delays of a policy, without policy strings, loops and budgets.

import type { PolicyOptions, RandomStream } from "./index.js";

export {
	type Duration,
	PolicyError,
	type PolicyOptions,
	RandomStream,
	type Ratio,
	StartError,
} from "./index.js";

/** How long to wait before each retry: checked once, then immutable. Times are in milliseconds. */
export class Policy {
	/**
	 * The policy of these options.
	 *
	 * @throws {PolicyError} the first rule of SPEC 8 that the options break.
	 * @throws {TypeError} an unknown option, or a value of the wrong type.
	 */
	constructor(options: PolicyOptions);

	/** The options of this policy. */
	readonly options: Readonly<PolicyOptions>;

	/**
	 * The delay of an index in ms (SPEC 6, 7). Index 0 is the wait before the first retry; indices
	 * from 0 to 2^32 - 1 can be evaluated in any order. Clients that share a stream wait the same.
	 *
	 * @throws {PolicyError} an index out of range.
	 */
	delay(stream: RandomStream, index: number): number;

	/** The delay of an index in ns: {@link Policy.delay}, exactly. */
	delayNs(stream: RandomStream, index: number): bigint;

	/**
	 * The delays of the indices `first`, `first + 1`, ... in ms, whatever `maxRetries` is. The array is
	 * shorter than `count` if the indices end before, at 2^32 - 1.
	 *
	 * @throws {PolicyError} `first` out of range.
	 * @throws {RangeError} not enough memory.
	 */
	delays(stream: RandomStream, count: number, first?: number): Float64Array;

	/** The delays of the indices `first`, `first + 1`, ... in ns: {@link Policy.delays}, exactly. */
	delaysNs(stream: RandomStream, count: number, first?: number): BigUint64Array;
}

/**
 * The delays of a policy one after another, in ms: index 0, 1, 2, ... It ends after `maxRetries` delays;
 * without `maxRetries` after index 2^32 - 1 (SPEC 9). It never sleeps and reads no clock.
 */
export class Backoff implements IterableIterator<number> {
	/** The delays of a policy on a stream, from index 0. Default: a unique stream. */
	constructor(policy: Policy, stream?: RandomStream | undefined);

	readonly policy: Policy;
	/** The stream of these delays; {@link Backoff.reset} changes it. */
	readonly stream: RandomStream;
	/** The index of the next delay: the number of delays taken since the last reset. */
	readonly index: number;

	/** The next delay in ms, as an iterator result. */
	next(): IteratorResult<number, undefined>;
	/** The next delay in ms, or `undefined` at the end. It creates no object. */
	nextDelay(): number | undefined;
	/** The next delay in ns, or `undefined` at the end. */
	nextDelayNs(): bigint | undefined;

	/** Starts again at index 0. No draw is repeated: the stream advances by the draws taken. */
	reset(): void;

	[Symbol.iterator](): this;
}
