// A client of the AWS SDK on a server that fails.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, describe, test } from "node:test";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { Budget, PolicyError, RetryStats } from "backoff-wasm";
import { PolicyRetryStrategy } from "backoff-wasm/aws-sdk";

const POLICY = "full:base=100ms,cap=20s,max_retries=3";
const FIRST = { policy: POLICY, seed: 42, key: "job-1" };
const FAST = "constant:base=1ms,max_retries=3";

/** What the server answers, one after the other; the last one repeats. */
let answers;
let requests;
const server = createServer((request, response) => {
	const answer = answers[Math.min(requests++, answers.length - 1)];
	if (answer === "reset") {
		request.socket.resetAndDestroy();
	} else if (answer !== "silence") {
		const [status, type, headers = {}] = answer;
		response.writeHead(status, { "content-type": "application/x-amz-json-1.0", ...headers });
		response.end(JSON.stringify(type ? { __type: type, message: "no" } : { TableNames: [] }));
	}
});
before(() => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve)));
beforeEach(() => {
	requests = 0;
});
after(() => {
	server.closeAllConnections();
	server.close();
});

const OK = [200];
const THROTTLED = [400, "ThrottlingException"];

/** Calls the server: the metadata of the result or of the error, the name of the error, the requests. */
async function run(options, ...script) {
	return runBy(new PolicyRetryStrategy(options), 30_000, ...script);
}

async function runBy(retryStrategy, requestTimeout, ...script) {
	answers = script;
	const client = new DynamoDBClient({
		endpoint: `http://127.0.0.1:${server.address().port}`,
		region: "us-east-1",
		credentials: { accessKeyId: "a", secretAccessKey: "b" },
		retryStrategy,
		requestHandler: { requestTimeout, throwOnRequestTimeout: true },
	});
	try {
		const { $metadata } = await client.send(new ListTablesCommand({}));
		return { name: undefined, ...pick($metadata) };
	} catch (error) {
		return { name: error.name, ...pick(error.$metadata) };
	} finally {
		client.destroy();
	}
}
const pick = ({ attempts, totalRetryDelay }) => ({ attempts, totalRetryDelay, requests });

describe("the AWS SDK", () => {
	test("waits the delays of the policy", async () => {
		const ended = { name: undefined, attempts: 4, totalRetryDelay: 12 + 84 + 230, requests: 4 };
		assert.deepEqual(await run(FIRST, [500, "InternalServerError"], THROTTLED, "reset", OK), ended);
	});

	test("gives up after max_retries with the last error of the SDK", async () => {
		const ended = { name: "ThrottlingException", attempts: 4, totalRetryDelay: 3, requests: 4 };
		assert.deepEqual(await run({ policy: FAST }, THROTTLED), ended);
	});

	test("an error that lasts is not repeated", async () => {
		for (const [status, type] of [
			[400, "ResourceNotFoundException"],
			[501, "NotImplemented"],
		]) {
			requests = 0;
			const ended = { name: type, attempts: 1, totalRetryDelay: 0, requests: 1 };
			assert.deepEqual(await run({ policy: FAST }, [status, type]), ended);
		}
	});

	test("a timeout is repeated, as a timeout for the budget", async () => {
		const budget = Budget.parse("quota:max_tokens=5,cost=1,cost_timeout=5");
		const { attempts } = await runBy(new PolicyRetryStrategy({ policy: FAST, budget }), 200, "silence");
		assert.equal(attempts, 2);
	});

	test("the server's Retry-After", async () => {
		const [status, type] = THROTTLED;
		// The SDK reads it; the oldest version reads only dates.
		const date = new Date(Date.now() + 600_000).toUTCString();
		const policy = `${FAST},retry_after_max=50ms`;
		const { totalRetryDelay } = await run({ policy }, [status, type, { "retry-after": date }], OK);
		assert.equal(totalRetryDelay, 50);
	});

	test("a budget for all calls, and stats", async () => {
		const stats = new RetryStats();
		const strategy = new PolicyRetryStrategy({ policy: FAST, budget: "quota:max_tokens=2,cost=1", stats });
		const ends = [];
		for (const answer of [THROTTLED, THROTTLED, OK]) {
			const { name, requests } = await runBy(strategy, 30_000, answer);
			ends.push([name, requests]);
		}
		const failed = "ThrottlingException";
		assert.deepEqual(ends, [
			[failed, 3],
			[failed, 3 + 1],
			[undefined, 3 + 1 + 1],
		]);
		const { budget, success } = stats.counts().stops;
		assert.deepEqual([budget, success], [2, 1]);
	});

	test("bad options are errors at once", () => {
		assert.throws(() => new PolicyRetryStrategy({ attempts: 3 }), {
			message: "attempts is unknown; did you mean maxAttempts?",
		});
		assert.throws(() => new PolicyRetryStrategy({ policy: "full:base=1" }), PolicyError);
		assert.throws(
			() => new PolicyRetryStrategy({ attemptTimeout: 1500 }),
			/^TypeError: attemptTimeout 1500 ms cannot be kept here: \S/,
		);
		assert.throws(() => new PolicyRetryStrategy({ budget: "quotas" }), PolicyError);
		assert.throws(() => new PolicyRetryStrategy({ budget: 5 }), TypeError);
		assert.throws(
			() => new PolicyRetryStrategy({ budget: "envoy" }),
			/a concurrent budget needs the end of every call/,
		);
	});
});
