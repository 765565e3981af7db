// ky over a fetch with retries, on a server that fails.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { retryingFetch } from "backoff-wasm/fetch";
import ky from "ky";
import { refusedOrigin, testClient } from "./faults.mjs";

const IN_MEMORY = "a Request does not tell whether its body is a stream: it is read into memory";
const FOLLOWED = "the failure may be that of a redirect, whose first request was sent";

const because = (reason, ...ids) => Object.fromEntries(ids.map((id) => [id, reason]));

const { play } = testClient("ky", {
	make: retryingFetch,
	open(options, own) {
		// ky has an option of the name of our switch.
		const fetch = retryingFetch({ ...options, ...(own !== undefined && { mayRepeat: () => own }) });
		const client = ky.create({ fetch, retry: 0, timeout: false, throwHttpErrors: false });
		const send = async ({ url, own: _, ...given }) => {
			const duplex = given.body instanceof ReadableStream && { duplex: "half" };
			const response = await client(url, { ...given, ...duplex });
			return { status: response.status, text: await response.text() };
		};
		return { send };
	},
	streamOf: (text) => new Blob([text]).stream(),
	except: {
		...because(IN_MEMORY, "body-once", "body-once-busy", "body-once-key", "body-once-switch", "fault-hang-once"),
		...because(IN_MEMORY, "unknown-host-once", "refused-once", "tls-cut-once"),
		...because(FOLLOWED, "unknown-host-post", "refused-post", "tls-cut-post"),
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

test("a POST with a body that was never sent rejects with the first error", async () => {
	for (const [redirect, attempts] of [
		["manual", 2],
		["follow", 1],
	]) {
		let stop;
		const fetch = retryingFetch({ policy: "constant:base=1ms,max_retries=1", onStop: (event) => (stop = event) });
		const error = await ky.post(await refusedOrigin(), { fetch, retry: 0, json: {}, redirect }).catch((error) => error);
		assert.match(`${inspect(error)}`, /ECONNREFUSED/);
		assert.deepEqual([stop.attempts, stop.sentOnce], [attempts, "method"]);
	}
});
