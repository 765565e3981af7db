// OpenTelemetry, on its SDK: the events of spans, the metrics, and the attributes of both.

import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, test } from "node:test";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
	AggregationTemporality,
	InMemoryMetricExporter,
	MeterProvider,
	PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { retry } from "backoff-wasm";
import { retryingFetch } from "backoff-wasm/fetch";
import { telemetry } from "backoff-wasm/opentelemetry";

/** A clock that waits for nothing. */
const fakeClock = () => {
	let now = 0;
	const sleep = (delay) => {
		now += delay;
	};
	return { now: () => now, sleep };
};

const spans = new InMemorySpanExporter();
let tracer;
let metrics;
let meterProvider;

before(() => {
	context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
	const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
	tracer = provider.getTracer("test");
});
beforeEach(() => {
	metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
	const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 2 ** 31 - 1 });
	meterProvider = new MeterProvider({ readers: [reader] });
});
afterEach(async () => {
	await meterProvider.shutdown();
	spans.reset();
});

/** What the calls inside a span leave in it. */
async function inSpan(work) {
	await tracer.startActiveSpan("work", async (span) => {
		await work().catch((error) => assert.match(error.message, /^refused/));
		span.end();
	});
	return spans
		.getFinishedSpans()
		.at(-1)
		.events.map(({ name, attributes }) => ({ name, ...attributes }));
}

/** The metrics by their names. */
async function collected() {
	await meterProvider.forceFlush();
	const [scope] = metrics.getMetrics().at(-1).scopeMetrics;
	assert.match(scope.scope.name, /^backoff-wasm$/);
	return Object.fromEntries(scope.metrics.map((metric) => [metric.descriptor.name, metric]));
}

const POLICY = "constant:base=250ms,max_retries=2";
const refuse = () => {
	throw Object.assign(new Error("refused: token=secret"), { code: "ECONNREFUSED" });
};

