// Types of backoff-wasm/opentelemetry.

import type { Attributes, MeterProvider } from "@opentelemetry/api";
import type { RetryEvent, StopEvent } from "../index.js";

/** The options of {@link telemetry}. */
export interface TelemetryOptions {
	/** The name of the loop, the attribute `backoff.name`. Default: none. */
	readonly name?: string | undefined;
	/** Attributes of every span event and every metric. */
	readonly attributes?: Attributes | undefined;
	/** Where the metrics go. Default: the global one. */
	readonly meterProvider?: MeterProvider | undefined;
}

/**
 * The hooks of a loop or of an adapter for HTTP, which record in OpenTelemetry: `{ ...telemetry() }` among the options.
 *
 * The active span gets an event `backoff.retry` before each wait, and an event `backoff.stop` when a loop gives up at a
 * limit. The metrics are the counter `backoff.retries` and, of each loop when it ends, the histograms
 * `backoff.operation.attempts` and `backoff.operation.duration` in seconds.
 *
 * @throws {TypeError} an unknown option, or a provider that makes no meters.
 */
export function telemetry(options?: TelemetryOptions): {
	onRetry(event: RetryEvent): void;
	onStop(event: StopEvent): void;
};
