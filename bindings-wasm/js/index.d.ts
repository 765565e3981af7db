// The types need TypeScript 5.0 or later, and `AbortSignal`: from the library `DOM`, which is a default,
// or from `@types/node`.

/** A duration: milliseconds, or nanoseconds where every digit counts. */
export type Duration = number | { readonly nanoseconds: bigint | number | string };

/** A time: milliseconds of any monotonic clock, such as `performance.now()`. */
export type Time = Duration;

/** A duration that `Policy.params` returns: milliseconds if a number is exact; `Infinity` is no limit. */
export type ExactDuration = number | { readonly nanoseconds: bigint };

/** A ratio: a number, taken by its shortest decimal text (1.6 is 8/5), else by one of at most six decimals, or its two terms. */
export type Ratio = number | readonly [numerator: number | bigint, denominator: number | bigint];

export type Growth = "constant" | "linear" | "exponential" | "polynomial" | "fibonacci" | "steps";
export type Jitter = "none" | "full" | "equal" | "proportional" | "additive" | "decorrelated" | "slotted";
export type CapOn = "window" | "delay";
export type RetryAfterMode = "at_least" | "exact" | "spread";
export type ElapsedFrom = "begin" | "failure";
export type BudgetKind = "quota" | "throttle" | "ratio" | "rate" | "ttl" | "concurrent";

/**
 * The options of a policy. An option that is `undefined` is not set. Durations are rounded to the
 * nearest nanosecond and range from 0 to 2^63 - 1 ns, about 292 years (SPEC 5.1). For a limit,
 * `Infinity` means no limit.
 */
export interface PolicyOptions {
	// options of policies, from core/src/field/table.rs
	/** How the window grows from one retry to the next. Required. */
	readonly growth: Growth;
	/** The window of index 0 for most growths. Required. */
	readonly base: Duration;
	/** Linear growth: the amount that each retry adds. Default: the base. */
	readonly increment?: Duration | undefined;
	/**
	 * Exponential growth: the factor of each retry, 1 or from 1.01 to 1,000,000. Default: 2, or 3 with decorrelated
	 * jitter.
	 */
	readonly multiplier?: Ratio | undefined;
	/** Polynomial growth: the exponent, 1 to 16. Default: 2. */
	readonly power?: number | bigint | undefined;
	/**
	 * Polynomial growth: the number that stands for index 0, 0 to 2^32 - 1. Default: 1. With 0 the first window is the
	 * offset alone.
	 */
	readonly origin?: number | bigint | undefined;
	/**
	 * A duration that is added to every window before the cap. Default: 0. It cannot be combined with decorrelated
	 * jitter.
	 */
	readonly offset?: Duration | undefined;
	/** The cap, at least the base. Default: no limit, so that only 2^63 - 1 ns bounds a delay. */
	readonly cap?: Duration | undefined;
	/** What the cap limits: the window, which is the default, or the delay. */
	readonly capOn?: CapOn | undefined;
	/**
	 * The shortest computed delay, at most the cap: the range that is sampled starts there. Default: 0. A Retry-After
	 * that replaces the delay may be shorter.
	 */
	readonly floor?: Duration | undefined;
	/** How a delay is drawn from its window. Default: none, which makes the window the delay. */
	readonly jitter?: Jitter | undefined;
	/**
	 * Proportional jitter: the fraction of the window by which a delay may fall short of it, 0 to 1. Required unless
	 * `jitterAbove` is set; then the default is 0.
	 */
	readonly jitterBelow?: Ratio | undefined;
	/** Proportional jitter: the fraction of the window by which a delay may exceed it, 0 to 1. Default: 0. */
	readonly jitterAbove?: Ratio | undefined;
	/** Additive jitter: the width of the range at index 0. Required with this jitter. */
	readonly jitterMax?: Duration | undefined;
	/** Additive jitter: the amount that each retry adds to the width. Default: 0. */
	readonly jitterIncrement?: Duration | undefined;
	/** Slotted jitter: the length of a slot, at least 1 ns. Required with this jitter. */
	readonly jitterSlot?: Duration | undefined;
	/** The maximum number of retries, 0 to 2^32, which is the default and means no limit. */
	readonly maxRetries?: number | bigint | undefined;
	/** The maximum number of attempts, 1 to 2^32 + 1: one more than `maxRetries`, which must not be set as well. */
	readonly maxAttempts?: number | bigint | undefined;
	/** The time since the start of an operation after which no wait may end. Default: no limit. */
	readonly maxElapsed?: Duration | undefined;
	/** The base after a throttled failure, at most the cap. Default: the base. */
	readonly throttledBase?: Duration | undefined;
	/** The effect of a server's Retry-After on the delay. Default: the longer of the two counts. */
	readonly retryAfter?: RetryAfterMode | undefined;
	/**
	 * The longest Retry-After that is honoured; a longer one counts as this. Default: 1 hour. The cap does not limit
	 * it, and the mode `spread` may exceed it by half.
	 */
	readonly retryAfterMax?: Duration | undefined;
	/** How much longer than the delay a Retry-After may make the wait. Default: no limit. */
	readonly retryAfterMaxExtra?: Duration | undefined;
	/** Growth in steps: the windows one after another, 1 to 16. The last one stays. Required with this growth. */
	readonly waits?: readonly Duration[] | undefined;
	/** The longest that one attempt may take, at least 1 ns. Default: no limit. */
	readonly attemptTimeout?: Duration | undefined;
	/**
	 * How long an attempt must have run before it failed to begin the count of retries anew, at least 1 ns. Default:
	 * never.
	 */
	readonly resetAfter?: Duration | undefined;
	/** When `maxElapsed` begins: with the operation, which is the default, or with its first failure. */
	readonly elapsedFrom?: ElapsedFrom | undefined;
	// end
}

/** The options of a policy with the growth `steps`, which has waits in place of a base. */
export interface StepsPolicyOptions extends Omit<PolicyOptions, "growth" | "base" | "throttledBase" | "waits"> {
	readonly growth: "steps";
	readonly waits: readonly Duration[];
}

/**
 * The fields of a policy with the defaults filled in, omitting unused fields. `Infinity` is no limit. Their
 * JSON, which has no Infinity, has the largest number in its place: `new Policy` accepts it.
 */
