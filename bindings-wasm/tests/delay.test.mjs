// The entry for delays alone: the vectors of all languages, what its errors say, and loading it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createContext, runInContext } from "node:vm";
import * as main from "./installed.mjs";
import { options, vectors } from "./vectors.mjs";

const { installed, project, source } = main;
const { Backoff, Policy, PolicyError, RandomStream } = await import(pathToFileURL(join(installed, "dist/delay.js")));
const esbuild = createRequire(join(source, "package.json"))("esbuild");

const milliseconds = (ns) => Number(ns) / 1e6;
const bytesOf = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const streamOf = (seed, key) => new RandomStream(BigInt(seed), ...(key === null ? [] : [bytesOf(key)]));

describe("streams and draws", () => {
	for (const { id, seed, key, stream } of vectors("streams")) {
		test(id, () => assert.equal(streamOf(seed, key).state, BigInt(stream)));
	}
	for (const { id, stream, index, draw } of vectors("draws")) {
		test(id, () => assert.equal(new RandomStream(BigInt(stream)).draw(Number(index)), BigInt(draw)));
	}
	test("a long key", () => {
		const key = "é€😀".repeat(5000);
		assert.equal(new RandomStream(42, key).state, new main.RandomStream(42, key).state);
	});
});

for (const layer of ["samples", "growths", "jitters", "caps", "articles"]) {
	describe(layer, () => {
		for (const { id, policy: fields, seed, key, first: start, delays } of vectors(layer)) {
			test(id, () => {
				const [policy, on, first] = [new Policy(options(fields)), streamOf(seed, key), Number(start)];
				const expected = delays.map(BigInt);
				const each = expected.map((_, offset) => first + offset);
				assert.deepEqual(
					each.map((index) => policy.delayNs(on, index)),
					expected,
				);
				assert.deepEqual(
					each.map((index) => policy.delay(on, index)),
					expected.map(milliseconds),
				);
				assert.deepEqual([...policy.delaysNs(on, expected.length, first)], expected);
				assert.deepEqual([...policy.delays(on, expected.length, first)], expected.map(milliseconds));
			});
		}
	});
}

describe("resets", () => {
	for (const { id, policy, seed, key, runs, stream: last } of vectors("resets")) {
		test(id, () => {
			const backoff = new Backoff(new Policy(options(policy)), streamOf(seed, key));
			for (const run of runs) {
				assert.deepEqual(
					run.map(() => backoff.nextDelayNs()),
					run.map(BigInt),
				);
				backoff.reset();
			}
			assert.equal(backoff.stream.state, BigInt(last));
		});
	}
	test("an iterator ends after the last retry", () => {
		const policy = new Policy({ growth: "constant", base: 1, maxAttempts: 4 });
		assert.deepEqual([...new Backoff(policy, new RandomStream(1))], [1, 1, 1]);
	});
});

describe("errors have the code, the field, the value and the limit of the main entry", () => {
	const errorOf = (Class, given) => {
		try {
			new Class(given);
		} catch ({ name, code, field, value, limit }) {
			return { name, code, field, value, limit };
		}
		return undefined;
	};
	for (const { id, policy } of vectors("errors")) {
		test(id, () => {
			const expected = errorOf(main.Policy, options(policy));
			assert.notEqual(expected, undefined);
			assert.deepEqual(errorOf(Policy, options(policy)), expected);
		});
	}
	for (const given of [
		{ jitter: "ful" },
		{ base: -1 },
		{ base: 1e300 },
		{ base: "1s" },
		{ bse: 1 },
		{ multiplier: 1.23456789012 },
		{ multiplier: 1.6, maxRetries: 2n ** 70n },
	]) {
		test(Object.keys(given).join(), () => {
			const all = { growth: "exponential", base: 1, ...given };
			assert.deepEqual(errorOf(Policy, all), errorOf(main.Policy, all));
		});
	}

	test("the message names the option and the rule", () => {
		assert.throws(() => new Policy({ growth: "exponential", base: 100, cap: 50 }), {
			message: "cap breaks the rule cap_below_base: 50000000, limit 100000000",
		});
		assert.throws(
			() => new Policy({ growth: "constant", base: 1, jitter: "ful" }),
			(error) => {
				assert.equal(error.message, 'jitter breaks the rule unknown_kind: "ful", limit 7');
				return error instanceof PolicyError && error instanceof RangeError;
			},
		);
	});
});

test("a ratio may be a number", () => {
	const windows = [1, 1.6, 2.56].map((factor) => factor * 50);
	const policy = new Policy({ growth: "exponential", base: 50, multiplier: 1.6 });
	assert.deepEqual([...policy.delays(new RandomStream(1), 3)], windows);
	assert.ok(Object.isFrozen(policy) && Object.isFrozen(policy.options));
});

describe("loads", () => {
	const USE = `
		const policy = new Policy({ growth: "exponential", base: 100, cap: 20_000, jitter: "full" });
		console.log(policy.delay(new RandomStream(42, "job-1"), 0));
	`;
	const FIRST = "11.399434\n";
	const node = (type, code) =>
		execFileSync(process.execPath, [`--input-type=${type}`, "--eval", code], { cwd: project, encoding: "utf8" });

	test("by import and by require, with the same classes", () => {
		assert.equal(node("module", `import { Policy, RandomStream } from "backoff-wasm/delay";${USE}`), FIRST);
		assert.equal(node("commonjs", `const { Policy, RandomStream } = require("backoff-wasm/delay");${USE}`), FIRST);
		const both = `import { createRequire } from "node:module";
			import { Policy } from "backoff-wasm/delay";
			console.log(Policy === createRequire(import.meta.url)("backoff-wasm/delay").Policy);`;
		assert.equal(node("module", both), "true\n");
	});

	test("through a bundler", async () => {
		const entry = join(project, "delay-entry.js");
		writeFileSync(entry, `import { Policy, RandomStream } from "backoff-wasm/delay";${USE}`);
		const { outputFiles } = await esbuild.build({ entryPoints: [entry], bundle: true, format: "iife", write: false });
		const lines = [];
		const context = { console: { log: (line) => lines.push(`${line}\n`) } };
		runInContext(outputFiles[0].text, createContext(context, { codeGeneration: { strings: false, wasm: false } }));
		assert.deepEqual(lines, [FIRST]);
	});
});
