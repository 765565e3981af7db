// undici with retries, over HTTP/1.1 and HTTP/2, on a server that fails.

import assert from "node:assert/strict";
import http2 from "node:http2";
import { createRequire } from "node:module";
import { test } from "node:test";
import { RetryStats } from "backoff-wasm";
import { retryingFetch } from "backoff-wasm/fetch";
import { retries } from "backoff-wasm/undici";
import { Agent, Client, fetch, H2CClient, request, FormData as UndiciFormData } from "undici";
import { selfSigned } from "./certificate.mjs";
import { testClient } from "./faults.mjs";

const { version } = createRequire(import.meta.url)("undici/package.json");
const FAST = "constant:base=1ms,max_retries=3";

const { play } = testClient("undici", {
	make: retries,
	readsBody: false,
	open(options) {
		const agent = new Agent();
		const dispatcher = agent.compose(retries(options));
		const send = async ({ url, ...options }) => {
			const { statusCode: status, body } = await request(url, { ...options, dispatcher });
			return { status, text: await body.text() };
		};
		return { send, close: () => agent.destroy() };
	},
});

testClient("undici's fetch, with retryingFetch", {
	make: retryingFetch,
	readsBody: false,
	open(options) {
		const retrying = retryingFetch({ ...options, fetch });
		const send = async ({ url, ...init }) => {
			const response = await retrying(url, { ...init, ...(init.body && { duplex: "half" }) });
			return { status: response.status, text: await response.text() };
		};
		return { send };
	},
});

test("the delays of a stream, and the stats", async () => {
	const stats = new RetryStats();
	const policy = "full:base=100ms,cap=20s,max_retries=3";
	const times = [];
	const client = new Agent();
	const timed = (dispatch) => (request, handler) => {
		times.push(performance.now());
		return dispatch(request, handler);
	};
	const dispatcher = client.compose(timed, retries({ policy, seed: 42, key: "job-1", stats }));
	const { statusCode, body } = await request(play([500]).url, { dispatcher });
	await body.dump();
	assert.equal(statusCode, 500);
	const waits = times.slice(1).map((time, index) => time - times[index]);
	assert.equal(waits.length, 3);
	assert.ok(
		waits.every((wait, index) => wait > [11.399434, 83.043876, 229.309811][index] - 1),
		`${waits}`,
	);
	for (const script of [[200], [404]]) {
		await (await request(play(script).url, { dispatcher })).body.dump();
	}
	const { attempts, stops } = stats.counts();
	assert.deepEqual([attempts, stops.max_retries, stops.success, stops.permanent], [4 + 1 + 1, 1, 1, 1]);
	await client.close();
});

test("headers as an array, as pairs and as a Headers object", async () => {
	for (const headers of [
		["Idempotency-Key", "1"],
		[["Idempotency-Key", "1"]],
		new Headers({ "Idempotency-Key": "1" }),
	]) {
		const { url, requests } = play([503], [200]);
		const client = new Agent();
		const dispatcher = client.compose(retries({ policy: FAST }));
		const given = Array.isArray(headers?.[0]) ? new Map(headers) : headers;
		const { statusCode, body } = await request(url, { method: "POST", headers: given, dispatcher });
		await body.dump();
		assert.deepEqual([statusCode, requests.length], [200, 2]);
		await client.close();
	}
});

test("an iterable as a body is refused before the first attempt, and bytes are sent again", async () => {
	const client = new Agent();
	const dispatcher = client.compose(retries({ policy: FAST, budget: null }));
	const { url, requests } = play([503]);
	const refused = request(url, { method: "PUT", body: ["a", "b"], dispatcher });
	await assert.rejects(refused, /is an iterable, which undici cannot send again: pass bytes or text/);
	const form = new UndiciFormData();
	form.set("a", "1");
	for (const body of [Buffer.from("ab"), new Uint8Array([97, 98]), form]) {
		const before = requests.length;
		const sent = request(url, { method: "PUT", body, dispatcher });
		if (body === form && version.startsWith("7.")) {
			await assert.rejects(sent, TypeError);
		} else {
			await (await sent).body.dump();
			assert.equal(requests.length - before, 4);
		}
	}
	await client.close();
});

test("the connection of a short body is used again", async () => {
	const { url, requests } = play([503, {}, "a".repeat(60_000)], [200]);
	const client = new Client(new URL(url).origin);
	let connects = 0;
	client.on("connect", () => connects++);
	const { body } = await client
		.compose(retries({ policy: FAST }))
		.request({ path: new URL(url).pathname, method: "GET" });
	await body.dump();
	assert.deepEqual([requests.length, connects], [2, 1]);
	await client.close();
});

test("HTTP/2 over TLS, with allowH2", async () => {
	const { key, certificate } = selfSigned("localhost");
	const seen = [];
	const server = http2.createSecureServer({ key, cert: certificate });
	server.on("stream", (stream, headers) => {
		let body = "";
		stream.on("data", (chunk) => {
			body += chunk;
		});
		stream.on("end", () => {
			seen.push([headers[":method"], stream.session.alpnProtocol, body]);
			const status = [503, 429, 200][(seen.length - 1) % 3];
			stream.respond({ ":status": status, "retry-after": "0" });
			stream.end(`${status}`);
		});
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const agent = new Agent({ allowH2: true, connect: { ca: certificate, servername: "localhost" } });
	const dispatcher = agent.compose(retries({ policy: FAST, budget: null }));
	const url = `https://127.0.0.1:${server.address().port}/`;
	for (const [method, body] of [
		["GET", ""],
		["PUT", "text"],
	]) {
		seen.length = 0;
		const response = await request(url, { method, ...(body && { body }), dispatcher });
		assert.deepEqual([response.statusCode, await response.body.text()], [200, "200"]);
		assert.deepEqual(seen, Array(3).fill([method, "h2", body]));
	}
	seen.length = 0;
	const retrying = retryingFetch({
		policy: FAST,
		budget: null,
		fetch: (input, init) => fetch(input, { ...init, dispatcher: agent }),
	});
	const response = await retrying(url);
	assert.deepEqual([response.status, await response.text(), seen.length], [200, "200", 3]);
	await agent.close();
	await new Promise((resolve) => server.close(resolve));
});

test("HTTP/2", async () => {
	const statuses = [503, 429, 200];
	let requests = 0;
	const server = http2.createServer();
	server.on("stream", (stream) => {
		const status = statuses[requests++];
		stream.respond({ ":status": status, "retry-after": "0" });
		stream.end(`${status}`);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const origin = `http://127.0.0.1:${server.address().port}`;
	const client = new H2CClient(origin);
	const { statusCode, body } = await client.compose(retries({ policy: FAST })).request({ path: "/", method: "GET" });
	assert.deepEqual([statusCode, await body.text(), requests], [200, "200", 3]);
	await client.close();
	await new Promise((resolve) => server.close(resolve));
});