export interface PolicyParams {
	// params of policies, from core/src/field/table.rs
	readonly growth: Growth;
	readonly base?: ExactDuration;
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
	readonly throttledBase?: ExactDuration;
	readonly retryAfter: RetryAfterMode;
	readonly retryAfterMax: ExactDuration;
	readonly retryAfterMaxExtra: ExactDuration;
	readonly waits?: readonly ExactDuration[];
	readonly attemptTimeout: ExactDuration;
	readonly resetAfter: ExactDuration;
	readonly elapsedFrom: ElapsedFrom;
	// end
}

/** The fields of a budget that its kind uses, with the defaults filled in. */
export interface BudgetParams {
	// params of budgets, from core/src/field/table.rs
	readonly maxTokens?: number;
	readonly cost?: number;
	readonly costThrottled?: number;
	readonly costTimeout?: number;
	readonly ratio?: readonly [numerator: number, denominator: number];
	readonly per?: ExactDuration;
	readonly ttl?: ExactDuration;
	readonly minPerSecond?: number;
	readonly minConcurrent?: number;
	// end
}

/**
 * The possible delays of one retry (SPEC 16), and their sums so far, in ms, or in ns as bigints, which JSON has as
 * digits.
 */
export interface PreviewRow<N = number> {
	/** The shortest delay. */
	readonly min: N;
	/** The mean delay; under jitter `decorrelated` an upper estimate. */
	readonly mean: N;
	/** The longest delay. */
	readonly max: N;
	readonly totalMin: N;
	readonly totalMean: N;
	readonly totalMax: N;
}

/**
 * How long to wait before each retry, and when to stop: growth, jitter, cap, floor and limits, checked once and
 * immutable. A policy, a stream and an index give one delay, the same in every language. Delays are numbers of
 * milliseconds, exact to the nanosecond only below 2^53 ns (104 days); the methods ending in `Ns` return exact
 * nanoseconds. A policy without `maxRetries` or `maxElapsed` retries for ever.
 */
export class Policy {
	/**
	 * @throws {PolicyError} the first rule of SPEC 8 that the options break.
	 * @throws {TypeError} an unknown option, or a value of the wrong type.
	 */
	constructor(options: PolicyOptions | StepsPolicyOptions | PolicyParams);

	/**
	 * The policy of a policy string (SPEC 11), such as `full:base=100ms,cap=20s,max_retries=5`, or of a preset (SPEC
	 * 12).
	 * @throws {PolicyError} the first rule that the string breaks, and where.
	 */
	static parse(text: string): Policy;

	/** The policy string. It is an own property, so that a deep comparison tells policies apart. */
	readonly text: string;

	/** The fields of this policy. `new Policy(policy.params)` is an equal policy. */
	get params(): PolicyParams;

	/**
	 * The delay of an index in ms (SPEC 6, 7). Index 0 is the wait before the first retry; indices from 0 to 2^32 - 1
	 * can be evaluated in any order.
	 * @throws {PolicyError} an index out of range.
	 */
	delay(stream: RandomStream, index: number): number;

	/** The same in ns, exactly. */
	delayNs(stream: RandomStream, index: number): bigint;

	/**
	 * The window of an index in ms: the wait before jitter, capped if the cap applies to the window (SPEC 5.3). Jitter
	 * `decorrelated` does not use it.
	 * @throws {PolicyError} an index out of range.
	 */
	window(index: number): number;

	/** The same in ns, exactly. */
	windowNs(index: number): bigint;

	/**
	 * The delays of the indices `first`, `first + 1`, ... in ms, whatever `maxRetries` is; fewer than `count` if the
	 * indices end before, at 2^32 - 1.
	 * @throws {PolicyError} `first` out of range.
	 * @throws {RangeError} not enough memory.
	 */
	delays(stream: RandomStream, count: number, first?: number): Float64Array;

	/** The same in ns, exactly. */
	delaysNs(stream: RandomStream, count: number, first?: number): BigUint64Array;

	/**
	 * The possible delays of each retry in ms, without drawing them, until the last retry that the policy allows, or
	 * for `count` rows, 0 to 65,536. Default: 100.
	 */
	preview(count?: number): PreviewRow[];

	/** The same in ns, exactly. */
	previewNs(count?: number): PreviewRow<bigint>[];

	/**
	 * This policy with the longest base for which all waits between `attempts` attempts fit within `total` (SPEC 16.5),
	 * whatever its limits.
	 * @throws {PolicyError} `does_not_fit` if no base is short enough.
	 */
	fitBase(attempts: number | bigint, total: Duration): Policy;

	/** As {@link Policy.fitBase}, with the longest cap. */
	fitCap(attempts: number | bigint, total: Duration): Policy;

	/** Whether two policies are equal: they give the same delays and stop alike. */
	equals(other: unknown): boolean;

	/**
	 * The policy with these fields, as if they followed its string: `jitter` removes the fields of the former jitter,
	 * `maxAttempts` takes the place of `maxRetries`.
	 * @throws {PolicyError} the first rule of SPEC 8 that the policy then breaks.
	 */
	with(options: Partial<PolicyOptions>): Policy;

	/** The policy string, in canonical form and without presets. Equal policies have equal strings. */
	toString(): string;

	/** The policy string, so that {@link Policy.parse} reads what `JSON.stringify` wrote. */
	toJSON(): string;
}

/**
 * The 64-bit state from which the draws of every index follow. Immutable. Clients that share a stream get the same
 * delays: give each client or job a key of its own.
 */
export class RandomStream {
	/**
	 * The stream that a key, a string (encoded as UTF-8) or a Uint8Array, selects under a seed, 0 to 2^64 - 1 (SPEC 3);
	 * without a key, the stream of the seed alone.
	 * @throws {PolicyError} a seed out of range, a key with a lone surrogate.
	 * @throws {TypeError} a key of another type, also an explicit `undefined`, because all clients would then share one
	 * stream.
	 */
	constructor(seed: bigint | number);
	constructor(seed: bigint | number, key: string | Uint8Array);

	/**
	 * A unique stream.
	 * @throws {Error} the platform has no `crypto.getRandomValues`.
	 */
	static fromEntropy(): RandomStream;

	/** The state, 0 to 2^64 - 1: `new RandomStream(state)` is this stream again. */
	readonly state: bigint;

	/** The 64-bit random number of an index (SPEC 2). */
	draw(index: number): bigint;

	toJSON(): { state: string };
}

