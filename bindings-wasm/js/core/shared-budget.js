// A budget whose state is in a store that many processes share (SPEC 15.7).

import { OPEN } from "./account.js";
import { checkIndex, finite, MAX_UINT64, pickOptions, uint64 } from "./arguments.js";
import { Budget, checkBudget } from "./budget.js";
import { toMilliseconds, toNanoseconds } from "./duration.js";
import { refuse, wrongType } from "./errors.js";
import { BudgetMember } from "./member.js";
import { withJSON } from "./show.js";

/** Not a call, which a bundler could not leave out. */
const OPTIONS = {
	fallback: undefined,
	processes: undefined,
	localBudget: undefined,
	lease: undefined,
	timeout: undefined,
	onExchange: undefined,
};
const MAX_LEASE = 1000;
const MAX_PROCESSES = 1_000_000;
/** What the core calls them. */
const FALLBACKS = { share: 0n, whole: 1n, refuse: MAX_UINT64 };
/** `setTimeout` fires at once for a longer time. */
const MAX_TIMEOUT = 2 ** 31 - 1;
/** The longest name in bytes. Stores limit the length of a key, such as PostgreSQL to 2704 bytes. */
const MAX_NAME = 255;
/** An exchange may take at least this many ms, because the store may need a new connection. */
const EXCHANGE_LIMIT = 1000;
/** So much of a text an error quotes. */
const MAX_SHOWN = 60;

export class SharedBudget {
	static name = "SharedBudget";

	#store;
	#onExchange;
	#member;
	/** The requests that wait, in the order in which they came, and the flushes. */
	#requests = [];
	#flushes = [];
	#isWorking = false;
	#isReporting = false;
	#endPause = () => {};

