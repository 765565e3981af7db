// Every program in ADAPTERS.md runs and prints the output that it shows, and so do the programs of tests/queues.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { startServers } from "./servers.mjs";

const here = import.meta.dirname;
const page = readFileSync(join(process.env.BACKOFF_WASM_SOURCE, "ADAPTERS.md"), "utf8");
const fences = page.match(/^```\w+$/gm).filter((fence) => fence !== "```text");
const programs = [...page.matchAll(/```js\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)];

let servers;
before(async () => {
	servers = await startServers("redis", "postgres");
});
after(() => servers.stop());

/** What a program prints, if it ends by itself, without an error. */
async function output(...words) {
	const env = { ...process.env, REDIS_URL: servers.redis, DATABASE_URL: servers.postgres };
	const { stdout, stderr } = await promisify(execFile)(process.execPath, words, { cwd: here, env });
	assert.equal(stderr, "");
	return stdout;
}

test("every program shows its output", () => {
	assert.equal(programs.length, fences.length);
});

const NAMES = {
	BullMQ: "bullmq",
	"node-redis": "redis",
	"node-postgres": "pg",
	"AWS SDK v3": "@aws-sdk/client-dynamodb",
	"`fetch`": "undici",
	OpenTelemetry: "@opentelemetry/api",
};

test("the table has the versions of the hosts", () => {
	const pinned = ["oldest", "newest"].map((folder) => {
		const manifest = join(process.env.BACKOFF_WASM_SOURCE, "tests/hosts", folder, "package.json");
		return JSON.parse(readFileSync(manifest, "utf8")).devDependencies;
	});
	const rows = [...page.matchAll(/^\| \[`backoff-wasm\/.*?\| (.*?) +\| (.*?) +\|/gm)];
	assert.equal(rows.length, 14);
	for (const [, host, versions] of rows) {
		const [oldest, newest] = pinned.map((all) => all[NAMES[host] ?? host]);
		assert.ok(versions.endsWith(`${oldest} and ${newest}`), `${host}: ${oldest} and ${newest}`);
	}
});

describe("ADAPTERS.md", () => {
	for (const [position, [, code, expected]] of programs.entries()) {
		test(/"backoff-wasm\/(.*?)"/.exec(code)[1], { timeout: 60_000 }, async () => {
			const file = `program-${position}.mjs`;
			writeFileSync(join(here, file), code);
			assert.equal(await output(file), expected);
		});
	}
});

test("the queue's delays for the comparison of the engines", { timeout: 60_000 }, async () => {
	const policy = "full:base=100ms,cap=20s,max_retries=5";
	const delays = async (failures) =>
		JSON.parse(await output("bullmq.mjs", servers.redis, policy, 42, "job-1", failures));
	assert.deepEqual(await delays("3"), { delays: [12, 84, 230] });
	assert.deepEqual(await delays("9"), { delays: [12, 84, 230, 84, 445] });
});
