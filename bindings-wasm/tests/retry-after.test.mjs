// The Retry-After header of responses, of headers, and by itself.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseRetryAfter, parseRetryAfterNs } from "./installed.mjs";
import { MAX_NS } from "./misuse.mjs";

describe("parseRetryAfter", () => {
	test("a missing header is undefined", () => {
		assert.equal(parseRetryAfter(new Headers().get("retry-after")), undefined);
		assert.equal(parseRetryAfter(undefined), undefined);
	});

	test("reads a response, headers, and a plain object of headers", () => {
		const [name, value] = ["Retry-After", "7"];
		for (const [from, retryAfter] of [
			[new Response("", { headers: { [name]: value } }), 7000],
			[new Headers({ [name]: value }), 7000],
			[new Map([["retry-after", value]]), 7000],
			[{ [name]: value }, 7000],
			[{ "retry-after": value }, 7000],
			[{ headers: { "RETRY-AFTER": value } }, 7000],
			[{ headers: new Headers({ [name]: value }) }, 7000],
			[7, 7000],
			[["7"], 7000],
			[{ "retry-after": 7 }, 7000],
			[{ "retry-after": ["7", "8"] }, 7000],
			[{ headers: { "retry-after": [] } }, undefined],
			[-7, undefined],
			[7.5, undefined],
			[Number.NaN, undefined],
			[new Response(""), undefined],
			[new Headers(), undefined],
			[{}, undefined],
			[{ headers: {} }, undefined],
		]) {
			assert.equal(parseRetryAfter(from), retryAfter);
			assert.equal(parseRetryAfterNs(from), retryAfter && BigInt(retryAfter) * 1_000_000n);
		}
	});

	test("a date is relative to the current time", () => {
		const [now, soon] = [Date.now(), new Date(Date.now() + 3600e3).toUTCString()];
		const retryAfter = parseRetryAfter(soon);
		assert.ok(retryAfter > 3590e3 && retryAfter <= 3600e3, `${retryAfter} at ${now}`);
	});

	test("a header of up to 1024 bytes is read, and a longer one is undefined", () => {
		const much = 1 << 20;
		for (const [header, retryAfter] of [
			[`${"0".repeat(1023)}7`, 7_000_000_000n],
			[`${"0".repeat(1024)}7`, undefined],
			[`${" \t".repeat(511)}7 `, 7_000_000_000n],
			["9".repeat(1024), MAX_NS],
			["9".repeat(1025), undefined],
			["0".repeat(4096), undefined],
			["0".repeat(much), undefined],
			[" \t".repeat(much), undefined],
			[`${"9".repeat(4096)}é`, undefined],
			["7 7", undefined],
			[" Thu, 01 Jan 1970 00:00:02 GMT\t", 2_000_000_000n],
			["\u00a07", undefined],
			["\ud800", undefined],
		]) {
			assert.equal(parseRetryAfterNs(header, 0), retryAfter, header.slice(0, 9));
		}
	});
});
