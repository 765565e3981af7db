// Types of backoff-wasm/delay: the delays of a policy, without policy strings, loops and budgets.

import type { Backoff as Delays, Policy as FullPolicy, PolicyOptions, RandomStream, StepsPolicyOptions } from "./index.js";

export {
	type Duration,
	PolicyError,
	type PolicyOptions,
	RandomStream,
	type Ratio,
	type StepsPolicyOptions,
	StartError,
} from "./index.js";

// biome-ignore-start lint/suspicious/noUnsafeDeclarationMerging: the members are those of the main entry.
/** How long to wait before each retry: checked once, then immutable. Times are in milliseconds. */
export interface Policy extends Pick<FullPolicy, "delay" | "delayNs" | "delays" | "delaysNs"> {}
export class Policy {
	/**
	 * @throws {PolicyError} the first rule of SPEC 8 that the options break.
	 * @throws {TypeError} an unknown option, or a value of the wrong type.
	 */
	constructor(options: PolicyOptions | StepsPolicyOptions);
	/** The options of this policy. */
	readonly options: Readonly<PolicyOptions | StepsPolicyOptions>;
}

/**
 * The delays of a policy one after another, in ms: index 0, 1, 2, ... It ends after `maxRetries` delays;
 * without `maxRetries` after index 2^32 - 1 (SPEC 9). It never sleeps and reads no clock.
 */
export interface Backoff extends Omit<Delays, "policy"> {}
export class Backoff {
	/** The delays of a policy on a stream, from index 0. Default: a unique stream. */
	constructor(policy: Policy, stream?: RandomStream | undefined);
	readonly policy: Policy;
}
// biome-ignore-end lint/suspicious/noUnsafeDeclarationMerging: the members are those of the main entry.
