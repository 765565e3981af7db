import {
	fetchOutcome,
	httpOutcome,
	httpVerdict,
	isIdempotentMethod,
	parseRetryAfter,
	parseRetryAfterNs,
	proxyStatuses,
} from "./core/http.js";
import { define } from "./core/show.js";
import { makeRetriable, retry } from "./retry/retry.js";

export { Backoff } from "./core/backoff.js";
export { Budget } from "./core/budget.js";
export { BudgetState } from "./core/budget-state.js";
export { PolicyError } from "./core/errors.js";
export { BudgetMember } from "./core/member.js";
export { Operation } from "./core/operation.js";
export { Policy } from "./core/policy.js";
export { SharedBudget } from "./core/shared-budget.js";
export { RetryStats } from "./core/stats.js";
export { RandomStream } from "./core/stream.js";
export { PermanentError, PermanentError as AbortError, RetryError } from "./retry/errors.js";
export { StartError } from "./wasm/errors.js";
export {
	fetchOutcome,
	httpOutcome,
	httpVerdict,
	isIdempotentMethod,
	makeRetriable,
	parseRetryAfter,
	parseRetryAfterNs,
	proxyStatuses,
	retry,
};

// The minifier renames functions; stack traces show these names.
const functions = {
	fetchOutcome,
	httpOutcome,
	httpVerdict,
	isIdempotentMethod,
	makeRetriable,
	parseRetryAfter,
	parseRetryAfterNs,
	retry,
};
for (const [name, exported] of Object.entries(functions)) {
	define(exported, "name", name);
}
