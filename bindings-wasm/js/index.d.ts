/** A duration going in: milliseconds, or nanoseconds where every digit counts. */
export type Duration = number | { readonly nanoseconds: bigint | number | string };

/** A time: milliseconds of any clock that does not go back, such as `performance.now()`. */
export type Time = Duration;

/** A duration that `Policy.params` gives back: milliseconds where a number says it exactly. */
export type ExactDuration = number | { readonly nanoseconds: bigint };

/** A ratio: a number, by its shortest decimal text (1.6 is 8/5), or its two terms. */
export type Ratio = number | readonly [numerator: number | bigint, denominator: number | bigint];

export type Growth = "constant" | "linear" | "exponential" | "polynomial" | "fibonacci";
export type Jitter = "none" | "full" | "equal" | "proportional" | "additive" | "decorrelated" | "slotted";
export type CapOn = "window" | "result";
export type Hint = "at_least" | "exact" | "spread";

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
	/** The most retries, 0 to 2^32. 2^32 unless given. */
	readonly maxRetries?: number | bigint | undefined;
	/** The most attempts, 1 to 2^32 + 1: one more than the retries, and given instead of them. */
	readonly maxAttempts?: number | bigint | undefined;
	/** The time after the beginning after which no wait may end. 2^63 - 1 ns unless given. */
	readonly maxElapsed?: Duration | undefined;
	/** The base after a failure that was throttling, at most the cap. The base unless given. */
	readonly throttledBase?: Duration | undefined;
	/** What a hint of the server does to a delay (SPEC 13.5). `at_least` unless given. */
	readonly hint?: Hint | undefined;
	/** The longest hint that counts. 2^63 - 1 ns unless given. */
	readonly hintMax?: Duration | undefined;
	/** How much longer than the delay a hint may be. 2^63 - 1 ns unless given. */
	readonly hintMaxExtra?: Duration | undefined;
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
	readonly maxRetries: number;
	readonly maxElapsed: ExactDuration;
	readonly throttledBase: ExactDuration;
	readonly hint: Hint;
	readonly hintMax: ExactDuration;
	readonly hintMaxExtra: ExactDuration;
}

/** A retry of a policy as it can be (SPEC 16), in ms, or in ns as bigints. */
export interface PreviewRow<N = number> {
	/** The smallest delay. */
	readonly smallest: N;
	/** The mean of the delays; under jitter `decorrelated` an upper estimate. */
	readonly mean: N;
	/** The largest delay. */
	readonly largest: N;
	/** The smallest delays up to here together. */
	readonly totalSmallest: N;
	/** The means up to here together. */
	readonly totalMean: N;
	/** The largest delays up to here together. */
	readonly totalLargest: N;
}

/**
 * How long to wait before each retry, and when to stop: growth, jitter, cap, floor and limits,
 * checked once and frozen.
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

	/**
	 * The policy that a line describes (SPEC 11): `full:base=100ms,cap=20s,max_retries=5`, or a
	 * preset (SPEC 12), with changes or without: `aws-sdk-2026:max_retries=5`.
	 *
	 * @throws {PolicyError} the first rule that the line breaks, where, and what was found there.
	 */
	static parse(line: string): Policy;

	/** The fields of this policy. `new Policy(policy.params)` is the same policy. */
	get params(): PolicyParams;

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

	/**
	 * The retries as they can be, in ms, without a draw: those of index 0, 1, 2, ... up to the
	 * last that can be made, and no more than `count`.
	 *
	 * @param count 0 to 65,536; 100 unless given.
	 */
	preview(count?: number): PreviewRow[];

	/** The retries as they can be in ns: {@link Policy.preview}, exactly. */
	previewNs(count?: number): PreviewRow<bigint>[];

	/**
	 * This policy with the longest base with which so many attempts always fit into a time of
	 * waiting (SPEC 16.5). The limits of the policy are not looked at.
	 *
	 * @throws {PolicyError} `does_not_fit` if no base is short enough.
	 */
	fitBase(attempts: number | bigint, total: Duration): Policy;

	/** As {@link Policy.fitBase}, with the longest cap. */
	fitCap(attempts: number | bigint, total: Duration): Policy;

	/** Whether it is the same policy: they give the same delays and stop alike. */
	equals(other: unknown): boolean;

	/** The line that describes this policy, without presets; equal policies have equal lines. */
	toString(): string;

	/** The line, so that {@link Policy.parse} revives what `JSON.stringify` wrote. */
	toJSON(): string;
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

/**
 * Bounds the retries of many operations together, so that retries do not make an overload
 * worse (SPEC 15): one budget for each server, shared by all operations that call it.
 */
export class Budget {
	private constructor();

