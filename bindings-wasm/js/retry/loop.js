// The loop of SPEC 18. An operation makes its decisions. Most loops succeed at once, so what only a failure needs is
// made after the first one. It is one class of more than 300 lines, because each step works on the state of the loop.

import { OPEN } from "../core/account.js";
import { MAX_UINT64 } from "../core/arguments.js";
import { toMilliseconds } from "../core/duration.js";
import { CheckedOperation, readOutcome, readOwnDelay } from "../core/operation.js";
import { withJSON } from "../core/show.js";
import { nextLoopNumber, stateOfLoop } from "../core/stream.js";
import { warnOnce } from "../warning.js";
import { StartError } from "../wasm/errors.js";
import { ifStarted, startFailure } from "../wasm/module.js";
import { ABORTED, reasonOf, throwIfAborted, unlessAborted, whenAborted } from "./abort.js";
import { isDefault, realTime } from "./clock.js";
import { beginLoop, isPermanent, RetryError, unwrap, withFailure } from "./errors.js";
import { baseText, isRandom, isUnlimited, maxRetriesOf } from "./loop-policy.js";
import { parsePolicy, readDeadline, readTime, streamOf } from "./options.js";
import { timeoutError } from "./timeout.js";
import { readVerdict } from "./verdict.js";

const SUCCESS = "success";
const PERMANENT = "permanent";
const CANCELLED = "cancelled";
const ACCEPTED = { outcome: SUCCESS, retryAfter: undefined };
/** Of an attempt that met its limit. */
const LATE = { outcome: "timeout", retryAfter: undefined };

/**
 * What calls and predicates get if the caller passed no signal. It makes one on demand: that is slow, and rare. (A
 * getter of the object's own would take longer than all else of a loop.)
 */
class Context {
	#loop;
	#lastError;

	constructor(attempt, loop) {
		this.attempt = attempt;
		this.#loop = loop;
		this.#lastError = loop.lastError;
	}

	get lastError() {
		return this.#lastError;
	}

	get timeLeft() {
		return this.#loop.timeLeft();
	}

	get signal() {
		return this.#loop.someSignal();
	}
}

/** The same with a signal. */
class SignalledContext extends Context {
	signal;

	constructor(attempt, loop, signal) {
		super(attempt, loop);
		this.signal = signal;
	}
}

export class Loop {
	/** `apply` calls a function of the caller with the `this` and the arguments of a call of `makeRetriable`. */
	constructor(fn, options, apply) {
		this.fn = fn;
		this.options = options;
		this.apply = apply;
		this.number = beginLoop();
		this.attempts = 0;
		this.lastError = undefined;
		/** How the last call ended, "value" or "error", and with what; undefined if it has not ended. */
		this.ended = undefined;
		this.result = undefined;
		/** The outcome of the last call, and the decision about it. */
		this.outcome = undefined;
		this.reason = undefined;
		this.delayNs = 0n;
		/** Whether a shared budget's local budget decided this retry. */
		this.budgetIsLocal = false;
		/** The time at the start and the last time that the clock returned; 0 in a loop that reads no clock. */
		this.start = 0;
		this.now = 0;
		this.nowNs = 0n;
	}

	/** The result. */
	run() {
		return this.options.isBare ? this.runOnce() : this.runAll();
	}

	/** What a call that succeeds at once costs: to suspend a function with all steps of a loop takes longer. */
	async runOnce() {
		this.begin();
		this.attempts = 1;
		let failed;
		try {
			return await this.call();
		} catch (error) {
			failed = { error };
		}
		return await this.runAll(failed);
	}

