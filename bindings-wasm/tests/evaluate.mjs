// The evaluator (tests/README.md of the repository): each input line is a request as JSON, and each output
// line its answer. It is one file, so that it can be copied into a project that has the package installed.

import { isUtf8 } from "node:buffer";
import { Budget, Operation, Policy, PolicyError, parseRetryAfterNs, RandomStream } from "backoff-wasm";

const MAX_UINT32 = 2 ** 32 - 1;
const MAX_UINT64 = 2n ** 64n - 1n;
const MAX_NS = 2n ** 63n - 1n;
const OUTCOMES = ["success", "transient", "throttled", "timeout", "permanent"];

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
const FORMS = { retry_after: answerRetryAfter, steps: answerSteps, fit: answerFit, preview: answerPreview };

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
	check(Array.isArray(steps));
	const begun = new Set();
	const checked = steps.map((step) => checkedStep(object(step), begun));
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
