// Answers request lines (tests/README.md of the repository).

import { readFileSync, writeFileSync } from "node:fs";
import { Backoff, Policy, PolicyError } from "backoff-wasm";
import { options, stream } from "./given.mjs";

function answer(line) {
	const { seed, key, via, index, count, ...fields } = Object.fromEntries(
		line.split(" ").map((word) => word.split("=")),
	);
	try {
		const policy = new Policy(options(fields));
		return `ok ${delays(via, policy, stream(seed, key), Number(index), Number(count)).join(" ")}`;
	} catch (error) {
		if (error instanceof PolicyError) {
			return `error ${error.code} ${error.field} ${error.value} ${error.limit}`;
		}
		throw error;
	}
}

function delays(via, policy, stream, index, count) {
	const backoff = new Backoff(policy, stream);
	const next = () => backoff.nextDelayNs();
	switch (via) {
		case "at":
			return Array.from({ length: count }, (_, offset) => policy.delayNs(stream, index + offset));
		case "fill":
			return policy.delaysNs(stream, count, index);
		case "next":
			return Array.from({ length: count }, next);
		case "reset":
			Array.from({ length: index }, next);
			backoff.reset();
			return Array.from({ length: count }, next);
		default:
			throw new Error(`via ${via} is unknown`);
	}
}

const lines = readFileSync(0, "utf8").split("\n").filter(Boolean);
writeFileSync(1, lines.map((line) => `${answer(line)}\n`).join(""));
