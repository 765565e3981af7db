// What runs in every place: delays, and a loop that calls a server until it answers, on the clock of the place.
// `expected` in expected.mjs is what it returns.

/** The names of the package that the check uses, for an import statement. */
export const NAMES = "Policy, RandomStream, httpOutcome, retry";

/** @param {object} api the package; @param {() => Promise<string>} load a call that fails with a status at first. */
export async function check({ Policy, RandomStream, httpOutcome, retry }, load) {
	const policy = Policy.parse("full:base=100ms,cap=20s,max_retries=5");
	const stream = new RandomStream(42, "job-1");
	const waits = [];
	const start = Date.now();
	const loaded = await retry(load, {
		policy,
		stream,
		shouldRetry: ({ status }) => httpOutcome(status),
		onRetry: ({ delayNs }) => void waits.push(`${delayNs}`),
	});
	// A millisecond less: `Date.now` cuts the fractions of both times off.
	const waited = Date.now() - start >= waits.reduce((sum, wait) => sum + Number(wait) / 1e6, 0) - 1;
	return { delays: Array.from(policy.delaysNs(stream, 4), String), waits, waited, loaded };
}

/** A call of the server, which answers 503 to the first calls with this ID. */
export const loadFrom = (server, id) => async () => {
	const response = await fetch(`${server}/busy?${id}`);
	if (!response.ok) {
		throw Object.assign(new Error(`${response.status}`), { status: response.status });
	}
	return await response.text();
};

/** The same without a server. */
export const loadAlone = () => {
	let calls = 0;
	return async () => {
		if (++calls <= 3) {
			throw Object.assign(new Error("503"), { status: 503 });
		}
		return "loaded";
	};
};

/** What a loop of the adapter for `fetch` does, which calls the same server with the same policy and stream. */
export async function checkFetch({ retryingFetch }, server, id) {
	const waits = [];
	const fetch = retryingFetch({
		policy: "full:base=100ms,cap=20s,max_retries=5",
		seed: 42,
		key: "job-1",
		onRetry: ({ delayNs }) => void waits.push(`${delayNs}`),
	});
	const response = await fetch(`${server}/busy?${id}`);
	return { waits, loaded: await response.text() };
}

/**
 * Where WebAssembly is forbidden, what the main entry does: the value and the calls of a loop that succeeds, and of one
 * whose predicate needs the core; of one that would have retried, the code, the cause and whether the message says
 * why; of one that would not, the message; and how many violations the page has seen.
 */
export async function checkBlocked({ httpOutcome, parseRetryAfter, retry }) {
	let violations = 0;
	globalThis.addEventListener("securitypolicyviolation", () => violations++);
	let calls = 0;
	const shouldRetry = ({ message }) => message !== "gone";
	const value = await retry(() => `${++calls} call`, { shouldRetry });
	const { status } = await retry(() => ({ status: 200 }), {
		shouldRetryResult: ({ status }) => ({ outcome: httpOutcome(status), retryAfter: parseRetryAfter("1") }),
	});
	const failure = (message) => retry(() => Promise.reject(new Error(message)), { shouldRetry }).catch((error) => error);
	const { code, message, cause } = await failure("down");
	const gone = await failure("gone");
	// The events come later.
	await new Promise((resolve) => setTimeout(resolve, 300));
	return {
		value,
		status,
		code,
		says: /backoff-wasm cannot start.*backoff-wasm\/js.*WebAssembly/.test(message),
		cause: cause.message,
		permanent: gone.message,
		violations,
	};
}
