// The installed package in the runtimes that the README names, against a server on this machine.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { installed, project, source } from "./installed.mjs";
import { vectors } from "./vectors.mjs";

const { buildSync } = createRequire(join(source, "package.json"))("esbuild");
const folder = join(project, "runtimes");
const bin = (name) => join(source, "node_modules/.bin", name);

const COUNT = 3;
const delays = vectors("jitters")
	.find(({ id }) => id === "full")
	.delays.slice(0, COUNT);

/** It breaks off its second response in the middle. */
const server = createServer(({ url, socket }, response) => {
	if (url === "/cut") {
		response.writeHead(200, { "Content-Length": 100 });
		response.write("a part", () => socket.destroy());
	} else {
		response.end("loaded");
	}
});

const listen = async (server) => {
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return `127.0.0.1:${server.address().port}`;
};

before(async () => {
	const host = await listen(server);
	const closed = createServer();
	const refused = `http://${await listen(closed)}/`;
	closed.close();
	const urls = {
		refused,
		cut: `http://${host}/cut`,
		scheme: "nope://localhost/",
		tls: `https://${host}/`,
		host: "http://host.invalid/",
	};
	const input = { policy: "full:base=100ms,cap=20s", seed: 42, key: "job-1", count: COUNT, refused, urls };
	mkdirSync(folder);
	const write = (name, text) => writeFileSync(join(folder, name), text);
	write("input.mjs", `export default ${JSON.stringify({ ...input, server: `http://${host}/` })};\n`);
	copyFileSync(join(import.meta.dirname, "smoke.mjs"), join(folder, "smoke.mjs"));
	write("main.mjs", 'import { smoke } from "./smoke.mjs";\nconsole.log(JSON.stringify(await smoke()));\n');
	write(
		"worker.mjs",
		'import { smoke } from "./smoke.mjs";\nexport default { test: async () => console.log(JSON.stringify(await smoke())) };\n',
	);
	// What Cloudflare's own tool does.
	buildSync({
		entryPoints: [join(folder, "worker.mjs")],
		outfile: join(folder, "worker.js"),
		bundle: true,
		format: "esm",
		conditions: ["workerd", "worker", "browser"],
		external: ["*.wasm"],
	});
	for (const name of MODULES) {
		copyFileSync(join(installed, "dist", name), join(folder, name));
	}
	write("workerd.capnp", WORKERD);
});
after(() => {
	server.closeAllConnections();
	server.close();
});

const MODULES = ["backoff.wasm", "backoff-analysis.wasm", "backoff-budget.wasm", "backoff-member.wasm"];
const WORKERD = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [
        (name = "worker.js", esModule = embed "worker.js"),
        ${MODULES.map((name) => `(name = "${name}", wasm = embed "${name}")`)},
      ],
      compatibilityDate = "2026-01-01",
    )),
    (name = "internet", network = (allow = ["local", "public"], tlsOptions = (trustBrowserCas = true))),
  ],
);
`;

const OUTCOMES = { refused: "transient", cut: "transient", scheme: "permanent", tls: "permanent", host: "transient" };
const RUNTIMES = {
	"Node.js": [process.execPath, ["main.mjs"]],
	Bun: [bin("bun"), ["main.mjs"]],
	Deno: [bin("deno"), ["run", "--allow-net", "--no-remote", "main.mjs"]],
	// It says "internal error" for a host without an address and for a failed TLS handshake alike.
	workerd: [bin("workerd"), ["test", "workerd.capnp"], { host: "permanent" }],
};

describe("the same delays, waits and outcomes in", () => {
	for (const [name, [program, args, outcomes]] of Object.entries(RUNTIMES)) {
		test(name, async () => {
			const env = { ...process.env, DENO_DIR: join(folder, "deno"), DENO_NO_UPDATE_CHECK: "1" };
			const { stdout } = await promisify(execFile)(program, args, { cwd: folder, env });
			const waits = delays.map((ns) => Number(ns) / 1e6);
			assert.deepEqual(JSON.parse(stdout), {
				delays,
				next: waits[0],
				loaded: "loaded",
				waits,
				outcomes: { ...OUTCOMES, ...outcomes },
			});
		});
	}
});
