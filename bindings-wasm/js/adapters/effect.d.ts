// Types of backoff-wasm/effect.

import type { Duration, Schedule } from "effect";
import type { OfAnOperation, VerdictLike } from "../index.js";

/** The options of {@link schedule}. */
export interface ScheduleOptions<Input = unknown> extends OfAnOperation {
	/** Classifies an error, as for `retry`, but not as a promise. Default: every error is transient. */
	readonly shouldRetry?: ((error: Input, context: { readonly attempt: number }) => VerdictLike) | undefined;
}

/**
 * A schedule that recurs after the delays of a policy, and ends when its operation stops. Its output is the exact
 * delay; it waits whole milliseconds, rounded up, on the clock of effect.
 *
 * @throws {PolicyError} an invalid policy string.
 * @throws {TypeError} an unknown option, one of the wrong type, or a field of the policy that the host ignores.
 */
export function schedule<Input = unknown>(
	options?: ScheduleOptions<Input>,
): Schedule.Schedule<Duration.Duration, Input>;