/**
 * The delays of a policy one after another, in ms: index 0, 1, 2, ... It ends after `maxRetries` delays; without
 * `maxRetries` after index 2^32 - 1 (SPEC 9). `maxElapsed` does not end it. It never sleeps and reads no clock.
 * Whatever iterates it takes its delays, also `toEqual` of Jest and Vitest: compare copies, `{ ...backoff }`.
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

	/** Starts again at index 0, also after the end. No draw is repeated: the stream advances by the draws taken. */
	reset(): void;

	[Symbol.iterator](): this;
}

/**
 * A limit on retries that many operations share (SPEC 15). Use one budget for each server, for all operations that call
 * it.
 */
export class Budget {
	constructor(text: string);

	/**
	 * A full budget from a budget string, such as `quota:max_tokens=100`, or from a preset.
	 * @throws {PolicyError} the first rule that the string breaks, and where.
	 */
	static parse(text: string): Budget;

	/** The budget string. It is an own property: a deep comparison compares the strings, not the states. */
	readonly text: string;

	get kind(): BudgetKind;

	/** The fields that the kind uses, with their defaults filled in (SPEC 15.1). Retries do not change them. */
	get params(): BudgetParams;

	/**
	 * What is left at a time of the clock of its operations, by default `performance.now()`, for a gauge (SPEC 15.9).
	 * @throws {PolicyError} a time out of range.
	 */
	level(now?: ExactDuration | number): BudgetLevel;

	/** The budget string, without the state of the budget. */
	toString(): string;

	/** The budget string; parsing that gives a full budget, not the current state. */
	toJSON(): string;
}

/** What a budget has, in tokens or, for the kinds `ttl` and `concurrent`, in retries. */
export interface BudgetLevel {
	/** What is left. */
	readonly left: number;
	/**
	 * What a full budget has: for `ttl` its reserve, which what operations earn exceeds, and for `concurrent` the retries
	 * that may be active at the same time now.
	 */
	readonly most: number;
}

/** What happens to the account of a budget (SPEC 15.6), in the order of SPEC 13.4. */
export type BudgetEvent =
	| "operation_began"
	| "attempt_over"
	| "attempt_failed"
	| "retry_requested"
	| "operation_succeeded"
	| "operation_ended";

export interface StepOptions {
	/** Of `retry_requested`: the outcome of the attempt that would be retried. */
	readonly outcome?: Outcome | undefined;
	/** Of `attempt_over` and `operation_succeeded`: what the last granted retry of the operation gave. Default: 0. */
	readonly held?: bigint | number | undefined;
}

/**
 * The state after an event, which is the same object if nothing changed, whether a retry was requested and granted, and
 * what the operation then holds, otherwise 0.
 */
export interface BudgetTransition {
	readonly state: BudgetState;
	readonly granted: boolean;
	readonly held: bigint;
}

/**
 * The state of a budget as a value, which another program can store as text (SPEC 15.5). It has the limits of a budget,
 * not its state. Each step is a pure function of the state, an event and the time.
 */
export class BudgetState {
	constructor(budget: Budget, text?: string);

	static full(budget: Budget): BudgetState;

	/** @throws {PolicyError} `not_a_state`: a text that no such state has. */
	static parse(budget: Budget, text: string): BudgetState;

	/**
	 * The state after an event at a time in ns of any clock. A time before an earlier one counts as that.
	 * @throws {PolicyError} an unknown event or outcome, or a number that is negative or 2^64 or more.
	 */
	step(event: BudgetEvent, nowNs: bigint, options?: StepOptions): BudgetTransition;

	/** The version and the numbers of the state in decimal digits, separated by spaces. */
	readonly text: string;
	/** How often the state changed since it was full, modulo 2^64. */
	readonly version: bigint;
	/** The text. */
	toString(): string;
	/** The text. */
	toJSON(): string;
}

/**
 * Where the state of a {@link SharedBudget} is. `backoff-wasm/redis` and `backoff-wasm/postgres` have one each. Both
 * methods may reject, or never end: a local budget then decides.
 */
export interface BudgetStore {
	/** The text under a key, or null, and the time of the clock of the store in ns since 1970. */
	load(key: string): Promise<{ readonly text: string | null; readonly now: bigint }>;
	/** Puts a text under a key, if that has the expected text, or nothing if that is null. Resolves to whether it did. */
	compareAndSwap(key: string, expected: string | null, next: string): Promise<boolean>;
}

/** A step of an exchange, which happened `count` times in a row. */
export interface ExchangeStep {
	readonly event: BudgetEvent;
	readonly outcome: Outcome | null;
	/** What the operations of successes hold. */
	readonly held: bigint;
	readonly count: number;
	/** How many of the requested retries were granted: the first. */
	readonly granted: number | null;
}

/** A load, the steps of one process, and a swap. Its JSON has `now` and `held` as decimal digits. */
export interface BudgetExchange {
	/** The text that was loaded; null if there was none, or if the load failed. */
	readonly before: string | null;
	/** The time of the store in ns since 1970; 0 if the load failed. */
	readonly now: bigint;
	readonly steps: readonly ExchangeStep[];
	/** The text after the steps; empty if there were none, because the exchange failed before. */
	readonly after: string;
	/**
	 * Whether that was stored: `unchanged` if the steps changed nothing, `lost` if other processes were faster until the
	 * timeout, `unknown` if the store did not say, and `no` if the load failed or the text is no account of the budget.
	 */
	readonly stored: "yes" | "unchanged" | "lost" | "unknown" | "no";
	/** Why the exchange failed; undefined if it did not. */
	readonly error: unknown;
}

export interface SteppedExchange {
	/** The text after the steps. */
	readonly after: string;
	/** Whether the text differs from what was loaded. */
	readonly isChanged: boolean;
	readonly steps: readonly ExchangeStep[];
}

/** The answer to the requests after an outcome: the oldest are granted, and those after them refused. */
export interface ExchangeAnswer {
	readonly outcome: Outcome;
	readonly granted: number;
	readonly refused: number;
	/** What the operation of a granted request holds. */
	readonly held: bigint;
}

/**
 * What one process knows of a shared budget: the state machine of SPEC 15.7, without I/O and without a clock. A
 * {@link SharedBudget} has one; it is for loops and stores of your own, and for checks. All times are in ns of one clock.
 */
