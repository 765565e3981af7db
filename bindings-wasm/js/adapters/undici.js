// undici: an interceptor, which holds the head of each response back until the loop has decided.

import { errors } from "undici";
import { MAX_DRAINED } from "./drain.js";
import { isFailure, isOneShot, KEYS, whySentOnce } from "./http.js";
import { OF_A_WAIT, readHttpOptions } from "./http-options.js";
import { request } from "./loop.js";
import { copyOfMembers } from "./snapshot.js";

/** An interceptor for `compose`. */
export function retries(options = {}) {
	const settings = readHttpOptions("retries", options, ...OF_A_WAIT);
	return (dispatch) => (given, handler) => new Call(settings, dispatch, given, handler).dispatch();
}

/** The field `Idempotency-Key` and its like among headers: names and values in turn, pairs or an object. */
function keysOf(headers) {
	const isFlat = Array.isArray(headers) && !Array.isArray(headers[0]);
	const given = typeof headers?.[Symbol.iterator] === "function" ? [...headers] : Object.entries(headers ?? {});
	const pairs = isFlat ? given.map((name, at) => [at % 2 ? "" : name, given[at + 1]]) : given;
	return KEYS.map((key) => pairs.find(([name]) => `${name}`.toLowerCase() === key)?.[1]);
}

/** A copy of the headers, which uses up an iterator. In an array undici wants names and values in turn. */
function copyOfHeaders(headers) {
	if (Object(headers) !== headers) {
		return headers;
	}
	if (Array.isArray(headers)) {
		return [...headers];
	}
	return typeof headers[Symbol.iterator] === "function" ? [...headers].flat() : { ...headers };
}

/** A request of the caller, with all of its attempts. It is the controller that the caller's handler gets. */
class Call {
	#canceller = new AbortController();
	/** The controller of the running attempt. */
	#target;
	#last;
	#isPaused = false;
	#hasStarted = false;
	/** What the handler got for the context of an attempt that had not begun. */
	#context = {};

	constructor(settings, dispatch, given, handler) {
		// undici reads them in the call, and not again before a retry.
		this.given = { ...copyOfMembers(given), headers: copyOfHeaders(given.headers) };
		this.settings = settings;
		this.send = dispatch;
		this.handler = handler;
	}

	/** What `dispatch` returns: whether undici takes more requests. */
	dispatch() {
		const { body, headers, method, origin, path, retry } = this.given;
		let last;
		let takesMore;
		const attempt = () =>
			new Promise((resolve, reject) => {
				last = this.#last = new Attempt(this, resolve, reject);
				try {
					const answer = this.send(this.given, last);
					takesMore ??= answer;
				} catch (error) {
					last.onResponseError(undefined, error);
				}
			});
		const described = {
			request: this.given,
			own: retry,
			method: `${method ?? "GET"}`.toUpperCase(),
			keys: keysOf(headers),
			isOneShot: isOneShot(body),
		};
		const client = {
			...described,
			sentOnce: whySentOnce(this.settings, described),
			url: /^https?:/.test(path) ? path : `${origin ?? ""}`.replace(/\/$/, "") + path,
			signal: this.#canceller.signal,
			headOf: ({ headers, statusCode: status }) => ({ headers, status }),
			drain: () => last.drain(),
			responseOf: () => last.failure,
			wasNeverSent: () => !last.hasStarted && !last.isLate,
		};
		const onRetry = (event) => {
			// Only a controller lets the caller abort a wait before any attempt has begun.
			this.#begin(this.#context);
			return this.settings.onRetry?.(event);
		};
		request(attempt, { ...this.settings, onRetry }, client).then(
			() => last.pass(),
			(error) => {
				// A loop may fail before its first attempt, and leaves one behind that the caller aborts.
				last?.leave();
				this.handler.onResponseError?.(this, error);
			},
		);
		return takesMore ?? true;
	}

	/** An attempt has begun. The caller's handler learns of the first one. */
	start(controller, context) {
		this.#target = controller;
		Object.assign(this.#context, context);
		this.#begin(context);
	}

	#begin(context) {
		if (!this.#hasStarted) {
			this.#hasStarted = true;
			this.handler.onRequestStart?.(this, context);
		}
	}

