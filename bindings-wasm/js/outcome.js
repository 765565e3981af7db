import { module } from "./module.js";
import { index } from "./number.js";

const MAX_STATUS = 2 ** 16 - 1;

/** The outcome that the status of an HTTP response is. */
export function httpOutcome(status) {
	const number = module().exports.http_outcome(index("status", status, MAX_STATUS));
	return module().outcome.kinds[number - 1];
}

/** How the engines say that the network failed; `fetch` rejects with a `TypeError` for it. */
const NETWORK = new RegExp(
	[
		"^failed to fetch|^network ?error", // Chrome, Firefox
		"^load failed|^the (?:internet|network) connection", // Safari
		"^fetch failed|^terminated$", // Node.js
		"^error sending request for url", // Deno
		"^ ?a network error occurred", // WebKit
		"^network connection lost", // workerd
		"^network request failed", // React Native and other replacements of fetch
	].join("|"),
	"i",
);

/** What Node.js tells as the cause where an answer did not come in time. */
const TIMEOUT = /TIMEDOUT|TIMEOUT/;

/** The outcome that a rejection of `fetch` is. */
export function fetchOutcome(error) {
	const { name, message, cause } = Object(error);
	if (name === "TimeoutError") {
		return "timeout";
	}
	if (name !== "TypeError" || !NETWORK.test(message)) {
		return "permanent";
	}
	return TIMEOUT.test(Object(cause).code) ? "timeout" : "transient";
}
