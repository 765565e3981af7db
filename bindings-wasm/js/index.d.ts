/** A duration going in: milliseconds, or nanoseconds where every digit counts. */
export type Duration = number | { readonly nanoseconds: bigint | number | string };

/** A duration that `Policy.params` gives back: milliseconds where a number says it exactly. */
export type ExactDuration = number | { readonly nanoseconds: bigint };

/** A ratio: a number, by its shortest decimal text (1.6 is 8/5), or its two terms. */
export type Ratio = number | readonly [numerator: number | bigint, denominator: number | bigint];

export type Growth = "constant" | "linear" | "exponential" | "polynomial" | "fibonacci";
export type Jitter = "none" | "full" | "equal" | "proportional" | "additive" | "decorrelated" | "slotted";
export type CapOn = "window" | "result";

/**
 * What a policy is made of. An option that is `undefined` is not given. Durations are rounded
 * to the nearest nanosecond and reach from 0 to 2^63 - 1 ns, about 292 years (SPEC 5.1).
 */
export interface PolicyOptions {
	/** How the window grows. */
	readonly growth: Growth;
	/** The window of index 0 for most growths. */
	readonly base: Duration;
	/** Linear growth: what each retry adds. The base unless given. */
	readonly increment?: Duration | undefined;
	/** Exponential growth: 1, or 1.01 to 1,000,000. 2 unless given; with jitter `decorrelated` 3. */
	readonly multiplier?: Ratio | undefined;
	/** Polynomial growth: the exponent, 1 to 16. 2 unless given. */
	readonly power?: number | bigint | undefined;
	/** Polynomial growth: what index 0 counts as, 0 to 2^32 - 1. 1 unless given. */
	readonly origin?: number | bigint | undefined;
	/** Added to every window before the cap. 0 unless given; not with jitter `decorrelated`. */
	readonly offset?: Duration | undefined;
	/** The cap, at least the base. 2^63 - 1 ns unless given. */
	readonly cap?: Duration | undefined;
	/** On the window, before jitter, or on the result, after it. `window` unless given. */
	readonly capOn?: CapOn | undefined;
	/** The shortest delay, at most the cap. 0 unless given. */
	readonly floor?: Duration | undefined;
	/** How a delay is spread around its window. `none` unless given. */
	readonly jitter?: Jitter | undefined;
	/** Proportional jitter: the part that a delay may fall short of its window, 0 to 1. */
	readonly jitterBelow?: Ratio | undefined;
	/** Proportional jitter: the part that a delay may exceed its window, 0 to 1. */
	readonly jitterAbove?: Ratio | undefined;
	/** Additive jitter: the width of the range at index 0. Needed by it. */
	readonly jitterMax?: Duration | undefined;
	/** Additive jitter: what each retry adds to the width. 0 unless given. */
	readonly jitterIncrement?: Duration | undefined;
	/** Slotted jitter: the length of a slot, at least 1 ns. Needed by it. */
	readonly jitterSlot?: Duration | undefined;
}

/** The fields of a policy with the defaults filled in; those that it does not use are left out. */
export interface PolicyParams {
	readonly growth: Growth;
	readonly base: ExactDuration;
	readonly increment?: ExactDuration;
	readonly multiplier?: readonly [numerator: number, denominator: number];
	readonly power?: number;
	readonly origin?: number;
	readonly offset?: ExactDuration;
	readonly cap: ExactDuration;
	readonly capOn: CapOn;
	readonly floor: ExactDuration;
	readonly jitter: Jitter;
	readonly jitterBelow?: readonly [numerator: number, denominator: number];
	readonly jitterAbove?: readonly [numerator: number, denominator: number];
	readonly jitterMax?: ExactDuration;
	readonly jitterIncrement?: ExactDuration;
	readonly jitterSlot?: ExactDuration;
}

/**
 * How long to wait before each retry: growth, jitter, cap and floor, checked once and frozen.
 *
 * It holds no state and no randomness: with a stream and an index it gives a delay, always the
 * same one, in every language.
 *
 * Delays are numbers of milliseconds; the methods ending in `Ns` give exact nanoseconds. Above
 * 2^53 ns (104 days) a number of milliseconds is rounded, and above 2^31 - 1 ms (24.8 days)
 * `setTimeout` fires at once: set a `cap`.
 */
export class Policy {
	/**
	 * The policy of these options.
	 *
	 * @throws {PolicyError} the first rule of SPEC 8 that they break.
	 * @throws {TypeError} an unknown option, or a value of the wrong type.
	 */
	constructor(options: PolicyOptions);

	/** The fields of this policy. `new Policy(policy.params)` is the same policy. */
	readonly params: PolicyParams;

