// ky over a fetch with retries, on a server that fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import { retryingFetch } from "backoff-wasm/fetch";
import ky from "ky";
import { testClient } from "./faults.mjs";

const { play } = testClient("ky", {
	make: retryingFetch,
	readsBody: false,
	streams: false,
	open(options) {
		const client = ky.create({ fetch: retryingFetch(options), retry: 0, timeout: false, throwHttpErrors: false });
		const send = async ({ url, ...options }) => {
			const response = await client(url, options);
			return { status: response.status, text: await response.text() };
		};
		return { send };
	},
});

test("JSON is sent again, and a status is an HTTPError", async () => {
	const client = ky.create({ fetch: retryingFetch({ policy: "constant:base=1ms,max_retries=1" }), retry: 0 });
	const { url, requests } = play([503]);
	await assert.rejects(client.put(url, { json: { a: 1 } }), { name: "HTTPError" });
	assert.deepEqual(
		requests.map(({ body, headers }) => [body, headers["content-type"]]),
		Array(2).fill(['{"a":1}', "application/json"]),
	);
});
