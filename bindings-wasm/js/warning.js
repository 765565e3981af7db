// Warnings, each once: Node.js, Bun and Deno have a channel for those of libraries, others have the console.

const said = new Set();

/** Says what a function returns, unless a warning of this name was said before. */
export function warnOnce(name, say) {
	if (said.has(name)) {
		return;
	}
	said.add(name);
	const { console, process } = globalThis;
	if (typeof process?.emitWarning === "function") {
		process.emitWarning(say(), "BackoffWarning");
	} else {
		console?.warn?.(say());
	}
}