	constructor(store, name, budget, options = {}) {
		if (typeof store?.load !== "function" || typeof store.compareAndSwap !== "function") {
			wrongType("store", "an object with load(key) and compareAndSwap(key, expected, next)", store);
		}
		if (typeof name !== "string" || name === "") {
			wrongType("name", "a string that is not empty", name);
		}
		const length = new TextEncoder().encode(name).length;
		if (length > MAX_NAME) {
			refuse("too_large", "name", BigInt(length), BigInt(MAX_NAME), `has ${length} bytes, which is above ${MAX_NAME}`);
		}
		if (!isText(name)) {
			throw new TypeError(`name ${JSON.stringify(name)} has a control character or a lone surrogate`);
		}
		const {
			fallback = "share",
			processes,
			localBudget = budget,
			lease = 1,
			timeout = 100,
			onExchange,
		} = pickOptions("a shared budget", options, OPTIONS);
		checkCount("lease", lease, MAX_LEASE);
		if (typeof timeout !== "number") {
			wrongType("timeout", "a number of milliseconds", timeout);
		}
		if (finite("timeout", timeout, -Infinity) <= 0) {
			refuse("too_small", "timeout", BigInt(Math.floor(timeout)), 0n, `${timeout}ms is not above 0ms`);
		}
		if (timeout > MAX_TIMEOUT) {
			refuse(
				"too_large",
				"timeout",
				BigInt(Math.floor(timeout)),
				BigInt(MAX_TIMEOUT),
				`${timeout}ms is above ${MAX_TIMEOUT}ms`,
			);
		}
		if (onExchange !== undefined && typeof onExchange !== "function") {
			wrongType("onExchange", "a function", onExchange);
		}
		this.#store = store;
		const shared = read("budget", budget);
		const seed = globalThis.crypto?.getRandomValues(new BigUint64Array(1))[0] ?? localTime();
		const local = read("localBudget", localBudget);
		const parts = readFallback(fallback, processes);
		this.#member = new BudgetMember(shared, local, lease, parts, toNanoseconds("timeout", timeout), seed);
		this.#onExchange = onExchange;
		Object.defineProperty(this, "key", { value: `backoff:${name}:${shared}`, enumerable: true });
		this.lastError = undefined;
		// Not a method: a bundler cannot leave out a class whose names it must compute.
		Object.defineProperty(this, OPEN, { value: () => this.#open() });
	}

	get stats() {
		return this.#member.stats();
	}

	/** Sends what the store does not know, and says whether it has it. It never rejects. */
	async flush() {
		if (this.#isReporting) {
			// The next exchange would report again, and so on for ever.
			return false;
		}
		return (
			!this.#member.hasUnsent() ||
			new Promise((resolve) => {
				this.#flushes.push(resolve);
				this.#endPause();
				this.#work();
			})
		);
	}

	#open() {
		let held = 0n;
		let isLocal = false;
		let waiting;
		this.#record("operation_began");
		return {
			failed: () => this.#record("attempt_failed"),
			succeeded: () => this.#record("operation_succeeded", held, isLocal),
			request: async (outcome) => {
				const answer = await this.#request(outcome, (request) => {
					waiting = request;
				});
				if (answer.granted) {
					({ held, isLocal } = answer);
				}
				return answer;
			},
			cancel: () => this.#cancel(waiting),
		};
	}

	#record(event, held = 0n, isLocal = false) {
		this.#member.note(event, held, isLocal, localTime());
		this.#work();
	}

	#request(outcome, onWait) {
		return (
			this.#member.request(outcome, localTime()) ??
			new Promise((resolve) => {
				const request = { outcome, resolve, timer: undefined, timeout: this.#timeout };
				const late = () => this.#isLate(request);
				// Answers that arrived while this process was busy are read before the second timer fires.
				request.timer = setTimeout(() => {
					request.timer = setTimeout(late, 0);
				}, request.timeout);
				this.#requests.push(request);
				onWait(request);
				this.#work();
			})
		);
	}

	/** Withdraws the request of a loop that was aborted, if it still waits. */
	#cancel(request) {
		const place = this.#requests.indexOf(request);
		if (place !== -1) {
			this.#requests.splice(place, 1);
			clearTimeout(request.timer);
			this.#member.cancel(request.outcome);
		}
	}

	#isLate(request) {
		if (this.#requests.includes(request)) {
			this.#member.late(localTime());
			this.#goAway(noAnswer(request.timeout));
		}
	}

	/** How many ms a request may wait now. */
	get #timeout() {
		return toMilliseconds(this.#member.timeout());
	}

	/** The local budget decides on the requests that wait. */
	#goAway(error) {
		this.lastError = error;
		this.#askAgain();
	}

	#askAgain() {
		this.#answer(({ outcome }) => this.#member.request(outcome, localTime()));
	}

	/** Answers the requests for which there is an answer. */
	#answer(answerOf) {
		this.#requests = this.#requests.filter((request) => {
			const answer = answerOf(request);
			if (answer) {
				clearTimeout(request.timer);
				request.resolve(answer);
			}
			return !answer;
		});
	}

	#dueIn() {
		return this.#flushes.length > 0 ? 0n : this.#member.dueIn(localTime());
	}

	/** Makes exchanges, one after the other, as long as there is something to exchange. */
	async #work() {
		if (!this.#isWorking && this.#dueIn() !== undefined) {
			this.#isWorking = true;
			// What is requested in the same turn goes together.
			await undefined;
			for (let dueIn = this.#dueIn(); dueIn !== undefined; dueIn = this.#dueIn()) {
				if (dueIn > 0n) {
					await this.#pause(dueIn);
					continue;
				}
				const flushes = this.#flushes.splice(0);
				this.#member.begin(localTime());
				const isStored = await this.#exchange();
				for (const end of flushes) {
					end(isStored);
				}
			}
			this.#isWorking = false;
		}
	}

	/** Waits between two exchanges. A flush ends it. */
	#pause(ns) {
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, Math.ceil(toMilliseconds(ns)));
			this.#endPause = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}

	/** Loads and swaps until no other process was faster. Returns whether the store has the steps. */
	async #exchange() {
		let exchange;
		let timer;
		const timeout = this.#timeout;
		// A store may never answer. Answers that arrived while this process was busy are read before the second timer fires.
		const limit = Math.max(timeout, EXCHANGE_LIMIT);
		const late = new Promise((_, reject) => {
			const fail = () => reject(noAnswer(limit));
			timer = setTimeout(() => {
				timer = setTimeout(fail, 0);
			}, limit);
		});
		const inTime = (step) => Promise.race([step, late]);
		try {
			for (;;) {
				exchange = { before: null, now: 0n, steps: [], after: "", stored: "no", error: undefined };
				const isChanged = this.#apply(exchange, await inTime(this.#store.load(this.key)));
				if (!isChanged) {
					exchange.stored = "unchanged";
					break;
				}
				exchange.stored = "unknown";
				const isSwapped = await inTime(this.#store.compareAndSwap(this.key, exchange.before, exchange.after));
				if (isSwapped === true) {
					exchange.stored = "yes";
					break;
				}
				if (isSwapped !== false) {
					wrongType("the value of compareAndSwap()", "a boolean", isSwapped);
				}
				exchange.stored = "lost";
				const wait = this.#member.lost(localTime());
				if (wait === undefined) {
					throw new Error(`other processes were faster for ${timeout} ms`);
				}
				await inTime(new Promise((resolve) => setTimeout(resolve, Math.ceil(toMilliseconds(wait)))));
			}
			this.#stored();
			return true;
		} catch (thrown) {
			const error = thrown ?? new Error(`the store rejected with ${thrown}`);
			exchange.error = error;
			this.#member.failed(exchange.stored === "unknown", localTime());
			this.#goAway(error);
			return false;
		} finally {
			clearTimeout(timer);
			this.#report(exchange);
		}
	}

	/** Answers the requests, the oldest first. */
	#stored() {
		const answers = this.#member.stored(localTime());
		this.#answer(({ outcome }) => {
			const row = answers.find((each) => each.outcome === outcome);
			if (row.granted > 0) {
				row.granted--;
				return { granted: true, held: row.held, isLocal: false };
			}
			return row.refused-- > 0 ? { granted: false, held: 0n, isLocal: false } : undefined;
		});
		if (this.#member.isAway(localTime())) {
			this.#askAgain();
		}
	}

	/** Steps what the store holds, and says whether that changed it. */
	#apply(exchange, loaded) {
		if (loaded === null || typeof loaded !== "object") {
			wrongType("the value of load()", "{ text: string | null, now: bigint }", loaded);
		}
		const { text, now } = loaded;
		if (typeof text !== "string" && text !== null) {
			wrongType("text of load()", "a string, or null if there is none", text);
		}
		if (typeof now !== "bigint") {
			wrongType("now of load()", "a bigint of nanoseconds", now);
		}
		Object.assign(exchange, { before: text, now: uint64("now of load()", now) });
		const stepped = this.#member.step(text, now);
		if (!stepped) {
			const shown = JSON.stringify(text.slice(0, MAX_SHOWN));
			refuse("not_a_state", "text", 0n, 0n, `${shown} is not a state of the budget of ${this.key}`);
		}
		const { after, isChanged, steps } = stepped;
		// Most hooks write a log, and JSON knows no bigints.
		Object.assign(exchange, { after, steps: steps.map(withJSON) });
		return isChanged;
	}

	#report(exchange) {
		const fail = (error) => {
			this.lastError = error;
		};
		this.#isReporting = true;
		try {
			Promise.resolve(this.#onExchange?.(withJSON(exchange))).catch(fail);
		} catch (error) {
			fail(error);
		} finally {
			this.#isReporting = false;
		}
	}
}

