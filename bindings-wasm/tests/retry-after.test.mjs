// The Retry-After header of responses, of headers, and by itself.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseRetryAfter, parseRetryAfterNs } from "./installed.mjs";
import { MAX_NS } from "./misuse.mjs";

describe("parseRetryAfter", () => {
	test("a header that is not there is no hint", () => {
		assert.equal(parseRetryAfter(new Headers().get("retry-after")), undefined);
		assert.equal(parseRetryAfter(undefined), undefined);
	});

	test("is that of a response, of headers, and of a plain object of them", () => {
		const [name, value] = ["Retry-After", "7"];
		for (const [from, retryAfter] of [
			[new Response("", { headers: { [name]: value } }), 7000],
			[new Headers({ [name]: value }), 7000],
			[new Map([["retry-after", value]]), 7000],
			[{ [name]: value }, 7000],
			[{ "retry-after": value }, 7000],
			[{ headers: { "RETRY-AFTER": value } }, 7000],
			[{ headers: new Headers({ [name]: value }) }, 7000],
			[new Response(""), undefined],
			[new Headers(), undefined],
			[{}, undefined],
			[{ headers: {} }, undefined],
		]) {
			assert.equal(parseRetryAfter(from), retryAfter);
			assert.equal(parseRetryAfterNs(from), retryAfter && BigInt(retryAfter) * 1_000_000n);
		}
	});

	test("reads the time now", () => {
		const [now, soon] = [Date.now(), new Date(Date.now() + 3600e3).toUTCString()];
		const hint = parseRetryAfter(soon);
		assert.ok(retryAfter > 3590e3 && retryAfter <= 3600e3, `${retryAfter} at ${now}`);
	});

	test("is right for a value of any length, and quick", () => {
		const much = 1 << 20;
		const zeros = "0".repeat(much);
		const blanks = " \t".repeat(much);
		for (const [header, retryAfter] of [
			[`${zeros}7`, 7_000_000_000n],
			[zeros, 0n],
			[`${blanks}7${blanks}`, 7_000_000_000n],
			[blanks, undefined],
			["9".repeat(much), MAX_NS],
			[`${"9".repeat(much)}x`, undefined],
			[`${"9".repeat(4096)}é`, undefined],
			[`7${blanks}7`, undefined],
			[`${blanks}Thu, 01 Jan 1970 00:00:02 GMT${blanks}`, 2_000_000_000n],
			[`\u00a07`, undefined],
			["\ud800", undefined],
		]) {
			assert.equal(parseRetryAfterNs(header, 0), retryAfter, header.slice(0, 9));
		}
	});
});
