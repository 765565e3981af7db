// fetch with retries: the fetch of Node.js on a server that fails.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";
import { Budget } from "backoff-wasm";
import { retryingFetch } from "backoff-wasm/fetch";
import { refusedOrigin, testClient } from "./faults.mjs";
import { testRequests } from "./requests.mjs";

const FAST = "constant:base=1ms,max_retries=3";

/** `fetch` does not tell whether it followed a redirect. */
const FOLLOWED = "the failure may be that of a redirect, whose first request was sent";
const ofFetch = (init) => ({
	make: retryingFetch,
	refuses: [{ fetch: 5 }, { onRetry: true }],
	open(options) {
		const fetch = retryingFetch(options);
		const send = async ({ url, own, ...given }) => {
			const duplex = given.body instanceof ReadableStream && { duplex: "half" };
			const response = await fetch(url, { ...given, ...init, ...duplex, retry: own });
			return { status: response.status, text: await response.text() };
		};
		return { send };
	},
	streamOf: (text) => new Blob([text]).stream(),
});

const except = { "unknown-host-post": FOLLOWED, "refused-post": FOLLOWED, "tls-cut-post": FOLLOWED };
const { run, play } = testClient("fetch", { ...ofFetch({}), except });
testRequests("fetch that follows no redirect", ofFetch({ redirect: "manual" }));

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
	const keyed = play([503], [200]);
	const key = { "idempotency-key": "7" };
	assert.equal((await fetch(new Request(keyed.url, { method: "POST", body: "text", headers: key }))).status, 200);
	const waiting = play([503]);
	const signal = AbortSignal.timeout(50);
	const slow = retryingFetch({ policy: "constant:base=1h" });
	await assert.rejects(slow(new Request(waiting.url, { signal })), { name: "TimeoutError" });
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

test("a signal of null is none, also beside a Request with one", async () => {
	const fetch = retryingFetch({ policy: FAST });
	for (const given of [undefined, { signal: AbortSignal.abort() }]) {
		const { url, requests } = play([503], [200]);
		assert.equal((await fetch(given ? new Request(url, given) : url, { signal: null })).status, 200);
		assert.equal(requests.length, 2);
	}
});

test("the limit of an attempt aborts what fetch gets, beside the signal of the caller, and leaves no timer", async () => {
	let seen;
	const mock = (_, { signal }) => {
		seen = signal;
		return new Promise(() => {});
	};
	const { signal } = new AbortController();
	const late = retryingFetch({ policy: "off", attemptTimeout: 5, fetch: mock });
	await assert.rejects(late("http://127.0.0.1/", { signal }), { name: "TimeoutError" });
	assert.deepEqual([seen.aborted, seen.reason.name, signal.aborted], [true, "TimeoutError", false]);
	const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
	const before = timers();
	await retryingFetch({ attemptTimeout: 3_600_000, fetch: async () => new Response("") })("http://127.0.0.1/");
	assert.equal(timers(), before);
});

