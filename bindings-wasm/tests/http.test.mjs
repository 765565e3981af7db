// HTTP: statuses, rejections of `fetch`, and the example against a server that fails.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import http2 from "node:http2";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, describe, test } from "node:test";
import {
	fetchOutcome,
	httpOutcome,
	httpVerdict,
	isIdempotentMethod,
	parseRetryAfter,
	project,
	proxyStatuses,
	retry,
	source,
} from "./installed.mjs";
import { endOf } from "./loop.mjs";
import { vectors } from "./vectors.mjs";

describe("http_statuses", () => {
	for (const { id, status, outcome, proxy_outcome } of vectors("http_statuses")) {
		test(id, () => {
			assert.equal(httpOutcome(status), outcome);
			assert.equal(proxyStatuses[status] ?? null, proxy_outcome);
		});
	}
});

test("a long header asks for nothing, and hides no other one", () => {
	for (const length of [1025, 4096, 5000, 100_000]) {
		const headers = { "retry-after-ms": "1".repeat(length), "retry-after": "5" };
		assert.deepEqual(httpVerdict({ status: 503, headers }), { outcome: "throttled", retryAfter: 5000 });
		const alone = { "retry-after": `${" ".repeat(length)}5` };
		assert.deepEqual(httpVerdict({ status: 503, headers: alone }), { outcome: "throttled" });
	}
});

test("a value with a control character asks for nothing, wherever the character is", () => {
	for (const ratelimit of ['"a\u0001";r=0;t=5', '"a\n";r=0;t=5', "\na;r=0;t=5", "a;r=0;t=5\u0000"]) {
		assert.deepEqual(httpVerdict({ status: 429, headers: { ratelimit } }), { outcome: "throttled" });
	}
	const headers = { ratelimit: '"a";r=0;t=5' };
	assert.deepEqual(httpVerdict({ status: 429, headers }), { outcome: "throttled", retryAfter: 5000 });
});

test("of several values the first one counts", () => {
	const headers = { "retry-after": ["soon", "5"] };
	assert.deepEqual(httpVerdict({ status: 503, headers }), { outcome: "throttled" });
	for (const first of [["5", "soon"], "5", 5]) {
		headers["retry-after"] = first;
		assert.deepEqual(httpVerdict({ status: 503, headers }), { outcome: "throttled", retryAfter: 5000 });
	}
});

test("a header is found whatever the case of its name, also in a Map", () => {
	for (const name of ["retry-after", "Retry-After", "RETRY-AFTER"]) {
		const pairs = [
			[5, "none"],
			["a", "1"],
			[name, "3"],
		];
		for (const headers of [new Map(pairs), Object.fromEntries(pairs), new Headers([pairs[2]])]) {
			assert.deepEqual(httpVerdict({ status: 503, headers }), { outcome: "throttled", retryAfter: 3000 });
			assert.equal(parseRetryAfter(headers), 3000);
		}
	}
	const headers = new Map([["retry-after-2", "3"]]);
	assert.deepEqual(httpVerdict({ status: 503, headers }), { outcome: "throttled" });
});

test("a verdict on a response is a predicate of a loop", async () => {
	const responses = [
		{ status: 503, headers: { "retry-after-ms": "1" } },
		{ status: 200, headers: {} },
	];
	const delays = [];
	const onRetry = ({ delay }) => void delays.push(delay);
	for (const signal of [undefined, new AbortController().signal]) {
		const left = [...responses];
		const options = { policy: "constant:base=1ns,max_retries=1", shouldRetryResult: httpVerdict, signal, onRetry };
		assert.equal((await retry(() => left.shift(), options)).status, 200);
	}
	assert.deepEqual(delays, [1, 1]);
});

describe("http_methods", () => {
	for (const { id, method, idempotent } of vectors("http_methods")) {
		test(id, () => assert.equal(isIdempotentMethod(method), idempotent));
	}
});

/** A server that resets a connection, or says nothing. */
const server = createServer(({ url, socket }) => url === "/reset" && socket.resetAndDestroy());
const listen = async (server) => {
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return `http://127.0.0.1:${server.address().port}`;
};
let origin;
/** An address where no server listens. */
let refused;
before(async () => {
	origin = await listen(server);
	const closed = createServer();
	refused = await listen(closed);
	closed.close();
});
after(() => {
	server.closeAllConnections();
	server.close();
});

