// OpenTelemetry: hooks that record events of the active span, and metrics.

import { metrics, trace } from "@opentelemetry/api";
import { RetryStats } from "backoff-wasm";
import { checkOptions } from "./common.js";

const KNOWN = ["name", "attributes", "meterProvider"];
const QUIET = ["success", "permanent", "cancelled"];
/** Those that `http.request.method` may have. */
const METHODS = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"];
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The hooks `onRetry` and `onStop`. */
export function telemetry(options = {}) {
	checkOptions("telemetry", options);
	for (const option of Object.keys(options)) {
		if (!KNOWN.includes(option)) {
			throw new TypeError(`${option} is unknown; the options of telemetry are ${KNOWN.join(", ")}`);
		}
	}
	const { name, attributes, meterProvider = metrics } = options;
	if (name !== undefined && typeof name !== "string") {
		throw new TypeError(`name must be a string, got ${typeof name}`);
	}
	if (attributes !== undefined && (Object(attributes) !== attributes || Array.isArray(attributes))) {
		throw new TypeError(
			`attributes must be an object, got ${Array.isArray(attributes) ? "an array" : typeof attributes}`,
		);
	}
	if (typeof meterProvider?.getMeter !== "function") {
		throw new TypeError("meterProvider must be a MeterProvider: it has no getMeter()");
	}
	const meter = meterProvider.getMeter("backoff-wasm");
	const histogram = (name, unit, description, explicitBucketBoundaries) =>
		meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
	const retries = meter.createCounter("backoff.retries", { unit: "{retry}", description: "Retries of operations." });
	const attempts = histogram(
		"backoff.operation.attempts",
		"{attempt}",
		"Attempts of an operation.",
		new RetryStats().counts().bounds,
	);
	const duration = histogram("backoff.operation.duration", "s", "The time of an operation, with its waits.", SECONDS);
	const given = { ...attributes, ...(name !== undefined && { "backoff.name": name }) };
	return {
		onRetry(event) {
			const common = { ...given, ...commonOf(event) };
			retries.add(1, common);
			trace.getActiveSpan()?.addEvent("backoff.retry", { ...common, ...detailsOf(event) });
		},
		onStop(event) {
			const common = { ...given, ...commonOf(event), "backoff.stop_reason": event.reason };
			// Stats count a loop without a call so, too (SPEC 17.1).
			attempts.record(Math.max(event.attempts, 1), common);
			duration.record(event.elapsed / 1000, common);
			if (!QUIET.includes(event.reason)) {
				trace.getActiveSpan()?.addEvent("backoff.stop", { ...common, ...detailsOf(event) });
			}
		},
	};
}

/** The attributes with few values. */
function commonOf(event) {
	const { outcome, method, status } = event;
	return {
		...(outcome !== undefined && { "backoff.outcome": outcome }),
		...(outcome !== undefined && outcome !== "success" && { "error.type": errorTypeOf(event) }),
		...(method !== undefined && { "http.request.method": METHODS.includes(method) ? method : "_OTHER" }),
		...(status !== undefined && { "http.response.status_code": status }),
	};
}

/** The class of a failure: a status, a code of Node.js, the name of an error, or the outcome of a value. */
function errorTypeOf({ outcome, status, ...event }) {
	if (status >= 400) {
		return `${status}`;
	}
	if (!("error" in event)) {
		return outcome;
	}
	const { error } = event;
	const code = error?.code ?? error?.cause?.code;
	const type = typeof code === "string" ? code : error?.name;
	return typeof type === "string" && type !== "" ? type : "_OTHER";
}

/** The attributes of events alone. */
function detailsOf({ attempts, delay, elapsed, budgetIsLocal, method, url }) {
	return {
		"backoff.attempts": attempts,
		"backoff.delay": delay / 1000,
		"backoff.elapsed": elapsed / 1000,
		...(budgetIsLocal && { "backoff.budget_is_local": true }),
		...(method !== undefined && {
			"url.full": url,
			...(attempts > 1 && { "http.request.resend_count": attempts - 1 }),
			...(!METHODS.includes(method) && { "http.request.method_original": method }),
		}),
	};
}
