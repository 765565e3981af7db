// pino: what it writes of an event.

import assert from "node:assert/strict";
import { test } from "node:test";
import { retry } from "backoff-wasm";
import pino from "pino";

const OPTIONS = { policy: "constant:base=0s,max_retries=1", shouldRetry: () => true };
const fail = () => {
	throw new Error("refused");
};

/** The line that a logger with these options writes of the last event. */
async function line(options, log) {
	const lines = [];
	const logger = pino(options, { write: (text) => lines.push(JSON.parse(text)) });
	await retry(fail, { ...OPTIONS, onStop: (event) => log(logger, event) }).catch(() => {});
	assert.equal(lines.length, 1);
	return lines[0];
}

test("an event as the object of a line, with pino's serializer for its error", async () => {
	const written = await line({ serializers: { error: pino.stdSerializers.err } }, (log, event) =>
		log.warn(event, "end"),
	);
	assert.deepEqual(
		[written.msg, written.attempts, written.reason, written.error.type, written.error.message],
		["end", 2, "max_retries", "Error", "refused"],
	);
	assert.equal(typeof written.delayNs, "string", "no bigint");
});

test("an event as a member", async () => {
	const { event } = await line({}, (log, event) => log.warn({ event }, "end"));
	assert.deepEqual([event.attempts, event.error], [2, { name: "Error", message: "refused" }]);
});