	/**
	 * The budget that a line describes, full: `quota:max_tokens=100`, `concurrent`, or a preset
	 * such as `aws-sdk-2026`.
	 *
	 * @throws {PolicyError} the first rule that the line breaks, where, and what was found there.
	 */
	static parse(line: string): Budget;

	/** The line that describes this budget when it is full. */
	toString(): string;

	/** The line: {@link Budget.parse} makes a full budget of it. */
	toJSON(): string;
}

/** How an attempt ended: the last is a failure that another attempt would not mend. */
export type Outcome = "success" | "transient" | "throttled" | "timeout" | "permanent";

/** Why an operation stopped. */
export type StopReason = "success" | "permanent" | "max_retries" | "max_elapsed" | "deadline" | "budget" | "cancelled";

export interface OperationOptions {
	/** The time at which the operation begins. */
	readonly now: Time;
	/** The time after which no wait may end, on the same clock; 2^64 - 1 ns is none. */
	readonly deadline?: Time | undefined;
	/** The budget that its retries are to spend from. */
	readonly budget?: Budget | undefined;
}

export interface DecisionOptions {
	/** The time at which the attempt ended, on the clock of the operation. */
	readonly now: Time;
	/** How long the server asked to wait, such as {@link retryAfter} says it; null is none, too. */
	readonly hint?: Duration | null | undefined;
}

/** To wait and then to attempt again, or to stop. */
export interface Decision {
	/** The wait in ms; the one that was not begun, if a limit of time or the budget stopped it. */
	readonly delay: number;
	/** The same in ns, exactly. */
	readonly delayNs: bigint;
	/** Why to stop; `undefined` means to wait. */
	readonly reason: StopReason | undefined;
}

/**
 * What is attempted until it succeeds or is given up: told how each attempt ended, it answers
 * whether to wait and how long, or why to stop (SPEC 13). It never sleeps and reads no clock.
 */
export class Operation {
	/**
	 * An operation that begins now; without a stream (`undefined`), on one that nobody else has.
	 *
	 * @throws {PolicyError} a time that is negative or 2^64 ns or more.
	 */
	constructor(policy: Policy, stream: Stream | undefined, options: OperationOptions);

	/**
	 * What to do after an attempt. An operation that has stopped gives its reason again.
	 *
	 * @throws {PolicyError} a time or hint that is negative or 2^64 ns or more; nothing changes.
	 */
	decide(outcome: Outcome, options: DecisionOptions): Decision;

	/** Gives up, at any time. Why the operation stopped: now, or before. */
	cancel(): StopReason;

	/** The waits answered so far. */
	get retries(): number;
	/** The attempts, with the one that goes on or for which a wait goes on. */
	get attempts(): number;
	/** Why it stopped, if it has. */
	get reason(): StopReason | undefined;
}

/** A response of `fetch` or of an HTTP client, its headers, or those as a plain object. */
export type HeaderSource =
	| { readonly get: (name: string) => unknown }
	| { readonly headers: object }
	| { readonly [name: string]: unknown };

/**
 * How long a server asked to wait, in ms, by its `Retry-After` header: seconds, or a date
 * (SPEC 14); `undefined` if it is neither, or not there.
 *
 * @param from the header's value, or where it is: a response, or its headers.
 * @param now ms since 1970; `Date.now()` unless given.
 * @throws {TypeError} a header that is no text.
 */
export function retryAfter(from: string | HeaderSource | null | undefined, now?: Time): number | undefined;

/** {@link retryAfter} in ns, exactly. */
export function retryAfterNs(from: string | HeaderSource | null | undefined, now?: Time): bigint | undefined;

/**
 * The outcome that the status of an HTTP response is (SPEC 14.4): `throttled` for 429 and 503,
 * `timeout` for 408 and 504, `transient` for 425, 500 and 502, `success` from 100 to 399, and
 * `permanent` for any other. Whether the request may be repeated at all is the caller's to say.
 *
 * @throws {PolicyError} no whole number from 0 to 65,535.
 */
export function httpOutcome(status: number): Outcome;

/**
 * The outcome that a rejection of `fetch` is: `timeout` for that of `AbortSignal.timeout` and for
 * Node's own timeouts, `transient` where the network failed, and `permanent` for anything else, as
 * for a programming error. Engines tell the network's failures by their messages alone: those of
 * Chrome, Firefox, Safari, Node.js, Deno and workerd are known.
 */
export function fetchOutcome(error: unknown): "transient" | "timeout" | "permanent";

/** What a function that is retried is told of its call. */
export interface RetryContext {
	/** Which call it is: 1, 2, ... */
	readonly attempt: number;
	/** Aborted when the caller gives up; of the options, or one that never is, made when it is read. */
	readonly signal: AbortSignal;
}

