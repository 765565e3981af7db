// The evaluator (tests/README.md of the repository): each input line is a request as JSON, and each output
// line its answer. It is one file, so that it can be copied into a project that has the package installed.

import { isUtf8 } from "node:buffer";
import {
	Budget,
	BudgetMember,
	BudgetState,
	httpVerdict,
	Operation,
	Policy,
	PolicyError,
	parseRetryAfterNs,
	RandomStream,
} from "backoff-wasm";

const MAX_UINT32 = 2 ** 32 - 1;
const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_NS = 2n ** 63n - 1n;
const OUTCOMES = ["success", "transient", "throttled", "timeout", "permanent"];
const EVENTS = [
	"operation_began",
	"attempt_over",
	"attempt_failed",
	"retry_requested",
	"operation_succeeded",
	"operation_ended",
];
const REQUEST = "retry_requested";
const [MOST_STATUS, MOST_TIMES, MOST_LEASE, MOST_PROCESSES] = [2 ** 16 - 1, 100_000, 1000, 1_000_000n];
/** A number of milliseconds below this tells the nanosecond. */
const EXACT_MS = 2 ** 53 / 1e6;

/** Thrown for a line that is not a request. */
class NotARequest extends Error {}

function answer(line) {
	try {
		return `${JSON.stringify(answerTo(object(parsed(line))))}\n`;
	} catch (error) {
		if (error instanceof NotARequest) {
			return '{"error":"not_a_request","at":0}\n';
		}
		throw error;
	}
}

/** The forms with a member of their own, in the order in which these are looked for. */
const FORMS = {
	retry_after: answerRetryAfter,
	response: answerResponse,
	state: answerState,
	exchange: answerExchange,
	steps: answerSteps,
	fit: answerFit,
	preview: answerPreview,
};

function answerTo(members) {
	const form = Object.keys(FORMS).find((name) => Object.hasOwn(members, name));
	return form ? FORMS[form](members) : answerDelay(members);
}

function answerDelay(members) {
	const { policy, index = 0 } = members;
	const [text, on, position] = [string(policy), stream(members), whole(index, MAX_UINT32)];
	return withParsed(Policy, text, (policy) => ({
		canonical: `${policy}`,
		delay_ns: `${policy.delayNs(on, position)}`,
	}));
}

function answerPreview({ policy, preview }) {
	const [text, range] = [string(policy), object(preview)];
	const [first, count] = [whole(range.first, 10_000), whole(range.count, 1000)];
	return withParsed(Policy, text, (policy) => {
		const rows = policy.previewNs(first + count).slice(first);
		return { rows: rows.map((row) => Object.values(row).map(String)) };
	});
}

function answerFit({ policy, fit }) {
	const text = string(policy);
	const { field, attempts, total } = object(fit);
	check(field === "base" || field === "cap");
	const method = field === "base" ? "fitBase" : "fitCap";
	const [most, time] = [whole(attempts, MAX_UINT32), timeOf(total)];
	return withParsed(Policy, text, (policy) => {
		const refused = ({ code, field, value, limit }) => ({ error: code, field, value: `${value}`, limit: `${limit}` });
		return attempt(() => ({ canonical: `${policy[method](most, time)}` }), refused);
	});
}

function answerSteps(members) {
	const { policy, budget = null, steps } = members;
	const [text, on] = [string(policy), stream(members)];
	check(budget === null || typeof budget === "string");
	const begun = new Set();
	const checked = list(steps).map((step) => checkedStep(step, begun));
	return withParsed(Policy, text, (policy) => {
		const play = (budget) => ({
			canonical: `${policy}`,
			budget: budget ? `${budget}` : null,
			answers: played(checked, policy, on, budget),
		});
		return budget === null ? play() : withParsed(Budget, budget, play, { of: "budget" });
	});
}

