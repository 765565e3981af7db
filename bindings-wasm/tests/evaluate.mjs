// The evaluator (tests/README.md of the repository). Each input line is a JSON object with a policy
// string, a seed, a key and an index; the answer has the canonical string and the delay. It is one
// file, so that it can be copied into a project that has the package installed.

import { isUtf8 } from "node:buffer";
import { Policy, PolicyError, RandomStream } from "backoff-wasm";

const NOT_A_REQUEST = '{"error":"not_a_request","at":0}\n';
const MAX_INDEX = 2 ** 32 - 1;
const MAX_SEED = 2n ** 64n - 1n;

function answer(line) {
	const valid = request(line);
	if (valid === undefined) {
		return NOT_A_REQUEST;
	}
	try {
		const policy = Policy.parse(valid.policy);
		return `{"canonical":"${policy}","delay_ns":"${policy.delayNs(valid.stream, valid.index)}"}\n`;
	} catch (error) {
		if (error instanceof PolicyError) {
			return `{"error":"${error.code}","at":${error.at}}\n`;
		}
		throw error;
	}
}

function request(line) {
	const members = parsed(line);
	if (typeof members !== "object" || members === null) {
		return undefined;
	}
	const { policy, seed: digits = "0", key = null, index = 0 } = members;
	if (typeof policy !== "string" || typeof digits !== "string" || !/^\d+$/.test(digits)) {
		return undefined;
	}
	const seed = BigInt(digits);
	const isIndex = Number.isInteger(index) && index >= 0 && index <= MAX_INDEX;
	if (seed > MAX_SEED || !isIndex || !(key === null || typeof key === "string")) {
		return undefined;
	}
	return { policy, index, stream: key === null ? new RandomStream(seed) : new RandomStream(seed, key) };
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
