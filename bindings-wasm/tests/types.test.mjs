// The types, under each way in which TypeScript resolves packages.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import {
	Budget,
	BudgetState,
	esm,
	installed,
	Operation,
	Policy,
	project,
	RandomStream,
	RetryStats,
	requireThere,
	retry,
	SharedBudget,
	source,
} from "./installed.mjs";

const compiler = join(
	dirname(createRequire(join(source, "package.json")).resolve("typescript/package.json")),
	"bin/tsc",
);

function compile(files, module, moduleResolution) {
	const strict = ["--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false", "--noEmit"];
	const options = [...strict, "--ignoreConfig", "--target", "es2022", "--module", module];
	const { status, stdout } = spawnSync(
		process.execPath,
		[compiler, ...options, "--moduleResolution", moduleResolution, ...files],
		{ cwd: project, encoding: "utf8" },
	);
	assert.equal(status, 0, stdout);
}

// tests/everywhere has the older versions that the README promises.
describe("tsc --strict", () => {
	for (const [module, moduleResolution, file] of [
		["node16", "node16", "typing.mts"],
		["node16", "node16", "typing.cts"],
		["esnext", "bundler", "typing.ts"],
	]) {
		test(`${moduleResolution}, ${file}`, () => {
			copyFileSync(join(import.meta.dirname, "typing.ts"), join(project, file));
			compile([file], module, moduleResolution);
		});
	}

	test("the first program of the README, and the one in TypeScript on the page about loops", () => {
		const readme = readFileSync(join(source, "README.md"), "utf8");
		const [, first] = /```js\n([\s\S]*?)```/.exec(readme);
		const page = readFileSync(join(source, "docs/retry.md"), "utf8");
		const [, typed] = /```ts\n([\s\S]*?)```/.exec(page);
		writeFileSync(join(project, "first.mts"), first);
		writeFileSync(join(project, "typed.mts"), typed);
		compile(["first.mts", "typed.mts"], "node16", "node16");
	});
});

