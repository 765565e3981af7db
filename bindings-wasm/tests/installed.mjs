// The package in the project that BACKOFF_WASM_PROJECT names. A plain `import "backoff-wasm"` would
// resolve to the source folder, not to the installed package. BACKOFF_WASM_ENTRY names the entry to test.

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const { BACKOFF_WASM_ENTRY = "backoff-wasm", BACKOFF_WASM_PROJECT } = process.env;
if (BACKOFF_WASM_PROJECT === undefined) {
	throw new Error("BACKOFF_WASM_PROJECT must name a project that has the tarball installed; `npm test` makes one");
}

/** The project, the package in it, and the source folder of the package. */
export const project = BACKOFF_WASM_PROJECT;
export const installed = join(project, "node_modules/backoff-wasm");
export const source = fileURLToPath(new URL("..", import.meta.url));

export const requireThere = createRequire(join(project, "package.json"));
const FILES = { "backoff-wasm": "dist/index.js", "backoff-wasm/js": "dist/js/index.js" };
/** The entry under test, as bundlers load it. */
export const { href } = pathToFileURL(join(installed, FILES[BACKOFF_WASM_ENTRY]));
export const esm = await import(href);
export const {
	AbortError,
	PermanentError,
	Backoff,
	Budget,
	BudgetState,
	fetchOutcome,
	RetryStats,
	httpOutcome,
	httpVerdict,
	isIdempotentMethod,
	makeRetriable,
	Operation,
	Policy,
	PolicyError,
	RetryError,
	SharedBudget,
	BudgetMember,
	retry,
	setDefaults,
	parseRetryAfter,
	parseRetryAfterNs,
	proxyStatuses,
	RandomStream,
} = esm;