function checkedStep(step, begun) {
	const [operation, now] = [whole(step.operation, MAX_UINT32), timeOf(step.now)];
	const common = { operation, do: step.do, now };
	const isBegun = begun.has(operation);
	switch (step.do) {
		case "begin":
			check(!isBegun);
			begun.add(operation);
			return { ...common, deadline: timeOrNone(step.deadline) };
		case "outcome":
			check(isBegun && OUTCOMES.includes(step.outcome));
			return { ...common, outcome: step.outcome, retryAfter: timeOrNone(step.retry_after) };
		default:
			check(isBegun && step.do === "cancel");
			return common;
	}
}

function played(steps, policy, on, budget) {
	const operations = new Map();
	const answers = [];
	for (const step of steps) {
		const { now } = step;
		if (step.do === "begin") {
			operations.set(step.operation, new Operation(policy, on, { now, deadline: step.deadline, budget }));
			continue;
		}
		const operation = operations.get(step.operation);
		const { delayNs, reason } =
			step.do === "cancel"
				? { delayNs: 0n, reason: operation.cancel() }
				: operation.decide(step.outcome, { now, retryAfter: step.retryAfter });
		const { retries } = operation;
		answers.push(reason ? { stop: reason, delay: `${delayNs}`, retries } : { wait: `${delayNs}`, retries });
	}
	return answers;
}

function answerRetryAfter(members) {
	const { value, now } = object(members.retry_after);
	const ns = parseRetryAfterNs(string(value), timeOf(now));
	return { retry_after: ns === undefined ? null : `${ns}` };
}

function answerResponse(members) {
	const { status, fields, now } = object(members.response);
	const [checked, lines, time] = [whole(status, MOST_STATUS), string(fields).split("\n"), timeOf(now)];
	const headers = headersOf(lines.filter((line) => line.includes(":")).map((line) => line.replace(/\r$/, "")));
	const { outcome, retryAfter } = httpVerdict({ status: checked, headers }, time);
	return { outcome, retry_after: retryAfter === undefined ? null : `${nanoseconds(retryAfter)}` };
}

/** As Node.js has fields that come more than once. */
function headersOf(lines) {
	const headers = new Map();
	for (const line of lines) {
		const name = line.slice(0, line.indexOf(":")).toLowerCase();
		headers.set(name, [...(headers.get(name) ?? []), line.slice(name.length + 1)]);
	}
	return { get: (name) => headers.get(name) };
}

/** The nanoseconds of a wait in ms, which does not tell the nanosecond of a long one. */
function nanoseconds(ms) {
	const whole = BigInt(Math.trunc(ms)) * 1_000_000n;
	const part = ms < EXACT_MS ? Math.round((ms % 1) * 1e6) : 1e6 * Math.round(ms % 1);
	return [whole + BigInt(part), MAX_NS].reduce((one, other) => (one < other ? one : other));
}

function answerState({ budget, state }) {
	const text = string(budget);
	const { text: start, events } = object(state);
	const [begun, checked] = [stringOrNone(start), list(events).map(timedEvent)];
	return withParsed(
		Budget,
		text,
		(budget) => {
			const begin = () => ({ current: begun === null ? BudgetState.full(budget) : BudgetState.parse(budget, begun) });
			const refused = ({ code }) => ({ refused: { error: code, at: 0, of: "text" } });
			return attempt(begin, refused, ({ current, refused }) => refused ?? stepped(budget, current, checked));
		},
		{ of: "budget" },
	);
}

function stepped(budget, start, events) {
	let state = start;
	const answers = events.map(({ event, now, given }) => {
		const step = state.step(event, now, given);
		({ state } = step);
		return { granted: event === REQUEST ? step.granted : null, holds: `${step.held}`, state: state.text };
	});
	return { budget: `${budget}`, answers };
}

function timedEvent(step) {
	const [{ event, held }, { nanoseconds: now }] = [checkedEvent(step), timeOf(step.now)];
	return { event, now, given: { held, ...(event === REQUEST && { outcome: outcomeOf(step) }) } };
}

function checkedEvent({ event, held = "0" }) {
	check(EVENTS.includes(event));
	return { event, held: digits(held, MAX_UINT64) };
}

function outcomeOf({ outcome }) {
	check(OUTCOMES.includes(outcome));
	return outcome;
}

