import { defineError } from "../core/show.js";

/** The core cannot start (code `cannot_start`), or a call was not retried because of that (`not_retried`). */
export const StartError = /* @__PURE__ */ defineError(
	"StartError",
	class StartError extends Error {
		constructor(code, message, cause) {
			super(message, { cause });
			this.code = code;
		}
	},
);
