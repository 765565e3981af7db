// The engine in WebAssembly, on this thread: what takes less than a frame. Simulations are in worker.js.

import init, * as engine from "../../engine/pkg/backoff.js";

let module;

/** Compiles the engine once, for this thread and for workers. A file server may call its type anything. */
export async function start() {
	const response = await fetch(new URL("./engine.wasm", import.meta.url));
	module = await WebAssembly.compile(await response.arrayBuffer());
	await init({ module_or_path: module });
}

export const compiled = () => module;

/** An answer of the engine; `error` is in it if a text is wrong. */
const answer = (text) => JSON.parse(text);

export const catalog = () => answer(engine.catalog());
export const clients = (text) => answer(engine.clients(text));
export const policy = (text) => answer(engine.policy(text));
export const budget = (text) => answer(engine.budget(text));
export const change = (text, field, value) => answer(engine.change(text, field, value));
export const preview = (text, rows, seed, keys) => answer(engine.preview(text, rows, seed, keys.join("\n")));
export const decide = (input) => answer(engine.decide(JSON.stringify(input)));
export const formats = () => answer(engine.formats());
export const exported = (policy, budget, format, nearest, yaml) =>
	answer(engine.configuration(policy, budget, format, nearest, yaml));
