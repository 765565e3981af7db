// Compiled but never run: uses of the types. Each `@ts-expect-error` marks an error that must remain one.

import {
	AbortError,
	Backoff,
	Budget,
	type Clock,
	type Decision,
	fetchOutcome,
	httpOutcome,
	type httpVerdict,
	type isIdempotentMethod,
	makeRetriable,
	Operation,
	type Outcome,
	PermanentError,
	Policy,
	type PolicyError,
	type PolicyOptions,
	type PreviewRow,
	parseRetryAfter,
	type parseRetryAfterNs,
	RandomStream,
	type RetriableOptions,
	type RetryContext,
	RetryError,
	type RetryEvent,
	type RetryOptions,
	RetryStats,
	retry,
	type StopEvent,
	type StopReason,
	setDefaults,
	type Verdict,
} from "backoff-wasm";

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
const stream = new RandomStream(42, "job-1");
const backoff = new Backoff(policy);

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
new RandomStream(42n, new Uint8Array(8));

const budget = Budget.parse("aws-sdk-2026");
// @ts-expect-error The fields are read only.
budget.params.cost = 1;
const operation = new Operation(policy, undefined, { now: 0, deadline: { nanoseconds: 5n }, budget });
const retryAfter = parseRetryAfter(new Map<string, string | null>().get("retry-after"));
const decision = operation.decide("throttled", { now: 1, retryAfter });
const outcomes: Outcome[] = ["success", "transient", "throttled", "timeout", "permanent"];
if (decision.reason === undefined) {
	void decision.delay;
} else {
	new RetryStats().record(operation.attempts, decision.reason);
}
same<typeof decision, Decision>(true);
same<typeof operation.reason, StopReason | undefined>(true);
same<ReturnType<typeof operation.cancel>, StopReason>(true);
same<ReturnType<typeof policy.preview>, PreviewRow[]>(true);
same<ReturnType<typeof policy.previewNs>, PreviewRow<bigint>[]>(true);
same<ReturnType<typeof parseRetryAfterNs>, bigint | undefined>(true);
same<ReturnType<typeof httpVerdict>, { outcome: Outcome; retryAfter?: number }>(true);
same<ReturnType<typeof isIdempotentMethod>, boolean>(true);
same<PolicyError["field"], string | undefined>(true);
void outcomes;

// @ts-expect-error a budget is made of its string
new Budget({ quota: 1 });
// @ts-expect-error and so does every decision
operation.decide("success");
// @ts-expect-error an outcome that does not exist
operation.decide("failed", { now: 1 });

// @ts-expect-error a field that does not exist
new Policy({ growth: "constant", base: 1, bse: 2 });
new Policy({ growth: "steps", waits: [1, { nanoseconds: 2n }], jitter: "full", maxRetries: 3 });
// @ts-expect-error: only the growth "steps" has no base
new Policy({ growth: "constant" });
// @ts-expect-error: it has waits
new Policy({ growth: "steps" });
// @ts-expect-error a kind that does not exist
new Policy({ growth: "expo", base: 1 });
// @ts-expect-error an explicit undefined key would make all clients share one stream
new RandomStream(1, undefined);

