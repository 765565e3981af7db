export { Backoff } from "./backoff.js";
export { PolicyError } from "./error.js";
export { Policy } from "./policy.js";
export { Stream } from "./stream.js";
