// HTTP clients that get a body of two bytes. The runner starts the server, ../server.py.

import axios from "axios";
import axiosRetry from "axios-retry";
import { retryingAdapter } from "backoff-wasm/axios";
import { retryingFetch } from "backoff-wasm/fetch";
import { retries } from "backoff-wasm/got";
import { retryingFetch as plainRetryingFetch } from "backoff-wasm/js/fetch";
import got from "got";
import ky from "ky";
import { versions } from "./versions.mjs";

const named = (library) => `${library} ${versions[library]}`;

/** All make at most 6 attempts, without waits. */
const POLICY = { policy: "constant:base=0s,max_retries=5" };
/** A bare client fails if the server is busy; its caller asks again. */
const BARE = "the bare client";

const ofFetch = (call) => async (url) => {
	const response = await call(url);
	return [response.status, await response.text()];
};
const kyClient = ky.create({ retry: { limit: 5, delay: () => 0 } });

const fetches = (retrying) => (options) => [
	["ours", ofFetch(retrying({ ...POLICY, ...options }))],
	[BARE, ofFetch(fetch)],
	[named("ky"), ofFetch((url) => kyClient(url, { throwHttpErrors: false }))],
];

const ofGot = (client) => async (url) => {
	const { statusCode, body } = await client(url);
	return [statusCode, body];
};
const bareGot = got.extend({ retry: { limit: 0 }, throwHttpErrors: false });
// got does not repeat a request if its delay is 0.
const ownGot = got.extend({
	retry: { limit: 5, calculateDelay: ({ computedValue }) => Math.min(computedValue, 1) },
	throwHttpErrors: false,
});

const gots = (options) => [
	["ours", ofGot(got.extend({ throwHttpErrors: false }, retries({ ...POLICY, ...options })))],
	[BARE, ofGot(bareGot)],
	[named("got"), ofGot(ownGot)],
];

const ofAxios = (client) => async (url) => {
	const { status, data } = await client.get(url);
	return [status, data];
};
const bareAxios = axios.create({ validateStatus: null });
const ownAxios = axios.create();
axiosRetry(ownAxios, { retries: 5, retryDelay: () => 0 });

const axioses = (options) => [
	["ours", ofAxios(axios.create({ validateStatus: null, adapter: retryingAdapter({ ...POLICY, ...options }) }))],
	[BARE, ofAxios(bareAxios)],
	[named("axios-retry"), ofAxios(ownAxios)],
];

/** Gets the body. */
const requestsTo = (url, get) => async () => {
	for (;;) {
		const [status, body] = await get(url);
		if (status === 200) {
			return body;
		}
	}
};

const CLIENTS = [
	["fetch", fetches(retryingFetch)],
	["fetch (/js)", fetches(plainRetryingFetch)],
	["got", gots],
	["axios", axioses],
];
const KINDS = [
	["success at once", "/", {}],
	// The default budgets would refuse a retry of every request.
	["one 503", "/busy", { budget: "envoy" }],
];

const { BENCH_SERVER: server } = process.env;
export const HTTP_WORKS =
	server === undefined
		? []
		: CLIENTS.flatMap(([name, clients]) =>
				KINDS.flatMap(([what, path, options]) =>
					clients(options).map(([by, get]) => [`${name}, ${what}`, by, 1, requestsTo(server + path, get)]),
				),
			);