const signal = new AbortController().signal;
const clock: Clock = { now: () => 0, sleep: (delay, end) => void [delay, end.aborted] };
const asText = retry(async ({ attempt, signal }) => `${attempt} ${signal.aborted}`, { shouldRetry: () => true });
same<typeof asText, Promise<string>>(true);
/** Options that know the type of the result, with a function that takes its context. */
async function typedOptions(
	find: (signal: AbortSignal) => Promise<{ id: string }>,
	options: RetryOptions<{ id: string }>,
) {
	const isEmpty = (found: { id: string }) => found.id === "";
	const found = await retry(({ signal }) => find(signal), options);
	const full = await retry(({ signal }) => find(signal), { shouldRetryResult: isEmpty });
	return [found.id, full.id];
}
void typedOptions;
const asNumber = retry(() => 5, {
	policy: "default",
	seed: 42n,
	key: "job-1",
	deadline: { nanoseconds: 5n },
	budget,
	stats: new RetryStats(),
	signal,
	unref: true,
	clock,
	shouldRetry: fetchOutcome,
	shouldRetryResult: (value, context) => {
		same<typeof value, number>(true);
		same<typeof context, RetryContext>(true);
		return value < 5;
	},
	onRetry: async (event) => {
		same<typeof event, RetryEvent<number>>(true);
		same<typeof event.reason, undefined>(true);
		same<typeof event.outcome, "transient" | "throttled" | "timeout">(true);
		if ("value" in event) {
			void event.value?.toFixed();
		}
	},
	onStop: (event) => {
		same<typeof event, StopEvent<number>>(true);
		if (event.reason === "success") {
			same<typeof event.value, number>(true);
			same<typeof event.outcome, "success">(true);
		} else if (event.reason === "cancelled") {
			same<typeof event.outcome, undefined>(true);
		} else {
			same<typeof event.outcome, Exclude<Outcome, "success">>(true);
			new RetryStats().record(event.attempts, event.reason);
		}
		same<typeof event.delayNs, string>(true);
	},
});
same<typeof asNumber, Promise<number>>(true);
const load = makeRetriable(async (url: URL, times?: number) => `${url} ${times}`, { stream, shouldRetry: () => false });
same<Parameters<typeof load>, [url: URL, times?: number | undefined]>(true);
same<ReturnType<typeof load>, Promise<string>>(true);
// The arguments and the value are those of the function, also beside unannotated parameters.
const rules = { shouldRetry: () => false, seed: 42 } as const;
const spread = makeRetriable(async (id: string, ...more: number[]) => id.length + more.length, {
	...rules,
	key: (id) => id,
	deadline: (id, ...more) => id.length + more.length,
	shouldRetryResult: (value) => value.toFixed() === "5",
	onStop: ({ value }) => void value?.toFixed(),
});
same<Parameters<typeof spread>, [id: string, ...more: number[]]>(true);
same<ReturnType<typeof spread>, Promise<number>>(true);
class Client {
	readonly name = "a";
	readonly load = makeRetriable(
		async function (this: Client, times = 1) {
			return `${this.name} ${times}`;
		},
		{
			...rules,
			key() {
				return this.name;
			},
		},
	);
}
void new Client().load(2);
const wider = retry(async () => ({ ready: true, id: 5 }), {
	shouldRetryResult: (value: { ready: boolean; note?: string }) => !value.ready,
	onStop: ({ value }) => void value?.id,
});
same<typeof wider, Promise<{ ready: boolean; id: number }>>(true);
async function generic<V, A extends unknown[]>(fn: (...args: A) => Promise<V>, options: RetriableOptions<V, A>) {
	return [retry(() => fn(...([] as unknown as A)), options as RetryOptions<V>), makeRetriable(fn, options)];
}
void generic;
const byUrl: RetriableOptions<string, [url: URL]> = { shouldRetry: () => false, seed: 42, key: (url) => url.href };
same<typeof byUrl, RetriableOptions<string, [url: URL]>>(true);
makeRetriable((url: URL) => url.href, byUrl);
const silent: Verdict = { outcome: "timeout", retryAfter: null };
operation.decide(silent.outcome, { now: 2, retryAfter: silent.retryAfter });
const verdict: Verdict = { outcome: httpOutcome(503), retryAfter: parseRetryAfter(new Response()) };
const settings: RetryOptions = { shouldRetry: async () => verdict, policy, signal: undefined };
void retry(() => 1, settings);
// The options are one interface.
interface OwnOptions extends RetryOptions<number> {
	readonly label?: string;
}
const own: OwnOptions = { shouldRetry: () => true, label: "x" };
const defaults: Partial<RetryOptions> = { policy: "default" };
const rest: Omit<RetryOptions, "policy" | "seed"> = { shouldRetry: () => true };
void retry(() => 1, own);
void retry(() => 1, { ...defaults, ...rest, deadline: new Date(), seed: undefined });
// A hook or a sleep may return anything.
const seen: unknown[] = [];
void retry(() => 1, { shouldRetry: () => true, onRetry: (event) => seen.push(event), onStop: async () => 5 });
const counting: Clock = { now: () => 0, sleep: (delay) => seen.push(delay) };
void counting;
interface Reply {
	status: number;
	headers: { "retry-after"?: string };
}
const reply = { status: 503, headers: {} } as Reply;
void [parseRetryAfter(reply), parseRetryAfter(reply.headers), parseRetryAfter(5), parseRetryAfter(["5"])];
same<Policy["text"], string>(true);
same<PermanentError["originalError"], unknown>(true);
same<RetryError["result"], unknown>(true);
void [new AbortError("gone"), new PermanentError(new Error("gone"))];

