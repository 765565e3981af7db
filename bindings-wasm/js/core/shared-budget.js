// A budget whose state is in a store that many processes share (SPEC 15.7).

import { OPEN } from "./account.js";
import { uint64 } from "./arguments.js";
import { Budget } from "./budget.js";
import { toMilliseconds } from "./duration.js";
import { refuse, wrongType } from "./errors.js";
import { levelOfText } from "./level-of-text.js";
import { BudgetMember } from "./member.js";
import { readShared } from "./shared-options.js";
import { withJSON } from "./show.js";

/** An exchange may take at least this many ms, because the store may need a new connection. */
const EXCHANGE_LIMIT = 1000;
/** How many characters of a text an error quotes. */
const MAX_SHOWN = 60;

const refuseThis = (object) => wrongType("this", "a SharedBudget", object);

export class SharedBudget {
	static name = "SharedBudget";

	#store;
	#budget;
	#onExchange;
	#member;
	/** The requests that wait, in the order in which they came, and the flushes. */
	#requests = [];
	#flushes = [];
	#isWorking = false;
	#isReporting = false;
	#endPause = () => {};

	constructor(store, name, budget, options) {
		const [key, onExchange, ...ofMember] = readShared(store, name, budget, options);
		this.#store = store;
		this.#budget = `${ofMember[0]}`;
		const seed = globalThis.crypto?.getRandomValues(new BigUint64Array(1))[0] ?? localTime();
		this.#member = new BudgetMember(...ofMember, seed);
		this.#onExchange = onExchange;
		Object.defineProperty(this, "key", { value: key, enumerable: true });
		this.lastError = undefined;
		// Not a method: a bundler cannot leave out a class whose names it must compute.
		Object.defineProperty(this, OPEN, { value: () => this.#open() });
	}

	get stats() {
		return #member in this ? this.#member.stats() : refuseThis(this);
	}

	/** What the account in the store has left. */
	async level() {
		if (!(#member in this)) {
			refuseThis(this);
		}
		const { text, now } = readLoaded(await this.#store.load(this.key));
		// The state is before what the text has of processes.
		const [state] = (text ?? "").split(" | ", 1);
		return levelOfText(Budget.parse(this.#budget), state, now) ?? this.#refuse(text);
	}

	/** Sends what the store does not know, and says whether it has it. It never rejects. */
	async flush() {
		if (!(#member in this)) {
			refuseThis(this);
		}
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
		const { text, now } = readLoaded(loaded);
		Object.assign(exchange, { before: text, now });
		const stepped = this.#member.step(text, now);
		if (!stepped) {
			this.#refuse(text);
		}
		const { after, isChanged, steps } = stepped;
		// Most hooks write a log, and JSON knows no bigints.
		Object.assign(exchange, { after, steps: steps.map(withJSON) });
		return isChanged;
	}

	#refuse(text) {
		const shown = JSON.stringify(text.slice(0, MAX_SHOWN));
		refuse("not_a_state", "text", 0n, 0n, `${shown} is not a state of the budget of ${this.key}`);
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

/** What a store has loaded, checked. */
function readLoaded(loaded) {
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
	return { text, now: uint64("now of load()", now) };
}

function noAnswer(timeout) {
	return new Error(`the store did not answer within ${timeout} ms`);
}

function localTime() {
	return BigInt(Math.round(performance.now() * 1e6));
}
