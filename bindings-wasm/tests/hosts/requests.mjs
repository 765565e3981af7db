// The cases that every HTTP adapter of every language plays (SPEC 19): tests/vectors/http_requests.json.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";

const tests = join(process.env.BACKOFF_WASM_SOURCE, "../tests");
export const { cases } = JSON.parse(readFileSync(join(tests, "vectors/http_requests.json"), "utf8"));

/** Starts the server that fails on purpose. Returns the URLs of its targets, and a function that ends it. */
async function startServer() {
	const server = spawn("python3", [join(tests, "nasty_server.py")], { stdio: ["pipe", "pipe", "inherit"] });
	for await (const line of createInterface({ input: server.stdout })) {
		return { urls: JSON.parse(line), stop: () => server.stdin.end() };
	}
	throw new Error("the server did not start");
}

/** The headers of fields such as "Idempotency-Key: 7". */
const headersOf = (fields) => Object.fromEntries(fields.map((field) => field.split(/: ?/)));

const TEXTS = { text: "text", empty: "", once: "once" };
/** All cases run at once: on a busy machine, an attempt that answers can take longer than the timeout of a case. */
const TIMEOUT_FACTOR = 5;
let runs = 0;

/** Sends the request of a case with a client; what it did, in the words of the case. */
async function play({ urls }, { open, streamOf }, { id, target, options, request }) {
	const { max_retries, attempt_timeout_ms, read_body: readBody, methods, statuses } = options;
	const attemptTimeout = attempt_timeout_ms && TIMEOUT_FACTOR * attempt_timeout_ms;
	const retries = [];
	let last;
	const chosen = {
		policy: `constant:base=1ms,retry_after_max=3ms,max_retries=${max_retries}`,
		budget: null,
		...Object.fromEntries(
			Object.entries({ attemptTimeout, readBody, methods, statuses }).filter(([, value]) => value !== undefined),
		),
		onRetry: (event) => void retries.push(event),
		onStop: (event) => {
			last = event;
		},
	};
	const path = `/${id}/run-${++runs}`;
	const { body, method, fields, switch: own } = request;
	const given = {
		url: urls[target] + path,
		method,
		headers: headersOf(fields),
		...(body !== null && { body: body === "once" ? streamOf("once") : TEXTS[body] }),
		signal: AbortSignal.timeout(60_000),
		own: own ?? undefined,
	};
	const { send, close } = await open(chosen, given.own);
	const got = await send(given).catch((error) => ({ error }));
	const seen = target === "http" && (await (await fetch(`${urls.http}/seen${path}`)).json());
	await close?.();
	assert.ok(last, `${got.error?.stack}`);
	for (const event of [...retries, last]) {
		assert.deepEqual([event.method, event.url], [method, urls[target] + path]);
		assert.ok(event.request);
		JSON.parse(JSON.stringify({ message: "a log line", ...event }));
	}
	const { attempts, outcome, reason, status = null, sentOnce: sent_once = null } = last;
	const delays = retries.map(({ delayNs }) => delayNs);
	return { did: { attempts, delays, outcome, reason, status, sent_once }, seen, got };
}

/** Compares what a client did with its case. */
function compare({ answers, options, request, attempts, ...expected }, { did, seen, got }) {
	const { delays, outcome, reason, status, sent_once } = expected;
	assert.deepEqual(did, { attempts, delays, outcome, reason, status, sent_once });
	if (seen && !options.attempt_timeout_ms) {
		const sent = TEXTS[request.body] ?? "";
		assert.deepEqual(seen, Array(attempts).fill({ method: request.method, body: sent }));
	}
	const { body = "", fault } = answers[Math.min(attempts, answers.length) - 1] ?? {};
	if (status === null || fault !== undefined) {
		assert.ok(got.error instanceof Error);
	} else {
		assert.deepEqual(got, { status, text: request.method === "HEAD" ? "" : body });
	}
}

/**
 * Plays the cases with a client. `open(options, own)` returns `send({ url, method, headers, body, signal, own })`, which
 * resolves to the `status` and the `text` of the response, or rejects, and perhaps `close`; `streamOf(text)` is a body that
 * can be read once. `except` has the reasons for which a case must differ.
 */
export function testRequests(name, { except = {}, only = () => true, ...client }) {
	let server;
	before(async () => {
		server = await startServer();
	});
	after(() => server.stop());

	describe(`${name}: http_requests`, { concurrency: true }, () => {
		for (const each of cases.filter(({ id }) => only(id))) {
			const reason = except[each.id];
			test(each.id + (reason ? `: not, because ${reason}` : ""), { timeout: 60_000 }, async () => {
				const late = new Promise((resolve) => setTimeout(resolve, reason ? 2000 : 55_000, "late").unref());
				const result = await Promise.race([play(server, client, each), late]);
				const run = () => {
					assert.notEqual(result, "late");
					compare(each, result);
				};
				return reason ? assert.throws(run) : run();
			});
		}
	});
}
