// undici: its own retry interceptor, with the decisions of an operation for each request.

import { errors, interceptors } from "undici";
import { checkNotShared, operations, policyOf, timeoutOf, verdictOf } from "./common.js";
import { checkBody, isRepeatable, MAX_DRAINED, originOf, readHttpOptions, verdictOfError } from "./http.js";

const KEY = "idempotency-key";

/** An interceptor for `compose`. */
export function retries(options = {}) {
	const { attemptTimeout, budgetOf, stats, ...read } = readHttpOptions("retries", options);
	checkNotShared(options);
	const policy = policyOf(read.policy);
	return (dispatch) => (request, handler) => {
		const { body, headers, method, origin } = request;
		if (!isRepeatable(method, keyOf(headers))) {
			return dispatch(request, handler);
		}
		checkBody(body);
		// undici would send it twice, and then give up.
		if (typeof body === "object" && body?.[Symbol.iterator] && !ArrayBuffer.isView(body) && !body.append) {
			throw new TypeError(
				"the body of this request is an iterable, which undici cannot send again: pass bytes or text, or send it without retries",
			);
		}
		const begin = operations({ ...read, policy, budget: budgetOf(originOf(origin)) });
		const state = new State(begin(performance.now()), stats);
		// These are the defaults of undici, of which the operation decides.
		const retry = interceptors.retry({ retry: (...given) => state.retry(...given), throwOnError: false });
		const attempt = (each, own) => dispatch(limited(each, attemptTimeout), new Attempt(own, state));
		return retry(attempt)(request, new Observer(handler, state));
	};
}

/** A request whose answer must begin within this many milliseconds. */
function limited(request, headersTimeout) {
	const { headersTimeout: own } = request;
	return headersTimeout
		? { ...request, headersTimeout: own ? Math.min(own, headersTimeout) : headersTimeout }
		: request;
}

/** The value of an `Idempotency-Key` among the headers of a request: names and values in turn, pairs or an object. */
function keyOf(headers) {
	const isFlat = Array.isArray(headers) && !Array.isArray(headers[0]);
	const pairs = typeof headers?.[Symbol.iterator] === "function" ? [...headers] : Object.entries(headers ?? {});
	const position = pairs.findIndex((each) => `${isFlat ? each : each[0]}`.toLowerCase() === KEY);
	return isFlat ? pairs[position + 1] : pairs[position]?.[1];
}

/** What is known of a request. */
class State {
	hasStarted = false;
	isRetrying = false;
	/** Ends a wait. Only the latest versions of undici do it. */
	cancel = () => {};

	constructor(operation, stats) {
		this.operation = operation;
		this.stats = stats;
	}

	/** The option `retry` of the interceptor: calls back with an error to stop. */
	retry(error, _, callback) {
		const { headers, statusCode: status } = error;
		// A body that was cut off: the caller has a part of it.
		if (this.hasStarted || (status < 400 && status > 0)) {
			return callback(error);
		}
		const { outcome, retryAfter } = verdictOf(verdictOfError(error, status && { status, headers }));
		const { delay, reason } = this.operation.decide(outcome, { now: performance.now(), retryAfter });
		if (reason !== undefined) {
			return callback(error);
		}
		const act = () => {
			this.isRetrying = true;
			callback(null);
		};
		const timer = setTimeout(act, timeoutOf(delay));
		this.cancel = (reason) => {
			clearTimeout(timer);
			// An abort ends a response that waits; after a failure of the network nothing is left to abort.
			if (status === undefined) {
				callback(reason ?? new errors.RequestAbortedError());
			}
		};
		return timer;
	}

	end(outcome) {
		if (!this.hasStarted) {
			this.hasStarted = true;
			const { operation } = this;
			const isSuccess = outcome === "success";
			// An operation that has stopped has its reason already.
			const reason = isSuccess ? operation.decide(outcome, { now: performance.now() }).reason : operation.cancel();
			this.stats?.record(operation.attempts, reason);
		}
	}
}

/** A handler that passes all on. */
class Handler {
	constructor(handler, state) {
		this.handler = handler;
		this.state = state;
	}
}
for (const name of [
	"onRequestStart",
	"onRequestUpgrade",
	"onResponseStart",
	"onResponseData",
	"onResponseEnd",
	"onResponseError",
	"onBodySent",
	"onRequestSent",
]) {
	Handler.prototype[name] = function (...given) {
		return this.handler[name]?.(...given);
	};
}

/** The handler of the caller: what it gets is the end of the operation. */
class Observer extends Handler {
	onRequestStart(controller, ...others) {
		const { state } = this;
		const abort = (reason) => {
			controller.abort(reason);
			state.cancel(reason);
		};
		const observed = new Proxy(controller, {
			get(target, name) {
				const value = target[name];
				return name === "abort" ? abort : typeof value === "function" ? value.bind(target) : value;
			},
			set: (target, name, value) => Reflect.set(target, name, value),
		});
		return super.onRequestStart(observed, ...others);
	}

	onResponseStart(controller, status, ...others) {
		if (status >= 200) {
			this.state.end("success");
		}
		return super.onResponseStart(controller, status, ...others);
	}

	onResponseError(...given) {
		this.state.end();
		return super.onResponseError(...given);
	}
}

/** The handler of an attempt. The body before a retry is read, so that the connection can be used again, or closed. */
class Attempt extends Handler {
	left = MAX_DRAINED;
	isClosed = false;

	onRequestStart(...given) {
		this.state.isRetrying = false;
		return super.onRequestStart(...given);
	}

	onResponseData(controller, chunk) {
		if (!this.state.isRetrying) {
			return super.onResponseData(controller, chunk);
		}
		this.left -= chunk.length;
		if (this.left < 0 && !this.isClosed) {
			this.isClosed = true;
			controller.abort(new Error("the body before a retry is long"));
			super.onResponseEnd(controller, {});
		}
	}

	onResponseEnd(...given) {
		return this.isClosed ? undefined : super.onResponseEnd(...given);
	}

	onResponseError(...given) {
		return this.isClosed ? undefined : super.onResponseError(...given);
	}
}