test("programming errors are those of fetch, after one attempt", async () => {
	let stop;
	const fetch = retryingFetch({ policy: FAST, onStop: (event) => (stop = event) });
	for (const [input, init] of [
		["no url"],
		[null],
		[undefined],
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

test("a request is sent as it is: the same arguments, and what fetch returns", async () => {
	const seen = [];
	const response = new Response("text");
	const fetch = retryingFetch({
		fetch: async (...given) => {
			seen.push(given);
			return response;
		},
	});
	for (const method of ["POST", "GET"]) {
		const init = { method, body: "text" };
		assert.equal(await fetch("http://127.0.0.1/", init), response);
		assert.deepEqual(seen.pop(), ["http://127.0.0.1/", init]);
	}
});

/** Runs a program beside this one; what it prints, if it ends. */
function output(program) {
	const options = { cwd: import.meta.dirname, encoding: "utf8", timeout: 60_000 };
	const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], options);
	assert.deepEqual([status, stderr], [0, ""]);
	return stdout;
}

test("one policy repeats a request, also where a function of this package is beneath another one", () => {
	const program = `
		import { createRequire } from "node:module";
		import { createServer } from "node:http";
		import { retryingFetch } from "backoff-wasm/fetch";
		const copy = createRequire(import.meta.url)("backoff-wasm/fetch").retryingFetch;
		let requests = 0;
		const server = createServer((_, response) => {
			requests++;
			response.writeHead(503).end();
		});
		await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
		const url = "http://127.0.0.1:" + server.address().port;
		const options = { policy: "constant:base=1ms,max_retries=2", budget: null };
		const counts = [];
		const count = async (fetch, ...given) => {
			requests = 0;
			await fetch(url, ...given);
			counts.push(requests);
		};
		const early = retryingFetch(options);
		globalThis.fetch = retryingFetch(options);
		const global = globalThis.fetch;
		await count(early);
		await count(retryingFetch(options));
		await count(retryingFetch({ ...options, fetch: global }));
		await count(copy(options));
		await count(copy({ ...options, fetch: global }));
		await count(retryingFetch({ ...options, fetch: (input, init) => fetch(input, { ...init, headers: { a: "1" } }) }));
		globalThis.fetch = (...given) => global(...given);
		await count(retryingFetch(options));
		console.log(counts.join());
		server.close();
		server.closeAllConnections();
	`;
	assert.equal(output(program), "3,3,3,3,3,3,3\n");
});

for (const [when, install, seen] of [
	["at once", "globalThis.fetch = retrying; await turn();", "200 3 1"],
	["later", 'await turn(); globalThis.fetch = retrying; await fetch("http://127.0.0.1/");', "200 6 1"],
]) {
	test(`as the global fetch, ${when}: it calls the native one, also where another library has wrapped it and waits first`, () => {
		const program = `
			import { setImmediate as turn } from "node:timers/promises";
			import { retryingFetch } from "backoff-wasm/fetch";
			let requests = 0;
			globalThis.fetch = async () => new Response("", { status: ++requests % 3 ? 503 : 200 });
			const retrying = retryingFetch({ policy: "constant:base=1ms,max_retries=3", budget: null });
			${install}
			let wrapped = 0;
			globalThis.fetch = async (...given) => {
				if (++wrapped > 99) {
					throw new Error("it calls itself");
				}
				await turn();
				return retrying(...given);
			};
			console.log((await fetch("http://127.0.0.1/")).status, requests, wrapped);
		`;
		assert.equal(output(program), `${seen}\n`);
	});
}

test("the global fetch is that of the time of a request", async (t) => {
	const fetch = retryingFetch({ policy: FAST });
	await turn();
	t.mock.method(globalThis, "fetch", async () => new Response("of a test"));
	assert.equal(await (await fetch("http://127.0.0.1:1/")).text(), "of a test");
	// There may be none when the function is made.
	const { fetch: mock } = globalThis;
	globalThis.fetch = undefined;
	const early = retryingFetch({ policy: FAST });
	await turn();
	globalThis.fetch = mock;
	assert.equal(await (await early("http://127.0.0.1:1/")).text(), "of a test");
});

test("many requests with one signal: no warning about its listeners, and an abort ends all of them", async (t) => {
	const warnings = [];
	const warn = (warning) => void warnings.push(warning);
	process.on("warning", warn);
	t.after(() => process.off("warning", warn));
	const controller = new AbortController();
	const { signal } = controller;
	const fetch = retryingFetch({ policy: FAST, budget: null });
	const requests = Array.from({ length: 40 }, () => play([503], [200]));
	for (const attempted of await Promise.all(requests.map(({ url }) => fetch(url, { signal })))) {
		assert.equal(attempted.status, 200);
	}
	const silent = Array.from({ length: 20 }, () => play("silence"));
	const ended = Promise.allSettled(silent.map(({ url }) => fetch(url, { signal })));
	while (silent.some(({ requests }) => requests.length === 0)) {
		await wait(1);
	}
	const why = new Error("mine");
	controller.abort(why);
	assert.deepEqual(new Set((await ended).map(({ reason }) => reason)), new Set([why]));
	assert.deepEqual(warnings, []);
});

test("a switch that is null says nothing", async () => {
	const fetch = retryingFetch({ policy: FAST });
	for (const [method, requests] of [
		["PUT", 2],
		["POST", 1],
	]) {
		const busy = play([503], [200]);
		await fetch(busy.url, { method, retry: null });
		assert.equal(busy.requests.length, requests);
	}
	const message = 'retry of a request must be true (it may be repeated) or false (it is sent once), got "true"';
	await assert.rejects(fetch("http://127.0.0.1:1/", { retry: "true" }), { name: "TypeError", message });
});

test("a Request with an empty body", async () => {
	for (const method of ["PUT", "DELETE"]) {
		const { url, requests } = play([503], [200]);
		const fetch = retryingFetch({ policy: FAST });
		assert.equal((await fetch(new Request(url, { method, body: "" }))).status, 200);
		assert.deepEqual(
			requests.map((request) => [request.method, request.body]),
			Array(2).fill([method, ""]),
		);
	}
});

test("the body of a Request is read ahead only if it may be sent again", async () => {
	for (const [method, redirect, retry, isRead] of [
		["PUT", "follow", undefined, true],
		["PUT", "manual", false, false],
		["POST", "manual", undefined, true],
		["POST", "follow", undefined, false],
		["POST", "follow", true, true],
	]) {
		const seen = [];
		const mock = async ({ bodyUsed }, { body }) => {
			seen.push(bodyUsed, body !== undefined);
			return new Response("");
		};
		const request = new Request("http://127.0.0.1/", { method, redirect, body: "text" });
		await retryingFetch({ fetch: mock })(request, { retry });
		assert.deepEqual(seen, [isRead, isRead], `${method} ${redirect} ${retry}`);
	}
});

test("a Request of a polyfill, which has no signal and does not tell of its body, is sent with it each time", async () => {
	for (const [method, text, sent] of [
		["PUT", "text", "text"],
		["PUT", "1", "1"],
		["PUT", "", undefined],
		["GET", "never read", undefined],
		["head", "never read", undefined],
	]) {
		const seen = [];
		const mock = async (_, init) => {
			seen.push(init?.body && Buffer.from(init.body).toString());
			return new Response("", { status: 503 });
		};
		const arrayBuffer = () => new Blob([text]).arrayBuffer();
		const fetch = retryingFetch({ policy: FAST, fetch: mock });
		await fetch({ url: "http://127.0.0.1/", method, headers: {}, arrayBuffer });
		assert.deepEqual(seen, Array(4).fill(sent), `${method} ${text}`);
	}
});

test("a body beside a Request takes the place of that of the Request, unless it is null", async () => {
	for (const [given, sent] of [
		["other", "other"],
		[null, "text"],
		[undefined, "text"],
	]) {
		const { url, requests } = play([503], [200]);
		const fetch = retryingFetch({ policy: FAST });
		await fetch(new Request(url, { method: "PUT", body: "text" }), { body: given });
		assert.deepEqual(
			requests.map(({ body }) => body),
			[sent, sent],
		);
	}
});

test("bodies that are sent again, and those that can be read once", async () => {
	const act = () => {};
	for (const [body, attempts] of [
		["text", 2],
		[new Uint8Array(1), 2],
		[new Blob(["text"]), 2],
		[new URLSearchParams("a=1"), 2],
		[new FormData(), 2],
		[{ getReader: true, pipe: true, next: true }, 2],
		[new Blob(["text"]).stream(), 1],
		// A stream of a browser cannot be iterated, and one of an old library has only `pipe`.
		[{ getReader: act }, 1],
		[{ pipe: act }, 1],
		[{ next: act }, 1],
		[{ async *[Symbol.asyncIterator]() {} }, 1],
	]) {
		let calls = 0;
		const mock = async () => {
			calls++;
			return new Response("", { status: 503 });
		};
		const fetch = retryingFetch({ policy: "constant:base=0s,max_retries=1", fetch: mock });
		await fetch("http://127.0.0.1/", { method: "PUT", body });
		assert.equal(calls, attempts, inspect(body));
	}
});

test("headers of an iterator reach the server", async () => {
	const { url, requests } = play([503], [200]);
	const headers = new Map([["idempotency-key", "7"]]).entries();
	const fetch = retryingFetch({ policy: FAST });
	assert.equal((await fetch(url, { method: "POST", body: "text", headers })).status, 200);
	assert.deepEqual(
		requests.map(({ headers }) => headers["idempotency-key"]),
		["7", "7"],
	);
});

test("readBody: the response is that of fetch, with its body in memory", async () => {
	const fetch = retryingFetch({ policy: FAST, readBody: true });
	const target = play([200, { "x-a": "1" }, "text"]);
	const { url } = play([302, { location: target.path }]);
	const response = await fetch(url);
	assert.deepEqual([response.url, response.redirected, response.type], [target.url, true, "basic"]);
	assert.deepEqual([response.headers.get("x-a"), await response.text()], ["1", "text"]);
	assert.equal((await fetch(play([204, {}, ""]).url)).status, 204);
	assert.equal((await fetch(play([200]).url, { method: "HEAD" })).status, 200);
});

test("readBody: a response that no program can make, and what its copies tell", { timeout: 60_000 }, async (t) => {
	for (const head of ["999 Request denied", "600 ", "200 Прекрасно", "103 Hint\r\n\r\nHTTP/1.1 200 OK"]) {
		const server = createServer((socket) => {
			socket.on("error", () => {});
			socket.once("data", () => socket.end(`HTTP/1.1 ${head}\r\ncontent-length: 2\r\n\r\nhi`));
		});
		await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
		t.after(() => server.close());
		const url = `http://127.0.0.1:${server.address().port}/`;
		const plain = await fetch(url);
		const { status, statusText, type, redirected } = plain;
		for (const text of ["hi", "hi"]) {
			const response = await retryingFetch({ policy: "off", readBody: true })(url);
			const copy = response.clone();
			for (const each of [response, copy, copy.clone()]) {
				assert.ok(each instanceof Response);
				assert.deepEqual(
					[each.status, each.statusText, each.url, each.type, each.redirected, await each.text()],
					[status, statusText, url, type, redirected, text],
				);
			}
		}
	}
	const target = play([200, {}, "text"]);
	const response = await retryingFetch({ readBody: true })(play([302, { location: target.path }]).url);
	assert.deepEqual([response.clone().redirected, response.clone().url], [true, target.url]);
});

test("readBody: a long body arrives whole", { timeout: 60_000 }, async () => {
	const text = Array.from({ length: 500_000 }, (_, line) => `${line}\n`).join("");
	const response = await retryingFetch({ policy: FAST, readBody: true })(play([503], [200, {}, text]).url);
	assert.ok((await response.text()) === text);
});

test("readBody: a response of node-fetch, whose body is a stream of Node.js", async () => {
	class Other {
		constructor(body, init) {
			Object.assign(this, { body, init });
		}
		clone() {
			throw new Error("the copy would hold up the response");
		}
		arrayBuffer = async () => Buffer.from("bytes");
	}
	const head = { status: 200, statusText: "OK", headers: {}, url: "http://a/" };
	const given = Object.assign(new Other(Readable.from(["bytes"])), head, { redirected: true });
	const { body, init } = await retryingFetch({ readBody: true, fetch: async () => given })("http://a/");
	assert.deepEqual([`${body}`, init], ["bytes", { ...head, counter: 1 }]);
});

test("what a mock gives that is no whole response reaches the caller as it is", async () => {
	for (const readBody of [false, true]) {
		for (const mock of [
			{ ok: true, json: async () => ({}) },
			{ ok: true, status: 200, json: async () => ({}) },
			{ ok: true, status: 200, body: "text", json: async () => ({}) },
			undefined,
			null,
			"text",
		]) {
			let stop;
			const onStop = (event) => (stop = event);
			const fetch = retryingFetch({ readBody, fetch: async () => mock, onStop });
			assert.equal(await fetch("http://127.0.0.1/"), mock);
			assert.equal(stop.attempts, 1);
			assert.equal(stop.outcome, mock ? "success" : "permanent");
		}
		let calls = 0;
		const busy = { ok: false, status: 503 };
		const fetch = retryingFetch({ policy: FAST, readBody, fetch: async () => ++calls && busy });
		assert.deepEqual([await fetch("http://127.0.0.1/"), calls], [busy, 4]);
	}
});

/** The requests that a server gets if the caller uses its arguments again, at once and in the wait. */
async function sentWith(fetch, make, change) {
	const { url, requests } = play([503], [200]);
	const { input = url, init } = make(url);
	const ended = fetch(input, init);
	change({ input, init });
	while (requests.length === 0) {
		await wait(1);
	}
	await ended;
	return requests.map(({ method, body, headers }) => [method, body.replace(/-{4,}\S+/g, "-"), headers["x-id"]]);
}

for (const [name, make, change] of [
	["the object", () => ({ init: { method: "PUT", body: "a" } }), ({ init }) => Object.assign(init, { body: "b" })],
	[
		"headers",
		() => ({ init: { method: "PUT", body: "a", headers: { "x-id": "a" } } }),
		({ init }) => Object.assign(init.headers, { "x-id": "b" }),
	],
	[
		"pairs of headers",
		() => ({ init: { method: "PUT", body: "a", headers: [["x-id", "a"]] } }),
		({ init }) => init.headers[0].splice(1, 1, "b"),
	],
	[
		"a Headers object",
		() => ({ init: { headers: new Headers({ "x-id": "a" }) } }),
		({ init }) => init.headers.delete("x-id"),
	],
	["a URL", (url) => ({ input: new URL(url) }), ({ input }) => Object.assign(input, { pathname: "/nowhere" })],
	[
		"the headers of a Request",
		(url) => ({ input: new Request(url, { method: "PUT", body: "a", headers: { "x-id": "a" } }) }),
		({ input }) => input.headers.set("x-id", "b"),
	],
	["bytes", () => ({ init: { method: "PUT", body: new Uint8Array([97]) } }), ({ init }) => init.body.fill(98)],
	[
		"a part of a buffer",
		() => ({ init: { method: "PUT", body: Buffer.from("xax").subarray(1, 2) } }),
		({ init }) => init.body.fill(98),
	],
	[
		"a DataView",
		() => ({ init: { method: "PUT", body: new DataView(new TextEncoder().encode("xax").buffer, 1, 1) } }),
		({ init }) => init.body.setUint8(0, 98),
	],
	[
		"an ArrayBuffer",
		() => ({ init: { method: "PUT", body: new Uint8Array([97]).buffer } }),
		({ init }) => new Uint8Array(init.body).fill(98),
	],
	[
		"parameters",
		() => ({ init: { method: "PUT", body: new URLSearchParams("a=a&a=b") } }),
		({ init }) => init.body.set("a", "b"),
	],
	[
		"a form",
		() => {
			const body = new FormData();
			body.append("a", "a");
			body.append("a", new File(["text"], "name.txt", { type: "text/plain" }));
			return { init: { method: "PUT", body } };
		},
		({ init }) => init.body.delete("a"),
	],
	[
		"a Request as the second argument",
		(url) => ({ init: new Request(url, { method: "DELETE", headers: { "x-id": "a" } }) }),
		({ init }) => init.headers.set("x-id", "b"),
	],
]) {
	test(`the arguments are those of the call: ${name}`, { timeout: 60_000 }, async () => {
		const [plain] = await sentWith(globalThis.fetch, make, change);
		const fetch = retryingFetch({ policy: "constant:base=5ms,max_retries=1", budget: null });
		assert.deepEqual(await sentWith(fetch, make, change), [plain, plain]);
		let input;
		let init;
		const later = retryingFetch({
			policy: "constant:base=0s,max_retries=1",
			budget: null,
			onRetry: () => void change({ input, init }),
		});
		const { url, requests } = play([503], [200]);
		({ input = url, init } = make(url));
		await later(input, init);
		assert.equal(requests.length, 2);
		assert.deepEqual(requests[1].headers["x-id"], requests[0].headers["x-id"]);
		const withoutBoundary = ({ body }) => body.replace(/-{4,}\S+/g, "-");
		assert.equal(withoutBoundary(requests[1]), withoutBoundary(requests[0]));
	});
}

test("what fetch gets has the kinds of values that the caller gave, and members that only one runtime knows", async () => {
	let seen;
	const mock = async (...given) => {
		seen = given;
		return new Response("");
	};
	const fetch = retryingFetch({ fetch: mock });
	class Init {
		get method() {
			return "PUT";
		}
	}
	const stream = new Blob(["text"]).stream();
	const form = new FormData();
	for (const init of [
		{ headers: { a: "1" }, dispatcher: new Map(), cf: { a: 1 }, next: { revalidate: 1 }, keepalive: true },
		{ headers: new Headers({ a: "1" }), method: "PUT", body: Buffer.from("text") },
		{ headers: [["a", "1"]], method: "PUT", body: new Float64Array([1]) },
		{ method: "PUT", body: new URLSearchParams("a=1") },
		{ method: "PUT", body: new DataView(new ArrayBuffer(2)) },
		{ method: "PUT", body: form },
	]) {
		await fetch("http://127.0.0.1/", init);
		assert.deepEqual(seen[1], init);
		assert.equal(seen[1].dispatcher, init.dispatcher);
		assert.equal(seen[1].body?.constructor, init.body?.constructor);
	}
	await fetch("http://127.0.0.1/", { method: "PUT", body: stream, duplex: "half" });
	assert.deepEqual([seen[1].body === stream, seen[1].duplex], [true, "half"]);
	const input = new URL("http://127.0.0.1/a");
	await fetch(input, new Init());
	assert.deepEqual([seen[0] instanceof URL, seen[0].href, seen[1].method], [true, input.href, "PUT"]);
	await fetch("http://127.0.0.1/");
	assert.deepEqual(seen, ["http://127.0.0.1/", undefined]);
	const foreign = { append() {}, pipe() {}, *[Symbol.iterator]() {} };
	await fetch("http://127.0.0.1/", { method: "PUT", body: foreign });
	assert.equal(seen[1].body, foreign);
});

test("readBody: a status from 400 decides without its body, and a lower one needs it", async () => {
	for (const [status, attempts, shown] of [
		[399, 2, undefined],
		[400, 1, 400],
	]) {
		let stop;
		const pull = () => Promise.reject(new TypeError("terminated"));
		const mock = async () => new Response(new ReadableStream({ pull }), { status });
		const onStop = (event) => (stop = event);
		const fetch = retryingFetch({ policy: "constant:base=0s,max_retries=1", readBody: true, fetch: mock, onStop });
		await assert.rejects(fetch("http://127.0.0.1/"), { message: "terminated" });
		assert.deepEqual([stop.attempts, stop.status], [attempts, shown]);
	}
});

test("readBody: a failure has no status of an earlier response", async () => {
	const statuses = [];
	const note = ({ status }) => void statuses.push(status);
	const broken = new TypeError("fetch failed");
	const ends = [new Response("", { status: 503 }), broken, new Response("text")];
	const mock = async () => {
		const end = ends.shift();
		if (end === broken) {
			throw end;
		}
		return end;
	};
	const fetch = retryingFetch({ policy: FAST, readBody: true, fetch: mock, onRetry: note, onStop: note });
	assert.equal(await (await fetch("http://127.0.0.1/")).text(), "text");
	assert.deepEqual(statuses, [503, undefined, 200]);
});

test("readBody: the late response of an attempt that was left behind says nothing of the next one", async () => {
	let late;
	let stop;
	const mock = async () => {
		if (!late) {
			return new Promise((resolve) => {
				late = resolve;
			});
		}
		late(new Response("", { status: 503 }));
		await turn();
		throw new TypeError("fetch failed");
	};
	const policy = "constant:base=0s,max_retries=1";
	const onStop = (event) => (stop = event);
	const fetch = retryingFetch({ policy, readBody: true, attemptTimeout: 5, fetch: mock, onStop });
	await assert.rejects(fetch("http://127.0.0.1/"));
	assert.deepEqual([stop.attempts, stop.status], [2, undefined]);
});

/** `run.mjs` writes the entry under test here. */
const NEEDS_WEBASSEMBLY = !"backoff-wasm".endsWith("/js");

test("a page that refuses WebAssembly is told once that there are no retries, or has them with backoff-wasm/js", () => {
	const program = `
		WebAssembly.Instance = class { constructor() { throw new EvalError("refused by the policy of the page"); } };
		const { retryingFetch } = await import("backoff-wasm/fetch");
		const said = [];
		process.emitWarning = (...given) => said.push(given);
		const ends = [];
		const fetch = retryingFetch({
			policy: "${FAST}",
			fetch: async () => new Response("", { status: 503 }),
			onStop: ({ attempts, reason, status }) => ends.push([attempts, reason, status]),
		});
		for (const turn of [1, 2]) {
			ends.push((await fetch("http://127.0.0.1/")).status);
		}
		console.log(JSON.stringify([said, ends]));
	`;
	const [said, ends] = JSON.parse(output(program));
	assert.equal(said.length, NEEDS_WEBASSEMBLY ? 1 : 0);
	if (NEEDS_WEBASSEMBLY) {
		assert.match(
			said[0][0],
			/^backoff: requests are sent once, without retries: .*cannot start.*refused by the policy/,
		);
	}
	const end = [[NEEDS_WEBASSEMBLY ? 1 : 4, "max_retries", 503], 503];
	assert.deepEqual(ends, [...end, ...end]);
});

for (const ends of ["signal", "attemptTimeout"]) {
	test(`a Request whose body stalls: its ${ends} ends it`, { timeout: 60_000 }, async () => {
		const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("a")) });
		const controller = new AbortController();
		const { signal } = controller;
		const request = new Request("http://127.0.0.1/", { method: "PUT", body, duplex: "half", signal });
		const policy = "constant:base=1ms,max_retries=1";
		let calls = 0;
		const mock = async () => {
			calls++;
			return new Response("");
		};
		const fetch = retryingFetch({ policy, fetch: mock, ...(ends === "attemptTimeout" && { attemptTimeout: 50 }) });
		const ended = fetch(request);
		if (ends === "signal") {
			await wait(10);
			controller.abort();
		}
		await assert.rejects(ended, { name: ends === "signal" ? "AbortError" : "TimeoutError" });
		await turn();
		assert.equal(calls, 0);
	});
}

