// Both entries in the environments of Jest and Vitest.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { ENTRIES, EXPECTED, ran, versionOf } from "./expected.mjs";

const here = import.meta.dirname;
const require = createRequire(import.meta.url);
const folder = join(process.env.BACKOFF_WASM_PROJECT, "runners");
const run = promisify(execFile);

before(() => {
	mkdirSync(folder);
	copyFileSync(join(here, "check.mjs"), join(folder, "check.mjs"));
	const expected = JSON.stringify(EXPECTED);
	const tests = ENTRIES.map(
		(entry) =>
			`test("${entry}", async () => expect(await check(require("${entry}"), loadAlone())).toEqual(${expected}));`,
	);
	const functions = 'const { check, loadAlone } = require("./check.cjs");';
	writeFileSync(join(folder, "package.test.cjs"), [functions, ...tests].join("\n"));
	const imports = ENTRIES.map((entry, position) => `import * as api${position} from "${entry}";`);
	const cases = ENTRIES.map(
		(entry, position) =>
			`test("${entry}", async () => expect(await check(api${position}, loadAlone())).toEqual(${expected}));`,
	);
	const head = 'import { expect, test } from "vitest";\nimport { check, loadAlone } from "./check.mjs";';
	writeFileSync(join(folder, "package.test.mjs"), [head, ...imports, ...cases].join("\n"));
});

describe("jest", () => {
	before(async () => {
		const { build } = await import("esbuild");
		await build({ entryPoints: [join(folder, "check.mjs")], outfile: join(folder, "check.cjs"), format: "cjs" });
	});

	/** As jest-environment-jsdom, with the jsdom of Vitest. */
	const JSDOM = `
		const { default: Environment } = require(${JSON.stringify(require.resolve("@jest/environment-jsdom-abstract"))});
		const jsdom = require(${JSON.stringify(require.resolve("jsdom"))});
		module.exports = class extends Environment {
			constructor(config, context) {
				super(config, context, jsdom);
			}
		};
	`;

	for (const environment of ["node", "jsdom"]) {
		test(environment, async () => {
			writeFileSync(join(folder, "jsdom.cjs"), JSDOM);
			const config = {
				rootDir: folder,
				testEnvironment: environment === "jsdom" ? join(folder, "jsdom.cjs") : "node",
				testMatch: ["**/*.test.cjs"],
				transform: {},
			};
			const args = [join(here, "node_modules/.bin/jest"), "--config", JSON.stringify(config), "--no-cache", "--json"];
			const { stdout } = await run(process.execPath, args, { cwd: folder });
			assert.equal(JSON.parse(stdout).numPassedTests, ENTRIES.length);
			ran("test runners", `Jest (${environment})`, versionOf("jest"));
		});
	}
});

describe("vitest", () => {
	for (const environment of ["node", "jsdom", "happy-dom", "edge-runtime"]) {
		test(environment, async () => {
			const args = [join(here, "node_modules/vitest/vitest.mjs"), "run", "--root", folder, "--reporter=json"];
			const report = join(folder, `${environment}.json`);
			args.push(`--environment=${environment}`, `--outputFile=${report}`, "package.test.mjs");
			await run(process.execPath, args, { cwd: here });
			assert.equal(JSON.parse(readFileSync(report, "utf8")).numPassedTests, ENTRIES.length);
			ran("test runners", `Vitest (${environment})`, versionOf("vitest"));
		});
	}
});
