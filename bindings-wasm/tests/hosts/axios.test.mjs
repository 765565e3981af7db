// axios with retries, with each of its adapters, on a server that fails.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import axios from "axios";
import { RetryStats } from "backoff-wasm";
import { retryingAdapter } from "backoff-wasm/axios";
import { testClient } from "./faults.mjs";

const FAST = "constant:base=1ms,max_retries=3";

const FOLLOWED = "the failure may be that of a redirect, whose first request was sent";
const READ = "axios reads the body within the attempt";
const HIDDEN = "axios does not tell the head of a response whose body it cannot read";
const BY_STATUS = "to axios a failure has a status from 400";
/** The error of a truncated body has no response. */
const IS_OLD = axios.VERSION.startsWith("1.7.");
const because = (reason, ...ids) => Object.fromEntries(ids.map((id) => [id, reason]));
const ofAxios = (adapter, config = {}) => ({
	make: retryingAdapter,
	refuses: [{ adapter: 5 }, { adapter: null }, { adapter: ["http", 5] }],
	open(options) {
		const instance = axios.create({ ...config, adapter: retryingAdapter({ ...options, adapter }) });
		const send = async ({ body, own, ...request }) => {
			const given = { ...request, data: body, responseType: "text", retry: own, ...config };
			const { status, data } = await instance(given).catch((error) => {
				// axios throws for a status that is not wanted.
				if (error.message.startsWith("Request failed with status code")) {
					assert.equal(error.name, "AxiosError");
					return error.response;
				}
				throw error;
			});
			let text = typeof data === "string" ? data : "";
			for await (const chunk of typeof data === "string" ? [] : data) {
				text += chunk;
			}
			return { status, text };
		};
		return { send };
	},
	streamOf: (text) => Readable.from([text]),
});

testClient("axios, http", {
	...ofAxios("http"),
	except: {
		...because(READ, "drain-drip", "drain-hang"),
		...because(HIDDEN, "read-body-404-hang"),
		...(IS_OLD
			? because(HIDDEN, "read-body-503", "read-body-503-always", "read-body-404", "read-body-404-post")
			: because(BY_STATUS, "read-body-statuses-success")),
		...because(BY_STATUS, "read-body-statuses"),
	},
});
testClient("axios, fetch", {
	...ofAxios("fetch"),
	except: {
		...because(READ, "drain-drip", "drain-hang"),
		...because(FOLLOWED, "unknown-host-post", "refused-post", "tls-cut-post"),
		...because(HIDDEN, "read-body-503", "read-body-503-always", "read-body-404", "read-body-404-post"),
		...because(HIDDEN, "read-body-404-hang", "read-body-statuses"),
	},
});
const { play } = testClient("axios, any status accepted, the body as a stream", {
	...ofAxios("http", { responseType: "stream", validateStatus: () => true }),
	only: (id) => !id.startsWith("read-body"),
});

test("interceptors and transformations see a request once", async () => {
	const instance = axios.create({ adapter: retryingAdapter({ policy: FAST }) });
	const seen = [];
	instance.interceptors.request.use((config) => {
		seen.push("request");
		return config;
	});
	instance.interceptors.response.use((response) => {
		seen.push("response");
		return response;
	});
	const { url, requests } = play([503], [200, { "content-type": "application/json" }, '{"a":1}']);
	const { data } = await instance.put(url, { b: 2 });
	assert.deepEqual(data, { a: 1 });
	assert.deepEqual(seen, ["request", "response"]);
	assert.deepEqual(
		requests.map(({ body, headers }) => [body, headers["content-type"], headers["content-length"]]),
		Array(2).fill(['{"b":2}', "application/json", "7"]),
	);
});

test("a form is sent again", async () => {
	const instance = axios.create({ adapter: retryingAdapter({ policy: FAST }) });
	const { url, requests } = play([503], [200]);
	const form = new FormData();
	form.set("a", "1");
	await instance.put(url, form);
	assert.equal(requests.length, 2);
	for (const { body, headers } of requests) {
		const [, boundary] = /boundary=(.*)/.exec(headers["content-type"]);
		assert.ok(body.startsWith(`--${boundary}`), body);
	}
});

test("the timeout of axios stays", async () => {
	const stats = new RetryStats();
	const adapter = retryingAdapter({ policy: "constant:base=1ms,max_retries=1", attemptTimeout: 5000, stats });
	const { url } = play("silence");
	await assert.rejects(axios.create({ adapter, timeout: 100 }).get(url), { code: "ECONNABORTED" });
	assert.equal(stats.counts().attempts, 2);
});

test("a base URL is a part of the URL of an event", async () => {
	const urls = [];
	const adapter = retryingAdapter({ onStop: (event) => void urls.push(event.url) });
	const { url } = play([200]);
	const { origin, pathname } = new URL(url);
	await axios.create({ adapter, baseURL: origin }).get(pathname);
	assert.deepEqual(urls, [url]);
});