test("a fetch that ignores its signal is left behind at the limit of an attempt", { timeout: 60_000 }, async () => {
	for (const options of [
		{ attemptTimeout: { nanoseconds: 5_000_000n } },
		{ policy: "constant:base=0s,max_retries=3,attempt_timeout=5ms" },
		{ attemptTimeout: 5, readBody: true },
	]) {
		let calls = 0;
		const mock = () => (++calls === 3 ? Promise.resolve(new Response("late")) : new Promise(() => {}));
		const fetch = retryingFetch({ policy: "constant:base=0s,max_retries=3", budget: null, ...options, fetch: mock });
		assert.equal(await (await fetch("http://localhost/")).text(), "late");
		// A request that is sent once is not repeated after its limit, whoever set that.
		calls = 0;
		await assert.rejects(fetch("http://localhost/", { method: "POST" }), { name: "TimeoutError" });
		assert.equal(calls, 1);
	}
	const unlimited = { policy: "off:attempt_timeout=1ns", attemptTimeout: Infinity };
	const fetch = retryingFetch({ ...unlimited, fetch: () => wait(5).then(() => new Response("slow")) });
	assert.equal(await (await fetch("http://localhost/")).text(), "slow");
});

test("the limit of an attempt in each unit", async (t) => {
	const { setTimeout } = globalThis;
	const timer = t.mock.method(globalThis, "setTimeout", (act) => setTimeout(act));
	for (const [limit, ms] of [
		["30d", 2 ** 31 - 1],
		["1d", 86_400_000],
		["2h", 7_200_000],
		["3m", 180_000],
		["1.5s", 1500],
		["12ms", 12],
		["1500us", 2],
		["2000001ns", 3],
		[{ nanoseconds: 2_000_000_000_000_000n }, 2_000_000_000],
		[0.5, 1],
	]) {
		const options = typeof limit === "string" ? { policy: `off:attempt_timeout=${limit}` } : { attemptTimeout: limit };
		const fetch = retryingFetch({ policy: "off", ...options, fetch: () => new Promise(() => {}) });
		const message = `the attempt took longer than ${ms} ms`;
		await assert.rejects(fetch("http://127.0.0.1/"), { name: "TimeoutError", message });
		assert.deepEqual(timer.mock.calls.pop().arguments[1], ms);
	}
});