export class BudgetMember {
	/**
	 * @param fallback what is granted while the store is away: 0 for this process' share of the processes that the account
	 * counts, a number of processes for its share of those (1 for all), 2^64 - 1 for nothing.
	 * @param seed spreads the waits after lost swaps; each process needs its own.
	 */
	constructor(budget: Budget, local: Budget, lease: number, fallback: bigint, timeout: bigint, seed: bigint);
	/** Notes what an operation reports. */
	note(event: BudgetEvent, held: bigint, isLocal: boolean, now: bigint): void;
	/** The answer; undefined if the request waits for the next exchange. */
	request(outcome: Outcome, now: bigint): SharedAnswer | undefined;
	/** A request that waits is not wanted any more. */
	cancel(outcome: Outcome): void;
	/** Whether the store is away, so that the local budget decides. */
	isAway(now: bigint): boolean;
	/** In how many ns an exchange is to begin; undefined if there is nothing to exchange. A flush begins at once. */
	dueIn(now: bigint): bigint | undefined;
	/** Whether there is something that the store does not know. */
	hasUnsent(): boolean;
	/** How many ns a request may wait now: the timeout, but at least a second until the first exchange has ended. */
	timeout(): bigint;
	stats(): SharedBudgetStats;
	begin(now: bigint): void;
	/** Steps the text of the store, null for none; undefined if it is no state: the exchange has then failed. */
	step(text: string | null, now: bigint): SteppedExchange | undefined;
	/** Ends an exchange that the store has, or that changed nothing. */
	stored(now: bigint): ExchangeAnswer[];
	/** The store held another text: how long to wait, in ns; undefined if the exchange has failed. */
	lost(now: bigint): bigint | undefined;
	/** Ends an exchange that failed. */
	failed(mayBeStored: boolean, now: bigint): void;
	/** A request has waited for the timeout. */
	late(now: bigint): void;
}

/** What a process has exchanged with the store of a {@link SharedBudget}. */
export interface SharedBudgetStats {
	readonly exchanges: number;
	/** Those that failed. */
	readonly failedExchanges: number;
	/** The swaps that another process made first. */
	readonly lostSwaps: number;
	/** The requests that the local budget answered, because the store was away. */
	readonly localDecisions: number;
	/** How many processes the account has told of, with this one. */
	readonly processes: number;
}

export interface SharedAnswer {
	readonly granted: boolean;
	/** What the operation holds after a granted retry, otherwise 0. */
	readonly held: bigint;
	/** Whether the local budget decided. */
	readonly isLocal: boolean;
}

/** The options of {@link SharedBudget}. */
export interface SharedBudgetOptions {
	/**
	 * What this process grants while the store is away: its share of the local budget, as if each process did what this
	 * one does; the whole; or nothing. Default: `"share"`.
	 */
	readonly fallback?: "share" | "whole" | "refuse" | undefined;
	/** How many processes share, from 1 to 1,000,000. Default: as many as the account has counted lately. */
	readonly processes?: number | undefined;
	/** The budget of this process alone, which decides while the store is away. Default: the same as the shared one. */
	readonly localBudget?: Budget | string | undefined;
	/**
	 * How many retries a request asks for, from 1 to 1000. Later requests use them without the store. Up to `lease - 1`
	 * may lie unused while other processes are refused, and are lost with the process. Default: 1.
	 */
	readonly lease?: number | undefined;
	/**
	 * The longest time in ms that a retry waits for the store, in addition to its delay; at least 1000 until the first
	 * exchange has ended. Default: 100.
	 */
	readonly timeout?: number | undefined;
	/**
	 * Called after each exchange, also after one that failed. It is not awaited. What it throws is `lastError`. A
	 * `flush` in it resolves to false at once.
	 */
	readonly onExchange?: ((exchange: BudgetExchange) => unknown) | undefined;
}

/**
 * One budget of many processes, whose state is in a store (SPEC 15.7). It throws nothing while it is used: if the store
 * fails or does not answer in time, a local budget decides for a second (`budgetIsLocal` of events).
 */
export class SharedBudget {
	/**
	 * The processes that share an account use the same name, 1 to 255 bytes of UTF-8 without control characters, and
	 * the same budget, which must not be `concurrent`.
	 * @throws {PolicyError} an invalid budget string, or a lease, processes or a timeout beyond the limits.
	 */
	constructor(store: BudgetStore, name: string, budget: Budget | string, options?: SharedBudgetOptions);

	/**
	 * Sends what the store does not know, and says whether nothing is left to send. Call it before the process ends. It
	 * never rejects, and waits at most 2 s, or twice a longer timeout.
	 */
	flush(): Promise<boolean>;

	/**
	 * What the account in the store has left, for a gauge (SPEC 15.9): without what this process has not sent yet. It asks
	 * the store, and rejects as that does.
	 */
	level(): Promise<BudgetLevel>;

	/** The key in the store: `backoff:NAME:BUDGET`. */
	readonly key: string;
	/** The last error of the store or of `onExchange`, undefined if there was none. It stays when the store is back. */
	readonly lastError: unknown;
	/** What this process has exchanged with the store so far, for metrics. */
	get stats(): SharedBudgetStats;
}

/** How an attempt ended. `permanent` is a failure that another attempt would not change. */
export type Outcome = "success" | "transient" | "throttled" | "timeout" | "permanent";

/** Why an operation stopped. */
export type StopReason = "success" | "permanent" | "max_retries" | "max_elapsed" | "deadline" | "budget" | "cancelled";

export interface OperationOptions {
	/** The time at which the operation begins. */
	readonly now: Time;
	/**
	 * The time after which no wait may end, on the same clock. `Infinity` and 2^64 - 1 ns mean none. A number more than
	 * 10 years after `now` is an error.
	 */
	readonly deadline?: Time | undefined;
	/** The budget for its retries. */
	readonly budget?: Budget | undefined;
}

export interface DecisionOptions {
	/** The time at which the attempt ended, on the clock of the operation. */
	readonly now: Time;
	/** How long the server asked to wait, as {@link parseRetryAfter} returns it. `null` means none. */
	readonly retryAfter?: Duration | null | undefined;
	/**
	 * A delay in place of the one that the policy computes (SPEC 13.9). Jitter, cap and floor do not change it; limits,
	 * `retryAfter` and the budget count as always. `null` means none.
	 */
	readonly delay?: Duration | null | undefined;
}