describe("OpenTelemetry", () => {
	test("a loop that gives up", async () => {
		const hooks = telemetry({ name: "fetch", attributes: { "peer.service": "payments" }, meterProvider });
		const options = { policy: POLICY, clock: fakeClock(), shouldRetry: () => "transient", ...hooks };
		const events = await inSpan(() => retry(refuse, options));
		const common = {
			"peer.service": "payments",
			"backoff.name": "fetch",
			"backoff.outcome": "transient",
			"error.type": "ECONNREFUSED",
		};
		const wait = { name: "backoff.retry", ...common, "backoff.delay": 0.25 };
		assert.deepEqual(events, [
			{ ...wait, "backoff.attempts": 1, "backoff.elapsed": 0 },
			{ ...wait, "backoff.attempts": 2, "backoff.elapsed": 0.25 },
			{
				name: "backoff.stop",
				...common,
				"backoff.stop_reason": "max_retries",
				"backoff.attempts": 3,
				"backoff.delay": 0,
				"backoff.elapsed": 0.5,
			},
		]);
		const found = await collected();
		const [retries] = found["backoff.retries"].dataPoints;
		assert.deepEqual([retries.value, retries.attributes], [2, common]);
		const [attempts] = found["backoff.operation.attempts"].dataPoints;
		assert.deepEqual([attempts.value.count, attempts.value.sum], [1, 3]);
		assert.deepEqual(attempts.value.buckets.boundaries, [1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50]);
		const [duration] = found["backoff.operation.duration"].dataPoints;
		assert.deepEqual([duration.value.count, duration.value.sum], [1, 0.5]);
		assert.deepEqual(duration.attributes, { ...common, "backoff.stop_reason": "max_retries" });
		const units = Object.values(found).map(({ descriptor }) => descriptor.unit);
		assert.deepEqual(units, ["{retry}", "{attempt}", "s"]);
	});

	test("a success is only a metric", async () => {
		assert.deepEqual(
			await inSpan(() => retry(() => 5, { shouldRetry: () => true, ...telemetry({ meterProvider }) })),
			[],
		);
		const [attempts] = (await collected())["backoff.operation.attempts"].dataPoints;
		assert.deepEqual(attempts.value.sum, 1);
		assert.deepEqual(attempts.attributes, { "backoff.outcome": "success", "backoff.stop_reason": "success" });
	});

	for (const [error, type] of [
		[new RangeError("x"), "RangeError"],
		[new TypeError("fetch failed", { cause: { code: "ECONNRESET" } }), "ECONNRESET"],
		[new DOMException("x", "TimeoutError"), "TimeoutError"],
		["a text with an id 5", "_OTHER"],
		[undefined, "_OTHER"],
	]) {
		test(`error.type of ${type}`, async () => {
			const fail = () => Promise.reject(error);
			await retry(fail, { ...telemetry({ meterProvider }), shouldRetry: () => false }).catch(() => {});
			const [attempts] = (await collected())["backoff.operation.attempts"].dataPoints;
			assert.equal(attempts.attributes["error.type"], type);
		});
	}

	test("a value that is repeated has its outcome as type", async () => {
		const options = { policy: POLICY, clock: fakeClock(), shouldRetryResult: () => "throttled" };
		await retry(() => 1, { ...options, ...telemetry({ meterProvider }) }).catch(() => {});
		const [attempts] = (await collected())["backoff.operation.attempts"].dataPoints;
		assert.equal(attempts.attributes["error.type"], "throttled");
	});

	test("requests have the attributes of the conventions", async () => {
		const statuses = [503, 429, 500];
		const get = retryingFetch({
			policy: POLICY,
			clock: fakeClock(),
			fetch: async () => new Response("", { status: statuses.shift() }),
			...telemetry({ meterProvider }),
		});
		const events = await inSpan(() => get("http://example.com/a?token=secret#b"));
		assert.deepEqual(
			events.map((event) => [event.name, event["error.type"], event["http.request.resend_count"]]),
			[
				["backoff.retry", "503", undefined],
				["backoff.retry", "429", 1],
				["backoff.stop", "500", 2],
			],
		);
		const last = events.at(-1);
		assert.equal(last["url.full"], "http://example.com/a");
		assert.equal(last["http.request.method"], "GET");
		assert.equal(last["http.response.status_code"], 500);
		const [attempts] = (await collected())["backoff.operation.attempts"].dataPoints;
		assert.ok(!("url.full" in attempts.attributes), "it has too many values");
	});

	test("an unknown method is other", async () => {
		const statuses = [503, 200];
		const call = retryingFetch({
			policy: POLICY,
			clock: fakeClock(),
			mayRepeat: () => true,
			fetch: async () => new Response("", { status: statuses.shift() }),
			...telemetry({ meterProvider }),
		});
		const [event] = await inSpan(() => call("http://example.com/", { method: "REPORT" }));
		assert.equal(event["http.request.method"], "_OTHER");
		assert.equal(event["http.request.method_original"], "REPORT");
	});

	test("loops record in their own span", async () => {
		const options = { policy: "constant:base=1ms,max_retries=1", shouldRetry: () => true };
		const work = (name) =>
			tracer.startActiveSpan(name, async (span) => {
				await retry(refuse, { ...options, ...telemetry({ name }) }).catch(() => {});
				span.end();
			});
		await Promise.all([work("a"), work("b")]);
		const names = spans
			.getFinishedSpans()
			.map(({ events }) => events.map(({ attributes }) => attributes["backoff.name"]));
		assert.deepEqual(names.sort(), [
			["a", "a"],
			["b", "b"],
		]);
	});

	test("without an SDK and without a span nothing is recorded", async () => {
		assert.equal(trace.getActiveSpan(), undefined);
		assert.equal(await retry(() => 5, { shouldRetry: () => true, ...telemetry() }), 5);
	});

	test("wrong options", () => {
		assert.throws(() => telemetry({ meter: 5 }), { name: "TypeError", message: /^meter is unknown; the options of/ });
		assert.throws(() => telemetry({ name: 5 }), { name: "TypeError", message: "name must be a string, got number" });
		assert.throws(() => telemetry({ attributes: [] }), { message: "attributes must be an object, got an array" });
		assert.throws(() => telemetry({ meterProvider: {} }), { message: /it has no getMeter\(\)$/ });
		assert.throws(() => telemetry(5), { message: "options of telemetry must be a plain object, got number" });
	});
});
