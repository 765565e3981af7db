// The reference of JavaScript, by TypeDoc: a page for each entry of the package. `node javascript.mjs FOLDER`.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const typedoc = ["../node_modules/typedoc/bin/typedoc", "--options", "typedoc.json", "--out", folder];
execFileSync("node", typedoc, { cwd: import.meta.dirname, stdio: "inherit" });
// The list of the pages is beside each of them.
rmSync(join(folder, "modules.md"));
for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".md"))) {
	const text = readFileSync(join(folder, file), "utf8");
	// Entries are named as programs import them.
	const title = (_, name) => `# ${name === "index" ? "backoff-wasm" : `backoff-wasm/${name}`}`;
	writeFileSync(join(folder, file), text.replace(/^# (?:adapters\/)?(.*)$/m, title));
}