test("the budgets of the 1000 origins that were used last are kept", async () => {
	const requests = new Map();
	const mock = async (url) => {
		requests.set(url, (requests.get(url) ?? 0) + 1);
		return new Response("", { status: 503 });
	};
	const [policy, budget] = ["constant:base=0s,max_retries=1", "quota:max_tokens=1,cost=1"];
	const fetch = retryingFetch({ policy, budget, fetch: mock });
	/** How many requests an origin gets for one: one more if its budget is new. */
	const ask = async (number) => {
		const url = `http://host-${number}/`;
		requests.delete(url);
		await fetch(url);
		return requests.get(url);
	};
	const first = await Promise.all(Array.from({ length: 1000 }, (_, number) => ask(number)));
	assert.deepEqual(new Set(first), new Set([2]));
	assert.equal(await ask(0), 1);
	assert.equal(await ask(1000), 2);
	assert.deepEqual([await ask(0), await ask(2), await ask(1)], [1, 1, 2]);
});

test("a change of the array of methods changes nothing", async () => {
	let requests = 0;
	const mock = async () => new Response("", { status: ++requests === 1 ? 503 : 200 });
	const methods = ["POST"];
	const fetch = retryingFetch({ policy: FAST, methods, fetch: mock });
	methods.pop();
	assert.equal((await fetch("http://127.0.0.1/", { method: "POST" })).status, 200);
});