	/** All steps, or those after the first call, if that has `failed`. */
	async runAll(failed) {
		const { fallback, isLimited, shouldRetryResult, signal, stats, onRetry, onStop } = this.options;
		try {
			if (!failed) {
				this.begin();
			}
			try {
				for (; !this.reason; failed = undefined) {
					throwIfAborted(signal);
					if (failed) {
						this.fail(failed.error);
					} else {
						this.attempts++;
						this.lastError = this.ended === "error" ? this.result : undefined;
						this.ended = undefined;
						this.context = undefined;
						this.isLate = false;
						if (isLimited) {
							await this.callWithin();
						} else if (signal) {
							await unlessAborted(signal, this.callToEnd());
						} else {
							// As `callToEnd` does, without a second promise.
							try {
								this.setEnd("value", await this.call());
							} catch (error) {
								this.fail(error);
							}
						}
					}
					let verdict = this.isLate ? LATE : ACCEPTED;
					if (verdict === ACCEPTED && (this.ended !== "value" || shouldRetryResult)) {
						let returned;
						try {
							const asked = this.until(this.ask());
							// Most predicates answer at once, and a thousand loops would wait for a thousand turns.
							returned = typeof asked === "boolean" ? asked : await asked;
						} catch (error) {
							returned = this.withoutCore(error);
						}
						verdict = returned !== ABORTED && readVerdict(this.predicate(), returned);
					}
					if (verdict.outcome !== SUCCESS) {
						// A value that is accepted is a success even if the signal has aborted by now.
						throwIfAborted(signal);
					}
					this.decide(verdict);
					if (this.account && !this.reason) {
						this.settle(await this.until(this.account.request(this.outcome)));
					}
					if (!this.reason) {
						if (onRetry) {
							await this.until(onRetry(this.event()));
							throwIfAborted(signal);
						}
						await this.until(this.sleep());
					}
				}
			} catch (failure) {
				// Any failure but the abort itself takes precedence over an abort at the same moment.
				if (!signal?.aborted || !Object.is(unwrap(failure), reasonOf(signal))) {
					throw failure;
				}
				this.abort();
			}
		} catch (thrown) {
			this.operation?.cancel();
			stats?.record(this.attempts, CANCELLED);
			throw withFailure(unwrap(thrown), this.endOfCall());
		}
		stats?.record(this.attempts, this.reason);
		if (this.reason === SUCCESS && !onStop) {
			return this.result;
		}
		const end = this.endOfLoop(signal);
		if (onStop) {
			try {
				await onStop(this.event());
			} catch (thrown) {
				const error = withFailure(unwrap(thrown), end);
				// After an abort the caller gets its reason; the last failure is then another error. The reason
				// itself stays as it is, because all loops of the signal share it.
				throw "error" in end && Object.is(error, end.error) ? error : withFailure(error, this.endOfCall());
			}
		}
		if ("error" in end) {
			if (fallback === undefined || this.reason === CANCELLED) {
				throw end.error;
			}
			let value;
			try {
				value = await this.until(typeof fallback === "function" ? fallback(end.error) : fallback);
			} catch (thrown) {
				const error = unwrap(thrown);
				throw signal?.aborted && Object.is(error, reasonOf(signal)) ? error : withFailure(error, end);
			}
			if (value === ABORTED) {
				throw reasonOf(signal);
			}
			return value;
		}
		return end.value;
	}

	begin() {
		const { budget, deadline, isLimited, isTimed, signal } = this.options;
		if (isTimed) {
			this.readClock();
			this.start = this.now;
			this.startNs = this.nowNs;
		}
		if (!signal?.aborted) {
			this.deadlineNs = deadline === undefined ? MAX_UINT64 : readDeadline(deadline, this.start, this.apply);
			this.stream = startFailure ? undefined : streamOf(this.options, this.apply);
			this.streamNumber = this.stream === undefined ? nextLoopNumber() : undefined;
			if (budget || isLimited) {
				this.beginOperation();
			}
		}
	}

	beginOperation() {
		const { budget, policy = parsePolicy("default") } = this.options;
		const stream = this.stream ?? (isRandom(policy) ? stateOfLoop(this.streamNumber) : 0n);
		this.account = budget?.[OPEN]?.();
		const own = this.account ? undefined : budget;
		this.operation = new CheckedOperation(policy, stream, this.startNs ?? 0n, this.deadlineNs, own);
	}

	readClock() {
		[this.now, this.nowNs] = readTime(this.options.clock);
	}

	/** A signal in any case. */
	someSignal() {
		this.ownSignal ??= this.options.signal ?? new AbortController().signal;
		return this.ownSignal;
	}

