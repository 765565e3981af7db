// Every program of the README and of docs/ runs and prints the output that its page shows.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { project, source } from "./installed.mjs";

const esbuild = createRequire(join(source, "package.json"))("esbuild");
const names = ["README.md", ...readdirSync(join(source, "docs")).map((name) => `docs/${name}`)];
/** It needs a server; http.test.mjs runs it. */
const example = readFileSync(join(source, "examples/http.mjs"), "utf8");
const snippetsOf = (page) =>
	[...page.matchAll(/```(js|cjs|ts)\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```)?/g)].filter(
		([, , code]) => code !== example,
	);

const run = (type, ...options) => {
	const { stdout, stderr } = spawnSync(process.execPath, [`--input-type=${type}`, ...options], {
		cwd: project,
		encoding: "utf8",
	});
	assert.equal(stderr, "");
	return stdout;
};

for (const name of names) {
	const page = readFileSync(join(source, name), "utf8");
	const snippets = snippetsOf(page);

	describe(name, () => {
		test("every program shows its output", () => {
			const fences = page.match(/^```\w+$/gm) ?? [];
			const programs = fences.filter((fence) => fence !== "```text" && fence !== "```sh");
			const examples = page.split(`\`\`\`js\n${example}\`\`\`\n`).length - 1;
			assert.equal(programs.length, snippets.length + examples);
			assert.deepEqual(
				snippets.filter(([, , , output]) => output === undefined),
				[],
			);
		});

		for (const [, language, code, output] of snippets) {
			test(
				code.split("\n").find((line) => !/^(import .*|const \{.*|)$/.test(line)),
				() => {
					// types.test.mjs compiles it; here only the types are removed.
					const plain = language === "ts" ? esbuild.transformSync(code, { loader: "ts", target: "es2022" }).code : code;
					assert.equal(run(language === "cjs" ? "commonjs" : "module", "--eval", plain), output);
				},
			);
		}
	});
}

test("the pages have programs, and the README links each", () => {
	const pages = names.map((name) => readFileSync(join(source, name), "utf8"));
	assert.ok(pages.flatMap(snippetsOf).length >= 20);
	assert.deepEqual(
		names.slice(1).filter((name) => !pages[0].includes(`/bindings-wasm/${name}`)),
		[],
	);
});

/** Timers that fire at once, for the example. */
const NO_WAIT = `data:text/javascript,${encodeURIComponent(`
	const { setTimeout } = globalThis;
	globalThis.setTimeout = (act) => setTimeout(act, 0);
`)}`;

test("the example runs", () => {
	copyFileSync(join(source, "examples/retry.mjs"), join(project, "retry.mjs"));
	const options = { cwd: project, encoding: "utf8" };
	const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", NO_WAIT, "retry.mjs"], options);
	assert.deepEqual([status, stderr], [0, ""]);
	assert.deepEqual(stdout.split("\n"), [
		"attempt 1 failed, waiting 113.99 ms",
		"attempt 2 failed, waiting 830.44 ms",
		"attempt 3 failed, waiting 2293.10 ms",
		"job-1 is done",
		"3 retries",
		"",
	]);
});
