import { defineError } from "../core/show.js";

/** The core cannot start (code `cannot_start`), or a call was not retried because of that (`not_retried`). */
export class StartError extends Error {
	static name = "StartError";

	constructor(code, message, cause) {
		super(message, { cause });
		this.code = code;
	}

	static {
		defineError(StartError);
	}
}