	call() {
		return this.apply ? this.apply(this.fn) : this.fn(this.makeContext());
	}

	/** The call, which ends at the limit of the attempt, or with the signal. A function that goes on is left behind. */
	async callWithin() {
		const { clock, signal, unref } = this.options;
		this.readClock();
		const limit = toMilliseconds(this.operation.attempt(this.nowNs).limit);
		const [call, timer] = [new AbortController(), new AbortController()];
		this.callSignal = call.signal;
		const unregister = signal && whenAborted(signal, () => call.abort(reasonOf(signal)));
		const end = async () => {
			// A clock that does not wait says itself when an attempt ends.
			await (clock.timeout ? clock.timeout(limit, timer.signal) : realTime(unref).sleep(limit, timer.signal));
			if (!this.ended && !timer.signal.aborted && !signal?.aborted) {
				this.isLate = true;
				this.setEnd("error", timeoutError(limit));
				call.abort(this.result);
			}
		};
		try {
			await unlessAborted(call.signal, Promise.race([this.callToEnd(), end()]));
		} finally {
			timer.abort();
			unregister?.();
		}
	}

	/** How long the attempt has, in ms, until its limit, the deadline or `max_elapsed` ends; undefined without an end. */
	timeLeft() {
		const { clock, isLimited, isTimed } = this.options ?? {};
		if (!isTimed) {
			return undefined;
		}
		if (!this.operation) {
			ifStarted(() => this.beginOperation());
		}
		const begun = isLimited ? this.nowNs : this.nowNs + this.delayNs;
		const left = this.operation?.attempt(begun).left;
		return left < MAX_UINT64 ? Math.max(toMilliseconds(left - (readTime(clock)[1] - begun)), 0) : undefined;
	}

	/** The caller's own delay after a failure, undefined if there is none. */
	ownDelay() {
		const { delays } = this.options;
		const { index } = this.operation.attempt(this.nowNs);
		if (index >= maxRetriesOf(this.operation.policy)) {
			return undefined;
		}
		return typeof delays === "function" ? readOwnDelay(delays(index, this.result), "delays") : delays[index];
	}

	async callToEnd() {
		const { attempts } = this;
		/** Whether the call was left behind. */
		const isOver = () => this.isLate || this.attempts !== attempts;
		try {
			const value = await this.call();
			isOver() || this.setEnd("value", value);
		} catch (error) {
			isOver() || this.fail(error);
		}
	}

	/** The call has thrown. What the error says of itself is in its `PermanentError`, which goes. */
	fail(error) {
		this.isFinal = isPermanent(error, this.number);
		this.setEnd("error", unwrap(error));
	}

	setEnd(ended, result) {
		this.ended = ended;
		this.result = result;
	}

	/** The same for the call and the predicate of an attempt. */
	makeContext() {
		if (!this.context) {
			const { attempts, options } = this;
			const signal = options.isLimited ? this.callSignal : options.signal;
			this.context = Object.freeze(signal ? new SignalledContext(attempts, this, signal) : new Context(attempts, this));
		}
		return this.context;
	}

	/** The name of the predicate for the way in which the last call ended. */
	predicate() {
		return this.ended === "value" ? "shouldRetryResult" : "shouldRetry";
	}

	/** What the caller's predicate returns, which may be a promise. */
	ask() {
		const { options, result } = this;
		if (this.ended !== "value") {
			throwIfAborted(options.signal);
			if (!options.shouldRetry || this.isFinal) {
				return PERMANENT;
			}
		}
		return options[this.predicate()](result, this.makeContext());
	}

	/**
	 * What a predicate that needs the core tells without it (SPEC 18.7): a value is taken for a success, and a failure
	 * for one that another attempt might have helped. Any other error of a predicate is thrown again.
	 */
	withoutCore(error) {
		if (!startFailure || error !== startFailure) {
			throw error;
		}
		return this.ended !== "value";
	}

