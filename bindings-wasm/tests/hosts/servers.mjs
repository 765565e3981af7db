// Servers for the tests: the program that BACKOFF_SERVERS names starts them.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts servers, and returns their addresses, a function for commands such as "kill redis", and one that ends them. */
export async function startServers(...names) {
	const { BACKOFF_SERVERS } = process.env;
	if (BACKOFF_SERVERS === undefined) {
		throw new Error("BACKOFF_SERVERS must name the program that starts servers; tests/hosts/run.mjs says how");
	}
	const [program, ...first] = JSON.parse(BACKOFF_SERVERS);
	const child = spawn(program, [...first, ...names], { stdio: ["pipe", "pipe", "inherit"] });
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const { value: addresses, done } = await lines.next();
	if (done) {
		throw new Error("the servers did not start");
	}
	const ended = new Promise((resolve) => child.once("exit", resolve));
	return {
		...JSON.parse(addresses),
		async tell(command) {
			child.stdin.write(`${command}\n`);
			const { value } = await lines.next();
			if (value !== "done") {
				throw new Error(`${command}: the servers answered ${value}`);
			}
		},
		async stop() {
			child.stdin.end();
			await ended;
		},
	};
}
