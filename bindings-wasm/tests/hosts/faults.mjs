// What every HTTP client must do: the cases of all languages (requests.mjs), and what only JavaScript has, on a server that
// fails on purpose.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { proxyStatuses, RetryStats, SharedBudget } from "backoff-wasm";
import { testRequests } from "./requests.mjs";

/** A server that plays a script for each path: answers, one after the other, of which the last one repeats. */
export async function startFaults() {
	const paths = new Map();
	let open = 0;
	const server = createServer(async (request, response) => {
		open++;
		response.once("close", () => open--);
		const path = paths.get(new URL(request.url, "http://localhost").pathname);
		const answer = path.script[Math.min(path.requests.length, path.script.length - 1)];
		const seen = { method: request.method, headers: request.headers, body: "" };
		path.requests.push(seen);
		if (answer === "reset") {
			request.socket.resetAndDestroy();
			return;
		}
		request.on("error", () => {});
		for await (const chunk of request) {
			seen.body += chunk;
		}
		if (answer !== "silence") {
			const [status, headers = {}, body = `${status}`] = answer;
			response.writeHead(status, headers).end(body);
		}
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const origin = `http://127.0.0.1:${server.address().port}`;
	let count = 0;
	return {
		origin,
		/** A new path with a script, and the requests that it gets. */
		play(...script) {
			const path = `/${++count}`;
			const requests = [];
			paths.set(path, { script, requests });
			return { url: origin + path, path, requests };
		},
		/** Waits until no request is open. */
		async idle() {
			for (let turn = 0; open > 0 && turn < 200; turn++) {
				await wait(10);
			}
			assert.equal(open, 0, "requests that are still open");
		},
		stop() {
			server.closeAllConnections();
			server.close();
		},
	};
}

/** An address at which no server listens. */
export async function refusedOrigin() {
	const server = createServer();
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address();
	await new Promise((resolve) => server.close(resolve));
	return `http://127.0.0.1:${port}`;
}

/** The timers that keep the process running. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

const FAST = "constant:base=1ms,max_retries=3";
const UNLIMITED = { policy: FAST, budget: null };
const OK = [200];
const BUSY = [503];
const SWITCH = "true (it may be repeated) or false (it is sent once)";

/**
 * Tests a client. `make(options)` is the function of its adapter, which throws for those in `refuses`. `open` and the
 * others are those of `testRequests`. Returns the server.
 */
export function testClient(name, { make, refuses = [], ...ofRequests }) {
	const { open, streamOf } = ofRequests;
	testRequests(name, ofRequests);

	let server;
	before(async () => {
		server = await startFaults();
	});
	after(() => server.stop());

	/** Sends a request; how it ended. Nothing of it may be left. */
	async function run(options, request) {
		const before = timers();
		const { send, close } = await open(options);
		let end;
		try {
			end = await send(request);
		} catch (error) {
			end = { error };
		}
		if (request.url.startsWith(server.origin)) {
			await server.idle();
		}
		await close?.();
		assert.ok(timers() <= before, "timers that are left");
		return end;
	}

	describe(name, () => {
		test("the delays of a stream are waited", async () => {
			const delays = [];
			const onRetry = ({ delayNs }) => void delays.push(delayNs);
			const policy = "full:base=100ms,cap=20s,max_retries=3";
			const start = performance.now();
			const { url, requests } = server.play(BUSY);
			assert.equal((await run({ policy, seed: 42, key: "job-1", onRetry }, { url })).status, 503);
			assert.ok(performance.now() - start > 11.399434 + 83.043876 + 229.309811 - 1);
			assert.deepEqual([delays, requests.length], [["11399434", "83043876", "229309811"], 4]);
		});

		test("all attempts time out, or the only one, with an error of the client", async () => {
			for (const [method, stream, sentOnce, attempts] of [
				["GET", false, undefined, 2],
				["POST", false, "method", 1],
				["PUT", true, "body", 1],
			]) {
				const stats = new RetryStats();
				let stop;
				const onStop = (event) => {
					stop = event;
				};
				const { url } = server.play("silence");
				const body = stream ? streamOf("text") : method === "POST" ? "text" : undefined;
				const policy = "constant:base=1ms,max_retries=1";
				const { error } = await run({ policy, stats, onStop, attemptTimeout: 100 }, { method, url, body });
				assert.match(`${error.name} ${error.code}`, /[tT]imeout|ECONNABORTED|ETIMEDOUT/);
				const isRead = stream && stop.sentOnce === undefined;
				if (!isRead) {
					assert.deepEqual([stop.sentOnce, stop.attempts, stats.counts().attempts], [sentOnce, attempts, attempts]);
				}
			}
		});

		test("a redirect is one attempt, and a POST that reached a server is not sent again after one to nowhere", async () => {
			const target = server.play(BUSY, OK);
			const first = server.play([302, { location: target.path }]);
			const end = await run(UNLIMITED, { url: first.url });
			if (end.status !== 302) {
				// The client follows it. Some begin again with the first request.
				assert.deepEqual([end.status, target.requests.length], [200, 2]);
				assert.ok(first.requests.length <= 2);
			}
			let stop;
			const onStop = (event) => {
				stop = event;
			};
			const { url, requests } = server.play([303, { location: await refusedOrigin() }]);
			await run({ ...UNLIMITED, onStop }, { url, method: "POST", body: "text" });
			assert.deepEqual([requests.length, stop.attempts], [1, 1]);
		});

		test("an abort ends the wait, and an attempt", async () => {
			for (const [script, policy] of [
				[BUSY, "constant:base=1h"],
				["reset", "constant:base=1h"],
				["silence", FAST],
			]) {
				const { url, requests } = server.play(script);
				const controller = new AbortController();
				const ended = run({ policy }, { url, signal: controller.signal });
				while (requests.length === 0) {
					await wait(10);
				}
				await wait(50);
				controller.abort();
				assert.match((await ended).error.name, /AbortError|CanceledError/);
				assert.equal(requests.length, 1);
			}
		});

		test("a budget for each origin, for all, and none", async () => {
			const other = await startFaults();
			const requestsOf = async (budget) => {
				const { send, close } = await open({ policy: FAST, ...(budget !== undefined && { budget }) });
				const seen = [];
				for (const each of [server, server, other]) {
					const { url, requests } = each.play(BUSY);
					await send({ url }).catch(() => {});
					seen.push(requests.length);
				}
				await close?.();
				return seen;
			};
			assert.deepEqual(await requestsOf("quota:max_tokens=4,cost=1"), [4, 2, 4]);
			assert.deepEqual(await requestsOf(null), [4, 4, 4]);
			// Ten retries in a second are always allowed.
			assert.deepEqual(await requestsOf(), [4, 4, 4]);
			other.stop();
		});

		test("with its defaults: the load on a dead server is bounded", async () => {
			const start = performance.now();
			const { send, close } = await open({ policy: "constant:base=1ms,max_retries=10" });
			const { url, requests } = server.play(BUSY);
			for (let turn = 0; turn < 10; turn++) {
				await Promise.all(Array.from({ length: 20 }, () => send({ url }).catch(() => {})));
			}
			await close?.();
			const seconds = Math.ceil((performance.now() - start) / 1000);
			// finagle: a fifth of the operations, and ten in each second of the last ten.
			assert.ok(requests.length <= 200 * 1.2 + 100 + 10 * seconds, `${requests.length} in ${seconds} s`);
		});

		test("classify, mayRepeat, and what they may return", async () => {
			const seen = [];
			const classify = (request, { response, error }) => {
				seen.push([typeof request, response !== undefined, error !== undefined]);
				return seen.length === 1 ? "transient" : undefined;
			};
			const { url, requests } = server.play([404], OK);
			assert.equal((await run({ ...UNLIMITED, classify }, { url })).status, 200);
			assert.equal(requests.length, 2);
			assert.deepEqual(seen[0].slice(0, 2), ["object", true]);
			const never = server.play(BUSY, OK);
			const end = await run({ ...UNLIMITED, classify: () => false }, { url: never.url });
			assert.deepEqual([never.requests.length, end.status], [1, 503]);
			for (const answer of [null, undefined]) {
				const asked = server.play(BUSY, OK);
				assert.equal((await run({ ...UNLIMITED, classify: () => answer }, { url: asked.url })).status, 200);
			}
			for (const [answer, count] of [
				[true, { POST: 2, PUT: 2 }],
				[undefined, { POST: 1, PUT: 2 }],
				[null, { POST: 1, PUT: 2 }],
				[false, { POST: 1, PUT: 1 }],
			]) {
				for (const method of ["POST", "PUT"]) {
					const asked = server.play(BUSY, OK);
					await run({ ...UNLIMITED, mayRepeat: () => answer }, { url: asked.url, method, body: "text" });
					assert.equal(asked.requests.length, count[method], `${answer}`);
				}
			}
			for (const [answer, shown] of [
				["yes", '"yes"'],
				[0, "0"],
				[Promise.resolve(true), "[object Promise]"],
			]) {
				const { error } = await run({ ...UNLIMITED, mayRepeat: () => answer }, { url });
				assert.ok(error.message.endsWith(`what mayRepeat returns must be ${SWITCH}, got ${shown}`), error.message);
			}
		});

		test("a shared budget", async () => {
			const asked = [];
			const store = {
				load: async (key) => {
					asked.push(key);
					return { text: null, now: 0n };
				},
				compareAndSwap: async () => true,
			};
			const budget = new SharedBudget(store, "http", "sre");
			const { url, requests } = server.play(BUSY, OK);
			assert.equal((await run({ policy: FAST, budget }, { url })).status, 200);
			assert.deepEqual([requests.length, asked[0]], [2, budget.key]);
		});

		test("the events name the request, and a copy has no secret", async () => {
			const events = [];
			const hook = (event) => void events.push(event);
			const headers = { authorization: "Bearer secret" };
			const { url } = server.play(BUSY, "reset", OK);
			const options = { ...UNLIMITED, onRetry: hook, onStop: hook };
			await run(options, { url: `${url}?token=secret#secret`, headers });
			// got tells of its end when it has ended.
			while (events.at(-1)?.reason === undefined) {
				await wait(1);
			}
			assert.deepEqual(
				events.map(({ attempts, method, url, status, sentOnce }) => [attempts, method, url, status, sentOnce]),
				[
					[1, "GET", url, 503, undefined],
					[2, "GET", url, undefined, undefined],
					[3, "GET", url, 200, undefined],
				],
			);
			assert.ok(events[1].error instanceof Error);
			assert.ok(events.every(({ request }) => typeof request === "object"));
			assert.equal(JSON.parse(JSON.stringify(events[1])).error.name, events[1].error.name);
			for (const event of events) {
				const line = JSON.stringify({ message: "a log line", ...event });
				assert.doesNotMatch(line, /secret|"(?:error|value|request)"/);
				assert.match(line, /"delayNs":"\d+"/);
			}
		});

		for (const [where, script, options, expected] of [
			["classify, after a response", BUSY, (boom) => ({ classify: boom }), 1],
			["classify, after a failure", "reset", (boom) => ({ classify: boom }), 1],
			["mayRepeat", OK, (boom) => ({ mayRepeat: boom }), 0],
			["onRetry, after a response", BUSY, (boom) => ({ onRetry: boom }), 1],
			["onRetry, after a failure", "reset", (boom) => ({ onRetry: boom }), 1],
			["onStop, after a response", [404], (boom) => ({ onStop: boom }), 1],
			["onStop, after a failure", "reset", (boom) => ({ policy: "constant:base=1ms,max_retries=0", onStop: boom }), 1],
			["onStop, after a success", OK, (boom) => ({ onStop: boom }), 1],
		]) {
			test(`an error of ${where} reaches the caller`, { timeout: 60_000 }, async () => {
				const { url, requests } = server.play(script);
				const boom = () => {
					throw new Error("boom");
				};
				const { error } = await run({ ...UNLIMITED, ...options(boom) }, { url });
				// got has that of onRetry as the cause, as it does with its own hooks.
				assert.ok([error?.message, error?.cause?.message].includes("boom"), `${error?.stack}`);
				assert.equal(requests.length, expected);
			});
		}

		test("an error before the first attempt reaches the caller", { timeout: 60_000 }, async () => {
			const { url, requests } = server.play(OK);
			const deadline = new Date();
			const { send, close } = await open({ ...UNLIMITED, deadline });
			deadline.setTime(Number.NaN);
			await assert.rejects(send({ url }), /deadline NaN is not a finite number/);
			assert.equal(requests.length, 0);
			await close?.();
		});

		test("an error about a verdict names the option of the adapter", async () => {
			for (const [verdict, message] of [
				[{ retryAfter: 5 }, /^classify must return true, .*, got an object without an outcome$/],
				["temporary", /^classify: outcome "temporary" is unknown; the outcomes are /],
				[{ outcome: "throttled", retryAfter: "5" }, /^classify: retryAfter must be a number of milliseconds /],
				[{ outcome: "throttled", retryIn: 5 }, /^retryIn is unknown; the options of a verdict of classify are /],
			]) {
				for (const script of [BUSY, "reset"]) {
					const { error } = await run({ ...UNLIMITED, classify: () => verdict }, { url: server.play(script).url });
					assert.match(error.message, message);
				}
			}
		});

		test("bad options are errors at once", () => {
			const forms = String.raw`such as \{ 409: "transient" \}, or an array, got`;
			const range = "a status is from 100 to 999$";
			const list = String.raw`methods must be an array of methods, such as \["GET", "POST"\], got`;
			const isPositive = "attemptTimeout must be a positive number of milliseconds, got";
			for (const [options, type, message = ""] of [
				[{ deadline: Date.now() + 5000 }, "PolicyError", "more than 10 years after clock.now\\(\\); pass a Date$"],
				[{ deadline: () => 5 }, "TypeError", "deadline must be a Date, or a time of the clock"],
				[{ seed: 1, key: () => "a" }, "TypeError", "key must be one key for all requests"],
				[{ strategy: FAST }, "TypeError", "strategy is unknown; the options of \\w+ are policy, stream"],
				[{ retries: 5 }, "TypeError", "retries is unknown; did you mean maxRetries\\?$"],
				[{ statuses: { "5xx": true } }, "RangeError", `statuses has 5xx; ${range}`],
				[{ statuses: { 99: "transient" } }, "RangeError", `statuses has 99; ${range}`],
				[{ statuses: [1000] }, "RangeError", `statuses has 1000; ${range}`],
				[{ statuses: [1503] }, "RangeError", `statuses has 1503; ${range}`],
				[{ statuses: [503.5] }, "RangeError", `statuses has 503.5; ${range}`],
				[{ statuses: ["503"] }, "TypeError", 'each of statuses must be a number, got "503"$'],
				[
					{ statuses: [409, 200] },
					"RangeError",
					'statuses has 200, which is a success: write { 200: "transient" } if ',
				],
				[{ statuses: new Set([409]) }, "TypeError", `${forms} \\[object Set\\]$`],
				[{ statuses: null }, "TypeError", `${forms} null$`],
				[{ statuses: 409 }, "TypeError", `${forms} 409$`],
				[{ statuses: { 409: "temporary" } }, "TypeError", "temporary of 409 must be one of success, transient"],
				[{ methods: "GET" }, "TypeError", `${list} "GET"$`],
				[{ methods: [5] }, "TypeError", list],
				[{ methods: ["GET", "get"] }, "RangeError", 'methods has "get": write "GET"$'],
				[{ methods: ["GET "] }, "RangeError", 'methods has "GET ": write "GET"$'],
				[{ methods: ["GÉT"] }, "RangeError", 'methods has "GÉT": write one such as "GET"$'],
				[{ mayRepeat: true }, "TypeError", "mayRepeat must be a function, got true$"],
				[{ classify: {} }, "TypeError", "classify must be a function"],
				[{ readBody: 1 }, "TypeError", "readBody must be a boolean, got 1$"],
				[{ policy: "full:base=1" }, "PolicyError"],
				[{ budget: "quotas" }, "PolicyError"],
				[{ budget: 5 }, "TypeError"],
				[{ attemptTimeout: 0 }, "TypeError", `${isPositive} 0$`],
				[{ attemptTimeout: null }, "TypeError", `${isPositive} null$`],
				[{ attemptTimeout: "5" }, "TypeError", `${isPositive} "5"$`],
				[{ attemptTimeout: 5n }, "TypeError", `${isPositive} 5$`],
				...[null, 5, "x", [], () => {}].map((none) => [none, "TypeError", "must be a plain object, got [a-z ]+$"]),
				...refuses.map((options) => [options, "TypeError"]),
			]) {
				assert.throws(() => make(options), { name: type, message: new RegExp(message) });
			}
			for (const statuses of [proxyStatuses, [520], { 202: "transient" }, {}]) {
				make({ statuses });
			}
		});
	});
	return { run, play: (...script) => server.play(...script) };
}
