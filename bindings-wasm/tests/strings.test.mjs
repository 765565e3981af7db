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

describe("texts", () => {
	for (const { id, of, text, canonical, policy } of vectors("texts")) {
		test(id, () => {
			const read = KINDS[of].parse(text);
			assert.equal(read.toString(), canonical);
			assert.equal(JSON.stringify({ read }), JSON.stringify({ read: canonical }));
			assert.equal(`${KINDS[of].parse(canonical)}`, canonical);
			if (of === "policy") {
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
