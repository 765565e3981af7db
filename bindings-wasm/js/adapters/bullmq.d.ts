// Types of backoff-wasm/bullmq.

import type { Policy, VerdictLike } from "../index.js";

/** What the adapter reads of a job. */
export interface JobLike {
	readonly id?: string | undefined;
	readonly name: string;
	// biome-ignore lint/suspicious/noExplicitAny: BullMQ's own type of it.
	readonly data: any;
	/** When the job was added, in ms since 1970. */
	readonly timestamp: number;
	readonly opts: { readonly delay?: number | undefined };
}

/** The options of {@link jobRetries}. */
export interface JobRetriesOptions {
	readonly policy?: Policy | string | undefined;
	/** The seed, the same in all workers of a queue. The key is the id of the job. Default: 0. */
	readonly seed?: bigint | number | undefined;
	/**
	 * Classifies the error of a job, as for `retry`: a `retryAfter` delays the job, `permanent` fails it. Default: every
	 * error is transient, except a `PermanentError` and BullMQ's own `UnrecoverableError`.
	 */
	readonly shouldRetry?:
		| ((
				error: unknown,
				context: { readonly attempt: number; readonly job: JobLike },
		  ) => VerdictLike | PromiseLike<VerdictLike>)
		| undefined;
}

/** The options of a queue and of a worker, which {@link jobRetries} makes. */
export interface JobRetries {
	/** An option of a `Queue`: its jobs are retried as often as the policy allows. */
	readonly defaultJobOptions: { attempts: number; backoff: { type: "custom" } };
	/** An option of a `Worker`: how long its jobs wait, and which of them are not retried. */
	readonly settings: {
		backoffStrategy(attemptsMade: number, type?: string, error?: Error, job?: JobLike): Promise<number>;
	};
}

/**
 * The options with which BullMQ retries jobs by a policy. The delay of a job depends on the policy, the seed, its id
 * and its number of retries alone. It is rounded up to whole milliseconds. `max_elapsed` counts from the time when the
 * job was due.
 * @throws {PolicyError} an invalid policy string.
 * @throws {TypeError} an unknown option, one of the wrong type, or a field of the policy that the host ignores.
 */
export function jobRetries(options?: JobRetriesOptions): JobRetries;