test("as the default adapter of axios: it calls the one that axios had", async (t) => {
	const own = axios.defaults.adapter;
	t.after(() => {
		axios.defaults.adapter = own;
	});
	for (let turn = 0; turn < 2; turn++) {
		axios.defaults.adapter = retryingAdapter({ policy: FAST, budget: null });
		const { url, requests } = play([503], [200]);
		assert.equal((await axios.get(url)).status, 200);
		assert.equal(requests.length, 2);
	}
});

test("an adapter of this package beneath another one makes one attempt", async () => {
	const options = { policy: "constant:base=1ms,max_retries=2", budget: null };
	const beneath = retryingAdapter(options);
	const copy = createRequire(import.meta.url)("backoff-wasm/axios").retryingAdapter(options);
	for (const adapter of [beneath, [beneath], copy]) {
		const { url, requests } = play([503]);
		const instance = axios.create({ adapter: retryingAdapter({ ...options, adapter }), validateStatus: () => true });
		assert.equal((await instance.get(url)).status, 503);
		assert.equal(requests.length, 3);
	}
});

test("64 KiB of an unread stream are read, and a longer one is closed", async () => {
	for (const [sizes, isRead] of [
		[[65_536], true],
		[[1, 65_535], true],
		[[65_537], false],
		[[65_536, 1], false],
	]) {
		const left = [...sizes];
		// A stream that does not end by itself once its chunks are read.
		const read = () => void (left.length > 0 && data.push(Buffer.alloc(left.shift())));
		const data = new Readable({ read });
		const answers = [{ status: 503, data }, { status: 200 }];
		const adapter = async (config) => ({ headers: {}, config, ...answers.shift() });
		let turns = 0;
		let isClosed;
		const sleep = async () => {
			while (!data.destroyed && ++turns < 100) {
				await turn();
			}
			isClosed = data.destroyed;
		};
		const retrying = retryingAdapter({ policy: FAST, clock: { now: () => 0, sleep }, adapter });
		assert.equal((await axios.create({ adapter: retrying }).get("http://127.0.0.1/")).status, 200);
		assert.deepEqual([left.length, isClosed, data.destroyed], [0, !isRead, true], `${sizes}`);
	}
});

test("an error of an unread stream does not matter", async () => {
	const data = new Readable({ read: () => void data.destroy(new Error("the body is broken")) });
	const answers = [{ status: 503, data }, { status: 200 }];
	const adapter = async (config) => ({ headers: {}, config, ...answers.shift() });
	const retrying = retryingAdapter({ policy: "constant:base=10ms,max_retries=1", adapter });
	assert.equal((await axios.create({ adapter: retrying }).get("http://127.0.0.1/")).status, 200);
	assert.ok(data.errored);
});

test("a form of postForm is sent once", async () => {
	const { url, requests } = play([503]);
	const instance = axios.create({ adapter: retryingAdapter({ policy: FAST }), validateStatus: () => true });
	assert.equal((await instance.putForm(url, { a: "1" })).status, 503);
	assert.equal(requests.length, 1);
});

test("by require", () => {
	assert.equal(typeof createRequire(import.meta.url)("backoff-wasm/axios").retryingAdapter({}), "function");
});

for (const adapter of ["http", "fetch"]) {
	for (const attemptTimeout of [undefined, 60_000]) {
		const name = `a cancelToken ends a wait and an attempt at once, ${adapter}, attemptTimeout ${attemptTimeout}`;
		test(name, { timeout: 60_000 }, async () => {
			for (const [policy, script, sent] of [
				["constant:base=1h", [[503]], 1],
				["constant:base=1h", ["silence"], 1],
				[FAST, [[503], "silence"], 2],
			]) {
				const { url, requests } = play(...script);
				const { token: cancelToken, cancel } = axios.CancelToken.source();
				const retrying = retryingAdapter({ policy, attemptTimeout, adapter });
				const ended = axios.create({ adapter: retrying }).get(url, { cancelToken });
				while (requests.length < sent) {
					await wait(10);
				}
				await wait(50);
				cancel("enough");
				const error = await ended.catch((error) => error);
				assert.ok(axios.isCancel(error));
				assert.equal(error.message, "enough");
				assert.equal(requests.length, sent);
				assert.deepEqual(cancelToken._listeners ?? [], []);
			}
		});
	}
}

test("an aborted signal beside a cancelToken where AbortSignal.any is missing", async (t) => {
	const { any } = AbortSignal;
	t.after(() => {
		AbortSignal.any = any;
	});
	AbortSignal.any = undefined;
	const { token: cancelToken } = axios.CancelToken.source();
	const adapter = async (config) => ({ config, headers: {}, status: 200 });
	const config = { url: "http://127.0.0.1/", headers: new axios.AxiosHeaders(), cancelToken };
	const retrying = retryingAdapter({ adapter });
	assert.equal((await retrying({ ...config, signal: new AbortController().signal })).status, 200);
	await assert.rejects(retrying({ ...config, signal: AbortSignal.abort(new Error("before")) }), { message: "before" });
});

test("a token that outlives its requests keeps nothing of them", async () => {
	const { token: cancelToken } = axios.CancelToken.source();
	const client = axios.create({ adapter: retryingAdapter({ policy: FAST }) });
	await client.get(play([503], [200]).url, { cancelToken });
	assert.deepEqual(cancelToken._listeners ?? [], []);
});