/** Wait and then retry, or stop. Its JSON has `delayNs` as decimal digits. */
export interface Decision {
	/** The wait in ms. If a time limit, the deadline or the budget stopped the operation: the wait that was not started. */
	readonly delay: number;
	/** The same in ns, exactly. */
	readonly delayNs: bigint;
	/** Why to stop; `undefined` means wait. */
	readonly reason: StopReason | undefined;
}

/**
 * One unit of work that is attempted until it succeeds or stops. After each attempt it decides how long to wait, or why
 * to stop (SPEC 13). It never sleeps and reads no clock.
 */
export class Operation {
	/**
	 * Without a stream it uses a unique one.
	 * @throws {PolicyError} a time that is negative or 2^64 ns or more.
	 */
	constructor(policy: Policy, stream: RandomStream | undefined, options: OperationOptions);

	/**
	 * Continues an operation that began at `now` after `retries` decided waits (SPEC 13.7), without a budget.
	 * @throws {PolicyError} a number or a time that is negative or 2^64 or more.
	 */
	static resume(
		policy: Policy,
		stream: RandomStream,
		retries: bigint | number,
		options: Omit<OperationOptions, "budget">,
	): Operation;

	/**
	 * Decides after an attempt. An operation that has stopped returns its reason again.
	 * @throws {PolicyError} an unknown outcome, or a time that is negative or 2^64 ns or more; then nothing changes.
	 */
	decide(outcome: Outcome, options: DecisionOptions): Decision;

	/**
	 * How long an attempt that begins at `now` may take, in ms (SPEC 13.10): `attemptTimeout`, or what is left until
	 * `maxElapsed` or the deadline ends, if that is less and not over. `undefined` without an `attemptTimeout`.
	 */
	attemptLimit(now: Time): number | undefined;
	/** The same in ns, exactly. */
	attemptLimitNs(now: Time): bigint | undefined;

	/** The index of the delay if the attempt failed at `now`: `retries`, or 0 if it ran for `resetAfter`. */
	retryIndex(now: Time): number;

	/**
	 * Cancels the operation. Returns the stop reason, which is the earlier one if it had already stopped. Budget tokens
	 * spent on a granted retry are not refunded.
	 */
	cancel(): StopReason;

	/**
	 * Refuses the retry of the last decision, for a budget that is kept elsewhere: the operation stops for `budget`,
	 * and the retry does not count. Returns the stop reason.
	 */
	refuseRetry(): StopReason;

	readonly policy: Policy;
	/** The number of waits decided so far, or since an attempt ran for `resetAfter`. */
	readonly retries: number;
	/**
	 * The number of attempts, including the current one or the one that the current wait precedes; since an attempt ran for
	 * `resetAfter`, as for `retries`.
	 */
	readonly attempts: number;
	/** Why it stopped; `undefined` before that. */
	readonly reason: StopReason | undefined;
}

/** A response of `fetch` or of an HTTP client, its headers, or a plain object of headers. */
export type HeaderSource = object;

/**
 * How long a server asked to wait, in ms, by its `Retry-After` header (SPEC 14); `undefined` if the header is missing,
 * invalid, or longer than 1024 bytes. `from` is a response, its headers or the value; a number is in seconds, above
 * 10^9 since 1970. `now` is in ms since 1970, by default `Date.now()`.
 * @throws {TypeError} a header of another type.
 */
export function parseRetryAfter(
	from: string | number | HeaderSource | null | undefined,
	now?: Time,
): number | undefined;

/** {@link parseRetryAfter} in ns, exactly. */
export function parseRetryAfterNs(
	from: string | number | HeaderSource | null | undefined,
	now?: Time,
): bigint | undefined;

/**
 * The outcome of an HTTP status (SPEC 14.4): `throttled` for 429 and 503, `timeout` for 408 and 504, `transient` for
 * 425, 500 and 502, `success` from 100 to 399, and `permanent` for any other.
 * @throws {PolicyError} not a whole number from 0 to 65,535.
 */
export function httpOutcome(status: number): Outcome;

/**
 * The statuses of proxies and of overloaded services, which are in no standard, with their outcomes (SPEC 14.8): 520 to
 * 524 and 529. The option `statuses` of HTTP adapters takes them: `{ ...proxyStatuses, 423: "transient" }`.
 */
export const proxyStatuses: { readonly [status: number]: Outcome };

/**
 * The verdict on a response: {@link httpOutcome} of its status, and how long its headers ask to wait, in ms (SPEC
 * 14.5). `now` is in ms since 1970, by default `Date.now()`, also for the context of a loop: it can be
 * `shouldRetryResult`.
 * @throws {PolicyError} the status is not a whole number from 0 to 65,535.
 */
export function httpVerdict(
	response: { readonly status: number; readonly headers?: HeaderSource },
	now?: Time | RetryContext,
): { outcome: Outcome; retryAfter?: number };

/**
 * Whether a request with this method may be repeated without asking anyone: `GET`, `HEAD`, `OPTIONS`, `TRACE`, `PUT`
 * or `DELETE` (SPEC 14.6). Methods are case-sensitive.
 */
export function isIdempotentMethod(method: string): boolean;

/**
 * The outcome of a rejection of `fetch`, or of an error of axios, got, ky, node-fetch, superagent or `node:http`:
 * `timeout`, `transient` for a failure of the network, and `permanent` for anything else, such as a programming error
 * or an invalid certificate. The `code` of the error or of its `cause` decides, and without one the message.
 */
export function fetchOutcome(error: unknown): "transient" | "timeout" | "permanent";

/** The argument of a function that is retried. */
export interface RetryContext {
	/** The number of this call: 1, 2, ... */
	readonly attempt: number;
	/**
	 * The signal of the options; without one, a signal that never aborts, which copies of the context lack. With an
	 * `attemptTimeout`, a signal of this call, which also aborts at the limit of the attempt, with a `TimeoutError`.
	 */
	readonly signal: AbortSignal;
	/** The error that the call before threw, if there was one and it threw. Copies of the context lack it. */
	readonly lastError: unknown;
	/**
	 * The time in ms until the attempt meets its limit, `maxElapsed` or the deadline, whichever is first: 0 once that is
	 * over, `undefined` without any. Copies of the context lack it.
	 */
	readonly timeLeft: number | undefined;
}

/** How a call ended, and how long the server asked to wait, as {@link parseRetryAfter} returns it. Below 0 is 0. */
export interface Verdict {
	readonly outcome: Outcome;
	readonly retryAfter?: Duration | null | undefined;
}

