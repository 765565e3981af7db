// A budget whose state is in a store that many processes share (SPEC 15.7).

import { OPEN } from "./account.js";
import { checkIndex, finite, pickOptions } from "./arguments.js";
import { Budget, checkBudget } from "./budget.js";
import { BudgetState } from "./budget-state.js";
import { refuse, wrongType } from "./errors.js";
import { withJSON } from "./show.js";

/** Not a call, which a bundler could not leave out. */
const OPTIONS = { fallback: undefined, lease: undefined, timeout: undefined, onExchange: undefined };
const MAX_LEASE = 1000;
/** `setTimeout` fires at once for a longer time. */
const MAX_TIMEOUT = 2 ** 31 - 1;
/** So many events wait for a request. If the store is away, no more are kept. */
const MAX_EVENTS = 100;
const AWAY_MS = 1000;

export class SharedBudget {
	static name = "SharedBudget"; // stays the same when a bundler renames the class

	#store;
	#budget;
	#lease;
	#timeout;
	#onExchange;
	/** The state of the local budget, which sees all events, and requests while the store is away. */
	#local;
	/** The events that were not sent. */
	#events = [];
	/** The requests and the flushes that wait for the next exchange. */
	#requests = [];
	#flushes = [];
	/** What the retries hold that the store granted in advance, by their outcome. */
	#leased = new Map();
	#isWorking = false;
	#awayUntil = -Infinity;

	constructor(store, name, budget, options = {}) {
		if (typeof store?.load !== "function" || typeof store.swap !== "function") {
			wrongType("store", "an object with load(key) and swap(key, from, to)", store);
		}
		if (typeof name !== "string" || name === "") {
			wrongType("name", "a string that is not empty", name);
		}
		const {
			fallback = budget,
			lease = 1,
			timeout = 100,
			onExchange,
		} = pickOptions("a shared budget", options, OPTIONS);
		if (checkIndex("lease", lease, MAX_LEASE) === 0) {
			refuse("too_small", "lease", 0n, 1n, "0 is below 1");
		}
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
		this.#budget = read("budget", budget);
		this.#local = BudgetState.full(read("fallback", fallback));
		this.#lease = lease;
		this.#timeout = timeout;
		this.#onExchange = onExchange;
		this.key = `backoff:${name}:${this.#budget}`;
		this.lastError = undefined;
		// Not a method: a bundler cannot leave out a class whose names it must compute.
		Object.defineProperty(this, OPEN, { value: () => this.#open() });
	}

	/** Sends the events that wait. It never rejects. */
	async flush() {
		if (!this.#isAway()) {
			await new Promise((resolve) => {
				this.#flushes.push(resolve);
				this.#work();
			});
		}
	}

	#open() {
		let held = 0n;
		let isLocal = false;
		this.#record("operation_began");
		return {
			failed: () => this.#record("attempt_failed"),
			succeeded: () => this.#record("operation_succeeded", isLocal ? 0n : held, isLocal ? held : 0n),
			request: async (outcome) => {
				const answer = await this.#request(outcome);
				if (answer.granted) {
					({ held, isLocal } = answer);
				}
				return answer;
			},
		};
	}

	#record(event, held = 0n, localHeld = 0n) {
		this.#local = this.#local.step(event, localTime(), { held: localHeld }).state;
		this.#events.push({ event, held });
		if (this.#events.length >= MAX_EVENTS) {
			if (this.#isAway()) {
				this.#dropEvents();
			} else if (this.#flushes.length === 0) {
				// Nobody waits for it.
				this.#flushes.push(() => {});
				this.#work();
			}
		}
	}