	/** Sets the decision about an outcome. */
	decide({ outcome, retryAfter }) {
		const { budget, delays, isTimed } = this.options;
		if (isTimed) {
			this.readClock();
		}
		this.outcome = outcome;
		this.budgetIsLocal = false;
		const isEnd = outcome === SUCCESS || outcome === PERMANENT;
		if (!this.operation && !isEnd) {
			ifStarted(() => this.beginOperation());
		}
		if (this.operation && (budget || !isEnd)) {
			const own = delays && !isEnd ? this.ownDelay() : undefined;
			this.delayNs = this.operation.decide(readOutcome(outcome), this.nowNs, retryAfter, own);
			this.reason = this.operation.reason;
			if (outcome === SUCCESS) {
				this.account?.succeeded();
			} else if (!isEnd) {
				this.account?.failed();
			}
		} else {
			// If the core cannot start: as under max_retries=0.
			this.delayNs = 0n;
			this.reason = isEnd ? outcome : "max_retries";
		}
	}

	/** What a shared budget answers. Nothing, if the signal has aborted. */
	settle(answer) {
		throwIfAborted(this.options.signal);
		this.budgetIsLocal = answer.isLocal;
		if (!answer.granted) {
			this.operation.refuseRetry();
			this.reason = this.operation.reason;
		}
	}

	sleep() {
		const { clock, signal } = this.options;
		if (this.attempts === 1) {
			this.warnIfUnlimited();
		}
		return clock.sleep(toMilliseconds(this.delayNs), isDefault(clock) ? signal : this.someSignal());
	}

	warnIfUnlimited() {
		const { policy } = this.operation;
		const { fields = {}, givenPolicy } = this.options;
		if (
			this.deadlineNs === MAX_UINT64 &&
			isUnlimited(policy) &&
			!/max_(?:retries|attempts|elapsed)=none/.test(givenPolicy) &&
			![fields.maxRetries, fields.maxAttempts, fields.maxElapsed].includes(Infinity)
		) {
			warnOnce("limit", () => {
				const base = baseText(policy);
				const instead =
					base === undefined || base === "0s" ? "off for no retries" : `default:base=${base} to change only the base`;
				const advice = `add max_retries=3, or maxRetries: Infinity if you mean it (or write ${instead})`;
				return `backoff: the policy "${givenPolicy}" has no limit, so the loop retries for ever; ${advice}`;
			});
		}
	}

	/** What a step returns, or `ABORTED` once the signal aborts. */
	until(step) {
		const { signal } = this.options;
		return signal ? unlessAborted(signal, step) : step;
	}

	abort() {
		this.operation?.cancel();
		this.account?.cancel();
		try {
			if (this.options.isTimed) {
				this.readClock();
			}
		} catch {
			// The caller gets the reason of the abort, not an error of the clock.
		}
		this.outcome = undefined;
		this.reason = CANCELLED;
		this.delayNs = 0n;
		this.budgetIsLocal = false;
		// A call that never ends holds the loop, but not what the caller passed.
		this.fn = this.apply = this.options = undefined;
	}

	event() {
		const { attempts, outcome, reason, budgetIsLocal } = this;
		const [delay, elapsed] = [toMilliseconds(this.delayNs), this.now - this.start];
		// Digits: JSON.stringify would refuse a bigint in a copy of the event, such as { message, ...event }.
		const delayNs = `${this.delayNs}`;
		return Object.freeze(
			withJSON({ attempts, outcome, reason, delay, delayNs, budgetIsLocal, elapsed, ...this.endOfCall() }),
		);
	}

	/** The `value` or the `error` of the last call, if it has ended. */
	endOfCall() {
		return this.ended ? { __proto__: null, [this.ended]: this.result } : Object.create(null);
	}

	/** What the caller gets: the `value` or the `error`. */
	endOfLoop(signal) {
		const { attempts, reason, result } = this;
		if (reason === SUCCESS) {
			return { __proto__: null, value: result };
		}
		if (reason === CANCELLED) {
			return { error: reasonOf(signal) };
		}
		const error = this.ended === "error" ? result : new RetryError(reason, attempts, result);
		if (!startFailure || reason === PERMANENT) {
			return { error };
		}
		return { error: new StartError("not_retried", `the call was not retried: ${startFailure.message}`, error) };
	}
}
