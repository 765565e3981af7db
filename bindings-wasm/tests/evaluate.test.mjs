// The requests of all languages (tests/README.md): the evaluator, over the entry under test, answers each as the reference.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { href, project, source } from "./installed.mjs";

test("the evaluator answers as the reference", () => {
	const lines = readFileSync(join(source, "../tests/vectors/requests.jsonl"), "utf8").trim().split("\n");
	const asked = lines
		.map((line) => JSON.parse(line))
		.flatMap(({ id, asked = [] }) => asked.map(([part, request, answer]) => [id + part, Buffer.from(request), answer]));
	// The one that ends with a line feed is the last line of the input.
	const isLast = ([, request]) => request.at(-1) === 10;
	asked.sort((one, other) => isLast(one) - isLast(other));
	assert.ok(asked.length > 5000);

	const program = join(project, "evaluate-entry.mjs");
	const evaluator = readFileSync(join(source, "tests/evaluate.mjs"), "utf8");
	assert.ok(evaluator.includes('from "backoff-wasm"'));
	writeFileSync(program, evaluator.replace('from "backoff-wasm"', `from "${href}"`));
	const input = Buffer.concat(
		asked.flatMap(([, request], at) => (at === 0 ? [request] : [Buffer.from("\n"), request])),
	);
	const { status, stdout, stderr } = spawnSync(process.execPath, [program], {
		cwd: project,
		input,
		maxBuffer: 2 ** 30,
	});
	assert.deepEqual([status, `${stderr}`], [0, ""]);

	const answers = `${stdout}`.trimEnd().split("\n");
	assert.equal(answers.length, asked.length);
	for (const [at, [id, request, answer]] of asked.entries()) {
		assert.deepEqual(JSON.parse(answers[at]), JSON.parse(answer), `${id}: ${request}`);
	}
});
