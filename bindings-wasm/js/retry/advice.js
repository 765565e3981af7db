// What to write in place of an option of another library, or of a field of a policy.

const FIELDS = {
	retries: "max_retries=5",
	maxRetries: "max_retries=5",
	maxAttempts: "max_attempts=6",
	minTimeout: "base=100ms",
	minDelay: "base=100ms",
	base: "base=100ms",
	maxTimeout: "cap=20s",
	maxDelay: "cap=20s",
	cap: "cap=20s",
	factor: "multiplier=2",
	multiplier: "multiplier=2",
	maxElapsed: "max_elapsed=30s",
};

/** Throws for an option that is a field of the policy. */
export function checkNames(options) {
	const name = Object.keys(Object(options)).find((each) => Object.hasOwn(FIELDS, each));
	if (name !== undefined) {
		throw new TypeError(`${name} is unknown; it is part of the policy: write policy: "default:${FIELDS[name]}"`);
	}
}
