// Compiled, never run: what the types say of the package. Each `@ts-expect-error` is an error
// that must stay one.

import { Backoff, type ErrorCode, Policy, PolicyError, type PolicyOptions, Stream } from "backoff-wasm";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(verdict: Same<A, B>): void => void verdict;

const options: PolicyOptions = {
	growth: "exponential",
	base: 100,
	multiplier: [8, 5],
	cap: { nanoseconds: 5n },
	floor: undefined,
};
const policy = new Policy(options);
const stream = new Stream(42, "job-1");
const backoff = new Backoff(policy);
const code = (error: PolicyError): ErrorCode => error.code;

for (const delay of backoff) {
	same<typeof delay, number>(true);
	break;
}
same<ReturnType<typeof policy.delay>, number>(true);
same<ReturnType<typeof policy.delayNs>, bigint>(true);
same<ReturnType<typeof policy.delays>, Float64Array>(true);
same<ReturnType<typeof backoff.nextDelay>, number | undefined>(true);
same<typeof policy.params.growth, PolicyOptions["growth"]>(true);
same<typeof stream.state, bigint>(true);
new Policy(policy.params);
new Stream(42n, new Uint8Array(8));
void code;

// @ts-expect-error a field that does not exist
new Policy({ growth: "constant", base: 1, bse: 2 });
// @ts-expect-error a kind that does not exist
new Policy({ growth: "expo", base: 1 });
// @ts-expect-error text is no duration
new Policy({ growth: "constant", base: "1s" });
// @ts-expect-error base is needed
new Policy({ growth: "constant" });
// @ts-expect-error a policy does not change
policy.params.base = 1;
// @ts-expect-error a stream is no number
policy.delay(42, 0);
// @ts-expect-error an index is a number
policy.delay(stream, 0n);
// @ts-expect-error a null is no key
new Stream(1, null);
// @ts-expect-error a key that may be missing would make a crowd
new Stream(1, undefined);
// @ts-expect-error only the package makes errors
new PolicyError();
