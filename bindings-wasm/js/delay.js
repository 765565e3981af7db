export { Backoff } from "./core/backoff.js";
export { PolicyError } from "./core/errors.js";
export { Policy } from "./core/policy.js";
export { RandomStream } from "./core/stream.js";
export { StartError } from "./wasm/errors.js";
