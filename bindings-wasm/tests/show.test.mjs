// Objects as others see them: JSON, deep equality, console.log, names of errors and polluted prototypes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import {
	Backoff,
	Budget,
	Operation,
	PermanentError,
	Policy,
	PolicyError,
	project,
	RandomStream,
	RetryError,
	RetryStats,
	retry,
} from "./installed.mjs";
import { always, FakeClock, job, run, script } from "./loop.mjs";

const policy = Policy.parse("full:base=100ms,cap=20s");
const other = Policy.parse("full:base=100ms,cap=21s");
const stream = new RandomStream(42, "job-1");
const json = (value) => JSON.parse(JSON.stringify(value));

describe("JSON", () => {
	test("of an event", async () => {
		const busy = Object.assign(new Error("busy"), { secret: 5n });
		const { events } = await run(script(busy), { ...job, policy: "constant:base=1s,max_retries=1" });
		const [first, last] = events.map(([, event]) => json(event));
		const error = { name: "Error", message: "busy" };
		const times = { delay: 1000, delayNs: "1000000000", elapsed: 0 };
		assert.deepEqual(first, { attempts: 1, outcome: "transient", ...times, budgetIsLocal: false, error });
		assert.deepEqual([last.reason, last.error], ["max_retries", error]);
		assert.deepEqual(Object.keys(events[0][1]).includes("toJSON"), false);
	});

	test("of an event with any value or error does not end the loop", async () => {
		const cyclic = { id: 5 };
		cyclic.self = cyclic;
		const ofAnotherRealm = runInNewContext("new TypeError('busy')");
		for (const [end, shown] of [
			[cyclic, "[object Object]"],
			[{ id: 5n }, "[object Object]"],
			[[5n], "[object Array]"],
			[Object.assign(Object.create(null), { id: 5n }), "[object Object]"],
			[{ id: 5 }, { id: 5 }],
			[null, null],
			["gone", "gone"],
			[5n, "5"],
			[ofAnotherRealm, { name: "TypeError", message: "busy" }],
			[Symbol("gone"), "[object Symbol]"],
			[always, "[object Function]"],
		]) {
			const lines = [];
			const log = (event) => void lines.push(json(event));
			const options = { ...job, clock: new FakeClock(), onRetry: log, onStop: log };
			assert.equal(await retry(() => end, options), end);
			const fail = ({ attempt }) => (attempt < 2 ? Promise.reject(end) : end);
			assert.equal(await retry(fail, options), end);
			assert.deepEqual(
				lines.map(({ value, error }) => [value, error]),
				[
					[shown, undefined],
					[undefined, shown],
					[shown, undefined],
				],
			);
		}
	});

	test("of an error", () => {
		let error;
		try {
			Policy.parse("full:base=100,cap=20s");
		} catch (thrown) {
			error = thrown;
		}
		const common = { name: "PolicyError", message: error.message, code: "missing_unit", field: "base" };
		assert.deepEqual(json(error), { ...common, value: "0", limit: "0", at: 13, found: "" });
		const gone = { name: "Error", message: "gone" };
		const permanent = { name: "PermanentError", message: "gone", originalError: gone };
		assert.deepEqual(json(new PermanentError("gone")), permanent);
	});

	test("of a decision and of a row of a preview", () => {
		const operation = new Operation(policy, stream, { now: 0 });
		assert.deepEqual(json(operation.decide("transient", { now: 0 })), { delay: 11.399434, delayNs: "11399434" });
		assert.deepEqual(json(policy.previewNs(1))[0].max, "100000000");
	});

	test("of a stream is its state", () => {
		const { state } = json(stream);
		assert.equal(new RandomStream(BigInt(state)).state, stream.state);
	});

	test("of the params of a policy makes the policy again", () => {
		for (const text of [
			"constant:base=1s,retry_after_max=none",
			"exponential:base=9007199254740993ns,multiplier=4/3,max_retries=7",
			"default",
			"linear:base=1s,cap=9s,max_elapsed=1m",
		]) {
			const { params } = Policy.parse(text);
			assert.equal(`${new Policy(json(params))}`, `${Policy.parse(text)}`);
			assert.equal(`${new Policy(params)}`, `${Policy.parse(text)}`);
		}
	});

	test("of stats is their counts", () => {
		const stats = new RetryStats();
		stats.record(3, "budget");
		assert.deepEqual(json(stats), json(stats.counts()));
	});
});