// @ts-expect-error options are required
retry(() => 1);
// @ts-expect-error a verdict is not a number
retry(() => 1, { shouldRetry: () => 1 });
// @ts-expect-error an outcome that does not exist
retry(() => 1, { shouldRetry: () => "failed" });
// @ts-expect-error an explicit undefined key would make all clients share one stream
retry(() => 1, { shouldRetry: () => true, seed: 1, key: undefined });
// @ts-expect-error a call of retry has no arguments for a key
retry(() => 1, { shouldRetry: () => true, seed: 1, key: () => "job-1" });
// @ts-expect-error a key is not a number
makeRetriable((id: number) => id, { shouldRetry: () => true, seed: 1, key: (id) => id });
// @ts-expect-error a predicate takes what the function returns
retry(() => 1, { shouldRetryResult: (value: string) => value === "5" });
// @ts-expect-error a key has the arguments of the function
makeRetriable((id: number) => id, { shouldRetry: () => true, seed: 1, key: (id: string) => id });
// @ts-expect-error shared options do not know the arguments
const unnamed: RetriableOptions = { shouldRetry: () => true, seed: 1, key: (id: string) => id };
void unnamed;
// @ts-expect-error a budget of its own would limit nothing
retry(() => 1, { shouldRetry: () => true, budget: "quota" });
// @ts-expect-error an error is unknown until it is narrowed
retry(() => 1, { shouldRetry: (error) => error.status === 503 });
// @ts-expect-error a wrapped function keeps its arguments
load("url");
// @ts-expect-error only the package makes it
new RetryError();

// A predicate may name the type of its errors, and may answer with what is falsy.
class HttpError extends Error {
	readonly status: number | undefined;
}
void retry(async () => 1, { shouldRetry: (error: HttpError) => error.status !== undefined && error.status >= 500 });
void retry(async () => 1, { shouldRetry: () => undefined, budget: null });

// Fields beside the policy, own delays, the attempt, and a value in place of the error.
void retry(async () => 1, {
	shouldRetry: () => true,
	maxRetries: 5,
	jitter: "full",
	attemptTimeout: 500,
	delays: (index, failure) => (failure instanceof HttpError ? index * 10 : undefined),
});
same<Parameters<Parameters<typeof retry>[0]>[0]["timeLeft"], number | undefined>(true);
const orNull = retry(async () => 1, { shouldRetry: () => true, fallback: null });
same<typeof orNull, Promise<number | null>>(true);
const orText = retry(async () => 1, { shouldRetry: () => true, fallback: (failure) => `${failure}` });
same<typeof orText, Promise<number | string>>(true);
const wrapped = makeRetriable(async (id: number) => id, { shouldRetry: () => true, fallback: "none" });
const changed = wrapped.withOptions({ maxRetries: 1 });
same<ReturnType<typeof changed>, Promise<number | string>>(true);
void changed(5);
const restore = setDefaults({ enabled: false, onStop: ({ reason }) => reason });
restore();
// @ts-expect-error a field has its type
retry(() => 1, { shouldRetry: () => true, maxRetries: "5" });
// @ts-expect-error a program has no signal
setDefaults({ signal: new AbortController().signal });
