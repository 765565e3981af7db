export { Backoff } from "./backoff.js";
export { Budget } from "./budget.js";
export { PolicyError } from "./error.js";
export { History } from "./history.js";
export { Operation } from "./operation.js";
export { Policy } from "./policy.js";
export { retryAfter, retryAfterNs } from "./retry-after.js";
export { Stream } from "./stream.js";
