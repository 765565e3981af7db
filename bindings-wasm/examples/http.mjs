// GETs a URL with retries: node http.mjs URL POLICY SEED KEY

import { fetchOutcome, httpVerdict, Policy, RandomStream, retry } from "backoff-wasm";

/** The arguments of the command line; exits with the usage if they are wrong. */
function read([url, policy, seed, key]) {
	try {
		return { url: new URL(url), policy: Policy.parse(policy), stream: new RandomStream(BigInt(seed), key) };
	} catch ({ message }) {
		console.error(`${message}\nusage: http.mjs URL POLICY SEED KEY`);
		process.exit(2);
	}
}

const { url, policy, stream } = read(process.argv.slice(2));
let end;
try {
	const body = await retry(
		async ({ signal }) => {
			const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]) });
			const body = await response.text();
			if (!response.ok) {
				throw Object.assign(new Error(`${response.status} ${response.statusText}`), { response });
			}
			return body;
		},
		{
			policy,
			stream,
			// A GET is safe to retry. The response, or the error without one, tells whether another attempt
			// may help.
			shouldRetry: (error) => (error.response ? httpVerdict(error.response) : fetchOutcome(error)),
			onRetry: ({ attempts, outcome, delayNs }) =>
				console.log(`attempt ${attempts}: ${outcome}, waiting ${delayNs} ns`),
			onStop: (event) => {
				end = event;
			},
		},
	);
	console.log(`done after ${end.attempts} attempts: ${body.trim()}`);
} catch (error) {
	console.error(`gave up after ${end.attempts} attempts: ${end.reason}: ${error.message}`);
	process.exitCode = 1;
}