test("a Request with a body that was never sent is repeated, and rejects with the first error", async () => {
	const refused = await refusedOrigin();
	for (const [method, redirect, attempts] of [
		["POST", "manual", 4],
		["POST", "follow", 1],
		["PUT", "follow", 4],
	]) {
		let stop;
		const fetch = retryingFetch({ policy: FAST, budget: null, onStop: (event) => (stop = event) });
		const error = await fetch(new Request(refused, { method, body: "text", redirect })).catch((error) => error);
		assert.equal(error.cause.code, "ECONNREFUSED");
		assert.deepEqual([stop.attempts, stop.sentOnce], [attempts, method === "POST" ? "method" : undefined]);
	}
});

test("one of the first five errors of a chain tells that a request was never sent", async () => {
	const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
	const chain = (causes) => (causes === 0 ? refused : new TypeError("fetch failed", { cause: chain(causes - 1) }));
	const cyclic = new TypeError("fetch failed");
	cyclic.cause = cyclic;
	for (const [error, attempts] of [
		[chain(4), 2],
		[chain(5), 1],
		[cyclic, 1],
	]) {
		let calls = 0;
		const mock = async () => {
			calls++;
			throw error;
		};
		const options = { policy: "constant:base=0s,max_retries=1", classify: () => "transient", fetch: mock };
		const ended = retryingFetch(options)("http://127.0.0.1/", { method: "POST", redirect: "manual" });
		await assert.rejects(ended, (thrown) => thrown === error);
		assert.equal(calls, attempts);
	}
});

