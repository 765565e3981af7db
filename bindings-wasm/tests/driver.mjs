// The driver (tests/README.md of the repository): answers request lines. It is one file, so that it can be
// copied into a project that has the package installed.

import { readFileSync, writeFileSync } from "node:fs";
import { Backoff, Policy, PolicyError, RandomStream } from "backoff-wasm";

function answer(line) {
	const request = Object.fromEntries(line.split(" ").map((word) => word.split("=")));
	const { seed, key, via, index, count, ...fields } = request;
	try {
		const policy = new Policy(options(fields));
		const keys = key === undefined ? [] : [Uint8Array.from(Buffer.from(key, "hex"))];
		const stream = new RandomStream(BigInt(seed), ...keys);
		return ["ok", ...delays(via, policy, stream, Number(index), Number(count))].join(" ");
	} catch (error) {
		if (error instanceof PolicyError) {
			return `error ${error.code} ${error.field} ${error.value} ${error.limit}`;
		}
		throw error;
	}
}

function options(fields) {
	const camelCase = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
	return Object.fromEntries(Object.entries(fields).map(([name, text]) => [camelCase(name), value(name, text)]));
}

function value(name, text) {
	switch (name) {
		case "growth":
		case "jitter":
		case "cap_on":
		case "retry_after":
			return text;
		case "power":
		case "origin":
		case "max_retries":
		case "max_attempts":
			return BigInt(text);
		default:
			return text.includes("/") ? text.split("/").map(BigInt) : { nanoseconds: BigInt(text) };
	}
}

function delays(via, policy, stream, index, count) {
	const backoff = new Backoff(policy, stream);
	const take = (length) => Array.from({ length }, () => backoff.nextDelayNs()).filter((delay) => delay !== undefined);
	switch (via) {
		case "at":
			return Array.from({ length: count }, (_, offset) => policy.delayNs(stream, index + offset));
		case "fill":
			return policy.delaysNs(stream, count, index);
		case "next":
			return take(count);
		case "reset":
			take(index);
			backoff.reset();
			return take(count);
		default:
			throw new Error(`via ${via} is unknown`);
	}
}

const lines = readFileSync(0, "utf8").split("\n").filter(Boolean);
writeFileSync(1, lines.map((line) => `${answer(line)}\n`).join(""));