/** The options, members and properties that the package reads, as far as Node.js survives them. */
const POLLUTED = [
	...["cap", "maxRetries", "maxElapsed", "retryAfter", "throttledBase", "offset", "floor"],
	...["seed", "key", "stream", "budget", "stats", "deadline", "policy", "clock", "onStop", "unref", "nanoseconds"],
	...["error", "reason", "outcome", "delay", "delayNs", "attempts", "headers", "undefined", "cause", "message", "name"],
	...["option", "field", "limit", "found", "at", "raw", "unrepresentable", "shown", "advice"],
];

/** Two equal objects of each class, and one that differs. */
const operation = (outcome) => {
	const begun = new Operation(policy, stream, { now: 0 });
	begun.decide(outcome, { now: 0 });
	return begun;
};
const backoff = (taken) => {
	const begun = new Backoff(policy, stream);
	for (let left = taken; left > 0; left--) {
		begun.next();
	}
	return begun;
};
const stats = (...attempts) => {
	const counted = new RetryStats();
	for (const count of attempts) {
		counted.record(count, "success");
	}
	return counted;
};
const CLASSES = [
	["Policy", () => Policy.parse(`${policy}`), other],
	["Budget", () => Budget.parse("quota:max_tokens=5"), Budget.parse("quota:max_tokens=6")],
	["RandomStream", () => new RandomStream(5), new RandomStream(6)],
	["Backoff", () => backoff(3), backoff(4)],
	["Operation", () => operation("transient"), operation("success")],
	["RetryStats", () => stats(1, 2), stats(1, 3)],
];

describe("deep equality tells objects apart", () => {
	for (const [name, make, different] of CLASSES) {
		test(name, () => {
			assert.deepEqual(make(), make());
			assert.notDeepEqual(make(), different);
			assert.deepEqual({ ...make() }, { ...make() });
			assert.notDeepEqual({ ...make() }, { ...different }, "by own enumerable properties, as in Jest");
		});
	}
});

test("the properties that show state are read-only", () => {
	for (const [, make] of CLASSES) {
		const made = make();
		for (const name of Object.keys(made)) {
			assert.throws(() => {
				made[name] = 5;
			}, TypeError);
		}
	}
	assert.equal(policy.text, "exponential:base=100ms,cap=20s,jitter=full");
});

describe("console.log shows", () => {
	const SHOWN = {
		Policy: /^Policy \{\n? *text: 'exponential:base=100ms,cap=20s,jitter=full'\s\}$/,
		Budget: /^Budget \{ text: 'quota:max_tokens=5' \}$/,
		RandomStream: /^RandomStream \{ state: 5n \}$/,
		Backoff: /^Backoff \{\s+policy: Policy \{[^}]*\},\s+stream: RandomStream \{ state: \d+n \},\s+index: 3\s\}$/,
		Operation: /^Operation \{\s+policy: Policy \{[^}]*\},\s+retries: 1,\s+attempts: 2,\s+reason: undefined\s\}$/,
		RetryStats: /^RetryStats \{\s+operations: 2,\s+attempts: 3,/,
	};
	for (const [name, make] of CLASSES) {
		test(name, () => assert.match(inspect(make()), SHOWN[name]));
	}
});

