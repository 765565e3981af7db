// effect: a Schedule whose delays and whose end are those of an operation.

import { Cause, Duration, Effect, Schedule } from "effect";
import { isMarked } from "../retry/is-verdict.js";
import { OF_AN_OPERATION, operations, policyOf, readOptions, refuseFields, verdictOf } from "./common.js";

/** A schedule for `Effect.retry` or `Effect.repeat`. */
export function schedule(options = {}) {
	const { shouldRetry = () => true, ...others } = readOptions("schedule", options, [...OF_AN_OPERATION, "shouldRetry"]);
	refuseFields(policyOf(others.policy), {
		attemptTimeout: "a schedule ends no effect; use Effect.timeout in the effect",
	});
	const begin = operations(others);
	// The outer effect runs once for each use of the schedule.
	const step = Effect.map(
		Effect.clockWith((clock) => clock.currentTimeMillis),
		(start) => {
			const operation = begin(start);
			return (now, input) =>
				Effect.suspend(() => {
					const returned = isMarked(input) ? input : shouldRetry(input, { attempt: operation.attempts });
					const { outcome, retryAfter } = verdictOf(returned);
					const { delay, delayNs, reason } = operation.decide(outcome, { now, retryAfter });
					const output = Duration.nanos(delayNs);
					// The clock counts whole milliseconds.
					return reason === undefined
						? Effect.succeed([output, Duration.millis(Math.ceil(delay))])
						: Cause.done(output);
				});
		},
	);
	return Schedule.fromStep(step);
}