/**
 * A verdict or a short form of it: `true` is `transient`; `false`, `null` and `undefined` end the loop. A
 * `PermanentError` ends it as one that is thrown.
 */
export type VerdictLike = boolean | null | undefined | Outcome | Verdict | PermanentError;

/**
 * The JSON of an event has an error as `{ name, message }`. What JSON cannot write, such as a value with a cycle or
 * with a bigint inside, is its type: `[object Object]`.
 */
interface EventBase {
	/** The number of calls so far. */
	readonly attempts: number;
	/** The wait that follows, in ms, or the one that was not started (SPEC 13.4). */
	readonly delay: number;
	/** The same in ns, exactly, as decimal digits: `JSON.stringify({ message, ...event })` would refuse a bigint. */
	readonly delayNs: string;
	/** Whether the local budget of a {@link SharedBudget} decided this retry, because the store was away. */
	readonly budgetIsLocal: boolean;
	/** The time since the loop began, in ms. */
	readonly elapsed: number;
}

interface Failed {
	/** The error that the call threw. */
	readonly error: unknown;
	readonly value?: never;
}

interface Returned<T> {
	/** The value that the call returned. */
	readonly value: T;
	readonly error?: never;
}

interface NotEnded {
	readonly value?: never;
	readonly error?: never;
}

/** The event before each wait. */
export type RetryEvent<T = unknown> = EventBase & {
	readonly reason: undefined;
	readonly outcome: "transient" | "throttled" | "timeout";
} & (Failed | Returned<T>);

/** The one event at the end of a loop, whatever the reason. */
export type StopEvent<T = unknown> =
	| (EventBase & Returned<T> & { readonly reason: "success"; readonly outcome: "success" })
	| (EventBase &
			(Failed | Returned<T>) & {
				readonly reason: Exclude<StopReason, "success" | "cancelled">;
				readonly outcome: Exclude<Outcome, "success">;
			})
	| (EventBase & (Failed | Returned<T> | NotEnded) & { readonly reason: "cancelled"; readonly outcome: undefined });

/** A clock for a loop, so that tests need not wait. */
export interface Clock {
	/** The time in ms. It must be monotonic. */
	now(): number;
	/** Resolves after `delay` ms. The loop stops waiting when the signal aborts; the sleep should end then, too. */
	sleep(delay: number, signal: AbortSignal): unknown;
	/** Resolves when an attempt has taken `limit` ms; the signal aborts when the attempt is over. Default: real time. */
	timeout?(limit: number, signal: AbortSignal): unknown;
}

/** A method, so that a predicate may name the type of its errors: `(error: HttpError) => error.status === 503`. */
type ShouldRetry = {
	classify(error: unknown, context: RetryContext): VerdictLike | PromiseLike<VerdictLike>;
}["classify"];
type ShouldRetryResult<T> = (value: T, context: RetryContext) => VerdictLike | PromiseLike<VerdictLike>;

/** The options that {@link retry} and {@link makeRetriable} share. Fields of a policy change the policy. */
interface LoopOptions<T> extends Partial<PolicyOptions> {
	/** Classifies an error. Without it every error is permanent. It or `shouldRetryResult` is required. */
	readonly shouldRetry?: ShouldRetry | undefined;
	/** Classifies a returned value. Without it every value is a success. */
	readonly shouldRetryResult?: ShouldRetryResult<T> | undefined;
	/**
	 * The waits and the limits: a policy or a policy string. A policy without `max_retries` and `max_elapsed` retries
	 * for ever. Default: `default`, three retries.
	 */
	readonly policy?: Policy | string | undefined;
	/**
	 * The waits in place of those of the policy (SPEC 18.9): a list, or a function of the index, 0 before the first retry,
	 * and of the last error or value. `undefined` leaves the wait to the policy. A list allows as many retries as it has
	 * entries, or fewer by a `policy`, `maxRetries` or `maxAttempts` of the loop or of the program. A server's Retry-After
	 * and all other limits count as always.
	 */
	readonly delays?:
		| readonly Duration[]
		| ((index: number, failure: unknown) => Duration | null | undefined)
		| undefined;
	/**
	 * A value in place of the error, or a function of the error that returns one, if the loop gives up. The hooks and the
	 * stats see the failure. It is none for an abort, or for a hook that throws.
	 */
	readonly fallback?: unknown;
	/** The budget for the retries, shared by all callers of one server, or by many processes. `null` is none. */
	readonly budget?: Budget | SharedBudget | null | undefined;
	/** Counts the attempts and the stop reason of the loop. */
	readonly stats?: RetryStats | undefined;
	/** Cancels the loop at any moment. The promise is then rejected with the reason of the signal. */
	readonly signal?: AbortSignal | undefined;
	/** Called and awaited before each wait. */
	readonly onRetry?: ((event: RetryEvent<T>) => unknown) | undefined;
	/** Called and awaited once, at the end. If it throws, the promise is rejected with that error. */
	readonly onStop?: ((event: StopEvent<T>) => unknown) | undefined;
	/** Whether Node.js may exit during a wait, with code 13 if a top-level `await` waits. Default: `false`. */
	readonly unref?: boolean | undefined;
	/** The clock. Default: `performance.now()` and `setTimeout`. */
	readonly clock?: Clock | undefined;
	/** The stream, instead of `seed` and `key`. Default: a unique stream for each loop. */
	readonly stream?: RandomStream | undefined;
	/** The seed of the stream. Without a `key`, all callers with this seed get the same delays. */
	readonly seed?: bigint | number | undefined;
}

/** The policy and the stream of what an adapter begins: a call, a job, a request. */
export interface OfAnOperation extends Partial<Omit<PolicyOptions, "attemptTimeout">> {
	/** The waits and the limits: a policy or a policy string. Default: `default`, three retries. */
	readonly policy?: Policy | string | undefined;
	/** The stream of all of them, instead of `seed` and `key`. Default: a unique stream for each. */
	readonly stream?: RandomStream | undefined;
	/** The seed of the stream of all of them. */
	readonly seed?: bigint | number | undefined;
	/** The key under the seed. */
	readonly key?: string | Uint8Array;
}

/**
 * What the events of a request have in addition (SPEC 19.9). Copies of the event lack its `request`, its `value` and
 * its `error`, which may hold secrets.
 */