	/** Ends the call. `abort` does it, too, but an interceptor may replace that method. */
	end(reason) {
		this.#canceller.abort(reason);
		if (this.#last?.isPassed) {
			this.#last.abort(reason);
		} else {
			this.#target?.abort(reason);
		}
	}

	abort(reason = new errors.RequestAbortedError()) {
		this.end(reason);
	}

	pause() {
		this.#isPaused = true;
		this.#target?.pause();
	}

	resume() {
		this.#isPaused = false;
		if (this.#last?.isPassed) {
			this.#last.resume();
		} else {
			this.#target?.resume();
		}
	}

	get paused() {
		return this.#isPaused;
	}

	get aborted() {
		return this.#canceller.signal.aborted;
	}

	get reason() {
		return this.#canceller.signal.reason ?? null;
	}

	get rawHeaders() {
		return this.#target?.rawHeaders ?? null;
	}

	set rawHeaders(headers) {
		Object.assign(this.#target ?? {}, { rawHeaders: headers });
	}

	get rawTrailers() {
		return this.#target?.rawTrailers ?? null;
	}

	set rawTrailers(trailers) {
		Object.assign(this.#target ?? {}, { rawTrailers: trailers });
	}
}

/**
 * The handler of an attempt. It keeps what arrives until the loop has decided: then the caller's handler gets it, or it
 * is drained.
 */
class Attempt {
	/** Whether undici has begun to send it. */
	hasStarted = false;
	/** Whether the caller's handler gets the response. */
	isPassed = false;
	#call;
	#resolve;
	#reject;
	#controller;
	#head;
	/** What has arrived: the methods of the handler and their arguments; undefined once it is passed on. */
	#kept = [];
	/** How much of it the handler has got. */
	#given = 0;
	#isGiving = false;
	/** Whether the handler has got its end. */
	#hasEnded = false;
	/** How many bytes of an unread body may be read. */
	#toDrain;
	#isOver = false;
	/** The error of an attempt that took too long. */
	#late;
	#timer;

	constructor(call, resolve, reject) {
		this.#call = call;
		this.#resolve = resolve;
		this.#reject = reject;
		const { attemptTimeout } = call.settings;
		if (attemptTimeout) {
			this.#timer = setTimeout(() => this.#timeOut(attemptTimeout), attemptTimeout);
		}
	}

	onRequestStart(controller, context) {
		// A redirect below this interceptor begins again.
		this.#controller = controller;
		const { aborted, reason } = this.#call;
		if (this.#late || aborted) {
			controller.abort(this.#late ?? reason);
			return;
		}
		this.hasStarted = true;
		this.#call.start(controller, context);
	}

	onResponseStarted() {
		return this.#call.handler.onResponseStarted?.();
	}

	onBodySent(...given) {
		return this.#call.handler.onBodySent?.(...given);
	}

	onRequestSent(...given) {
		return this.#call.handler.onRequestSent?.(...given);
	}

	onRequestUpgrade(_, statusCode, headers, ...others) {
		this.#kept = undefined;
		this.#call.handler.onRequestUpgrade?.(this.#call, statusCode, headers, ...others);
		this.#isOver = true;
		this.#end(this.#resolve, { statusCode, headers });
	}

	onResponseStart(controller, statusCode, headers, statusText) {
		if (statusCode < 200) {
			this.#call.handler.onResponseStart?.(this.#call, statusCode, headers, statusText);
			return;
		}
		this.#head = { statusCode, statusText, headers };
		this.#keepOrPass("onResponseStart", statusCode, headers, statusText);
		if (!this.#call.settings.readBody) {
			controller?.pause();
			this.#end(this.#resolve, this.#head);
		}
	}

	onResponseData(_, chunk) {
		if (this.#toDrain === undefined) {
			this.#keepOrPass("onResponseData", chunk);
			return;
		}
		this.#toDrain -= chunk.length;
		if (this.#toDrain < 0) {
			this.#close();
		}
	}

	onResponseEnd(_, trailers) {
		this.#isOver = true;
		this.#keepOrPass("onResponseEnd", trailers);
		this.#end(this.#resolve, this.#head);
	}

	onResponseError(_, error) {
		this.#isOver = true;
		this.#keepOrPass("onResponseError", error);
		this.#end(this.#reject, this.#late ?? error);
	}

	#keepOrPass(method, ...given) {
		if (this.#kept) {
			this.#kept.push([method, given]);
			if (this.isPassed) {
				this.#give();
			}
		} else {
			this.#call.handler[method]?.(this.#call, ...given);
		}
	}

	/** The attempt has ended for the loop. Later ends change nothing. */
	#end(settle, result) {
		clearTimeout(this.#timer);
		settle(result);
	}

	#timeOut(timeout) {
		const Late = this.#head ? errors.BodyTimeoutError : errors.HeadersTimeoutError;
		this.#late = new Late(`the attempt took longer than ${timeout} ms`);
		this.#controller?.abort(this.#late);
		this.#reject(this.#late);
	}

	/** The head of a response that decides whether or not its body arrives. */
	get failure() {
		const { settings } = this.#call;
		return settings.readBody && this.#head && isFailure(settings, this.#head.statusCode) ? this.#head : undefined;
	}

	get isLate() {
		return this.#late !== undefined;
	}

	/** Lets the caller's handler have the response: what has arrived and what will. */
	pass() {
		this.isPassed = true;
		if (this.#call.aborted) {
			this.abort(this.#call.reason);
		} else {
			this.#give();
		}
	}

	/** The loop waits no longer for the attempt. */
	leave() {
		clearTimeout(this.#timer);
	}

	/** The caller wants no more of a response that is passed on: its handler gets an error in place of the rest. */
	abort(reason) {
		if (!this.#kept || this.#hasEnded) {
			this.#controller?.abort(reason);
			return;
		}
		this.#given = 0;
		this.#kept = [];
		if (this.#isOver) {
			this.#kept.push(["onResponseError", [reason]]);
		} else {
			this.#controller.abort(reason);
		}
		this.#give();
	}

	resume() {
		if (this.#kept) {
			this.#give();
		} else {
			this.#controller?.resume();
		}
	}

	/** Gives the caller's handler what has arrived, until it pauses. */
	#give() {
		// The handler may ask for more during a call. More is kept, and given after it.
		if (this.#isGiving) {
			return;
		}
		const call = this.#call;
		this.#isGiving = true;
		try {
			while (this.#given < this.#kept?.length && (call.aborted || !call.paused)) {
				const [method, given] = this.#kept[this.#given];
				this.#kept[this.#given++] = undefined;
				this.#giveOne(method, given);
			}
		} finally {
			this.#isGiving = false;
		}
		if (this.#given >= this.#kept?.length && (call.aborted || !call.paused)) {
			this.#kept = undefined;
			if (!this.#isOver && !call.aborted) {
				this.#controller.resume();
			}
		}
	}

	/** An error that the handler throws aborts the response, as without retries. */
	#giveOne(method, given) {
		const { handler } = this.#call;
		const isError = method === "onResponseError";
		const isEnd = method === "onResponseEnd";
		this.#hasEnded ||= isError || isEnd;
		try {
			handler[method]?.(this.#call, ...given);
		} catch (error) {
			if (isError) {
				throw error;
			}
			if (isEnd) {
				handler.onResponseError?.(this.#call, error);
			} else {
				this.#call.end(error);
			}
		}
	}

	/** Reads and drops the rest of the body. Returns a function that closes it now. */
	drain() {
		const chunks = this.#kept.filter(([method]) => method === "onResponseData").map(([, [chunk]]) => chunk);
		this.#kept = [];
		this.#toDrain = MAX_DRAINED;
		for (const chunk of chunks) {
			this.onResponseData(undefined, chunk);
		}
		if (!this.#isOver) {
			this.#controller?.resume();
		}
		return () => this.#close();
	}

	#close() {
		if (!this.#isOver) {
			this.#isOver = true;
			this.#controller?.abort(new errors.RequestAbortedError("the body before a retry is long or late"));
		}
	}
}