/** A full budget of an option. */
function read(name, budget) {
	if (typeof budget !== "string") {
		checkBudget(budget, name, "a Budget or a budget string");
	}
	const parsed = typeof budget === "string" ? Budget.parse(budget) : budget;
	if (parsed.kind === "concurrent") {
		throw new TypeError(`${name} must not be concurrent: a process that dies would hold its slots for ever`);
	}
	return parsed;
}

/** A fallback as the core has it. */
function readFallback(fallback, processes) {
	if (!Object.hasOwn(FALLBACKS, fallback)) {
		wrongType("fallback", '"share", "whole" or "refuse"', fallback);
	}
	if (processes === undefined) {
		return FALLBACKS[fallback];
	}
	if (fallback !== "share") {
		throw new TypeError(`processes is only for the fallback "share", and the fallback is "${fallback}"`);
	}
	checkCount("processes", processes, MAX_PROCESSES);
	return BigInt(processes);
}

function noAnswer(timeout) {
	return new Error(`the store did not answer within ${timeout} ms`);
}

/** Checks a whole number from 1 to a limit. */
function checkCount(name, count, most) {
	if (checkIndex(name, count, most) === 0) {
		refuse("too_small", name, 0n, 1n, "0 is below 1");
	}
}

/** Whether a text is Unicode without control characters. */
const isText = (name) => !/[\p{Cc}\p{Cs}]/u.test(name);

function localTime() {
	return BigInt(Math.round(performance.now() * 1e6));
}
