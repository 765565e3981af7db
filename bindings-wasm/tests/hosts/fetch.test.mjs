// fetch with retries: the fetch of Node.js on a server that fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Budget } from "backoff-wasm";
import { retryingFetch } from "backoff-wasm/fetch";
import { testClient } from "./faults.mjs";

const FAST = "constant:base=1ms,max_retries=3";

const { run, play } = testClient("fetch", {
	make: retryingFetch,
	refuses: [{ fetch: 5 }, { onRetry: true }],
	readsBody: false,
	open(options) {
		const fetch = retryingFetch(options);
		return {
			send: async ({ url, ...init }) => {
				const response = await fetch(url, { ...init, ...(init.body && { duplex: "half" }) });
				return { status: response.status, text: await response.text() };
			},
		};
	},
});

test("the delays of a stream", async () => {
	const delays = [];
	const fetch = retryingFetch({
		policy: "full:base=100ms,cap=20s,max_retries=3",
		seed: 42,
		key: "job-1",
		onRetry: ({ delayNs, value }) => void delays.push([value.status, delayNs]),
		clock: { now: () => performance.now(), sleep() {} },
	});
	await fetch(play([500]).url);
	assert.deepEqual(delays, [
		[500, 11399434n],
		[500, 83043876n],
		[500, 229309811n],
	]);
});

test("a Request, with its method, its headers, its body and its signal", async () => {
	const fetch = retryingFetch({ policy: FAST, budget: Budget.parse("sre-process") });
	const { url, requests } = play([503], [200]);
	const headers = { "x-a": "1", "content-type": "text/plain" };
	const response = await fetch(new Request(url, { method: "PUT", body: "text", headers }));
	assert.equal(response.status, 200);
	assert.deepEqual(
		requests.map(({ method, body, headers }) => [method, body, headers["x-a"], headers["content-type"]]),
		Array(2).fill(["PUT", "text", "1", "text/plain"]),
	);
	const without = play([503], [200]);
	assert.equal((await fetch(new Request(without.url))).status, 200);
	const deleted = play([503], [200]);
	assert.equal((await fetch(new Request(deleted.url, { method: "DELETE" }), { headers: { a: "1" } })).status, 200);
	assert.deepEqual(
		deleted.requests.map(({ method, headers }) => [method, headers.a]),
		[
			["DELETE", "1"],
			["DELETE", "1"],
		],
	);
	const once = play([503], [200]);
	assert.equal((await fetch(new Request(once.url, { method: "POST", body: "text" }))).status, 503);
	const waiting = play([503]);
	const signal = AbortSignal.timeout(50);
	const slow = retryingFetch({ policy: "constant:base=1h" });
	await assert.rejects(slow(new Request(waiting.url, { signal })), { name: "TimeoutError" });
});

test("a URL, bytes and a form", async () => {
	const fetch = retryingFetch({ policy: FAST });
	for (const [body, expected] of [
		[new TextEncoder().encode("text"), /^text$/],
		[new URLSearchParams({ a: "1" }), /^a=1$/],
		[new Blob(["text"]), /^text$/],
		[Object.assign(new FormData(), {}), /^--/],
	]) {
		if (body instanceof FormData) {
			body.set("a", "1");
		}
		const { url, requests } = play([503], [200]);
		assert.equal((await fetch(new URL(url), { method: "PUT", body })).status, 200);
		assert.equal(requests.length, 2);
		for (const request of requests) {
			assert.match(request.body, expected);
		}
	}
});

test("a signal and a timeout where AbortSignal.any is missing, as in React Native", async (t) => {
	const { any } = AbortSignal;
	t.after(() => {
		AbortSignal.any = any;
	});
	AbortSignal.any = undefined;
	const fetch = retryingFetch({ policy: FAST, attemptTimeout: 60_000 });
	const { url, requests } = play([503], [200]);
	assert.equal((await fetch(url, { signal: new AbortController().signal })).status, 200);
	assert.equal(requests.length, 2);
	const controller = new AbortController();
	const silent = play("silence");
	const ended = fetch(silent.url, { signal: controller.signal });
	while (silent.requests.length === 0) {
		await wait(1);
	}
	controller.abort(new Error("mine"));
	await assert.rejects(ended, { message: "mine" });
	const aborted = AbortSignal.abort(new Error("before"));
	await assert.rejects(fetch(play([200]).url, { signal: aborted }), { message: "before" });
});

test("programming errors are those of fetch, after one attempt", async () => {
	let stop;
	const fetch = retryingFetch({ policy: FAST, onStop: (event) => (stop = event) });
	for (const [input, init] of [
		["no url"],
		["ftp://127.0.0.1/"],
		["http://127.0.0.1:1/", { method: "GET", body: "text" }],
	]) {
		const own = await globalThis.fetch(input, init).catch((error) => error);
		await assert.rejects(fetch(input, init), { name: own.name, message: own.message });
		assert.deepEqual([stop.attempts, stop.reason], [1, "permanent"]);
	}
	await assert.rejects(fetch("http://127.0.0.1:1/", { method: 5, headers: { "a b": "1" } }), TypeError);
});

test("hooks that throw, and no body is left", async () => {
	const hooks = { onRetry: () => Promise.reject(new Error("hook")) };
	const end = await run({ policy: FAST, ...hooks }, play([503, {}, Buffer.alloc(2 ** 24)]));
	assert.equal(end.error.message, "hook");
	const stop = { onStop: () => Promise.reject(new Error("hook")) };
	assert.equal((await run({ policy: FAST, ...stop }, play([200, {}, Buffer.alloc(2 ** 24)]))).error.message, "hook");
});

test("a request is sent once as it is: the same arguments, and what fetch returns", async () => {
	const seen = [];
	const fetch = retryingFetch({ attemptTimeout: 1, fetch: (...given) => seen.push(given) });
	const init = { method: "POST", body: "text" };
	assert.equal(await fetch("http://127.0.0.1/", init), 1);
	assert.equal(seen[0][1], init);
});
