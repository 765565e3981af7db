// got with retries, on a server that fails.

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { RetryStats } from "backoff-wasm";
import { retries } from "backoff-wasm/got";
import got from "got";
import { testClient } from "./faults.mjs";

const FAST = "constant:base=1ms,max_retries=3";

const READ = "got reads the body within the attempt";
const BY_STATUS = "to got a failure has a status from 400";
const because = (reason, ...ids) => Object.fromEntries(ids.map((id) => [id, reason]));
const ofGot = (config = {}) => ({
	make: retries,
	open(options) {
		const client = got.extend(retries(options), config);
		const send = async ({ url, own, ...request }) => {
			const given = { ...request, responseType: "text", context: { retry: own } };
			const response = await client(url, given).catch((error) => {
				if (error.name !== "HTTPError") {
					throw error;
				}
				return error.response;
			});
			return { status: response.statusCode, text: response.body };
		};
		return { send };
	},
	streamOf: (text) => Readable.from([text]),
	except: {
		...because(READ, "drain-drip", "drain-hang"),
		"statuses-success": "got asks only about failures",
		...because(BY_STATUS, "read-body-statuses", "read-body-statuses-success"),
	},
});

testClient("got", ofGot());
const { play } = testClient("got, any status accepted", ofGot({ throwHttpErrors: false }));

test("JSON is sent again, and the stats", async () => {
	const stats = new RetryStats();
	const client = got.extend(retries({ policy: FAST, stats }));
	const { url, requests } = play([503], [200, {}, '{"a":1}']);
	assert.deepEqual(await client.put(url, { json: { b: 2 } }).json(), { a: 1 });
	assert.deepEqual(
		requests.map(({ body }) => body),
		['{"b":2}', '{"b":2}'],
	);
	await assert.rejects(client(play([404]).url));
	await assert.rejects(client(play([500]).url));
	const { attempts, stops } = stats.counts();
	assert.deepEqual([attempts, stops.success, stops.permanent, stops.max_retries], [2 + 1 + 4, 1, 1, 1]);
});

test("a stream of got is left as it is", async () => {
	const { url, requests } = play([404]);
	await assert.rejects(async () => {
		for await (const _ of got.extend(retries({ policy: FAST })).stream(url)) {
			assert.fail("no data");
		}
	});
	assert.equal(requests.length, 1);
});

for (const method of ["GET", "POST"]) {
	test(`a hook that wants a ${method} again, with a token`, async () => {
		const afterResponse = (response, again) =>
			response.statusCode === 401 ? again({ headers: { token: "new" } }) : response;
		const client = got.extend(retries({ policy: FAST }), { hooks: { afterResponse: [afterResponse] } });
		const { url, requests } = play([401], [503], [200]);
		const ended = client(url, { method, ...(method === "POST" && { body: "text" }), throwHttpErrors: false });
		assert.equal((await ended).statusCode, method === "GET" ? 200 : 503);
		const tokens = [undefined, "new", "new"];
		assert.deepEqual(
			requests.map(({ headers }) => headers.token),
			method === "GET" ? tokens : tokens.slice(0, 2),
		);
	});
}

test("max_elapsed", async () => {
	const stats = new RetryStats();
	// The first wait ends long before the limit, and the second one long after it.
	const policy = "exponential:base=10ms,multiplier=100000,max_elapsed=10m";
	const client = got.extend(retries({ policy, stats, budget: null }));
	const { url, requests } = play([500]);
	await assert.rejects(client(url), { name: "HTTPError" });
	assert.deepEqual([requests.length, stats.counts().stops.max_elapsed], [2, 1]);
});

test("a form is sent once, because versions of got hang if they send it again", { timeout: 60_000 }, async () => {
	const form = new FormData();
	form.set("a", "1");
	const { url, requests } = play([503]);
	const client = got.extend(retries({ policy: FAST, budget: null }));
	await assert.rejects(client.put(url, { body: form }), { name: "HTTPError" });
	assert.equal(requests.length, 1);
});

test("after a redirect the original request is repeated", async () => {
	const target = play([503], [503], [200]);
	const first = play([307, { location: target.path }]);
	const client = got.extend(retries({ policy: FAST, budget: null }));
	assert.equal((await client.put(first.url, { body: "text" })).statusCode, 200);
	assert.deepEqual([first.requests.length, target.requests.length], [3, 3]);
	assert.ok([...first.requests, ...target.requests].every(({ method, body }) => method === "PUT" && body === "text"));
	const other = play([503], [200]);
	const moved = play([303, { location: other.path }]);
	assert.equal(await client.put(moved.url, { body: "text" }).text(), "200");
	assert.deepEqual(
		moved.requests.map(({ method, body }) => [method, body]),
		Array(2).fill(["PUT", "text"]),
	);
});

test("a wrong mayRepeat, switch or URL rejects the promise", async () => {
	const { url, requests } = play([200]);
	const sends = [
		[got.extend(retries({ mayRepeat: async () => true })), url, {}, /what mayRepeat returns must be true/],
		[got.extend(retries()), url, { context: { retry: "yes" } }, /retry of a request must be true .* got "yes"$/],
		[got.extend(retries()), "no URL", {}, /Invalid URL/],
	];
	for (const [client, to, options, message] of sends) {
		await assert.rejects(client(to, options), message);
	}
	assert.equal(requests.length, 0);
});

test("an error of onStop after a success reaches the caller of json()", async () => {
	const onStop = () => {
		throw new Error("boom");
	};
	await assert.rejects(
		got
			.extend(retries({ onStop }))(play([200, {}, "{}"]).url)
			.json(),
		/boom/,
	);
});
