// The evaluator (tests/README.md of the repository): a policy's line, a stream and an index in,
// the canonical line and the delay out, a JSON object a line. It is one file, which is copied
// into a project that has the package.

import { isUtf8 } from "node:buffer";
import { Policy, PolicyError, Stream } from "backoff-wasm";

const NOT_A_REQUEST = '{"error":"not_a_request","at":0}\n';
const LARGEST = 2 ** 32 - 1;
const MAX_SEED = 2n ** 64n - 1n;

function answer(line) {
	const asked = request(line);
	if (asked === undefined) {
		return NOT_A_REQUEST;
	}
	try {
		const policy = Policy.parse(asked.policy);
		return `{"canonical":"${policy}","delay_ns":"${policy.delayNs(asked.stream, asked.index)}"}\n`;
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
	const isIndex = Number.isInteger(index) && index >= 0 && index <= LARGEST;
	if (seed > MAX_SEED || !isIndex || !(key === null || typeof key === "string")) {
		return undefined;
	}
	return { policy, index, stream: key === null ? new Stream(seed) : new Stream(seed, key) };
}

function parsed(line) {
	try {
		// Only an escape can make a lone surrogate of UTF-8.
		return line.includes("\\u") && !unescaped(line).isWellFormed() ? undefined : JSON.parse(line);
	} catch {
		return undefined;
	}
}

/** A line with its characters in place of their escapes. */
function unescaped(line) {
	return line.replace(/\\(?:u([\da-f]{4})|[\s\S])/gi, (_, code) =>
		code ? String.fromCharCode(Number.parseInt(code, 16)) : " ",
	);
}

/** The lines of a block that is cut at line feeds, as text; those that are not UTF-8 as none. */
function texts(block) {
	if (isUtf8(block)) {
		return block.toString().split("\n");
	}
	// Whichever byte is each character, a line feed is one.
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
