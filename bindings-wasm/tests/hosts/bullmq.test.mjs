// BullMQ on a real Redis: delays, limits, failures that are not retried, killed workers and a killed server.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { PermanentError, Policy, PolicyError } from "backoff-wasm";
import { jobRetries } from "backoff-wasm/bullmq";
import { Queue, UnrecoverableError, Worker } from "bullmq";
import { startServers } from "./servers.mjs";

/** The first delays of the seed 42 and the key "job-1" are 11.399434, 83.043876, 229.309811 and 83.486434 ms. */
const FULL = "full:base=100ms,cap=20s,max_retries=3";
const MS = [12, 84, 230];

let servers;
let connection;
const open = [];
before(async () => {
	servers = await startServers("redis");
	const { hostname: host, port } = new URL(servers.redis);
	connection = { host, port: Number(port), maxRetriesPerRequest: null };
});
after(async () => {
	await Promise.all(open.map((each) => each.close()));
	await servers.stop();
});

const opened = (each) => {
	open.push(each);
	each.on("error", () => {}); // of connections, while a test restarts the server
	return each;
};
let names = 0;

/** Runs one job whose attempts throw `errors`, one after the other. Returns its delays and its last state. */
async function run(options, errors, { id = "job-1", wanted = {}, timestamp } = {}) {
	const name = `queue-${++names}`;
	const { defaultJobOptions, settings } = jobRetries(options);
	const queue = opened(new Queue(name, { connection, defaultJobOptions }));
	let attempts = 0;
	const times = [];
	const act = async () => {
		times.push(Date.now());
		const error = errors[Math.min(attempts++, errors.length - 1)];
		if (error) {
			throw error;
		}
	};
	const worker = opened(new Worker(name, act, { connection, settings }));
	const delays = [];
	const ended = new Promise((resolve) => {
		worker.on("failed", (job) => {
			if (job.finishedOn) {
				resolve("failed");
			} else {
				delays.push(job.delay);
			}
		});
		worker.on("completed", () => resolve("completed"));
	});
	await queue.add("send", {}, { jobId: id, ...(timestamp && { timestamp }), ...wanted });
	const state = await ended;
	// Both clocks count whole milliseconds, and BullMQ 5.0 takes a job in the one before it is due.
	const early = delays.filter((delay, retry) => times[retry + 1] < times[retry] + delay - 1);
	assert.deepEqual(early, [], `attempts that were early: ${delays} at ${times.map((time) => time - times[0])}`);
	await worker.close();
	return { state, delays, attempts };
}

const busy = new Error("busy");

describe("jobs", { concurrency: true }, () => {
	test("the delays of a job are those of its id", async () => {
		const options = { policy: FULL, seed: 42 };
		assert.deepEqual(await run(options, [busy, busy, busy, undefined]), {
			state: "completed",
			delays: MS,
			attempts: 4,
		});
	});

	test("another id has other delays, and the default seed is 0", async () => {
		const { delays } = await run({ policy: Policy.parse(FULL) }, [busy], { id: "job-2" });
		assert.equal(delays.length, 3);
		assert.notDeepEqual(delays, MS);
		const again = await run({ policy: FULL, seed: 0n }, [busy], { id: "job-2" });
		assert.deepEqual(again.delays, delays);
	});

	test("max_retries ends a job, whether the queue or the worker knows it", async () => {
		const options = { policy: FULL, seed: 42 };
		const failed = { state: "failed", delays: MS, attempts: 4 };
		assert.deepEqual(await run(options, [busy]), failed);
		assert.deepEqual(await run(options, [busy], { wanted: { attempts: 100 } }), failed);
		const limited = { state: "failed", delays: MS.slice(0, 1), attempts: 2 };
		assert.deepEqual(await run(options, [busy], { wanted: { attempts: 2 } }), limited);
	});

	test("without max_retries a job has no last attempt", () => {
		const { attempts } = jobRetries({ policy: "full:base=1s" }).defaultJobOptions;
		assert.equal(JSON.parse(JSON.stringify({ attempts })).attempts, Number.MAX_SAFE_INTEGER);
	});

	test("a permanent failure is not retried", async () => {
		const once = { state: "failed", delays: [], attempts: 1 };
		const shouldRetry = (error) => error !== busy;
		assert.deepEqual(await run({ policy: FULL, shouldRetry }, [busy]), once);
		assert.deepEqual(await run({ policy: FULL, shouldRetry: async () => "permanent" }, [busy]), once);
		assert.deepEqual(await run({ policy: FULL }, [new PermanentError("gone")]), once);
		assert.deepEqual(await run({ policy: FULL }, [new UnrecoverableError("gone")]), once);
	});

	test("shouldRetry gets the error, the number of the attempt and the job", async () => {
		const seen = [];
		const shouldRetry = (error, { attempt, job }) => {
			seen.push([error.message, attempt, job.id, job.name]);
			return attempt < 2;
		};
		await run({ policy: FULL, shouldRetry }, [busy]);
		assert.deepEqual(seen, [
			["busy", 1, "job-1", "send"],
			["busy", 2, "job-1", "send"],
		]);
	});

	test("a server's retry_after delays a job, whatever its retry", async () => {
		const shouldRetry = (_, { attempt }) => ({ outcome: "throttled", retryAfter: attempt === 2 ? 400 : 5 });
		const { delays } = await run({ policy: FULL, seed: 42, shouldRetry }, [busy]);
		assert.deepEqual(delays, [12, 400, 230]);
	});

	test("max_elapsed counts from the time when the job was due", async () => {
		const policy = `${FULL},max_elapsed=10s`;
		const late = { timestamp: Date.now() - 20_000 };
		assert.deepEqual(await run({ policy }, [busy], late), { state: "failed", delays: [], attempts: 1 });
		const delayed = { timestamp: Date.now() - 20_000, wanted: { delay: 20_000 } };
		assert.equal((await run({ policy, seed: 42 }, [busy], delayed)).attempts, 4);
	});
});

