// What a page downloads for what it imports. README.md has these numbers, so it is the list of the limits.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { installed, project, source } from "./installed.mjs";

const { build } = createRequire(join(source, "package.json"))("esbuild");

async function bundled(contents) {
	const stdin = { contents, resolveDir: project };
	const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: "esm", write: false });
	return outputFiles[0];
}

/** A row is `| import | kB gzipped |`; rows about other packages have no import. */
const rows = [
	...readFileSync(join(source, "README.md"), "utf8").matchAll(/^\| `(import .*?)` +\| +([\d.]+) +\|$/gm),
].map(([, code, kilobytes]) => [code, Number(kilobytes)]);

describe("an import costs what the README says", () => {
	assert.ok(rows.length >= 12, `${rows.length}`);
	for (const [code, kilobytes] of rows) {
		test(code, async () => {
			const [, imported] = /^import (.*) from/.exec(code);
			const used = imported === "* as backoff" ? "{ ...backoff }" : imported.replace(/ as \w+/g, "");
			const { contents } = await bundled(`${code}; globalThis.used = ${used};`);
			const measured = gzipSync(contents, { level: 9 }).length / 1000;
			assert.ok(Math.abs(measured - kilobytes) <= 0.06, `${measured} kB`);
		});
	}
});

for (const [entry, ofBudget] of Object.entries({ "backoff-wasm": "budget_report", "backoff-wasm/js": "sre-process" })) {
	test(`what is not imported is left out of ${entry}`, async () => {
		const { text } = await bundled(`import "${entry}";`);
		assert.equal(text, "");
		const { text: nothing } = await bundled(`import { retry } from "${entry}"; globalThis.used = undefined;`);
		assert.ok(nothing.length < 50, nothing);
		// A message, or a name, of each part.
		const parts = {
			Budget: ofBudget,
			BudgetState: "is not a state of the budget",
			SharedBudget: "other processes were faster",
			RetryStats: "# HELP backoff_attempts",
			parseRetryAfter: "(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)",
			fetchOutcome: "the (?:internet|network) connection",
			Policy: "totalMean",
		};
		for (const [name, part] of Object.entries(parts)) {
			const { text: retry } = await bundled(`import { retry } from "${entry}"; globalThis.used = [retry];`);
			const { text: used } = await bundled(`import { ${name} } from "${entry}"; globalThis.used = [${name}];`);
			assert.deepEqual([retry.includes(part), used.includes(part)], [false, true], name);
		}
	});
}

test("neither entry without WebAssembly has it", () => {
	for (const file of ["js/index.js", "js/index.cjs", "delay.js", "delay.cjs"]) {
		assert.ok(!readFileSync(join(installed, "dist", file), "utf8").includes("WebAssembly."), file);
	}
});
