// All that the package exports.

export { Backoff } from "./core/backoff.js";
export { Budget } from "./core/budget.js";
export { BudgetState } from "./core/budget-state.js";
export { PolicyError } from "./core/errors.js";
export {
	fetchOutcome,
	httpOutcome,
	httpVerdict,
	isIdempotentMethod,
	parseRetryAfter,
	parseRetryAfterNs,
	proxyStatuses,
} from "./core/http.js";
export { BudgetMember } from "./core/member.js";
export { Operation } from "./core/operation.js";
export { Policy } from "./core/policy.js";
export { SharedBudget } from "./core/shared-budget.js";
export { RandomStream } from "./core/stream.js";
export { RetryStats } from "./plain/stats.js";
export { setDefaults } from "./retry/defaults.js";
export { PermanentError, PermanentError as AbortError, RetryError } from "./retry/errors.js";
export { makeRetriable, retry } from "./retry/retry.js";
export { StartError } from "./wasm/errors.js";
