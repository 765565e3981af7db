// The types of the adapters, with those of their hosts.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";

const here = import.meta.dirname;
const manifest = createRequire(join(process.env.BACKOFF_WASM_SOURCE, "package.json")).resolve(
	"typescript/package.json",
);

test("tsc --strict, by import and by require", { timeout: 60_000 }, () => {
	const files = ["typing.mts", "typing.cts"];
	for (const file of files) {
		copyFileSync(join(here, "typing.ts"), join(here, file));
	}
	const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--noEmit", "--types", "node"];
	const options = [...strict, "--ignoreConfig", "--target", "es2022", "--module", "nodenext"];
	const words = [join(dirname(manifest), "bin/tsc"), ...options, ...files];
	const { status, stdout } = spawnSync(process.execPath, words, { cwd: here, encoding: "utf8" });
	assert.equal(status, 0, stdout);
});

test("the types themselves, which a program without skipLibCheck compiles", { timeout: 300_000 }, () => {
	const folder = join(here, "node_modules/backoff-wasm/dist");
	const names = readdirSync(folder, { recursive: true }).filter((name) => /\.d\.c?ts$/.test(name));
	assert.ok(names.length > 20, `${names}`);
	const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--noEmit", "--types", "node"];
	const options = [...strict, "--ignoreConfig", "--target", "es2022", "--module", "nodenext"];
	const words = [join(dirname(manifest), "bin/tsc"), ...options, ...names.map((name) => join(folder, name))];
	const { stdout } = spawnSync(process.execPath, words, { cwd: here, encoding: "utf8" });
	// Those of some hosts have errors of their own.
	const ours = stdout.split("\n").filter((line) => /^\S*backoff-wasm\/\S*\(\d+,\d+\): error/.test(line));
	assert.deepEqual(ours, []);
	assert.doesNotMatch(stdout, /^error TS/m);
});
