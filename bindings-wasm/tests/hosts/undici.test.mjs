// undici with retries, over HTTP/1.1 and HTTP/2, on a server that fails.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import http2 from "node:http2";
import { Readable } from "node:stream";
import { test } from "node:test";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";
import { fetchOutcome, RetryStats } from "backoff-wasm";
import { retryingFetch } from "backoff-wasm/fetch";
import { retries } from "backoff-wasm/undici";
import {
	Agent,
	Client,
	fetch,
	getGlobalDispatcher,
	ProxyAgent,
	request,
	setGlobalDispatcher,
	FormData as UndiciFormData,
} from "undici";
import { selfSigned } from "./certificate.mjs";
import { refusedOrigin, testClient } from "./faults.mjs";

const FAST = "constant:base=1ms,max_retries=3";

const { play } = testClient("undici", {
	make: retries,
	open(options) {
		const agent = new Agent();
		const dispatcher = agent.compose(retries(options));
		const send = async ({ url, own, ...given }) => {
			const { statusCode: status, body } = await request(url, { ...given, dispatcher, retry: own });
			return { status, text: await body.text() };
		};
		return { send, close: () => agent.destroy() };
	},
	streamOf: (text) => Readable.from([text]),
});

testClient("undici's fetch, with retryingFetch", {
	make: retryingFetch,
	open(options) {
		const retrying = retryingFetch({ ...options, fetch });
		const send = async ({ url, own, ...given }) => {
			const duplex = given.body instanceof ReadableStream && { duplex: "half" };
			const init = { ...given, ...duplex, redirect: "manual", retry: own };
			const response = await retrying(url, init);
			return { status: response.status, text: await response.text() };
		};
		return { send };
	},
	streamOf: (text) => new Blob([text]).stream(),
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

/**
 * A request through the interceptor, without a server: `play(handler, controller, attempt)` is what undici does in an
 * attempt. Returns what `dispatch` returned, what the caller's handler got, and what undici was told.
 */
function dispatched(options, given, play, ofCaller = {}) {
	const seen = [];
	const told = [];
	let attempt = 0;
	const dispatch = (sent, handler) => {
		attempt++;
		const tell = (name) => (reason) => void told.push(reason === undefined ? name : [name, reason]);
		const controller = { pause: tell("pause"), resume: tell("resume"), abort: tell("abort"), rawHeaders: ["a"] };
		return play(handler, controller, attempt, sent);
	};
	const names = ["RequestStart", "ResponseStarted", "RequestSent", "BodySent", "RequestUpgrade", "ResponseStart"];
	let end;
	const ended = new Promise((resolve) => {
		end = resolve;
	});
	const handler = {};
	for (const name of [...names, "ResponseData", "ResponseEnd", "ResponseError"].map((each) => `on${each}`)) {
		handler[name] = (...given) => {
			seen.push([name, ...given.slice(1)]);
			ofCaller[name]?.(...given);
			if (["onResponseEnd", "onResponseError", "onRequestUpgrade"].includes(name)) {
				end();
			}
		};
	}
	const request = { origin: "http://127.0.0.1/", path: "/", method: "GET", headers: {}, ...given };
	const answer = retries({ policy: "constant:base=0s,max_retries=1", budget: null, ...options })(dispatch)(
		request,
		handler,
	);
	return { answer, seen, told, ended };
}

test("64 KiB of an unread body are read, and what is longer is closed", async () => {
	for (const [before, after, isClosed] of [
		[[], [65_536], false],
		[[], [1, 65_535], false],
		[[], [65_537], true],
		[[], [65_536, 1], true],
		[[65_536], [], false],
		[[65_536], [1], true],
	]) {
		let first;
		let toldInTime;
		const sleep = async () => {
			await turn();
			for (const size of after) {
				first.onResponseData(undefined, Buffer.alloc(size));
			}
			toldInTime = [...told];
		};
		const { told, ended } = dispatched({ clock: { now: () => 0, sleep } }, {}, (handler, controller, attempt) => {
			handler.onRequestStart(controller, {});
			first ??= handler;
			handler.onResponseStart(controller, attempt === 1 ? 503 : 200, {}, "");
			for (const size of attempt === 1 ? before : []) {
				handler.onResponseData(controller, Buffer.alloc(size));
			}
			if (attempt === 2) {
				handler.onResponseEnd(controller, {});
			}
			return true;
		});
		await ended;
		const names = toldInTime.map((each) => (typeof each === "string" ? each : each[0]));
		assert.deepEqual(names, ["pause", "resume", ...(isClosed ? ["abort"] : [])], `${before}+${after}`);
		// What is left at the next attempt is closed in any case.
		const aborts = told.filter(([name]) => name === "abort");
		assert.deepEqual(
			aborts.map(([, { code }]) => code),
			["UND_ERR_ABORTED"],
		);
	}
});

test("dispatch returns what undici answers to the first attempt, or true if there was none", async () => {
	for (const answer of [true, false]) {
		const { answer: got, ended } = dispatched({}, {}, (handler, controller, attempt) => {
			handler.onRequestStart(controller, {});
			handler.onResponseStart(controller, attempt === 1 ? 503 : 200, {}, "");
			handler.onResponseEnd(controller, {});
			return attempt === 1 ? answer : !answer;
		});
		await ended;
		assert.equal(got, answer);
	}
	const deadline = new Date();
	const none = { deadline };
	const onResponseError = ({ rawHeaders, rawTrailers }) => assert.deepEqual([rawHeaders, rawTrailers], [null, null]);
	const { answer, seen, ended } = dispatched(none, {}, () => assert.fail("no attempt"), { onResponseError });
	deadline.setTime(0);
	await ended;
	assert.deepEqual([answer, seen.map(([name]) => name)], [true, ["onResponseError"]]);
});

test("heads below 200 reach the caller at once, and decide nothing", async () => {
	const early = [];
	const onResponseStart = (_, status) => void early.push(status);
	const play = (handler, controller) => {
		handler.onRequestStart(controller, {});
		handler.onRequestSent("sent");
		handler.onResponseStart(controller, 100, {}, "Continue");
		handler.onResponseStart(controller, 199, { a: "1" }, "Hint");
		assert.deepEqual(early, [100, 199]);
		handler.onResponseStart(controller, 200, { b: "2" }, "OK");
		handler.onResponseData(controller, "text");
		handler.onResponseEnd(controller, { c: "3" });
		return true;
	};
	const { seen, told, ended } = dispatched({}, {}, play, { onResponseStart });
	await ended;
	assert.deepEqual(seen.slice(1), [
		["onRequestSent"],
		["onResponseStart", 100, {}, "Continue"],
		["onResponseStart", 199, { a: "1" }, "Hint"],
		["onResponseStart", 200, { b: "2" }, "OK"],
		["onResponseData", "text"],
		["onResponseEnd", { c: "3" }],
	]);
	// A response that is over is not resumed.
	assert.deepEqual(told, ["pause"]);
});

test("a key is a name, and not a value, of headers in turn", async () => {
	for (const [headers, attempts] of [
		[["X-Note", "Idempotency-Key", "a", "b"], 1],
		[["a", "b", "idempotency-KEY", "7"], 2],
		[undefined, 1],
		[null, 1],
	]) {
		let count = 0;
		const { ended } = dispatched({}, { method: "POST", headers }, (handler, controller) => {
			count++;
			handler.onRequestStart(controller, {});
			handler.onResponseStart(controller, 503, {}, "");
			handler.onResponseEnd(controller, {});
			return true;
		});
		await ended;
		assert.equal(count, attempts, `${headers}`);
	}
});

test("the caller's handler has a controller of all attempts", async () => {
	let controller;
	const states = [];
	const state = () => states.push([controller.paused, controller.aborted, controller.reason?.message ?? null]);
	let target;
	const { told, seen, ended } = dispatched(
		{},
		{},
		(handler, own) => {
			target = own;
			handler.onRequestStart(own, "context");
			handler.onResponseStart(own, 200, {}, "");
			return true;
		},
		{
			onRequestStart(given) {
				controller = given;
				state();
			},
			onResponseStart() {
				assert.deepEqual(controller.rawHeaders, ["a"]);
				controller.rawHeaders = ["b"];
				controller.rawTrailers = ["c"];
				assert.deepEqual([target.rawHeaders, target.rawTrailers], [["b"], ["c"]]);
				assert.deepEqual([controller.rawHeaders, controller.rawTrailers], [["b"], ["c"]]);
				controller.pause();
				state();
			},
		},
	);
	await turn();
	// The caller has paused, so what undici has stays there.
	assert.deepEqual(told, ["pause", "pause"]);
	controller.resume();
	state();
	assert.deepEqual(told, ["pause", "pause", "resume"]);
	controller.abort(new Error("mine"));
	state();
	assert.equal(told[3][1].message, "mine");
	assert.deepEqual(states, [
		[false, false, null],
		[true, false, null],
		[false, false, null],
		[false, true, "mine"],
	]);
	assert.deepEqual(seen[0], ["onRequestStart", "context"]);
	void ended;
});

test("a body that the caller has not paused goes on, of the last attempt of which the caller knows one", async () => {
	const { seen, told } = dispatched({}, {}, (handler, controller, attempt) => {
		handler.onRequestStart(controller, {});
		handler.onResponseStart(controller, attempt === 1 ? 503 : 200, {}, "");
		if (attempt === 1) {
			handler.onResponseEnd(controller, {});
		}
		return true;
	});
	while (told.length < 3) {
		await turn();
	}
	assert.deepEqual(told, ["pause", "pause", "resume"]);
	assert.deepEqual(
		seen.map(([name]) => name),
		["onRequestStart", "onResponseStart"],
	);
});

test("a handler needs no method but those that it has", { timeout: 60_000 }, async () => {
	const dispatch = (_, handler) => {
		handler.onRequestStart({ pause() {} }, {});
		handler.onRequestSent();
		handler.onBodySent();
		handler.onResponseStarted();
		handler.onResponseStart(undefined, 100, {}, "");
		handler.onResponseStart(undefined, 200, {}, "");
		handler.onResponseData(undefined, "text");
		handler.onResponseEnd(undefined, {});
		return true;
	};
	const request = { origin: "http://127.0.0.1", path: "/", method: "GET" };
	await new Promise((onResponseEnd) => retries({})(dispatch)(request, { onResponseEnd }));
});

test("a request without a method is a GET, and headers of an iterator are sent each time", async () => {
	const sent = [];
	let stop;
	const onStop = (event) => (stop = event);
	const headers = new Map([["a", "b"]]).entries();
	const { ended } = dispatched({ onStop }, { method: undefined, headers }, (handler, controller, _, given) => {
		sent.push([...given.headers]);
		handler.onRequestStart(controller, {});
		handler.onResponseStart(controller, 503, {}, "");
		handler.onResponseEnd(controller, {});
		return true;
	});
	await ended;
	assert.deepEqual([stop.method, sent], ["GET", Array(2).fill(["a", "b"])]);
});

test("a change of the options in a wait changes nothing", async () => {
	for (const [headers, change] of [
		[{ a: "1" }, (headers) => Object.assign(headers, { a: "2" })],
		[["a", "1"], (headers) => headers.splice(1, 1, "2")],
		[new Map([["a", "1"]]), (headers) => headers.set("a", "2")],
		[new Headers({ a: "1" }), (headers) => headers.set("a", "2")],
	]) {
		const sent = [];
		class Options {
			origin = "http://127.0.0.1";
			path = "/";
			headers = headers;
			get method() {
				return "PUT";
			}
		}
		const given = new Options();
		const onRetry = () => {
			change(headers);
			given.path = "/other";
		};
		await new Promise((resolve) => {
			const dispatch = ({ method, path, headers }, handler) => {
				sent.push([method, path, Array.isArray(headers) ? headers : Object.entries(headers).flat()]);
				handler.onRequestStart({ pause() {}, resume() {} }, {});
				handler.onResponseStart(undefined, 503, {}, "");
				handler.onResponseEnd(undefined, {});
				return true;
			};
			const options = { policy: "constant:base=0s,max_retries=1", onRetry };
			retries(options)(dispatch)(given, { onResponseEnd: resolve });
		});
		assert.deepEqual(sent, Array(2).fill(["PUT", "/", ["a", "1"]]));
	}
});

test("an error of a hook after a response closes its body", async () => {
	const onRetry = () => {
		throw new Error("boom");
	};
	const { told, seen, ended } = dispatched({ onRetry }, {}, (handler, controller) => {
		handler.onRequestStart(controller, {});
		handler.onResponseStart(controller, 503, {}, "");
		return true;
	});
	await ended;
	assert.equal(seen.at(-1)[1].message, "boom");
	assert.equal(told.at(-1)[0], "abort");
});

test("a request that waits too long for a connection is aborted when it gets one, and counts as sent", async () => {
	let late;
	let attempts = 0;
	const controllers = [];
	const { seen, told, ended } = dispatched({ attemptTimeout: 5 }, { method: "POST" }, (handler, controller) => {
		attempts++;
		late = handler;
		controllers.push(controller);
		return true;
	});
	await ended;
	late.onRequestStart(controllers[0], {});
	assert.deepEqual([attempts, told.map(([name]) => name)], [1, ["abort"]]);
	assert.deepEqual(
		seen.map(([name]) => name),
		["onResponseError"],
	);
});

test("an error that the caller's handler throws aborts the request", async () => {
	const boom = new Error("boom");
	const { told } = dispatched(
		{},
		{},
		(handler, controller) => {
			handler.onRequestStart(controller, {});
			handler.onResponseStart(controller, 200, {}, "");
			return true;
		},
		{
			onResponseStart() {
				throw boom;
			},
		},
	);
	await turn();
	assert.deepEqual(told, ["pause", ["abort", boom]]);
});

for (const [name, send] of Object.entries({ request, fetch })) {
	test(`an abort of ${name} ends the wait, also where no attempt has begun`, { timeout: 60_000 }, async () => {
		const url = await refusedOrigin();
		for (const isWaiting of [true, false]) {
			const controller = new AbortController();
			const mine = new Error("mine");
			const reasons = [];
			const agent = new Agent();
			const onRetry = async () => {
				if (isWaiting) {
					setTimeout(() => controller.abort(mine), 10);
				} else {
					controller.abort(mine);
				}
			};
			const onStop = ({ attempts, reason }) => void reasons.push(attempts, reason);
			const dispatcher = agent.compose(retries({ policy: "constant:base=1h", onRetry, onStop }));
			await assert.rejects(send(url, { dispatcher, signal: controller.signal }), (error) => error === mine);
			await turn();
			assert.deepEqual(reasons, [1, "cancelled"]);
			await agent.close();
		}
	});
}

test("an abort ends a later attempt that has not begun, which is not sent then", { timeout: 60_000 }, async () => {
	const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
	const mine = new Error("mine");
	let late;
	let ofCaller;
	const options = { attemptTimeout: 3_600_000 };
	const onRequestStart = (controller, context) => {
		ofCaller = { controller, context };
	};
	const play = (handler, controller, attempt) => {
		if (attempt === 1) {
			handler.onResponseError(undefined, refused);
		} else {
			late = () => handler.onRequestStart(controller, { history: [] });
			setTimeout(() => ofCaller.controller.abort(mine));
		}
		return true;
	};
	const { seen, told, ended } = dispatched(options, {}, play, { onRequestStart });
	await ended;
	assert.deepEqual(seen, [
		["onRequestStart", {}],
		["onResponseError", mine],
	]);
	assert.ok(!process.getActiveResourcesInfo().includes("Timeout"));
	late();
	assert.deepEqual(told, [["abort", mine]]);
});

test("a handler that knew of no attempt gets the context of the one that begins", async () => {
	const contexts = [];
	const { ended } = dispatched(
		{},
		{},
		(handler, controller, attempt) => {
			if (attempt === 1) {
				handler.onResponseError(undefined, Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
				return true;
			}
			handler.onRequestStart(controller, { history: ["a"] });
			handler.onResponseStart(controller, 200, {}, "");
			handler.onResponseEnd(controller, {});
			return true;
		},
		{ onRequestStart: (_, context) => void contexts.push(context) },
	);
	await ended;
	assert.deepEqual(contexts, [{ history: ["a"] }]);
});

/** What a handler gets that does something, once, in one of its methods. */
async function seenBy(dispatcher, request, at, act) {
	const log = [];
	let turns = 0;
	const handler = {};
	for (const name of ["onRequestStart", "onResponseStart", "onResponseData", "onResponseEnd", "onResponseError"]) {
		handler[name] = (controller, ...given) => {
			log.push(given[0] instanceof Error ? `${name} ${given[0].message}` : name);
			if (name === at && ++turns === 1) {
				act(controller, log);
			}
		};
	}
	dispatcher.dispatch(request, handler);
	while (!log.some((each) => /^onResponse(?:End|Error)/.test(each))) {
		await wait(1);
	}
	// Nothing may follow the end.
	await wait(20);
	return log;
}

test("a handler that aborts or throws gets what undici alone gives it", { timeout: 60_000 }, async () => {
	const throwIt = () => {
		throw new Error("mine");
	};
	const abort = (controller) => controller.abort(new Error("mine"));
	const abortLater = (controller) => {
		controller.pause();
		setTimeout(() => controller.abort(new Error("mine")), 5);
	};
	for (const options of [{}, { readBody: true }]) {
		for (const act of [throwIt, abort, abortLater]) {
			for (const at of ["onResponseStart", "onResponseData", "onResponseEnd"]) {
				for (const answer of [
					[200, {}, "a"],
					[200, {}, "a".repeat(1_000_000)],
					[200, { "content-length": "0" }, ""],
				]) {
					const { url } = play(answer);
					const { origin, pathname: path } = new URL(url);
					const given = { origin, path, method: "GET" };
					const plain = new Agent();
					const agent = new Agent();
					const expected = await seenBy(plain, given, at, act);
					const seen = await seenBy(agent.compose(retries({ policy: FAST, ...options })), given, at, act);
					const withoutData = (log) => log.filter((each) => each !== "onResponseData" || at !== "onResponseEnd");
					const name = `${act.name} ${at} ${answer[2].length} ${inspect(options)}`;
					assert.deepEqual(withoutData(seen), withoutData(expected), name);
					await plain.destroy();
					await agent.destroy();
				}
			}
		}
	}
});

test("a handler that pauses a response in memory gets the rest when it resumes", { timeout: 60_000 }, async () => {
	for (const size of [1, 1_000_000]) {
		for (const at of ["onResponseStart", "onResponseData"]) {
			let seenInPause;
			const pause = (controller, log) => {
				const before = log.length;
				controller.pause();
				setTimeout(() => {
					seenInPause = log.length - before;
					controller.resume();
				}, 20);
			};
			const { url } = play([200, {}, "a".repeat(size)]);
			const { origin, pathname: path } = new URL(url);
			const agent = new Agent();
			const dispatcher = agent.compose(retries({ policy: FAST, readBody: true }));
			const log = await seenBy(dispatcher, { origin, path, method: "GET" }, at, pause);
			assert.equal(seenInPause, 0);
			assert.equal(log.at(-1), "onResponseEnd");
			assert.ok(log.includes("onResponseData"));
			await agent.close();
		}
	}
});

test("interceptors and callers that want no more of a response that has arrived", { timeout: 60_000 }, async () => {
	const { interceptors } = await import("undici");
	for (const options of [{}, { readBody: true }]) {
		const agent = new Agent();
		const dispatcher = agent.compose(retries({ policy: FAST, ...options }));
		const factory = () => {
			throw new Error("factory");
		};
		for (const method of ["GET", "HEAD"]) {
			const { origin, pathname: path } = new URL(play([200, {}, "text"]).url);
			await assert.rejects(dispatcher.stream({ origin, path, method }, factory), { message: "factory" });
		}
		const dumped = dispatcher.compose(interceptors.dump({ maxSize: 5 }));
		const { origin, pathname: path } = new URL(play([200, { "content-length": "11" }, "a long text"]).url);
		await assert.rejects(dumped.request({ origin, path, method: "GET" }), { code: "UND_ERR_ABORTED" });
		await agent.close();
	}
});

test("the URL of an event, of an origin with a slash and of a request to a proxy", async () => {
	for (const [given, url] of [
		[{ origin: "http://a/", path: "/b?c" }, "http://a/b"],
		[{ origin: new URL("http://a:81"), path: "/b" }, "http://a:81/b"],
		[{ origin: "http://proxy", path: "https://a/b" }, "https://a/b"],
		[{ origin: "http://a", path: "/https://b" }, "http://a/https://b"],
		[{ origin: undefined, path: "/b" }, ""],
	]) {
		let stop;
		const onStop = (event) => (stop = event);
		const { ended } = dispatched({ onStop }, given, (handler, controller) => {
			handler.onRequestStart(controller, {});
			handler.onResponseStart(controller, 200, {}, "");
			handler.onResponseEnd(controller, {});
			return true;
		});
		await ended;
		assert.equal(stop.url, url);
	}
});

test("an attempt that takes too long: the error says whether its head had arrived", async () => {
	for (const [hasHead, readBody, name] of [
		[false, false, "HeadersTimeoutError"],
		[true, true, "BodyTimeoutError"],
	]) {
		const { seen, told, ended } = dispatched(
			{ policy: "off", attemptTimeout: 5, readBody },
			{},
			(handler, controller) => {
				handler.onRequestStart(controller, {});
				if (hasHead) {
					handler.onResponseStart(controller, 200, {}, "");
				}
				return true;
			},
		);
		await ended;
		assert.equal(seen.at(-1)[0], "onResponseError");
		assert.deepEqual([seen.at(-1)[1].name, seen.at(-1)[1].message], [name, "the attempt took longer than 5 ms"]);
		assert.deepEqual(told, [["abort", seen.at(-1)[1]]]);
	}
});

test("a key of spaces is none", async () => {
	const { url, requests } = play([503], [200]);
	const client = new Agent();
	const dispatcher = client.compose(retries({ policy: FAST }));
	const headers = { "Idempotency-Key": " \t" };
	await (await request(url, { method: "POST", headers, dispatcher })).body.dump();
	assert.equal(requests.length, 1);
	await client.close();
});

test("bodies that are sent again, and those that are sent once", async () => {
	const client = new Agent();
	const dispatcher = client.compose(retries({ policy: FAST, budget: null }));
	const form = new UndiciFormData();
	form.set("a", "1");
	function* generated() {
		yield "a";
		yield "b";
	}
	for (const [body, count] of [
		[Buffer.from("ab"), 4],
		[new Uint8Array([97, 98]), 4],
		[["a", "b"], 4],
		[new Blob(["ab"]), 4],
		[form, 4],
		[generated(), 1],
		[Readable.from(["a", "b"]), 1],
	]) {
		const { url, requests } = play([503]);
		await (await request(url, { method: "PUT", body, dispatcher })).body.dump();
		assert.equal(requests.length, count);
		assert.ok(requests.every(({ body: sent }) => (body === form ? sent.startsWith("--") : sent === "ab")));
	}
	await client.close();
});

test("HEAD, and a CONNECT", async () => {
	const client = new Agent();
	const dispatcher = client.compose(retries({ policy: FAST, budget: null }));
	const { url, requests } = play([503], [429], [500], [200]);
	const { statusCode, body } = await request(url, { method: "HEAD", dispatcher });
	assert.deepEqual([statusCode, await body.text(), requests.length], [200, "", 4]);
	const server = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 200 Connected\r\n\r\nhello"));
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const proxy = new Client(`http://127.0.0.1:${server.address().port}`).compose(retries({ policy: FAST }));
	const { socket } = await proxy.connect({ path: "example.com:443" });
	let text = "";
	for await (const chunk of socket) {
		text += chunk;
	}
	assert.equal(text, "hello");
	server.close();
	await client.close();
});

test("as the global dispatcher: the bodies of fetch are sent once, and a GET is repeated", async (t) => {
	const own = getGlobalDispatcher();
	t.after(() => setGlobalDispatcher(own));
	setGlobalDispatcher(new Agent().compose(retries({ policy: FAST, budget: null })));
	for (const send of [fetch, globalThis.fetch]) {
		const put = play([200]);
		assert.equal((await send(put.url, { method: "PUT", body: "abc" })).status, 200);
		assert.deepEqual(
			put.requests.map(({ body }) => body),
			["abc"],
		);
		const got = play([503], [503, {}, Buffer.alloc(100_000)], [200, {}, Buffer.alloc(3_000_000, "a")]);
		const response = await send(got.url);
		assert.deepEqual([response.status, (await response.text()).length, got.requests.length], [200, 3_000_000, 3]);
	}
});

test("a large body arrives whole, in order, at a slow reader", async () => {
	const client = new Agent();
	const dispatcher = client.compose(retries({ policy: FAST }));
	const text = Array.from({ length: 500_000 }, (_, line) => `${line}\n`).join("");
	const { body } = await request(play([503], [200, {}, text]).url, { dispatcher });
	const chunks = [];
	for await (const chunk of body) {
		chunks.push(chunk);
		await wait(chunks.length < 20 ? 5 : 0);
	}
	assert.ok(Buffer.concat(chunks).toString() === text);
	await client.close();
});

test("a redirect below the retries: a POST that reached a server is not sent again", async () => {
	const { interceptors } = await import("undici");
	const stops = [];
	const client = new Agent();
	const dispatcher = client.compose(
		interceptors.redirect({ maxRedirections: 3 }),
		retries({ policy: FAST, onStop: (event) => void stops.push(event) }),
	);
	const { url, requests } = play([303, { location: await refusedOrigin() }]);
	await assert.rejects(request(url, { method: "POST", body: "text", dispatcher }), { code: "ECONNREFUSED" });
	assert.deepEqual([requests.length, stops[0].attempts, stops[0].reason], [1, 1, "permanent"]);
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

test("an agent that is closed or destroyed is not asked again", async () => {
	for (const [end, code] of [
		["close", "UND_ERR_CLOSED"],
		["destroy", "UND_ERR_DESTROYED"],
	]) {
		const { url } = play([200]);
		const agent = new Agent();
		const ended = agent[end]();
		const stats = new RetryStats();
		const dispatcher = agent.compose(retries({ policy: FAST, stats }));
		await assert.rejects(request(url, { dispatcher }), { code });
		// An agent without requests may be destroyed soon after it is closed.
		await assert.rejects(retryingFetch({ policy: FAST, stats, fetch })(url, { dispatcher: agent }), ({ cause }) =>
			/^UND_ERR_(?:CLOSED|DESTROYED)$/.test(cause.code),
		);
		assert.deepEqual([stats.counts().attempts, stats.counts().stops.permanent], [2, 2]);
		await ended;
	}
});

test("an error that dispatch throws reaches the caller, and leaves no timer", { timeout: 60_000 }, async () => {
	const agent = new Agent();
	const lines = [];
	const onStop = (event) => void lines.push(JSON.stringify(event), inspect(event));
	const fail = () => (_given, _handler) => {
		throw new Error("cannot reach http://secret:secret@host/path?token=secret#secret, not even once");
	};
	const dispatcher = agent.compose(fail, retries({ attemptTimeout: 3_600_000, onStop }));
	await assert.rejects(request("http://host/path?token=secret", { dispatcher }), /secret/);
	assert.match(lines[0], /"message":"cannot reach http:\/\/host\/path, not even once"/);
	assert.doesNotMatch(lines.join(), /secret/);
	await agent.close();
	assert.ok(!process.getActiveResourcesInfo().includes("Timeout"));
});

test("a proxy that refuses a tunnel: its status decides, and nothing was sent", async (t) => {
	for (const [status, outcome, attempts] of [
		[403, "permanent", 1],
		[429, "throttled", 3],
		[502, "transient", 3],
		[302, "permanent", 1],
	]) {
		const asked = [];
		const proxy = createServer().on("connect", ({ method }, socket) => {
			asked.push(method);
			socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
		});
		await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
		t.after(() => proxy.close());
		const ends = [];
		const agent = new ProxyAgent(`http://127.0.0.1:${proxy.address().port}`);
		t.after(() => agent.destroy());
		const dispatcher = agent.compose(
			retries({ policy: "immediate:max_retries=2", budget: null, onStop: (event) => void ends.push(event) }),
		);
		await assert.rejects(request("https://host.invalid/", { method: "POST", body: "text", dispatcher }));
		assert.deepEqual([ends[0].outcome, ends[0].attempts], [outcome, attempts]);
		assert.deepEqual(asked, Array(attempts).fill("CONNECT"));
		const message = `Failed to establish tunnel to a:443 via http://b: HTTP/1.1 ${status} No`;
		assert.equal(fetchOutcome(Object.assign(new Error(message), { code: "ERR_PROXY_TUNNEL" })), outcome);
	}
});