function answerExchange({ budget, exchange }) {
	const text = string(budget);
	const { local, lease, fallback, timeout, seed, steps } = object(exchange);
	const [localText, most, parts] = [string(local), count(lease, MOST_LEASE), digits(fallback, MAX_UINT64)];
	check(parts <= MOST_PROCESSES || parts === MAX_UINT64);
	const numbers = [most, parts, digits(timeout, MAX_NS), digits(seed, MAX_UINT64)];
	const checked = list(steps).map(memberStep);
	const play = (budget) => (local) => {
		if (`${budget}`.startsWith("concurrent")) {
			return { error: "not_shared", at: 0, of: "budget" };
		}
		const player = new Player(new BudgetMember(budget, local, ...numbers));
		const answers = checked.map((step) => player.play(step));
		return { budget: `${budget}`, local: `${local}`, answers, stats: player.stats() };
	};
	const withLocal = (budget) => withParsed(Budget, localText, play(budget), { of: "local" });
	return withParsed(Budget, text, withLocal, { of: "budget" });
}

function memberStep(step) {
	const read = typeof step.do === "string" && Object.hasOwn(ACTIONS, step.do) && ACTIONS[step.do];
	check(read);
	return { do: step.do, now: timeOf(step.now).nanoseconds, ...read(step) };
}

const times = ({ times = 1 }) => ({ times: count(times, MOST_TIMES) });
const nothing = () => ({});

/** What each action of a member needs. */
const ACTIONS = {
	note: ({ local = false, ...step }) => ({ ...checkedEvent(step), local: boolean(local), ...times(step) }),
	request: (step) => ({ outcome: outcomeOf(step), ...times(step) }),
	cancel: (step) => ({ outcome: outcomeOf(step) }),
	begin: nothing,
	step: (step) => ({ text: stringOrNone(step.text), storeNow: timeOf(step.store_now).nanoseconds }),
	stored: nothing,
	lost: nothing,
	failed: ({ stored }) => ({ stored: boolean(stored) }),
	late: nothing,
};

/** A member, and how far its exchange is. */
class Player {
	#member;
	#isExchanging = false;
	/** Whether the exchange has made steps that could be stored. */
	#isStepped = false;

	constructor(member) {
		this.#member = member;
	}

	play(step) {
		if (!this.#isNow(step.do)) {
			return { error: "not_now" };
		}
		const [answer, member] = [this[step.do](step), this.#member];
		const [away, dueIn] = [member.isAway(step.now), member.dueIn(step.now)];
		return { ...answer, away, due_in: textOf(dueIn), unsent: member.hasUnsent(), timeout: `${member.timeout()}` };
	}

	stats() {
		const stats = this.#member.stats();
		const name = (key) => key.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
		return Object.fromEntries(Object.entries(stats).map(([key, count]) => [name(key), `${count}`]));
	}

	/** One exchange at a time, and its end after its steps. */
	#isNow(action) {
		switch (action) {
			case "begin":
				return !this.#isExchanging;
			case "stored":
				return this.#isStepped;
			default:
				return this.#isExchanging || !["step", "lost", "failed"].includes(action);
		}
	}

	note({ event, held, local, now, times }) {
		for (let time = 0; time < times; time++) {
			this.#member.note(event, held, local, now);
		}
	}

	request({ outcome, now, times }) {
		let answer;
		for (let time = 0; time < times; time++) {
			answer = this.#member.request(outcome, now);
		}
		if (!answer) {
			return { answer: "waits", held: "0", local: false };
		}
		return { answer: answer.granted ? "granted" : "refused", held: `${answer.held}`, local: answer.isLocal };
	}

	cancel({ outcome }) {
		this.#member.cancel(outcome);
	}

	begin({ now }) {
		this.#member.begin(now);
		this.#isExchanging = true;
	}

	step({ text, storeNow }) {
		const found = this.#member.step(text, storeNow);
		this.#isStepped = found !== undefined;
		if (!found) {
			return { after: null, changed: false, steps: [] };
		}
		const shown = ({ event, outcome, held, count, granted }) => ({
			event,
			outcome,
			held: `${held}`,
			count: `${count}`,
			granted: `${granted ?? 0}`,
		});
		return { after: found.after, changed: found.isChanged, steps: found.steps.map(shown) };
	}