	/**
	 * The delay of an index in ms (SPEC 6, 7). Index 0 is the wait before the first retry; any
	 * index from 0 to 2^32 - 1 may be asked for at any time. Whoever shares a stream waits the
	 * same.
	 *
	 * @throws {PolicyError} an index out of range.
	 */
	delay(stream: Stream, index: number): number;

	/** The delay of an index in ns: {@link Policy.delay}, exactly. */
	delayNs(stream: Stream, index: number): bigint;

	/**
	 * The window of an index in ms: the wait before jitter, under the cap if the cap is on the
	 * window (SPEC 5.3). Jitter `decorrelated` does not use it.
	 *
	 * @throws {PolicyError} an index out of range.
	 */
	window(index: number): number;

	/** The window of an index in ns: {@link Policy.window}, exactly. */
	windowNs(index: number): bigint;

	/**
	 * The delays of the indices `first`, `first + 1`, ... in ms.
	 *
	 * @throws {PolicyError} `first + count` above 2^32.
	 * @throws {RangeError} no memory for so many.
	 */
	delays(stream: Stream, count: number, first?: number): Float64Array;

	/** The delays of the indices `first`, `first + 1`, ... in ns: {@link Policy.delays}, exactly. */
	delaysNs(stream: Stream, count: number, first?: number): BigUint64Array;

	/** {@link Policy.params} for JSON, in a form that the constructor takes. */
	toJSON(): object;
}

/**
 * The 64-bit state from which the draws of every index follow. Frozen.
 *
 * Whoever shares a stream waits the same, and so does everyone with the same seed and no key:
 * give each client or job a key of its own.
 */
export class Stream {
	/**
	 * The stream that a key picks under a seed (SPEC 3); without a key, that of the seed alone,
	 * which everyone with that seed shares.
	 *
	 * @param seed 0 to 2^64 - 1; as a number, at most 2^53 - 1.
	 * @param key text, which stands for its UTF-8, or bytes.
	 * @throws {PolicyError} a seed out of range, a key with a lone surrogate.
	 * @throws {TypeError} a key that is given and is neither, `undefined` too: only a key that is
	 * left out means none.
	 */
	constructor(seed: bigint | number);
	constructor(seed: bigint | number, key: string | Uint8Array);

	/**
	 * A stream that nobody else has, from `crypto.getRandomValues`.
	 *
	 * @throws {Error} the platform has no `crypto.getRandomValues`.
	 */
	static fromEntropy(): Stream;

	/** The state, 0 to 2^64 - 1: `new Stream(state)` is this stream again. */
	readonly state: bigint;

	/** The random word of an index, 0 to 2^64 - 1 (SPEC 2). */
	draw(index: number): bigint;
}

/**
 * The delays of a policy one after another, in ms: those of index 0, 1, 2, ..., and no more
 * after index 2^32 - 1 (SPEC 9).
 *
 * It never reads a clock and never sleeps. It fetches delays ahead; those that are not taken
 * do not count.
 */
export class Backoff implements IterableIterator<number, undefined> {
	/**
	 * The delays of a policy on a stream, from index 0; without a stream, on one that nobody
	 * else has.
	 */
	constructor(policy: Policy, stream?: Stream | undefined);

	readonly policy: Policy;
	/** The stream of these delays; {@link Backoff.reset} changes it. */
	readonly stream: Stream;
	/** The index of the next delay: how many were taken since the last reset. */
	readonly index: number;

	/** The next delay in ms, as iterators give it. */
	next(): IteratorResult<number, undefined>;
	/** The next delay in ms, or `undefined` at the end; makes no object. */
	nextDelay(): number | undefined;
	/** The next delay in ns, or `undefined` at the end. */
	nextDelayNs(): bigint | undefined;

	/**
	 * Starts again at index 0, after a success, and never repeats itself: the stream moves on by
	 * the draws taken.
	 */
	reset(): void;

	[Symbol.iterator](): this;
}

/** The rule that a value broke: those of SPEC 8.6, and those of what never reaches the core. */
export type ErrorCode =
	| "unknown_kind"
	| "missing"
	| "unused"
	| "too_large"
	| "too_small"
	| "zero_denominator"
	| "ratio_too_fine"
	| "not_exponential"
	| "cap_below_base"
	| "offset_above_cap"
	| "floor_above_cap"
	| "growth_stalls"
	| "not_finite"
	| "negative"
	| "not_whole"
	| "not_unicode";

/** A value that was refused. The message says the field, its value and the limit. */
export class PolicyError extends RangeError {
	private constructor();
	readonly code: ErrorCode;
	/** The name of the field as in the SPEC, such as `cap_on`, or of the argument. */
	readonly field: string;
	/** The value: ns, a count, or n * 2^32 + d for a ratio; 0 where it is none of these. */
	readonly value: bigint;
	/** What the value was measured against (SPEC 8). */
	readonly limit: bigint;
}