/** How a call ended, and how long the server asked to wait, such as {@link retryAfter} says it. */
export interface Verdict {
	readonly outcome: Outcome;
	readonly hint?: Duration | null | undefined;
}

/** A verdict, or in short: `true` is `transient`, `false` what ends the loop. */
export type Answer = boolean | Outcome | Verdict;

interface EventBase {
	/** The calls so far. */
	readonly attempts: number;
	/** The wait that follows in ms, or the one that was not begun (SPEC 13.4). */
	readonly delay: number;
	/** The same in ns, exactly. */
	readonly delayNs: bigint;
	/** The time since the loop began, in ms. */
	readonly elapsed: number;
}

interface Failed {
	/** What the call threw. */
	readonly error: unknown;
	readonly value?: never;
}

interface Returned<T> {
	/** What the call gave. */
	readonly value: T;
	readonly error?: never;
}

interface NotEnded {
	readonly value?: never;
	readonly error?: never;
}

/** Told before each wait. */
export type RetryEvent<T = unknown> = EventBase & {
	readonly reason: undefined;
	readonly outcome: "transient" | "throttled" | "timeout";
} & (Failed | Returned<T>);

/** Told once, at the end, whatever the reason. */
export type StopEvent<T = unknown> =
	| (EventBase & Returned<T> & { readonly reason: "success"; readonly outcome: "success" })
	| (EventBase &
			(Failed | Returned<T>) & {
				readonly reason: Exclude<StopReason, "success" | "cancelled">;
				readonly outcome: Exclude<Outcome, "success">;
			})
	| (EventBase & (Failed | Returned<T> | NotEnded) & { readonly reason: "cancelled"; readonly outcome: undefined });

/** The time of a loop, and its waiting: for tests that do not sleep. */
export interface Clock {
	/** The time in ms, which never goes back. */
	now(): number;
	/**
	 * Ends when so many ms are over. The loop does not wait for it any longer when the signal
	 * aborts, which should end it too.
	 */
	sleep(delay: number, signal: AbortSignal): PromiseLike<void> | void;
}

interface LoopOptions<T> {
	/** When to wait how long, and the limits: a policy or its line. `default` unless given. */
	readonly policy?: Policy | string | undefined;
	/** The budget that the retries spend from, shared by all that call one server. */
	readonly budget?: Budget | undefined;
	/** Counts how the loop ended. */
	readonly history?: History | undefined;
	/** Ends the loop at any moment; the promise is then rejected with the signal's reason. */
	readonly signal?: AbortSignal | undefined;
	/** Called before each wait, and waited for. */
	readonly onRetry?: ((event: RetryEvent<T>) => PromiseLike<void> | void) | undefined;
	/** Called once, at the end, and waited for. */
	readonly onStop?: ((event: StopEvent<T>) => PromiseLike<void> | void) | undefined;
	/** Whether a wait does not keep Node.js alive. `false` unless given. */
	readonly unref?: boolean | undefined;
	/** The clock: `performance.now()` and `setTimeout` unless given. */
	readonly clock?: Clock | undefined;
}

/**
 * The stream: one that nobody else has for each loop, unless given. A `key` that is there and `undefined`
 * is refused, because it would make a crowd: `exactOptionalPropertyTypes` lets the compiler say so, too.
 */
type StreamOptions<Key> =
	| { readonly stream?: Stream | undefined; readonly seed?: undefined; readonly key?: never }
	| { readonly stream?: undefined; readonly seed: bigint | number; readonly key?: Key };

/** The time after which no wait may end, on the clock of `performance.now()`. */
interface DeadlineOption<Deadline> {
	readonly deadline?: Deadline | undefined;
}

type ShouldRetry = (error: unknown, context: RetryContext) => Answer | PromiseLike<Answer>;
type ShouldRetryResult<T> = (value: T, context: RetryContext) => Answer | PromiseLike<Answer>;

/** What may be repeated: at least one of the two has to say it. */
type Predicates<T> =
	| { readonly shouldRetry: ShouldRetry; readonly shouldRetryResult?: ShouldRetryResult<T> | undefined }
	| { readonly shouldRetry?: ShouldRetry | undefined; readonly shouldRetryResult: ShouldRetryResult<T> };

/**
 * The options of {@link retry}. `shouldRetry` says of a failure, and `shouldRetryResult` of what the
 * function gave, whether and how it is to be repeated; without them no failure is, and every result
 * is what was wanted.
 */
export type RetryOptions<T = unknown> = LoopOptions<T> &
	Predicates<T> &
	StreamOptions<string | Uint8Array> &
	DeadlineOption<Time>;