	#dropEvents() {
		this.#events.splice(0, this.#events.length - MAX_EVENTS);
	}

	#request(outcome) {
		const leased = this.#takeLeased(outcome);
		if (leased) {
			return leased;
		}
		return this.#isAway() ? this.#decideLocally(outcome) : this.#requestOfStore(outcome);
	}

	#takeLeased(outcome) {
		const held = this.#leased.get(outcome)?.shift();
		return held === undefined ? undefined : { granted: true, held, isLocal: false };
	}

	#requestOfStore(outcome) {
		return new Promise((answer) => {
			this.#requests.push({ outcome, since: performance.now(), answer });
			this.#work();
		});
	}

	#decideLocally(outcome) {
		const { state, granted, held } = this.#local.step("retry_requested", localTime(), { outcome });
		this.#local = state;
		return { granted, held, isLocal: true };
	}

	#isAway() {
		return performance.now() < this.#awayUntil;
	}

	/** Makes exchanges, one after the other, until nobody waits for one. */
	async #work() {
		if (!this.#isWorking) {
			this.#isWorking = true;
			// What is requested in the same turn goes together.
			await undefined;
			while (this.#requests.length + this.#flushes.length > 0) {
				await this.#exchange();
			}
			this.#isWorking = false;
		}
	}

	async #exchange() {
		// The exchange before may have leased what these ask for.
		const requests = this.#requests.splice(0).filter(({ outcome, answer }) => {
			const leased = this.#takeLeased(outcome);
			if (leased) {
				answer(leased);
			}
			return !leased;
		});
		const flushes = this.#flushes.splice(0);
		if (requests.length + flushes.length === 0) {
			return;
		}
		const events = this.#isAway() ? [] : this.#events.splice(0);
		const turn = { requests, events, isOver: false, sent: undefined };
		if (!this.#isAway() && events.length + requests.length > 0) {
			await this.#exchangeInTime(turn);
		}
		// Those that the store did not answer.
		for (const { outcome, answer } of turn.requests) {
			answer(this.#decideLocally(outcome));
		}
		for (const end of flushes) {
			end();
		}
	}

	/** An exchange that ends in time, whatever the store does. */
	async #exchangeInTime(turn) {
		const { requests, events } = turn;
		const end = (requests[0]?.since ?? performance.now()) + this.#timeout;
		let timer;
		const late = new Promise((_, reject) => {
			const fail = () => reject(new Error(`the store did not answer within ${this.#timeout} ms`));
			// Answers that arrived while this process was busy are read before the second timer fires.
			const fire = () => {
				timer = setTimeout(fail, 0);
			};
			timer = setTimeout(fire, Math.max(end - performance.now(), 0));
		});
		try {
			const exchange = await Promise.race([this.#tryUntil(end, turn), late]);
			turn.requests = [];
			for (const [outcome, held] of exchange.leased) {
				this.#leased.set(outcome, [...(this.#leased.get(outcome) ?? []), ...held]);
			}
			this.#report(exchange, exchange.isChanged ? "yes" : "unchanged");
			for (const [position, { answer }] of requests.entries()) {
				answer(exchange.answers[position]);
			}
		} catch (error) {
			this.lastError = error;
			this.#awayUntil = performance.now() + AWAY_MS;
			if (turn.sent) {
				this.#report(turn.sent, "unknown");
			} else {
				// Not `unshift`: there may be more events than a call may have arguments.
				this.#events = [...events, ...this.#events];
				this.#dropEvents();
			}
		} finally {
			turn.isOver = true;
			clearTimeout(timer);
		}
	}

	/** Loads and swaps until no other process was faster. */
	async #tryUntil(end, turn) {
		do {
			const loaded = await this.#store.load(this.key);
			if (turn.isOver) {
				return undefined;
			}
			const exchange = this.#apply(loaded, turn);
			if (!exchange.isChanged) {
				return exchange;
			}
			turn.sent = exchange;
			const isSwapped = await this.#store.swap(this.key, exchange.before, exchange.after);
			if (isSwapped === true) {
				return exchange;
			}
			if (isSwapped !== false) {
				wrongType("the value of swap()", "a boolean", isSwapped);
			}
			turn.sent = undefined;
			// A store that answers at once leaves the timer no turn.
		} while (!turn.isOver && performance.now() < end);
		throw new Error(`other processes were faster for ${this.#timeout} ms`);
	}

	/** The steps from what the store holds. */
	#apply(loaded, { events, requests }) {
		const { text, now } = Object(loaded);
		if ((typeof text !== "string" && text !== null) || typeof now !== "bigint") {
			wrongType("the value of load()", "{ text: string | null, now: bigint }", loaded);
		}
		const before = text === null ? BudgetState.full(this.#budget) : BudgetState.parse(this.#budget, text);
		let state = before;
		const steps = [];
		const step = (event, options) => {
			const result = state.step(event, now, options);
			state = result.state;
			const isRequest = event === "retry_requested";
			const { outcome = null, held } = options;
			steps.push({ event, outcome, held: isRequest ? result.held : held, granted: isRequest ? result.granted : null });
			return result;
		};
		for (const { event, held } of events) {
			step(event, { held });
		}
		const leased = new Map();
		const answers = requests.map(({ outcome }) => {
			const kept = leased.get(outcome) ?? [];
			leased.set(outcome, kept);
			if (kept.length > 0) {
				return { granted: true, held: kept.shift(), isLocal: false };
			}
			const { granted, held } = step("retry_requested", { outcome });
			for (let more = granted ? this.#lease - 1 : 0; more > 0; more--) {
				const next = step("retry_requested", { outcome });
				if (!next.granted) {
					break;
				}
				kept.push(next.held);
			}
			return { granted, held, isLocal: false };
		});
		return {
			before: text,
			now,
			steps,
			after: state.text,
			answers,
			leased,
			isChanged: state.version !== before.version,
		};
	}

	#report({ before, now, steps, after }, stored) {
		if (!this.#onExchange) {
			return;
		}
		const fail = (error) => {
			this.lastError = error;
		};
		try {
			// Most hooks write a log, and JSON knows no bigints.
			const exchange = withJSON({ before, now, steps: steps.map((step) => withJSON(step)), after, stored });
			const onExchange = this.#onExchange;
			Promise.resolve(onExchange(exchange)).catch(fail);
		} catch (error) {
			fail(error);
		}
	}
}

/** A full budget of an option. */
function read(name, budget) {
	if (typeof budget !== "string") {
		checkBudget(budget, name, "a Budget or a budget string");
	}
	const parsed = typeof budget === "string" ? Budget.parse(budget) : budget;
	if (/^concurrent\b/.test(parsed.text)) {
		throw new TypeError(`${name} must not be concurrent: a process that dies would hold its slots for ever`);
	}
	return parsed;
}

function localTime() {
	return BigInt(Math.round(performance.now() * 1e6));
}