test("bad options are errors at once", () => {
	assert.throws(() => jobRetries({ polcy: FULL }), { message: "polcy is unknown; did you mean policy?" });
	assert.throws(() => jobRetries({ strategy: FULL }), {
		message: /^strategy is unknown; the options of jobRetries are policy, seed, shouldRetry, and those of a policy$/,
	});
	assert.throws(() => jobRetries({ policy: "ful:base=1s" }), PolicyError);
	assert.throws(
		() => jobRetries({ attemptTimeout: 1500 }),
		/^TypeError: attemptTimeout 1500 ms cannot be kept here: BullMQ/,
	);
	assert.throws(() => jobRetries({ resetAfter: 1500 }), /^TypeError: resetAfter 1500 ms cannot be kept here: BullMQ/);
	assert.throws(
		() => jobRetries({ elapsedFrom: "failure" }),
		/^TypeError: elapsedFrom failure cannot be kept here: BullMQ/,
	);
	assert.throws(() => jobRetries({ policy: 5 }), { message: "policy must be a Policy or a policy string, got number" });
	assert.throws(() => jobRetries({ seed: -1 }), PolicyError);
	assert.throws(() => jobRetries({ shouldRetry: true }), TypeError);
	assert.throws(() => jobRetries(null), TypeError);
});

/** Starts a worker of the queue in a process of its own, which ends with the test. */
function startWorker(t, queue, policy, env = {}) {
	const child = spawn(process.execPath, ["bullmq.worker.mjs", servers.redis, queue, policy], {
		cwd: import.meta.dirname,
		env: { ...process.env, ...env },
		stdio: ["ignore", "pipe", "inherit"],
	});
	t.after(() => child.kill("SIGKILL"));
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const line = async () => {
		const { value, done } = await lines.next();
		return done ? undefined : JSON.parse(value);
	};
	const kill = async () => {
		child.kill("SIGKILL");
		await once(child, "exit");
	};
	return { line, kill };
}

describe("a crash", () => {
	const POLICY = "full:base=400ms,cap=1500ms,max_retries=3";
	/** The same draws of windows of 400, 800 and 1500 ms. */
	const expected = [46, 333, 860];

	for (const [what, name] of [
		["of a worker in mid-wait", "send"],
		["of a worker in mid-job", "hang"],
		["of the server", "send"],
	]) {
		test(`${what}: the job is not lost, not early, and its delays stay the same`, { timeout: 60_000 }, async (t) => {
			const queue = opened(new Queue(`killed-${++names}`, { connection, ...jobRetries({ policy: POLICY }) }));
			let worker = startWorker(t, queue.name, POLICY, { HANG: "1" });
			await queue.add(name, {}, { jobId: "job-1", removeOnComplete: true });
			const delays = [];
			/** The last attempt began then, and its delay later. */
			let begun = 0;
			let isCrashed = false;
			/** It may have said more before it was killed. */
			let killed;
			const crash = async () => {
				isCrashed = true;
				if (what === "of the server") {
					await servers.tell("kill redis");
					await servers.tell("start redis");
				} else {
					killed = worker;
					await killed.kill();
					worker = startWorker(t, queue.name, POLICY);
				}
			};
			for (;;) {
				const said = (await killed?.line()) ?? (await worker.line());
				assert.ok(said, "the worker ended");
				const { started, failed, delay, attempt, completed } = said;
				if (completed) {
					assert.equal(attempt, 4);
					break;
				}
				if (started) {
					assert.ok(started >= begun + (delays.at(-1) ?? 0), `started at ${started} after ${begun}: ${delays}`);
					begun = started;
					if (name === "hang" && attempt === 1 && !isCrashed) {
						await crash();
					}
				}
				if (failed) {
					assert.equal(attempt, delays.length + 1);
					delays.push(delay);
					if (name === "send" && attempt === 2) {
						await crash();
					}
				}
			}
			assert.ok(isCrashed);
			assert.deepEqual(delays, expected);
			await worker.kill();
			await queue.close();
		});
	}
});
