// The delays that BullMQ schedules for one job: bullmq.mjs REDIS POLICY SEED JOB FAILURES. It prints a JSON line with
// them, in milliseconds. The job fails so often and then succeeds, unless the policy ends it before.

import { jobRetries } from "backoff-wasm/bullmq";
import { Queue, Worker } from "bullmq";

const [address, policy, seed, jobId, failures] = process.argv.slice(2);
const { hostname: host, port } = new URL(address);
const connection = { host, port: Number(port), maxRetriesPerRequest: null };
const { defaultJobOptions, settings } = jobRetries({ policy, seed: BigInt(seed) });
const name = `queue-${process.pid}-${Date.now()}`;
const queue = new Queue(name, { connection, defaultJobOptions });
const act = async ({ attemptsMade }) => {
	if (attemptsMade < Number(failures)) {
		throw new Error("busy");
	}
};
const worker = new Worker(name, act, { connection, settings });
const delays = [];
const ended = new Promise((resolve) => {
	worker.on("failed", (job) => (job.finishedOn ? resolve() : delays.push(job.delay)));
	worker.on("completed", resolve);
});
await queue.add("job", {}, { jobId });
await ended;
console.log(JSON.stringify({ delays }));
await worker.close();
await queue.obliterate({ force: true });
await queue.close();