describe("errors can be extended", () => {
	for (const [Base, ...args] of [
		[PermanentError, "gone"],
		[RetryError, "budget", 2],
		[PolicyError, "missing", "base", 0n, 0n, "base is missing"],
	]) {
		test(Base.name, () => {
			class Own extends Base {
				constructor() {
					super(...args);
					this.name = "Own";
				}
			}
			assert.equal(new Own().name, "Own");
			assert.match(`${new Own()}`, /^Own: /);
			assert.equal(new Base(...args).name, Base.name);
			assert.deepEqual(Object.keys(new Base(...args)).includes("name"), false);
		});
	}
});

test("a polluted Object.prototype does not reach options, verdicts, events, errors or headers", () => {
	const code = `
		import { Budget, fetchOutcome, Operation, parseRetryAfter, Policy, RandomStream, retry, RetryStats } from "backoff-wasm";
		const all = { ...Object.fromEntries(${JSON.stringify(POLLUTED)}.map((name) => [name, 5])), code: "ECONNRESET" };
		Object.assign(Object.prototype, all);
		const lines = [];
		const note = (...parts) => lines.push(parts.join(" "));
		note(new Policy({ growth: "constant", base: 1, jitter: "none" }));
		let calls = 0;
		const fn = () => { if (++calls < 3) throw new Error("busy"); return calls; };
		const clock = { now: () => 0, sleep: () => {} };
		const onRetry = ({ delay }) => note(delay);
		const options = { policy: "constant:base=1ms", clock, onRetry, shouldRetry: () => ({ outcome: "transient" }) };
		note(await retry(fn, options).catch((error) => error));
		const operation = new Operation(Policy.parse("constant:base=1s"), new RandomStream(1), { now: 0 });
		note(operation.decide("transient", { now: 0 }).delay, operation.decide("transient", { now: 9 }).delay);
		note(fetchOutcome(new RangeError("no")), fetchOutcome({}), fetchOutcome(new TypeError("fetch failed")));
		note(parseRetryAfter({ "Retry-After": "7" }), parseRetryAfter({}), parseRetryAfter(new Headers({ "Retry-After": "7" })));
		for (const misuse of [() => new RandomStream(-1), () => new RandomStream("1"), () => Policy.parse(5)]) {
			try { misuse(); } catch ({ name, message }) { note(name, message); }
		}
		const stats = new RetryStats();
		stats.record(2, "success");
		note(stats.counts().attempts, Budget.parse("quota"));
		for (const name of Object.keys(all)) delete Object.prototype[name];
		console.log(lines.join("\\n"));
	`;
	const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
		cwd: project,
		encoding: "utf8",
	});
	assert.deepEqual(printed.split("\n"), [
		"constant:base=1ms",
		"1",
		"1",
		"3",
		"1000 1000",
		"permanent permanent transient",
		"7000  7000",
		"PolicyError seed -1 is negative",
		"TypeError seed must be a whole number or a bigint, got string",
		"TypeError text must be a string, got number",
		"2 quota",
		"",
	]);
});

test("without TextEncoder and TextDecoder, texts and keys are UTF-8 all the same", async () => {
	const TEXTS = [
		"",
		"a",
		"ä€😀",
		"\u07ff\u0800\uffff\u{10000}\u{10ffff}",
		`${"é".repeat(5000)}😀`,
		"x".repeat(4096),
		"a".repeat(70_000),
	];
	for (const text of TEXTS) {
		const bytes = new TextEncoder().encode(text);
		assert.equal(new RandomStream(1, text).state, new RandomStream(1, bytes).state);
	}
	const code = `
		delete globalThis.TextEncoder;
		delete globalThis.TextDecoder;
		const { Policy, RandomStream } = require("backoff-wasm");
		try { new Policy({ growth: "größe😀" }); } catch ({ message }) { console.log(message.slice(0, 19), new RandomStream(1, "ä").state); }
	`;
	const printed = execFileSync(process.execPath, ["--eval", code], { cwd: project, encoding: "utf8" });
	assert.equal(printed, `growth "größe😀" is ${new RandomStream(1, "ä").state}n\n`);
});