describe("the types name what exists", () => {
	const types = readFileSync(join(installed, "dist/index.d.ts"), "utf8");
	const kinds = (name) =>
		[...new RegExp(`type ${name} =([^;]*);`).exec(types)[1].matchAll(/"(\w+)"/g)].map(([, kind]) => kind);

	for (const [type, option] of [
		["Growth", "growth"],
		["Jitter", "jitter"],
		["CapOn", "capOn"],
		["RetryAfterMode", "retryAfter"],
	]) {
		test(`the kinds of ${option}`, () => {
			const listed = { growth: "constant", base: 1, [option]: "none such" };
			assert.throws(() => new Policy(listed), { message: new RegExp(`the kinds are ${kinds(type).join(", ")}$`) });
		});
	}

	const policy = Policy.parse("default");
	const begun = new Operation(policy, new RandomStream(1), { now: 0 });

	const state = BudgetState.full(Budget.parse("sre"));

	test("the outcomes, the reasons and the events", () => {
		assert.throws(() => state.step("none such", 0n), {
			message: `event "none such" is unknown; the events are ${kinds("BudgetEvent").join(", ")}`,
		});
		assert.throws(() => begun.decide("none such", { now: 0 }), {
			message: `outcome "none such" is unknown; the outcomes are ${kinds("Outcome").join(", ")}`,
		});
		assert.throws(() => new RetryStats().record(1, "none such"), {
			message: `reason "none such" is unknown; the reasons are ${kinds("StopReason").join(", ")}`,
		});
	});

	test("the codes of the core", () => {
		const unknown = ["unknown_outcome", "unknown_reason", "unknown_event"];
		const ours = ["not_finite", "negative", "not_whole", "not_unicode", ...unknown, "not_a_state"];
		const core = readFileSync(join(source, "../core/src/error/code.rs"), "utf8");
		const codes = [...core.matchAll(/^ *\w+ = \d+, "(\w+)",/gm)].map(([, code]) => code);
		assert.deepEqual(kinds("ErrorCode"), [...codes, ...ours]);
	});

	for (const [type, what, misuse] of [
		["PolicyOptions", "a policy", () => new Policy({ x: 1 })],
		["OperationOptions", "an operation", () => new Operation(policy, undefined, { x: 1 })],
		["DecisionOptions", "a decision", () => begun.decide("success", { x: 1 })],
		["StepOptions", "a step", () => state.step("attempt_over", 0n, { x: 1 })],
		[
			"SharedBudgetOptions",
			"a shared budget",
			() => new SharedBudget({ load() {}, compareAndSwap() {} }, "a", "sre", { x: 1 }),
		],
	]) {
		test(`the options of ${what}`, () => {
			const [, body] = new RegExp(`interface ${type} \\{([\\s\\S]*?)\\n\\}`).exec(types);
			const options = [...body.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name);
			assert.throws(misuse, { message: `x is unknown; the options of ${what} are ${options.join(", ")}` });
		});
	}

	test("the options of retry", async () => {
		const named = ["LoopOptions", "RetryOptions"].flatMap((type) => {
			const [, body] = new RegExp(`(?:interface|type) ${type}\\b([\\s\\S]*?)\\n\\n`).exec(types);
			return [...body.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name);
		});
		await assert.rejects(
			retry(() => 1, { x: 1 }),
			({ message }) => {
				const known = message
					.replace(/^x is unknown; the options of retry are |, and those of a policy$/g, "")
					.split(", ");
				assert.deepEqual(known.sort(), [...new Set(named)].sort());
				return true;
			},
		);
	});

	test("the members of an event", async () => {
		const [, body] = /interface EventBase \{([\s\S]*?)\n\}/.exec(types);
		const named = [...body.matchAll(/^\treadonly (\w+)/gm)].map(([, name]) => name);
		const events = [];
		await retry(() => 1, { shouldRetryResult: () => false, onStop: (event) => void events.push(event) });
		assert.deepEqual(Object.keys(events[0]).sort(), [...named, "outcome", "reason", "value"].sort());
	});

	test("the members of returned objects", () => {
		const named = (type) => {
			const [, body] = new RegExp(`interface ${type}(?:<.*>)? \\{([\\s\\S]*?)\\n\\}`).exec(types);
			return [...body.matchAll(/^\treadonly (\w+)/gm)].map(([, name]) => name);
		};
		assert.deepEqual(Object.keys(policy.preview()[0]), named("PreviewRow"));
		assert.deepEqual(Object.keys(begun.decide("success", { now: 0 })), named("Decision"));
		assert.deepEqual(Object.keys(new RetryStats().counts()), named("RetryStatsCounts"));
	});

	test("the members of the classes", () => {
		const sorted = (names) => [...new Set(names)].sort();
		const { AbortError: _, Backoff: __, ...classes } = esm;
		for (const [type, made] of Object.entries(classes).filter(([name]) => /^[A-Z](?!.*Error$)/.test(name))) {
			const [, body] = new RegExp(`export class ${type} [\\s\\S]*?\\{([\\s\\S]*?)\\n\\}`).exec(types);
			const named = (pattern) => [...body.matchAll(pattern)].map(([, name]) => name);
			const members = [...named(/^\t(?:get |private )?(\w+)\(/gm), "constructor"];
			assert.deepEqual(sorted(Object.getOwnPropertyNames(made.prototype)), sorted(members), type);
			const statics = Object.getOwnPropertyNames(made).filter(
				(name) => !["length", "name", "prototype"].includes(name),
			);
			assert.deepEqual(sorted(statics), sorted(named(/^\tstatic (\w+)\(/gm)), type);
		}
	});

	test("the exports", () => {
		// A function with overloads has several lines.
		const exports = types.matchAll(/^export (?:class|const|function|\{ \w+ as) (\w+)/gm);
		const named = [...new Set([...exports].map(([, name]) => name))];
		for (const exported of [esm, requireThere("backoff-wasm")]) {
			assert.deepEqual(Object.keys(exported).sort(), named.sort());
		}
	});
});
