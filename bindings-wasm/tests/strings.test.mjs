// Policy strings, budget strings, previews and fits: the vectors of all languages, on the installed package.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Budget, Policy, PolicyError } from "./installed.mjs";
import { nanoseconds, options, vectors } from "./vectors.mjs";

const KINDS = { policy: Policy, budget: Budget };

/** Asserts that this throws a PolicyError with these parts, whose numbers are text. */
function refuses(action, { code, field, value, limit, message, at, found }) {
	assert.throws(action, (error) => {
		assert.ok(error instanceof PolicyError && error instanceof RangeError);
		assert.equal(error.message, message);
		assert.deepEqual(
			[error.code, error.field, error.value, error.limit, error.at, error.found],
			[code, field ?? undefined, BigInt(value), BigInt(limit), at, found],
		);
		return true;
	});
}

/** A value of a field, as a number of the unit of the core. */
function exactly(value) {
	const { nanoseconds } = Object(value);
	const isLimit =
		value === Infinity || nanoseconds === 2n ** 63n - 1n || value === 2n ** 32n || value === 2n ** 32n + 1n;
	if (isLimit || nanoseconds !== undefined) {
		return isLimit ? Infinity : Number(nanoseconds) / 1e6;
	}
	return typeof value === "bigint" ? Number(value) : value;
}

/** Asserts that the fields of a policy or a budget make an equal one. */
function hasItsFields(read) {
	if (read instanceof Policy) {
		assert.ok(new Policy(read.params).equals(read));
		return;
	}
	const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	const shown = (name, value) => {
		if (name === "per" || name === "ttl") {
			return `${(value.nanoseconds ?? BigInt(Math.round(value * 1e6))).toString()}ns`;
		}
		return Array.isArray(value) ? value.join("/") : value;
	};
	const pairs = Object.entries(read.params).map(([name, value]) => `${snakeCase(name)}=${shown(name, value)}`);
	assert.equal(Budget.parse(`${read.kind}:${pairs.join(",")}`).text, read.text);
}

describe("fields of budgets", () => {
	for (const [text, params] of [
		["quota:cost=7", { maxTokens: 500, cost: 7, costThrottled: 7, costTimeout: 7 }],
		["throttle", { maxTokens: 10, ratio: [1, 10] }],
		["ratio:ratio=1/3", { maxTokens: 10, ratio: [1, 3] }],
		["rate", { maxTokens: 60, per: 60_000 }],
		["ttl", { ratio: [1, 5], ttl: 10_000, minPerSecond: 10 }],
		["concurrent", { ratio: [1, 5], minConcurrent: 3 }],
	]) {
		test(text, () => {
			const budget = Budget.parse(text);
			assert.equal(budget.kind, text.split(":")[0]);
			assert.deepEqual(budget.params, params);
			assert.ok(Object.isFrozen(budget.params) && Object.isFrozen(budget.params.ratio ?? budget.params));
			assert.deepEqual(JSON.parse(JSON.stringify(budget.params)), params);
		});
	}
});

describe("texts", () => {
	for (const { id, of, text, canonical, policy } of vectors("texts")) {
		test(id, () => {
			const read = KINDS[of].parse(text);
			assert.equal(read.toString(), canonical);
			assert.equal(JSON.stringify({ read }), JSON.stringify({ read: canonical }));
			assert.equal(`${KINDS[of].parse(canonical)}`, canonical);
			hasItsFields(read);
			if (of === "policy") {
				for (const [name, value] of Object.entries(options(policy))) {
					assert.deepEqual(exactly(read.params[name] ?? read.params.maxRetries + 1), exactly(value), name);
				}
				const built = new Policy(options(policy));
				assert.equal(`${built}`, canonical);
				assert.deepEqual(built.params, read.params);
				assert.ok(built.equals(read));
			}
		});
	}
});

describe("text_errors", () => {
	for (const { id, of, text, error } of vectors("text_errors")) {
		test(id, () => refuses(() => KINDS[of].parse(text), error));
	}
});

describe("presets", () => {
	for (const { id, of, preset, string, canonical, windows = [] } of vectors("presets")) {
		test(id, () => {
			for (const text of [preset, string]) {
				const read = KINDS[of].parse(text);
				assert.equal(`${read}`, canonical);
				hasItsFields(read);
				windows.forEach((window, index) => {
					assert.equal(read.windowNs(index), BigInt(window));
				});
			}
		});
	}
});

describe("previews", () => {
	const option = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
	for (const { id, policy: string, first, count, rows } of vectors("previews")) {
		test(id, () => {
			const policy = Policy.parse(string);
			const expected = (shown) =>
				rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, ns]) => [option(name), shown(ns)])));
			assert.deepEqual(policy.previewNs(first + count).slice(first), expected(BigInt));
			assert.deepEqual(
				policy.preview(first + count).slice(first),
				expected((ns) => Number(BigInt(ns)) / 1e6),
			);
		});
	}
});

describe("fits", () => {
	for (const { id, policy: string, field, attempts, total, canonical, error } of vectors("fits")) {
		test(id, () => {
			const policy = Policy.parse(string);
			const fit = () => policy[field === "base" ? "fitBase" : "fitCap"](BigInt(attempts), nanoseconds(total));
			if (error) {
				const message = error.message.replace("max_attempts", "attempts").replace("max_elapsed", "total");
				refuses(fit, { ...error, message });
			} else {
				assert.equal(`${fit()}`, canonical);
			}
			assert.equal(`${policy}`, `${Policy.parse(string)}`);
		});
	}
});