describe("fetchOutcome", () => {
	const coded = (code) => Object.assign(new Error(code), { code });
	const said = (code, message) => Object.assign(new Error(message), { code });
	const cyclic = () => {
		const error = new Error("cyclic");
		return Object.assign(error, { cause: error });
	};
	/** An error with a code below so many others. */
	const chain = (depth) => (depth === 0 ? coded("ECONNRESET") : new Error("no code", { cause: chain(depth - 1) }));
	const named = (name, message, cause) => Object.assign(new Error(message), { name, cause });

	test("the rejections of this platform", async () => {
		const reject = async (url, options) => (await endOf(fetch(url, options))).error;
		assert.equal(fetchOutcome(await reject(`${origin}/reset`)), "transient");
		assert.equal(fetchOutcome(await reject(refused)), "transient");
		const hasty = { signal: AbortSignal.timeout(20) };
		assert.equal(fetchOutcome(await reject(`${origin}/silence`, hasty)), "timeout");
		assert.equal(fetchOutcome(await reject(`${origin}/silence`, { signal: AbortSignal.abort() })), "permanent");
		assert.equal(fetchOutcome(await reject("no url")), "permanent");
		assert.equal(fetchOutcome(await reject("nope://localhost/")), "permanent");
		assert.equal(fetchOutcome(await reject("http://127.0.0.1:1/")), "permanent");
		assert.equal(fetchOutcome(await reject(origin.replace("http:", "https:"))), "permanent");
	});

	test("a request that an HTTP/2 server refuses", async () => {
		const refusing = http2.createServer();
		refusing.on("stream", (stream) => {
			stream.on("error", () => {});
			stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
		});
		const session = http2.connect(await listen(refusing));
		try {
			const [error] = await once(session.request(), "close").catch((error) => [error]);
			assert.equal(error.code, "ERR_HTTP2_STREAM_ERROR");
			assert.equal(fetchOutcome(error), "transient");
		} finally {
			session.destroy();
			refusing.close();
		}
	});

	test("a body that ends before its end", async () => {
		const cutting = createServer((_, response) => {
			response.write("half");
			setTimeout(() => response.destroy(), 20);
		});
		const url = await listen(cutting);
		try {
			const response = await new Promise((resolve) => get(url, resolve));
			const { error } = await endOf(pipeline(response, new PassThrough().resume()));
			assert.equal(fetchOutcome(error), "transient");
			const body = Readable.from(["half"]);
			const { error: early } = await endOf(pipeline(body, new PassThrough().destroy()));
			assert.equal(early.code, "ERR_STREAM_PREMATURE_CLOSE");
			assert.equal(fetchOutcome(early), "transient");
			assert.equal(fetchOutcome((await endOf(fetch(url).then((reply) => reply.text()))).error), "transient");
		} finally {
			cutting.close();
		}
	});

	// The messages of the engines, as https://github.com/sindresorhus/is-network-error lists them.
	const rows = [
		[new TypeError("Failed to fetch"), "transient"],
		[new TypeError("Failed to fetch (example.com)"), "transient"],
		[new TypeError("network error"), "transient"],
		[new TypeError("NetworkError when attempting to fetch resource."), "transient"],
		[new TypeError("The Internet connection appears to be offline."), "transient"],
		[new TypeError("The network connection was lost."), "transient"],
		[new TypeError("Load failed"), "transient"],
		[new TypeError("Network request failed"), "transient"],
		[new TypeError("fetch failed"), "transient"],
		[new TypeError("terminated"), "transient"],
		[new TypeError(" A network error occurred."), "transient"],
		[new TypeError("Network connection lost"), "transient"],
		[new TypeError("error sending request for url (http://localhost/): tcp connect error"), "transient"],
		[new TypeError("fetch failed", { cause: { code: "UND_ERR_HEADERS_TIMEOUT" } }), "timeout"],
		[new TypeError("fetch failed", { cause: { code: "ETIMEDOUT" } }), "timeout"],
		[new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }), "transient"],
		[named("TimeoutError", "The operation was aborted due to timeout"), "timeout"],
		[new TypeError("fetch failed", { cause: new Error("unknown scheme") }), "permanent"],
		[new TypeError("fetch failed", { cause: new Error("bad port") }), "permanent"],
		[new TypeError("fetch failed", { cause: new Error("redirect count exceeded") }), "permanent"],
		[new TypeError("fetch failed", { cause: { code: "CERT_HAS_EXPIRED" } }), "permanent"],
		[new TypeError("fetch failed", { cause: { code: "EPROTO" } }), "permanent"],
		[new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } }), "transient"],
		[new TypeError("fetch failed", { cause: { code: "EAI_AGAIN" } }), "transient"],
		[new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } }), "transient"],
		[new TypeError("terminated", { cause: { code: "UND_ERR_BODY_TIMEOUT" } }), "timeout"],
		[new TypeError("fetch failed", { cause: { code: "UND_ERR_INVALID_ARG" } }), "permanent"],
		[new TypeError("fetch failed", { cause: new Error("x", { cause: { code: "EPIPE" } }) }), "transient"],
		[new TypeError("Failed to fetch dynamically imported module: /a.js"), "permanent"],
		[coded("ECONNRESET"), "transient"],
		[coded("UND_ERR_CLOSED"), "permanent"],
		[coded("UND_ERR_DESTROYED"), "permanent"],
		[coded("EPIPE"), "transient"],
		[coded("ETIMEDOUT"), "timeout"],
		[coded("ERR_NETWORK"), "transient"],
		[coded("ERR_INVALID_URL"), "permanent"],
		// Other codes of Node.js, and of its DNS and HTTP/2 clients
		[coded("EAI_FAIL"), "transient"],
		[coded("ESERVFAIL"), "transient"],
		[coded("ENODATA"), "permanent"],
		[coded("ERR_HTTP2_GOAWAY_SESSION"), "transient"],
		[said("ERR_HTTP2_STREAM_ERROR", "Stream closed with error code NGHTTP2_REFUSED_STREAM"), "transient"],
		[said("ERR_HTTP2_STREAM_ERROR", "Stream closed with error code NGHTTP2_PROTOCOL_ERROR"), "transient"],
		[coded("ERR_HTTP2_SESSION_ERROR"), "transient"],
		[coded("ERR_HTTP2_ERROR"), "transient"],
		[said("UND_ERR_INFO", 'HTTP/2: "GOAWAY" frame received with code 0'), "transient"],
		[said("UND_ERR_INFO", "reset"), "permanent"],
		// node-fetch
		[said("ERR_STREAM_PREMATURE_CLOSE", "Invalid response body while trying to fetch x: Premature close"), "transient"],
		// axios: a cut body, a failed status, a body that is too long, timeouts, an aborted XMLHttpRequest
		[said("ERR_BAD_RESPONSE", "stream has been aborted"), "transient"],
		[said("ERR_BAD_RESPONSE", "Request failed with status code 501"), "permanent"],
		[said("ERR_BAD_RESPONSE", "maxContentLength size of 9 exceeded"), "permanent"],
		[said("ECONNABORTED", "timeout of 200ms exceeded"), "timeout"],
		[said("ETIMEDOUT", "timeout of 200ms exceeded"), "timeout"],
		[said("ECONNABORTED", "Request aborted"), "transient"],
		[said("ECONNABORTED", "read ECONNABORTED"), "transient"],
		// superagent
		[said("ECONNABORTED", "Timeout of 200ms exceeded"), "timeout"],
		// ky and got
		[named("TimeoutError", "Request timed out: GET http://localhost/"), "timeout"],
		[said("ERR_NON_2XX_3XX_RESPONSE", "Request failed with status code 500"), "permanent"],
		// An answer that is not HTTP, in Node.js and in undici; a head that is too long
		[coded("HPE_INVALID_CONSTANT"), "transient"],
		[coded("HPE_INVALID_EOF_STATE"), "transient"],
		[coded("HPE_HEADER_OVERFLOW"), "permanent"],
		[named("HTTPParserError", "Response does not match the HTTP/1.1 protocol"), "transient"],
		// axios over fetch: the cause says more than the code
		[Object.assign(coded("ERR_NETWORK"), { cause: coded("DEPTH_ZERO_SELF_SIGNED_CERT") }), "permanent"],
		[Object.assign(coded("ERR_NETWORK"), { cause: new TypeError("Failed to fetch") }), "transient"],
		// A code counts from its beginning to its end.
		[coded("XECONNRESET"), "permanent"],
		[coded("ECONNRESETS"), "permanent"],
		[said("ERR_INVALID_URL", "ECONNRESET ETIMEDOUT"), "permanent"],
		[said("ERR_INVALID_URL", "Timeout of 200ms exceeded"), "permanent"],
		[said("ERR_INVALID_URL", "ECONNABORTED timeout of 200ms exceeded"), "permanent"],
		[said("ERR_INVALID_URL", "UND_ERR_ABORTED Proxy response (503) !== 200"), "permanent"],
		// A proxy that refuses a tunnel: undici, and Node.js
		[said("UND_ERR_ABORTED", "Proxy response (503) !== 200 when HTTP Tunneling"), "throttled"],
		[said("UND_ERR_ABORTED", "Proxy response (403) !== 200 when HTTP Tunneling"), "permanent"],
		[said("UND_ERR_ABORTED", "Proxy response (302) !== 200 when HTTP Tunneling"), "permanent"],
		[
			said("ERR_PROXY_TUNNEL", "Failed to establish tunnel to a:443 via http://b: HTTP/1.1 502 Bad Gateway"),
			"transient",
		],
		[said("ERR_PROXY_TUNNEL", "Failed to establish tunnel to a:443 via http://b: HTTP/1.1 204 None"), "permanent"],
		// Bun
		[coded("ConnectionRefused"), "transient"],
		[coded("ConnectionClosed"), "transient"],
		[coded("FailedToOpenSocket"), "transient"],
		[coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "permanent"],
		// workerd
		[new Error("Network connection lost."), "transient"],
		[new Error("The log says: Network connection lost."), "permanent"],
		// The first five errors of a chain count.
		[chain(4), "transient"],
		[chain(5), "permanent"],
		// Deno
		[new TypeError("error reading a body from connection: end of file before message length reached"), "transient"],
		[new TypeError("error decoding response body"), "transient"],
		[new TypeError("request or response body error: connection reset"), "transient"],
		[
			new TypeError("error sending request for url (https://a/): client error: invalid peer certificate: Expired"),
			"permanent",
		],
		[
			new TypeError("fetch failed", { cause: new Error("client error (Connect): received corrupt message") }),
			"permanent",
		],
		[new TypeError("Fetch failed: Requests to port 1 are blocked"), "permanent"],
		[new TypeError("Fetch failed: Maximum number of redirects (20) reached"), "permanent"],
		[cyclic(), "permanent"],
		[new TypeError("x is not a function"), "permanent"],
		[new TypeError("terminated by hand"), "permanent"],
		[new TypeError("Cannot fetch: fetch failed"), "permanent"],
		[new Error("Failed to fetch"), "permanent"],
		[named("AbortError", "This operation was aborted"), "permanent"],
		["fetch failed", "permanent"],
		[undefined, "permanent"],
		[null, "permanent"],
	];
	for (const [error, outcome] of rows) {
		test(`${error}`, () => assert.equal(fetchOutcome(error), outcome));
	}

	test("what a program adds to all objects is no member of an error", (t) => {
		t.after(() => {
			delete Object.prototype.code;
		});
		Object.prototype.code = "ECONNRESET";
		assert.equal(fetchOutcome(new Error("gone")), "permanent");
		assert.equal(fetchOutcome({ code: "ETIMEDOUT" }), "timeout");
	});

	test("a message that is no string says nothing", () => {
		const saying = (message, more) => Object.assign(new TypeError(), { message, ...more });
		for (const message of [Symbol("fetch failed"), ["fetch failed"], { __proto__: null }]) {
			assert.equal(fetchOutcome(saying(message)), "permanent");
			assert.equal(fetchOutcome(saying(message, { code: "ECONNRESET" })), "transient");
			assert.equal(fetchOutcome(saying(message, { code: "ETIMEDOUT" })), "timeout");
			assert.equal(fetchOutcome(new TypeError("fetch failed", { cause: saying(message) })), "transient");
		}
		assert.equal(fetchOutcome(saying(["timeout"], { code: "ECONNABORTED" })), "transient");
	});
});

