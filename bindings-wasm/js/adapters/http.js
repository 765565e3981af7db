// What the adapters of HTTP clients share: which requests may be repeated, a budget for each origin, and bodies that
// nobody reads.

import { Budget, fetchOutcome, httpVerdict, isIdempotentMethod, StartError } from "backoff-wasm";
import { checkOptions, OF_AN_OPERATION, readOptions, timeoutOf } from "./common.js";

const DEFAULT_BUDGET = "grpc-retry";
const MAX_ORIGINS = 1000;
/** To read so much lets a connection be used again; to read more costs more than a new connection. */
export const MAX_DRAINED = 64 * 1024;

/** The options of a function: those of its loops, the budget of an origin, and the timeout of an attempt in ms. */
export function readHttpOptions(what, options, ...others) {
	checkOptions(what, options);
	const known = [...OF_AN_OPERATION, "budget", "stats", "attemptTimeout", ...others];
	const { budget = DEFAULT_BUDGET } = options;
	const isText = typeof budget === "string";
	const one = isText ? ifStarted(() => Budget.parse(budget)) : (budget ?? undefined);
	const { attemptTimeout, ...read } = readOptions(what, { ...options, budget: one }, known);
	const isTime = Number.isFinite(attemptTimeout) && attemptTimeout > 0;
	if (attemptTimeout !== undefined && !isTime) {
		throw new TypeError(`attemptTimeout must be a positive number of milliseconds, got ${String(attemptTimeout)}`);
	}
	return {
		...read,
		attemptTimeout: attemptTimeout && timeoutOf(attemptTimeout),
		budgetOf: isText ? budgets(budget) : () => one,
	};
}

/** The result of a function; undefined if the core cannot start (SPEC 18.7). */
function ifStarted(act) {
	try {
		return act();
	} catch (error) {
		if (!(error instanceof StartError)) {
			throw error;
		}
		return undefined;
	}
}

/** A budget for each origin; those that were not used for the longest time are forgotten. */
function budgets(text) {
	const kept = new Map();
	return (origin) => {
		const budget = kept.get(origin) ?? ifStarted(() => Budget.parse(text));
		kept.delete(origin);
		kept.set(origin, budget);
		if (kept.size > MAX_ORIGINS) {
			kept.delete(kept.keys().next().value);
		}
		return budget;
	};
}

/** Whether a request may be repeated: its method is idempotent, or it has a key by which the server knows it again. */
export function isRepeatable(method, idempotencyKey) {
	return isIdempotentMethod(`${method ?? "GET"}`.toUpperCase()) || Boolean(idempotencyKey);
}

/** The origin of a URL, by which it gets a budget; empty for one that the client will refuse, or that it knows itself. */
export function originOf(url) {
	try {
		return new URL(url, globalThis.location?.href).origin;
	} catch {
		return "";
	}
}

/** Throws for a body that can be sent only once. */
export function checkBody(body) {
	const isOneShot =
		Object(body) === body &&
		(Symbol.asyncIterator in body || ["getReader", "pipe", "next"].some((name) => typeof body[name] === "function"));
	if (isOneShot) {
		throw new TypeError(
			"the body of this request is a stream, which cannot be sent again: pass bytes or text, or send it without retries",
		);
	}
}

/** The verdict on the error of a client, which may hold a response. */
export function verdictOfError(error, response) {
	return response?.status >= 400 ? httpVerdict(response) : fetchOutcome(error);
}

/** Reads the rest of a body, or closes it if that is long. Returns a function that closes it now. */
export function drain(body) {
	if (typeof body?.getReader === "function") {
		return drainWebStream(body);
	}
	return typeof body?.resume === "function" && typeof body.destroy === "function" ? drainStream(body) : () => {};
}

function drainWebStream(body) {
	if (body.locked) {
		return () => {};
	}
	const reader = body.getReader();
	// Nobody wants to know how a body ends that nobody reads.
	const close = () => void reader.cancel().catch(() => {});
	const read = async (left) => {
		const { done, value } = await reader.read();
		if (!done) {
			return value.byteLength > left ? close() : read(left - value.byteLength);
		}
	};
	read(MAX_DRAINED).catch(() => {});
	return close;
}

function drainStream(body) {
	let left = MAX_DRAINED;
	const close = () => void body.destroy();
	body.on("error", () => {});
	body.on("data", ({ length }) => {
		left -= length;
		if (left < 0) {
			close();
		}
	});
	return close;
}
