// A worker in a process of its own, which a test can kill: bullmq.worker.mjs ADDRESS QUEUE POLICY. Its jobs fail three
// times. A job whose name is "hang" hangs at its first attempt. It prints a JSON line for every start and every end.

import { jobRetries } from "backoff-wasm/bullmq";
import { Worker } from "bullmq";

const [address, queue, policy] = process.argv.slice(2);
const { hostname: host, port } = new URL(address);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const act = async (job) => {
	say({ started: Date.now(), attempt: job.attemptsMade });
	if (job.name === "hang" && job.attemptsMade === 1 && process.env.HANG) {
		await new Promise(() => setInterval(() => {}, 1000));
	}
	if (job.attemptsMade < 3) {
		throw new Error("busy");
	}
};
const worker = new Worker(queue, act, {
	connection: { host, port: Number(port), maxRetriesPerRequest: null },
	// A job whose worker is gone is given to another one soon, and that of a slow worker is not.
	lockDuration: 3000,
	stalledInterval: 500,
	settings: jobRetries({ policy, seed: 42 }).settings,
});
worker.on("failed", (job) => say({ failed: Date.now(), delay: job.delay, attempt: job.attemptsMade }));
worker.on("completed", (job) => say({ completed: Date.now(), attempt: job.attemptsMade }));
// Redis is restarted under it.
worker.on("error", () => {});
