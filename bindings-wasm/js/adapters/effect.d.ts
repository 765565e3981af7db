// Types of backoff-wasm/effect.

import type { Duration, Schedule } from "effect";
import type { Policy, RandomStream, VerdictLike } from "../index.js";

/** The options of {@link schedule}. */
export interface ScheduleOptions<Input = unknown> {
	/** The waits and the limits: a policy or a policy string. Default: `default`, three retries. */
	readonly policy?: Policy | string | undefined;
	/** The stream of every use of the schedule, instead of `seed` and `key`. Default: a unique stream for each. */
	readonly stream?: RandomStream | undefined;
	/** The seed of the stream of every use. */
	readonly seed?: bigint | number | undefined;
	/** The key under the seed. */
	readonly key?: string | Uint8Array;
	/** Classifies an error, as for `retry`, but not as a promise. Default: every error is transient. */
	readonly shouldRetry?: ((error: Input, context: { readonly attempt: number }) => VerdictLike) | undefined;
}

/**
 * A schedule that recurs after the delays of a policy, and ends when its operation stops. Its output is the exact
 * delay; it waits whole milliseconds, rounded up, on the clock of effect.
 *
 * @throws {PolicyError} an invalid policy string.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function schedule<Input = unknown>(
	options?: ScheduleOptions<Input>,
): Schedule.Schedule<Duration.Duration, Input>;