// tests/integrations runs it through failures to a success.
describe("examples/http.mjs", () => {
	const POLICY = "constant:base=1ms,max_retries=1";

	test("is on its page as it is", () => {
		const example = readFileSync(join(source, "examples/http.mjs"), "utf8");
		assert.ok(readFileSync(join(source, "docs/http.md"), "utf8").includes(`\`\`\`js\n${example}\`\`\`\n`));
	});

	test("gives up, and explains wrong arguments", () => {
		copyFileSync(join(source, "examples/http.mjs"), join(project, "http.mjs"));
		const usage = "\nusage: http.mjs URL POLICY SEED KEY\n";
		for (const [args, message, end = usage, expected = [2, ""]] of [
			[[], "Invalid URL"],
			[[refused, "ful", "1", "k"], 'at 0: unknown name "ful"'],
			[[refused, POLICY, "x", "k"], "Cannot convert x to a BigInt"],
			[[refused, POLICY, "-1", "k"], "seed -1 is negative"],
			[[refused, POLICY, "1"], "key must be a string or a Uint8Array, got undefined"],
			[
				[refused, POLICY, "1", "k"],
				"gave up after 2 attempts: max_retries: ",
				"\n",
				[1, "attempt 1: transient, waiting 1000000 ns\n"],
			],
		]) {
			const options = { cwd: project, encoding: "utf8" };
			const { status, stdout, stderr } = spawnSync(process.execPath, ["http.mjs", ...args], options);
			assert.deepEqual([status, stdout], expected);
			assert.ok(stderr.startsWith(message) && stderr.endsWith(end), stderr);
		}
	});
});
