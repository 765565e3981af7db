// The evaluator (tests/README.md of the repository): each input line is a request as JSON, and each output
// line its answer. It is one file, so that it can be copied into a project that has the package installed.

import { isUtf8 } from "node:buffer";
import {
	Backoff,
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
const [MAX_STATUS, MAX_TIMES, MAX_LEASE, MAX_PROCESSES] = [2 ** 16 - 1, 100_000, 1000, 1_000_000n];
/** A number of milliseconds below this tells the nanosecond. */
const EXACT_MS = 2 ** 53 / 1e6;

/** Thrown for a line that is not a request. */
class NotARequest extends Error {}

function answer(line) {
	try {
		const request = new Request(object(parsed(line)));
		const form = Object.keys(FORMS).find((name) => Object.hasOwn(request.members, name));
		const found = form ? FORMS[form](request, request.members[form]) : delay(request);
		return `${JSON.stringify(request.error ?? found)}\n`;
	} catch (error) {
		if (error instanceof NotARequest) {
			return '{"error":"not_a_request","at":0}\n';
		}
		throw error;
	}
}

/**
 * The members of a request, and the answer to the first policy or budget that is invalid. A valid one takes its
 * place, because the rest of the request is read, too.
 */
class Request {
	constructor(members) {
		this.members = members;
		this.error = undefined;
	}

	/** What a call returns, or what stands for its error, to which `answer` is the answer. */
	attempt(call, valid, answer) {
		try {
			return call();
		} catch (error) {
			if (!(error instanceof PolicyError)) {
				throw error;
			}
			this.error ??= answer(error);
			return valid;
		}
	}

	policy() {
		const text = string(this.members.policy);
		const place = ({ code, at }) => ({ error: code, at });
		return this.attempt(() => Policy.parse(text), Policy.parse("none"), place);
	}

	budget(text, of = "budget") {
		string(text);
		const place = ({ code, at }) => ({ error: code, at, of });
		return this.attempt(() => Budget.parse(text), Budget.parse("rate"), place);
	}

	stream() {
		const { seed = "0", key = null } = this.members;
		return new RandomStream(digits(seed), ...(key === null ? [] : [string(key)]));
	}
}

/** The answer to a policy that is invalid, but not at a place of a string. */
function details({ code, field, value, limit }) {
	return { error: code, field, value: `${value}`, limit: `${limit}` };
}

function delay(request) {
	const { index = 0 } = request.members;
	const policy = request.policy();
	return { canonical: `${policy}`, delay_ns: `${policy.delayNs(request.stream(), whole(index, MAX_UINT32))}` };
}

function delays(request, asked) {
	const { via, index, count } = object(asked);
	const [stream, options] = [request.stream(), fieldsOf(object(request.members.policy))];
	check(whole(index, MAX_UINT32) + whole(count, 10_000) <= 2 ** 32 && Object.hasOwn(VIA, string(via)));
	const policy = request.attempt(() => new Policy(options), undefined, details);
	return policy && { delays: VIA[via](policy, stream, index, count).map(String) };
}

const taken = (backoff, length) =>
	Array.from({ length }, () => backoff.nextDelayNs()).filter((delay) => delay !== undefined);

/** The ways to ask for windows and delays. */
const VIA = {
	window: (policy, _, index, length) => Array.from({ length }, (_, offset) => policy.windowNs(index + offset)),
	at: (policy, stream, index, length) => Array.from({ length }, (_, offset) => policy.delayNs(stream, index + offset)),
	fill: (policy, stream, index, count) => Array.from(policy.delaysNs(stream, count, index)),
	next: (policy, stream, _, count) => taken(new Backoff(policy, stream), count),
	reset: (policy, stream, index, count) => {
		const backoff = new Backoff(policy, stream);
		taken(backoff, index);
		backoff.reset();
		return taken(backoff, count);
	},
};

const nanosecondsOf = (value) => ({ nanoseconds: digits(value) });
const ratioOf = (value) => {
	const terms = string(value).split("/");
	check(terms.length === 2);
	return terms.map((term) => digits(term, BigInt(MAX_UINT32)));
};

/** How each field is read that is not a duration. */
const FIELDS = {
	...{ growth: string, jitter: string, cap_on: string, retry_after: string, elapsed_from: string },
	waits: (waits) => {
		check(Array.isArray(waits));
		return waits.map(nanosecondsOf);
	},
	...{ multiplier: ratioOf, jitter_below: ratioOf, jitter_above: ratioOf },
	...{ power: digits, origin: digits, max_retries: digits, max_attempts: digits },
};
const DURATIONS = [
	...["base", "increment", "offset", "cap", "floor", "jitter_max", "jitter_increment", "jitter_slot"],
	...["max_elapsed", "throttled_base", "retry_after_max", "retry_after_max_extra"],
	...["attempt_timeout", "reset_after"],
];

/** The options of a policy. */
function fieldsOf(fields) {
	const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
	const names = [...Object.keys(FIELDS), ...DURATIONS].filter((name) => Object.hasOwn(fields, name));
	const read = (name) => (FIELDS[name] ?? nanosecondsOf)(fields[name]);
	return Object.fromEntries(names.map((name) => [camelCase(name), read(name)]));
}

function preview(request, asked) {
	const { first, count } = object(asked);
	const end = whole(first, 10_000) + whole(count, 1000);
	const rows = request.policy().previewNs(end).slice(first);
	return { rows: rows.map((row) => Object.values(row).map(String)) };
}

function fit(request, asked) {
	const policy = request.policy();
	const { field, attempts, total } = object(asked);
	check(field === "base" || field === "cap");
	const method = field === "base" ? "fitBase" : "fitCap";
	const [most, time] = [whole(attempts, MAX_UINT32), timeOf(total)];
	return request.attempt(() => ({ canonical: `${policy[method](most, time)}` }), undefined, details);
}

function steps(request, asked) {
	const [policy, stream, { budget: text = null }] = [request.policy(), request.stream(), request.members];
	const budget = text === null ? undefined : request.budget(text);
	const operations = new Map();
	const answers = [];
	for (const step of list(asked)) {
		const [number, now] = [whole(step.operation, MAX_UINT32), clockOf(step.now)];
		const operation = operations.get(number);
		check((step.do === "begin") === !operation);
		if (step.do === "begin") {
			const deadline = (step.deadline ?? null) === null ? undefined : clockOf(step.deadline);
			operations.set(number, new Operation(policy, stream, { now, deadline, budget }));
			continue;
		}
		if (step.do === "limit") {
			const [limit, index] = [operation.attemptLimitNs(now), operation.retryIndex(now)];
			answers.push({ limit: textOf(limit), index });
			continue;
		}
		check(step.do === "outcome" || step.do === "cancel");
		const { delayNs, reason } =
			step.do === "cancel"
				? { delayNs: 0n, reason: operation.cancel() }
				: operation.decide(outcomeOf(step), {
						now,
						retryAfter: timeOrNone(step.retry_after),
						delay: timeOrNone(step.own_delay),
					});
		const { retries } = operation;
		answers.push(reason ? { stop: reason, delay: `${delayNs}`, retries } : { wait: `${delayNs}`, retries });
	}
	return { canonical: `${policy}`, budget: textOf(budget), answers };
}

function retryAfter(_, asked) {
	const { value, now } = object(asked);
	return { retry_after: textOf(parseRetryAfterNs(string(value), timeOf(now))) };
}

function response(_, asked) {
	const { status, fields, now } = object(asked);
	const lines = string(fields).split("\n");
	const headers = headersOf(lines.filter((line) => line.includes(":")).map((line) => line.replace(/\r$/, "")));
	const verdict = httpVerdict({ status: whole(status, MAX_STATUS), headers }, timeOf(now));
	const wait = verdict.retryAfter;
	return { outcome: verdict.outcome, retry_after: textOf(wait === undefined ? wait : nanoseconds(wait)) };
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

function state(request, asked) {
	const [budget, { text, events }] = [request.budget(request.members.budget), object(asked)];
	const [full, start] = [BudgetState.full(budget), stringOrNone(text)];
	const refused = ({ code }) => ({ error: code, at: 0, of: "text" });
	let current = start === null ? full : request.attempt(() => BudgetState.parse(budget, start), full, refused);
	const answers = list(events).map((members) => {
		const [{ event, held }, now] = [eventOf(members), digits(members.now)];
		const step = current.step(event, now, { held, ...(event === REQUEST && { outcome: outcomeOf(members) }) });
		current = step.state;
		return { granted: event === REQUEST ? step.granted : null, holds: `${step.held}`, state: current.text };
	});
	return { budget: `${budget}`, answers };
}

function eventOf({ event, held = "0" }) {
	check(EVENTS.includes(event));
	return { event, held: digits(held) };
}

function outcomeOf({ outcome }) {
	check(OUTCOMES.includes(outcome));
	return outcome;
}

function exchange(request, asked) {
	const { local: localText, lease, fallback, timeout, seed, steps } = object(asked);
	let budget = request.budget(request.members.budget);
	const local = request.budget(localText, "local");
	if (`${budget}`.startsWith("concurrent")) {
		request.error ??= { error: "not_shared", at: 0, of: "budget" };
		budget = Budget.parse("rate");
	}
	const parts = digits(fallback);
	check(parts <= MAX_PROCESSES || parts === MAX_UINT64);
	const numbers = [count(lease, MAX_LEASE), parts, digits(timeout, MAX_NS), digits(seed)];
	const player = new Player(new BudgetMember(budget, local, ...numbers));
	const answers = list(steps).map((step) => player.play(step));
	return { budget: `${budget}`, local: `${local}`, answers, stats: player.stats() };
}

/** A member, and how far its exchange is. */
class Player {
	#member;
	#isExchanging = false;
	/** Whether the exchange has made steps that could be stored. */
	#isStepped = false;

	constructor(member) {
		this.#member = member;
	}

	/** Plays a step. An action reads all of it before it says whether it may come now, by `undefined`. */
	play(step) {
		check(ACTIONS.includes(step.do));
		const [now, member] = [digits(step.now), this.#member];
		const answer = this[step.do](step, now);
		if (!answer) {
			return { error: "not_now" };
		}
		const [away, dueIn] = [member.isAway(now), member.dueIn(now)];
		return { ...answer, away, due_in: textOf(dueIn), unsent: member.hasUnsent(), timeout: `${member.timeout()}` };
	}

	stats() {
		const stats = this.#member.stats();
		const name = (key) => key.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
		return Object.fromEntries(Object.entries(stats).map(([key, count]) => [name(key), `${count}`]));
	}

	note({ local = false, times = 1, ...step }, now) {
		const { event, held } = eventOf(step);
		boolean(local);
		for (let time = count(times, MAX_TIMES); time > 0; time--) {
			this.#member.note(event, held, local, now);
		}
		return {};
	}

	request({ times = 1, ...step }, now) {
		const outcome = outcomeOf(step);
		let answer;
		for (let time = count(times, MAX_TIMES); time > 0; time--) {
			answer = this.#member.request(outcome, now);
		}
		if (!answer) {
			return { answer: "waits", held: "0", local: false };
		}
		return { answer: answer.granted ? "granted" : "refused", held: `${answer.held}`, local: answer.isLocal };
	}

	cancel(step) {
		this.#member.cancel(outcomeOf(step));
		return {};
	}

	begin(_, now) {
		if (this.#isExchanging) {
			return undefined;
		}
		this.#member.begin(now);
		this.#isExchanging = true;
		return {};
	}

	step({ text, store_now }) {
		const [start, storeNow] = [stringOrNone(text), digits(store_now)];
		if (!this.#isExchanging) {
			return undefined;
		}
		const found = this.#member.step(start, storeNow);
		this.#isStepped = found !== undefined;
		if (!found) {
			return { after: null, changed: false, steps: [] };
		}
		const shown = ({ event, outcome, ...step }) => {
			const [held, count, granted] = [step.held, step.count, step.granted ?? 0].map(String);
			return { event, outcome, held, count, granted };
		};
		return { after: found.after, changed: found.isChanged, steps: found.steps.map(shown) };
	}

	stored(_, now) {
		if (!this.#isStepped) {
			return undefined;
		}
		const rows = this.#member.stored(now);
		this.#end();
		const column = (name) => rows.map((row) => `${row[name]}`);
		return { granted: column("granted"), refused: column("refused"), held: column("held") };
	}

	lost(_, now) {
		if (!this.#isExchanging) {
			return undefined;
		}
		this.#isStepped = false;
		return { wait: textOf(this.#member.lost(now)) };
	}

	failed({ stored }, now) {
		boolean(stored);
		if (!this.#isExchanging) {
			return undefined;
		}
		this.#member.failed(stored, now);
		this.#end();
		return {};
	}

	late(_, now) {
		this.#member.late(now);
		return {};
	}

	#end() {
		this.#isExchanging = false;
		this.#isStepped = false;
	}
}

const ACTIONS = ["note", "request", "cancel", "begin", "step", "stored", "lost", "failed", "late"];

/** The forms with a member of their own, in the order in which these are looked for. */
const FORMS = { retry_after: retryAfter, response, state, exchange, steps, fit, preview, delays };

const textOf = (value) => (value === undefined ? null : `${value}`);

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

function digits(input, limit = MAX_UINT64) {
	check(typeof input === "string" && /^\d+$/.test(input) && BigInt(input) <= limit);
	return BigInt(input);
}

function timeOf(input) {
	return { nanoseconds: digits(input, MAX_NS) };
}

function clockOf(input) {
	return { nanoseconds: digits(input) };
}

function timeOrNone(input = null) {
	return input === null ? undefined : timeOf(input);
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