export interface HttpEventFacts<Request = unknown> {
	/** The method of the request. */
	readonly method: string;
	/** Its URL without user information, query and fragment. */
	readonly url: string;
	/** The status of the last response; `undefined` after a failure. */
	readonly status: number | undefined;
	/** Why the request is sent once; `undefined` if it may be repeated. */
	readonly sentOnce: "caller" | "body" | "method" | undefined;
	/** The request of the client. */
	readonly request: Request;
}

/** How an attempt ended: with a response, with an error, or with an error that holds a response. */
export interface HttpEnd<Response = unknown> {
	readonly response?: Response | undefined;
	readonly error?: unknown;
}

/** The options that the adapters of HTTP clients share (SPEC 19). */
export interface HttpRetriesOptions<Request = unknown, Response = unknown> extends OfAnOperation {
	/**
	 * A budget string for a budget of each origin, of which the last 1000 are kept, one budget for all, or `null` for
	 * none. Default: `finagle`.
	 */
	readonly budget?: Budget | SharedBudget | string | null | undefined;
	/**
	 * The time in ms that an attempt may take, also of a request that is sent once; then its outcome is `timeout`. An
	 * attempt ends with the head of the response, or with `readBody` after its body. Default: none.
	 */
	readonly attemptTimeout?: Duration | undefined;
	/**
	 * Whether an attempt also reads the whole body into memory, so that a success whose body is cut off is repeated.
	 */
	readonly readBody?: boolean | undefined;
	/**
	 * The methods that may be repeated, in capital letters. Default: `GET`, `HEAD`, `OPTIONS`, `TRACE`, `PUT`,
	 * `DELETE`.
	 */
	readonly methods?: readonly string[] | undefined;
	/**
	 * Outcomes of statuses, over those of {@link httpOutcome}. An array has statuses of failures, which are
	 * `transient`.
	 */
	readonly statuses?: { readonly [status: number]: Outcome } | readonly number[] | undefined;
	/**
	 * Whether a request may be repeated, whatever its method: `true` that it may, `false` that it is sent once. `null` and
	 * `undefined` leave it to the method.
	 */
	readonly mayRepeat?: HttpMayRepeat<Request> | undefined;
	/**
	 * The verdict on how an attempt ended, before the statuses. `undefined` and `null` leave it to them; `false` ends
	 * the loop. It cannot allow the repetition of a request that is sent once.
	 */
	readonly classify?: HttpClassify<Request, Response> | undefined;
	/** Counts the attempts and the stop reason of each request. */
	readonly stats?: RetryStats | undefined;
	/** Called and awaited before each wait. A body that it does not read is closed then. */
	readonly onRetry?: ((event: RetryEvent<Response> & HttpEventFacts<Request>) => unknown) | undefined;
	/** Called and awaited once for each request, at its end. */
	readonly onStop?: ((event: StopEvent<Response> & HttpEventFacts<Request>) => unknown) | undefined;
	/** One time, after which no wait may end, for all requests. A limit of each is `max_elapsed` in the policy. */
	readonly deadline?: Deadline | undefined;
}

/** Methods, so that a function may name types of its own. */
type HttpMayRepeat<Request> = { ask(request: Request): boolean | null | undefined }["ask"];
type HttpClassify<Request, Response> = {
	ask(request: Request, end: HttpEnd<Response>): VerdictLike | PromiseLike<VerdictLike>;
}["ask"];

/** The options of adapters that wait themselves. */
export interface HttpWaitOptions {
	/** Whether Node.js may exit during a wait. Default: `false`. */
	readonly unref?: boolean | undefined;
	/** The clock of the waits. Default: `performance.now()` and `setTimeout`. */
	readonly clock?: Clock | undefined;
}

/** A type that the function determines: the compiler does not infer it from the options. */
type Given<T> = [T][T extends unknown ? 0 : never];

/** A time of the loop's clock (`performance.now()` by default), or a date, which is converted to that clock. */
export type Deadline = Time | Date;

/**
 * The options of {@link retry}: one interface, for `Partial`, `Omit` and `extends`. The compiler does not
 * check that there is a predicate, and that `stream` and `seed` are not both there; `retry` does.
 */
export interface RetryOptions<T = unknown> extends LoopOptions<T> {
	/**
	 * A string (encoded as UTF-8) or a Uint8Array under the seed. An explicit `key: undefined` is an error, because all
	 * callers would then share one stream.
	 */
	readonly key?: string | Uint8Array;
	/** The time after which no wait may end, at most 10 years away. It does not stop a running attempt. */
	readonly deadline?: Deadline | undefined;
}

/**
 * The options of {@link makeRetriable}: those of {@link retry}, shared by all calls. `key` and `deadline`
 * may be functions of the arguments of the call: those that the type names, by default none.
 */
export interface RetriableOptions<T = unknown, Arguments extends readonly unknown[] = [], This = unknown>
	extends LoopOptions<T> {
	/** As in {@link RetryOptions}, or a function that returns it. */
	readonly key?: string | Uint8Array | ((this: This, ...args: Arguments) => string | Uint8Array);
	/** As in {@link RetryOptions}, or a function that returns it. */
	readonly deadline?: Deadline | ((this: This, ...args: Arguments) => Deadline | undefined) | undefined;
}

/** A value in place of a failure. */
interface WithFallback<F> {
	readonly fallback: F | ((failure: unknown) => F | PromiseLike<F>);
}

/** The options of {@link setDefaults}. */
export interface DefaultOptions extends Omit<LoopOptions<unknown>, "signal" | "stream" | "seed"> {
	/** Whether loops repeat calls. Default: `true`. */
	readonly enabled?: boolean | undefined;
}

/**
 * Sets the options of all loops that begin from now on, also of functions that {@link makeRetriable} has made, and of
 * adapters that wait themselves (SPEC 18.8). Calls add up; of an option that several set, the last call counts. The
 * function that it returns takes back what this call set. A loop's own options win. A policy, also that of a loop, takes the
 * place of the policy and the fields before it. Hooks of all are called, the program's first. With `enabled: false` a loop calls once, and a failure is reported as after `maxRetries: 0`.
 * @throws {PolicyError | TypeError} as {@link retry}.
 */
export function setDefaults(options: DefaultOptions): () => void;