	stored({ now }) {
		const rows = this.#member.stored(now);
		this.#end();
		const column = (name) => rows.map((row) => `${row[name]}`);
		return { granted: column("granted"), refused: column("refused"), held: column("held") };
	}

	lost({ now }) {
		this.#isStepped = false;
		return { wait: textOf(this.#member.lost(now)) };
	}

	failed({ stored, now }) {
		this.#member.failed(stored, now);
		this.#end();
	}

	late({ now }) {
		this.#member.late(now);
	}

	#end() {
		this.#isExchanging = false;
		this.#isStepped = false;
	}
}

const textOf = (number) => (number === undefined ? null : `${number}`);

/** What becomes of a policy or a budget, or the answer that its string does not parse. */
function withParsed(Class, text, use, members) {
	return attempt(
		() => ({ parsed: Class.parse(text) }),
		({ code, at }) => ({ refused: { error: code, at, ...members } }),
		({ parsed, refused }) => refused ?? use(parsed),
	);
}

/** The end of a call, or what an error of the package stands for. */
function attempt(call, refused, use = (result) => result) {
	let result;
	try {
		result = call();
	} catch (error) {
		if (!(error instanceof PolicyError)) {
			throw error;
		}
		result = refused(error);
	}
	return use(result);
}

function check(isValid) {
	if (!isValid) {
		throw new NotARequest();
	}
}

function object(input) {
	check(typeof input === "object" && input !== null && !Array.isArray(input));
	return input;
}

function string(input) {
	check(typeof input === "string");
	return input;
}

function stringOrNone(input = null) {
	return input === null ? null : string(input);
}

function boolean(input) {
	check(typeof input === "boolean");
	return input;
}

/** A list of objects. */
function list(input) {
	check(Array.isArray(input));
	return input.map(object);
}

function count(input, limit) {
	check(whole(input, limit) > 0);
	return input;
}

function whole(input, limit) {
	check(Number.isInteger(input) && input >= 0 && input <= limit);
	return input;
}

function digits(input, limit) {
	check(typeof input === "string" && /^\d+$/.test(input) && BigInt(input) <= limit);
	return BigInt(input);
}

function timeOf(input) {
	return { nanoseconds: digits(input, MAX_NS) };
}

function timeOrNone(input = null) {
	return input === null ? undefined : timeOf(input);
}

function stream({ seed = "0", key = null }) {
	const number = digits(seed, MAX_UINT64);
	return key === null ? new RandomStream(number) : new RandomStream(number, string(key));
}

function parsed(line) {
	try {
		// UTF-8 has no lone surrogates; only an escape can make one.
		return line.includes("\\u") && !unescaped(line).isWellFormed() ? undefined : JSON.parse(line);
	} catch {
		return undefined;
	}
}

/** A line with its escapes decoded. */
function unescaped(line) {
	return line.replace(/\\(?:u([\da-f]{4})|[\s\S])/gi, (_, code) =>
		code ? String.fromCharCode(Number.parseInt(code, 16)) : " ",
	);
}

/** The lines of a block as text; a line that is not UTF-8 becomes empty. */
function texts(block) {
	if (isUtf8(block)) {
		return block.toString().split("\n");
	}
	// In Latin-1 every byte is one character, so this splits at the line feeds only.
	return block
		.toString("latin1")
		.split("\n")
		.map((line) => Buffer.from(line, "latin1"))
		.map((line) => (isUtf8(line) ? line.toString() : ""));
}

async function answerAll(input, output) {
	let rest = [];
	for await (const chunk of input) {
		const end = chunk.lastIndexOf("\n");
		if (end < 0) {
			rest.push(chunk);
			continue;
		}
		const block = Buffer.concat([...rest, chunk.subarray(0, end)]);
		rest = [chunk.subarray(end + 1)];
		output.write(texts(block).map(answer).join(""));
	}
	const last = Buffer.concat(rest);
	if (last.length) {
		output.write(texts(last).map(answer).join(""));
	}
}

await answerAll(process.stdin, process.stdout);
