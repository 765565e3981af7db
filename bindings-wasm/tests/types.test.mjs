// The types, under each way that a project may look packages up.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { installed, Policy, project, Stream, source } from "./installed.mjs";

const tsc = join(dirname(createRequire(join(source, "package.json")).resolve("typescript/package.json")), "bin/tsc");

describe("tsc --strict", () => {
	for (const [module, moduleResolution, file] of [
		["node16", "node16", "typing.mts"],
		["node16", "node16", "typing.cts"],
		["esnext", "bundler", "typing.ts"],
	]) {
		test(`${moduleResolution}, ${file}`, () => {
			copyFileSync(join(import.meta.dirname, "typing.ts"), join(project, file));
			const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--noEmit"];
			const options = ["--ignoreConfig", "--target", "es2022", "--types", "", "--module", module];
			const { status, stdout } = spawnSync(
				process.execPath,
				[tsc, ...strict, ...options, "--moduleResolution", moduleResolution, file],
				{ cwd: project, encoding: "utf8" },
			);
			assert.equal(status, 0, stdout);
		});
	}
});

describe("the types name what exists", () => {
	const types = readFileSync(join(installed, "dist/index.d.ts"), "utf8");
	const kinds = (name) =>
		[...new RegExp(`type ${name} = ([^;]*);`).exec(types)[1].matchAll(/"(\w+)"/g)].map(([, kind]) => kind);

	for (const [type, option] of [
		["Growth", "growth"],
		["Jitter", "jitter"],
		["CapOn", "capOn"],
	]) {
		test(`the kinds of ${option}`, () => {
			const listed = { growth: "constant", base: 1, [option]: "none such" };
			assert.throws(() => new Policy(listed), { message: new RegExp(`the kinds are ${kinds(type).join(", ")}$`) });
		});
	}

	test("the options of a policy", () => {
		const [, body] = /interface PolicyOptions \{([\s\S]*?)\n\}/.exec(types);
		const options = [...body.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name);
		assert.throws(() => new Policy({ x: 1 }), {
			message: `x is unknown; the options of a policy are ${options.join(", ")}`,
		});
	});

	test("the members of the classes", () => {
		for (const [type, { prototype }] of Object.entries({ Policy, Stream })) {
			const [, body] = new RegExp(`export class ${type}[\\s\\S]*?\\{([\\s\\S]*?)\\n\\}`).exec(types);
			const methods = [...new Set([...body.matchAll(/^\t(\w+)\(/gm)].map(([, name]) => name))];
			assert.deepEqual(Object.getOwnPropertyNames(prototype).sort(), methods.sort());
		}
	});
});
