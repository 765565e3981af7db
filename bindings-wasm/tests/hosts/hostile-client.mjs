// Sends requests by the adapters, for tests/hostile: a request for each line of JSON, and a line for how it ended. It reads
// no body but that of a success, except with got, which reads each one.

import { createInterface } from "node:readline";
import axios from "axios";
import { retryingAdapter } from "backoff-wasm/axios";
import { retryingFetch } from "backoff-wasm/fetch";
import { retries as ofGot } from "backoff-wasm/got";
import { retries as ofUndici } from "backoff-wasm/undici";
import got from "got";
import { Agent, H2CClient, interceptors } from "undici";

const clients = {
	fetch(options) {
		const fetch = retryingFetch(options);
		return async ({ url, method, fields: headers, body: sent }) => {
			const response = await fetch(url, { method, headers, body: sent });
			const { status } = response;
			return { status, body: response.ok ? await response.text() : void (await response.body?.cancel()) };
		};
	},

	undici: (options) =>
		bodyOfUndici(new Agent().compose(interceptors.redirect({ maxRedirections: 20 }), ofUndici(options))),

	"undici-h2"(options) {
		let dispatcher;
		return (asked) => {
			dispatcher ??= new H2CClient(new URL(asked.url).origin).compose(ofUndici(options));
			return bodyOfUndici(dispatcher)(asked);
		};
	},

	axios(options) {
		const client = axios.create({
			adapter: retryingAdapter(options),
			responseType: "stream",
			validateStatus: () => true,
			proxy: false,
		});
		return async ({ url, method, fields: headers, body: sent }) => {
			const { status, data } = await client.request({ url, method, headers, data: sent });
			return { status, body: status === 200 ? await textOf(data) : void data.destroy() };
		};
	},

	got(options) {
		const client = got.extend(ofGot(options), { throwHttpErrors: false });
		return async ({ url, method, fields: headers, body: sent }) => {
			const { statusCode: status, body } = await client(url, { method, headers, body: sent });
			return { status, body };
		};
	},
};

function bodyOfUndici(dispatcher) {
	return async ({ url, method, fields: headers, body: sent }) => {
		const { origin, pathname: path } = new URL(url);
		const { statusCode: status, body } = await dispatcher.request({ origin, path, method, headers, body: sent });
		body.on("error", () => {});
		return { status, body: status === 200 ? await body.text() : void body.destroy() };
	};
}

async function textOf(stream) {
	let text = "";
	for await (const chunk of stream) {
		text += chunk;
	}
	return text;
}

const opened = {};
let delays = [];

for await (const line of createInterface({ input: process.stdin })) {
	const asked = JSON.parse(line);
	const { adapter, policy, timeout_ms, read_body: readBody, times, upload } = asked;
	const body = upload ? Buffer.alloc(upload) : undefined;
	const onRetry = ({ delay }) => void delays.push(delay);
	const options = { policy, readBody, budget: null, onRetry, ...(timeout_ms && { attemptTimeout: timeout_ms }) };
	const chosen = JSON.stringify([adapter, policy, timeout_ms, readBody, adapter.endsWith("h2") && asked.url]);
	opened[chosen] ??= clients[adapter](options);
	let ended;
	for (let i = 0; i < times; i++) {
		delays = [];
		try {
			ended = await opened[chosen]({ ...asked, body });
		} catch (error) {
			ended = { error: `${error.name} ${error.code}: ${error.message} ${error.cause?.message ?? ""}` };
		}
	}
	console.log(JSON.stringify({ ...ended, delays_ms: delays }));
}
process.exit();
