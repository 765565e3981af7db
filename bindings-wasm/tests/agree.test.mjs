// The core in plain JavaScript beside the core: both entries answer random requests (tests/README.md of the repository)
// alike. The usual tests ask a few thousand, those of a release a million: BACKOFF_WASM_REQUESTS says how many.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { project, source } from "./installed.mjs";

const { BACKOFF_WASM_REQUESTS = 6000 } = process.env;
const SEED = 20_261_128;
/** One process answers this many requests. */
const BLOCK = 4000;
/** The forms of requests, each with its part of all and with what its answers contain, apart from errors. */
const FORMS = {
	string: [0.7, '"canonical":'],
	decision: [0.2, '{"wait":'],
	field: [0.07, '{"delays":['],
	member: [0.03, '"changed":true,'],
};

/** What a program prints that reads a text. */
async function output(input, ...words) {
	const program = spawn(...words, { stdio: ["pipe", "pipe", "inherit"] });
	program.stdin.end(input);
	const [printed, [code]] = await Promise.all([
		buffer(program.stdout),
		new Promise((resolve) => program.on("close", (...end) => resolve(end))),
	]);
	assert.equal(code, 0, words.join(" "));
	return printed;
}

const code = readFileSync(join(source, "tests/evaluate.mjs"), "utf8");
const evaluators = ["backoff-wasm", "backoff-wasm/js"].map((entry) => {
	const program = join(project, `evaluate-${entry.replace("/", "-")}.mjs`);
	writeFileSync(program, code.replace('"backoff-wasm"', JSON.stringify(entry)));
	return program;
});
assert.notEqual(...evaluators.map((program) => readFileSync(program, "utf8")));

for (const [form, [part, answered]] of Object.entries(FORMS)) {
	test(`both entries answer random requests alike: ${form}`, async () => {
		const count = Math.ceil(BACKOFF_WASM_REQUESTS * part);
		let [asked, errors, others] = [0, 0, 0];
		for (let seed = SEED; asked < count; seed++) {
			const generator = join(source, `../tests/differential/${form}_requests.py`);
			const requests = await output("", "python3", [generator, seed, Math.min(BLOCK, count - asked)].map(String));
			const answers = await Promise.all(evaluators.map((program) => output(requests, process.execPath, [program])));
			const [expected, found] = answers.map((bytes) => `${bytes}`.trimEnd().split("\n"));
			if (!answers[0].equals(answers[1])) {
				const place = expected.findIndex((answer, place) => answer !== found[place]);
				assert.equal(found[place], expected[place], `${requests}`.split("\n")[place]);
			}
			assert.equal(found.length, expected.length);
			asked += expected.length;
			errors += expected.filter((answer) => answer.startsWith('{"error":')).length;
			others += expected.filter((answer) => answer.includes(answered)).length;
		}
		assert.ok(
			asked >= count && others > asked / 10 && (errors > asked / 100 || form === "member"),
			`${errors} ${others}`,
		);
	});
}