/**
 * The options of {@link makeRetriable}: those of {@link retry}, where `key` and `deadline` may be functions
 * of the arguments of the call, because what is given is the same for all calls.
 */
export type RetriableOptions<
	T = unknown,
	Arguments extends readonly unknown[] = never,
	This = unknown,
> = LoopOptions<T> &
	Predicates<T> &
	StreamOptions<string | Uint8Array | ((this: This, ...args: Arguments) => string | Uint8Array)> &
	DeadlineOption<Time | ((this: This, ...args: Arguments) => Time | undefined)>;

/**
 * What a function gives, which is called again after failures that may be repeated (SPEC 18).
 *
 * Whether the policy has any retries left, in which time, and how long to wait is for an
 * {@link Operation} to say. Once it gives up the promise is rejected with the last error as it was
 * thrown.
 *
 * @throws {RetryError} given up on a result.
 * @throws {PolicyError} a policy's line, a deadline, an outcome or a hint that is refused.
 * @throws {TypeError} an option of the wrong type, or neither `shouldRetry` nor `shouldRetryResult`.
 */
export function retry<T>(fn: (context: RetryContext) => T | PromiseLike<T>, options: RetryOptions<T>): Promise<T>;

/**
 * A function that calls another with its `this` and its arguments, and again after failures that may
 * be repeated: {@link retry}. With a stream, or with a seed and no function for a key, all of its calls wait
 * the same, and a deadline that is no function passes for all of them.
 *
 * @throws {PolicyError} as {@link retry}, at once.
 * @throws {TypeError} as {@link retry}, at once.
 */
export function makeRetriable<This, Arguments extends readonly unknown[], T>(
	fn: (this: This, ...args: Arguments) => T | PromiseLike<T>,
	options: RetriableOptions<T, Arguments, This>,
): (this: This, ...args: Arguments) => Promise<T>;

/**
 * Thrown by a function that is retried, it ends the loop, `permanent`, without asking `shouldRetry`:
 * the promise is rejected with the original error, which from then on is `permanent` in every loop.
 */
export class AbortError extends Error {
	/** Of an error, or of the message of one. */
	constructor(failure: string | Error);
	/** What the caller gets. */
	readonly originalError: Error;
}

/** Given up on a result, which was never what was wanted. */
export class RetryError extends Error {
	private constructor();
	/** Why the loop stopped. */
	readonly reason: Exclude<StopReason, "success" | "cancelled">;
	readonly attempts: number;
	/** The last result. */
	readonly result: unknown;
}

/** What a {@link History} counts; above 2^53 rounded. */
export interface HistoryCounts {
	readonly operations: number;
	readonly attempts: number;
	readonly retries: number;
	/** The operations that stopped for each reason. */
	readonly stopped: { readonly [Reason in StopReason]: number };
	/** The operations of each bucket by itself. */
	readonly buckets: readonly number[];
	/** The most attempts of each bucket but the last, which has no bound. */
	readonly bounds: readonly number[];
}

/** How many operations made how many attempts, and why they stopped (SPEC 17). */
export class History {
	/** Nothing counted yet. */
	constructor();

	/** Counts an operation that has ended after so many attempts. */
	record(attempts: number | bigint, reason: StopReason): void;

	/** Adds the counts of another history. */
	merge(other: History): void;

	/** The counts as they are now. */
	counts(): HistoryCounts;

	/** The text format of Prometheus. */
	prometheus(): string;

	/** The same text. */
	toString(): string;
}

/** The rule that was broken: those of SPEC 8.6, and those of what never reaches the core. */
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
	| "given_twice"
	| "unknown_head"
	| "unknown_key"
	| "repeated_key"
	| "missing_value"
	| "not_a_duration"
	| "missing_unit"
	| "unknown_unit"
	| "duration_too_fine"
	| "not_a_ratio"
	| "not_a_count"
	| "text_too_long"
	| "does_not_fit"
	| "not_finite"
	| "negative"
	| "not_whole"
	| "not_unicode";

/** A value or a line that was refused. The message says all of it. */
export class PolicyError extends RangeError {
	private constructor();
	readonly code: ErrorCode;
	/** The name of the field as in the SPEC, such as `cap_on`, or of the argument, if there is one. */
	readonly field: string | undefined;
	/** The value: ns, a count, or n * 2^32 + d for a ratio; 0 where it is none of these. */
	readonly value: bigint;
	/** What the value was measured against (SPEC 8). */
	readonly limit: bigint;
	/** Of a line: where, in bytes from 0; what is before it is ASCII. */
	readonly at: number | undefined;
	/** Of a line: what was found there. */
	readonly found: string | undefined;
}
