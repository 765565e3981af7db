// How a loop uses a budget that is not in this process. Loops know no more of it, so that a bundler can leave it out.

/**
 * The method of a shared budget that opens the account of an operation: `failed()` and `succeeded()` report its
 * attempts, `request(outcome)` resolves to whether a retry is `granted`, and whether that `isLocal`, and `cancel()`
 * withdraws a request that still waits.
 */
export const OPEN = /* @__PURE__ */ Symbol.for("backoff-wasm.account");
