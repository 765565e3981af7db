// Compiled but never run: the adapters where their hosts want them. Each `@ts-expect-error` marks an error that must
// remain one.

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import axios from "axios";
import { Policy, proxyStatuses, RandomStream, retry as retryCall, SharedBudget } from "backoff-wasm";
import { PolicyRetryStrategy } from "backoff-wasm/aws-sdk";
import { retryingAdapter } from "backoff-wasm/axios";
import { jobRetries } from "backoff-wasm/bullmq";
import { retryOptions as cockatielOptions } from "backoff-wasm/cockatiel";
import { schedule } from "backoff-wasm/effect";
import { retryingFetch } from "backoff-wasm/fetch";
import { retries as gotRetries } from "backoff-wasm/got";
import { telemetry } from "backoff-wasm/opentelemetry";
import { retryOptions as pRetryOptions } from "backoff-wasm/p-retry";
import { postgresStore } from "backoff-wasm/postgres";
import { redisStore } from "backoff-wasm/redis";
import { type RetrySwitch, retries as undiciRetries } from "backoff-wasm/undici";
import { Queue, Worker } from "bullmq";
import { handleAll, retry } from "cockatiel";
import { Effect } from "effect";
import got, { type Options as GotOptions, type Response as GotResponse } from "got";
import { Redis } from "ioredis";
import ky from "ky";
import pRetry from "p-retry";
import pg from "pg";
import { createClient, createCluster } from "redis";
import { Agent, fetch as undiciFetch, request as undiciRequest } from "undici";

const policy = Policy.parse("default");
const connection = { host: "127.0.0.1", port: 6379, maxRetriesPerRequest: null };

const { defaultJobOptions, settings } = jobRetries({
	policy,
	seed: 42n,
	shouldRetry: async (_error: unknown, { job, attempt }) => (job.data.size > attempt ? "permanent" : true),
});
new Queue("mail", { connection, defaultJobOptions });
new Worker("mail", async () => {}, { connection, settings });
// @ts-expect-error: a queue has no stream for all of its jobs.
jobRetries({ stream: new RandomStream(1) });

export const loaded: Promise<string> = pRetry(
	async () => "loaded",
	pRetryOptions({
		policy: "default",
		signal: new AbortController().signal,
		shouldRetry: () => ({ outcome: "timeout" }),
	}),
);

export const executed: Promise<number> = retry(
	handleAll,
	cockatielOptions({
		policy,
		retryAfter: (failure) => ("value" in failure ? Number(failure.value) : undefined),
	}),
).execute(() => 1);

class Busy {
	readonly status = 503;
}
const failing: Effect.Effect<string, Busy> = Effect.fail(new Busy());
export const retried: Effect.Effect<string, Busy> = Effect.retry(
	failing,
	schedule({ policy, shouldRetry: (error: Busy) => error.status > 500 }),
);
// @ts-expect-error: it runs at once.
schedule({ shouldRetry: async () => true });

new DynamoDBClient({ retryStrategy: new PolicyRetryStrategy({ policy, budget: "aws-sdk-2026" }) });

const retrying = retryingFetch({ policy, budget: null, onRetry: ({ value }) => value?.status });
export const response: Promise<Response> = retrying(new URL("http://127.0.0.1"), { method: "PUT", body: "text" });
export const sameType: typeof undiciFetch = retryingFetch({ fetch: undiciFetch });
// @ts-expect-error: a number is no budget.
retryingFetch({ budget: 5 });
ky.create({ fetch: retrying, retry: 0 });
axios.create({ adapter: retryingAdapter({ policy: "default", adapter: "fetch", onStop: ({ value }) => value?.data }) });
export const body: Promise<string> = got
	.extend(gotRetries({ policy, attemptTimeout: 100 }))("http://127.0.0.1")
	.text();
export const dispatcher = new Agent().compose(undiciRetries({ policy }));

const stores = [
	redisStore(new Redis()),
	redisStore(createClient()),
	redisStore(createCluster({ rootNodes: [] })),
	postgresStore(new pg.Pool()),
	postgresStore(new pg.Client()),
];
// @ts-expect-error: it is no client.
redisStore({ get: () => 1 });
// @ts-expect-error: it is no pool.
postgresStore(new Redis());
export const budget = new SharedBudget(stores[0] ?? postgresStore(new pg.Pool()), "mail", "sre-process");
retryingFetch({ budget });
axios.create({ adapter: retryingAdapter({ budget }) });
gotRetries({ budget });
undiciRetries({
	budget,
	classify: (request, { response }) => request.method === "GET" && response?.statusCode === 409,
});
export const loop: Promise<number> = retryCall(() => 1, { policy, ...telemetry() });
retryingFetch({ ...telemetry({ name: "fetch", attributes: { "peer.service": "mail" } }) });
// @ts-expect-error: the name is a text.
telemetry({ name: 5 });
export const once: Promise<Response> = retrying("http://127.0.0.1", { retry: false, method: "PUT" });
// @ts-expect-error: the switch is a boolean.
retrying("http://127.0.0.1", { retry: 5 });
axios.get("http://127.0.0.1", { retry: false });
// @ts-expect-error: the switch is a boolean.
axios.get("http://127.0.0.1", { retry: 5 });
const search: RetrySwitch = { retry: true };
undiciRequest("http://127.0.0.1", { method: "POST", ...search });
got("http://127.0.0.1", { context: { retry: true } });
retryingFetch({
	statuses: { ...proxyStatuses, 409: "transient" },
	methods: ["GET", "POST"],
	mayRepeat: ({ url, headers }) => url.endsWith("/search") && headers.has("x-search"),
	classify: async (_request, { response, error }) => (error ? undefined : response?.status === 404),
	onRetry: ({ method, url, status, sentOnce, attempts }) => console.log(method, url, status, sentOnce, attempts),
});
retryingFetch({ statuses: [409, 423] });
retrying("http://127.0.0.1", { retry: null });

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(verdict: Same<A, B>): void => void verdict;
retryingFetch({
	mayRepeat({ input, init }) {
		same<typeof input, Parameters<typeof fetch>[0]>(true);
		same<typeof init, Parameters<typeof fetch>[1]>(true);
		return init?.keepalive;
	},
	onStop: ({ request, value }) => {
		same<typeof request.init, Parameters<typeof fetch>[1]>(true);
		same<typeof value, Response | undefined>(true);
	},
});
retryingFetch({
	fetch: undiciFetch,
	mayRepeat: ({ init }) => init?.dispatcher === undefined,
	classify(_request, { response }) {
		same<typeof response, Awaited<ReturnType<typeof undiciFetch>> | undefined>(true);
		return undefined;
	},
});
gotRetries({
	mayRepeat: ({ method, context }) => method === "POST" && context.safe === true,
	onStop({ value, request }) {
		same<typeof value, GotResponse | undefined>(true);
		same<typeof request, GotOptions>(true);
	},
});
retryingAdapter({ mayRepeat: ({ url, params }) => url === "/search" && params });
undiciRetries({ mayRepeat: ({ path, method }) => path === "/search" && method === "POST" });
// @ts-expect-error: got has no such option.
gotRetries({ mayRepeat: ({ verb }) => verb === "POST" });
// @ts-expect-error: no outcome.
retryingFetch({ statuses: { 409: "temporary" } });
