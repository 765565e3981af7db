// The one line about a policy without a limit.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { href } from "./installed.mjs";

/** What a program with `retry` and `loop(policy, options)`, which fails three times, writes as errors. */
function errors(code) {
	const program = `
		import { Policy, retry } from "${href}";
		const clock = { now: () => 0, sleep() {} };
		const fn = ({ attempt }) => (attempt < 4 ? Promise.reject(new Error("busy")) : attempt);
		const loop = (policy, options) => retry(fn, { policy, clock, shouldRetry: () => true, ...options });
		${code}`;
	const words = ["--input-type=module", "--eval", program];
	const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", timeout: 60_000 });
	assert.equal(status, 0, stderr);
	return stderr;
}

const line = (policy, instead) =>
	`backoff: the policy "${policy}" has no limit, so the loop retries for ever; add max_retries=3, or maxRetries: Infinity if you mean it (or write ${instead})`;
const LINE = line("full:base=200ms", "default:base=200ms to change only the base");

describe("a policy without a limit", () => {
	test("the first loop that waits says so, once", () => {
		const said = errors(`
			await loop("full:base=200ms");
			await loop("full:base=200ms");
			await loop("immediate");`);
		assert.deepEqual(said.match(/^.*BackoffWarning: (.*)$/m)?.[1], LINE);
		assert.equal(said.match(/has no limit/g).length, 1);
	});

	test("it quotes the policy as it was given, and names off where there is no base", () => {
		for (const [policy, shown, instead] of [
			['"immediate"', "immediate", "off for no retries"],
			['"full:base=1ns,cap=1s"', "full:base=1ns,cap=1s", "default:base=1ns to change only the base"],
			['Policy.parse("full:base=2s")', "exponential:base=2s,jitter=full", "default:base=2s to change only the base"],
		]) {
			const said = errors(`await loop(${policy});`);
			assert.equal(said.match(/^.*BackoffWarning: (.*)$/m)?.[1], line(shown, instead));
		}
	});

	test("on the console, where there is no process", () => {
		const said = errors(`
			delete globalThis.process;
			await loop("full:base=200ms");`);
		assert.equal(said, `${LINE}\n`);
	});

	test("not where the caller wrote that there is none", () => {
		const said = errors(`
			await loop(undefined, { maxRetries: Infinity, base: 1 });
			await loop("full:base=200ms", { maxAttempts: Infinity });
			await loop(Policy.parse("full:base=200ms,max_elapsed=1m"), { maxElapsed: Infinity });
			await loop("full:base=200ms,max_retries=none,cap=1s");`);
		assert.equal(said, "");
		assert.match(errors(`await loop("full:base=1s", { cap: Infinity });`), /the policy "full:base=1s" has no limit/);
	});

	test("not with a limit, and not before a wait", () => {
		const said = errors(`
			await loop("full:base=200ms,max_retries=5");
			await loop("full:base=200ms,max_elapsed=1m");
			await loop("full:base=200ms", { deadline: 5000 });
			await loop("default");
			await retry(() => 1, { policy: "full:base=200ms", shouldRetry: () => true });
			await loop("full:base=200ms", { shouldRetry: () => false }).catch(() => {});`);
		assert.equal(said, "");
	});
});