test("64 KiB of an unread body are read, and what is longer is closed", async () => {
	for (const [sizes, isRead] of [
		[[65_536], true],
		[[1, 65_535], true],
		[[65_537], false],
		[[65_536, 1], false],
	]) {
		let end;
		const left = [...sizes];
		const pull = (stream) => {
			if (left.length > 0) {
				stream.enqueue(new Uint8Array(left.shift()));
			} else {
				end = "read";
				stream.close();
			}
		};
		const cancel = () => {
			end = "closed";
		};
		const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
		const answers = [new Response(body, { status: 503 }), new Response("text")];
		// A wait that goes on until the body has ended.
		const sleep = async () => {
			while (end === undefined) {
				await turn();
			}
		};
		const fetch = retryingFetch({ policy: FAST, clock: { now: () => 0, sleep }, fetch: async () => answers.shift() });
		assert.equal(await (await fetch("http://127.0.0.1/")).text(), "text");
		assert.equal(end, isRead ? "read" : "closed", `${sizes}`);
	}
});

test("the text of an error in a log line has no secret", async () => {
	const lines = [];
	const onStop = (event) => void lines.push(JSON.stringify(event), inspect(event));
	const fail = async () => {
		throw new TypeError("cannot reach http://secret:secret@host/path?token=secret#secret, not even once");
	};
	await assert.rejects(retryingFetch({ fetch: fail, onStop })("http://host/?secret"), /secret/);
	assert.match(lines[0], /"message":"cannot reach http:\/\/host\/path, not even once"/);
	await assert.rejects(retryingFetch({ onStop })("http://secret:secret@[bad/?token=secret and secret"), /secret/);
	assert.match(lines[2], /"message":"Failed to parse URL from /);
	assert.doesNotMatch(lines.join(), /secret/);
	await assert.rejects(retryingFetch({ onStop })("no url"));
	assert.match(lines[4], /"message":"Failed to parse URL from no url"/);
});