/**
 * Calls a function, and again after failures that may be retried (SPEC 18). Resolves to its value, or is rejected with
 * the last error, as it was thrown.
 * @throws {RetryError} the loop stopped on a returned value.
 * @throws {PolicyError} an invalid policy string, deadline, outcome or `retryAfter`.
 * @throws {TypeError} an option of the wrong type, or neither `shouldRetry` nor `shouldRetryResult`.
 * @throws {AggregateError} the error of a hook, a predicate or a clock, if it cannot have the failure of the call as
 * its cause, and that failure.
 * @throws {StartError} the core cannot start; the failure is the `cause`.
 */
export function retry<T, F>(
	fn: (context: RetryContext) => T | PromiseLike<T>,
	options: RetryOptions<Given<T>> & WithFallback<F>,
): Promise<T | F>;
export function retry<T>(
	fn: (context: RetryContext) => T | PromiseLike<T>,
	options: RetryOptions<Given<T>>,
): Promise<T>;
// For options that know the type of the result, with a function that takes its context.
export function retry<T>(fn: (context: RetryContext) => T | PromiseLike<T>, options: RetryOptions<T>): Promise<T>;

/**
 * A function that calls another one with its `this` and its arguments, with {@link retry}. With `stream`, or with
 * `seed` and a constant `key`, all of its calls wait the same. The function gets no context.
 * @throws {PolicyError | TypeError} as {@link retry}, at once.
 */
export function makeRetriable<This, Arguments extends readonly unknown[], T, F>(
	fn: (this: This, ...args: Arguments) => T | PromiseLike<T>,
	options: RetriableOptions<Given<T>, Given<Arguments>, Given<This>> & WithFallback<F>,
): Retriable<This, Arguments, T, F>;
export function makeRetriable<This, Arguments extends readonly unknown[], T>(
	fn: (this: This, ...args: Arguments) => T | PromiseLike<T>,
	options: RetriableOptions<Given<T>, Given<Arguments>, Given<This>>,
): Retriable<This, Arguments, T>;

/** What {@link makeRetriable} returns. */
export interface Retriable<This, Arguments extends readonly unknown[], T, F = never> {
	(this: This, ...args: Arguments): Promise<T | F>;
	/** The same function with some options changed. */
	withOptions(changes: RetriableOptions<T, Arguments, This>): Retriable<This, Arguments, T, F>;
	withOptions<G>(changes: RetriableOptions<T, Arguments, This> & WithFallback<G>): Retriable<This, Arguments, T, G>;
}

/**
 * If a function that is retried throws it, or an `AggregateError` with it, the loop ends as `permanent`, and so does
 * every enclosing loop. The promise is rejected with the original error. A predicate, a hook or a clock may throw it as
 * well.
 */
export class PermanentError extends Error {
	/**
	 * Wraps what the caller of the loop gets: an error or any other value, or a new error with this message and these
	 * options. Of values that are no objects only the loop that calls the function learns that they are permanent.
	 */
	constructor(failure?: unknown, options?: { readonly cause?: unknown });
	/** What the caller of the loop gets. */
	readonly originalError: unknown;
	toJSON(): object;
}

/** The same class, by the name that p-retry has for it. */
export { PermanentError as AbortError };

/** The loop stopped on a returned value that `shouldRetryResult` did not accept. */
export class RetryError extends Error {
	private constructor();
	/** Why the loop stopped. */
	readonly reason: Exclude<StopReason, "success" | "cancelled">;
	readonly attempts: number;
	/** The last value. */
	readonly result: unknown;
	toJSON(): object;
}

/**
 * The core cannot start (SPEC 18.7); the message says why. `cannot_start` is thrown by what needs the core, and its
 * `cause` is the error of the platform. `not_retried`: a loop called its function once, and would have called it again;
 * the `cause` is the failure, or a {@link RetryError} with the value.
 */
export class StartError extends Error {
	private constructor();
	readonly code: "cannot_start" | "not_retried";
	toJSON(): object;
}

/** The counts of {@link RetryStats}; above 2^53 they are rounded. */
export interface RetryStatsCounts {
	readonly operations: number;
	readonly attempts: number;
	readonly retries: number;
	/** The operations that stopped for each reason. */
	readonly stops: { readonly [Reason in StopReason]: number };
	/** The operations of each bucket, not cumulative. */
	readonly buckets: readonly number[];
	/** The most attempts of each bucket except the last, which has no bound. */
	readonly bounds: readonly number[];
}

/** Counts operations by their attempts and by stop reason (SPEC 17). */
export class RetryStats {
	/** Empty stats. */
	constructor();

	/** Counts an operation that stopped. */
	record(attempts: number | bigint, reason: StopReason): void;

	merge(other: RetryStats): void;

	counts(): RetryStatsCounts;

	/** The counts in the text format of Prometheus, as `prometheus()` returns them. */
	readonly text: string;

	/**
	 * The counts in the text format of Prometheus, for a metrics endpoint. The prefix begins the names of the metrics, by
	 * default `backoff`. Labels are those of every count, in this order (SPEC 17.3).
	 * @throws {RangeError} a prefix or the name of a label that Prometheus does not allow, or that the text needs itself.
	 */
	prometheus(options?: {
		readonly prefix?: string | undefined;
		readonly labels?: Readonly<Record<string, string>> | undefined;
	}): string;

	/** The same text. */
	toString(): string;

	/** The current counts. */
	toJSON(): RetryStatsCounts;
}

/** The rule that was broken: SPEC 8.6, and of the last eight, for arguments that never reach the core, SPEC 8.7. */
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
	| "too_many"
	| "not_finite"
	| "negative"
	| "not_whole"
	| "not_unicode"
	| "unknown_outcome"
	| "unknown_reason"
	| "unknown_event"
	| "not_a_state";

/** An invalid value or string. The message contains the same information as the properties. */
export class PolicyError extends RangeError {
	private constructor();
	readonly code: ErrorCode;
	/** The name of the field as in the SPEC, such as `cap_on`, or of the argument, if there is one. */
	readonly field: string | undefined;
	/** The value: ns, a count, or n * 2^32 + d for a ratio; 0 if it is none of these. */
	readonly value: bigint;
	/** The limit that the value broke (SPEC 8). */
	readonly limit: bigint;
	/** For a string: the place of the error, in bytes from 0. The text before it is ASCII. */
	readonly at: number | undefined;
	/** For a string: the text found there. */
	readonly found: string | undefined;
	/** Name, message and properties; the bigints are decimal digits. */
	toJSON(): object;
}
