// Makes dist/ of dist/pkg/, which holds what wasm-bindgen made of the Rust crate.

import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { encode } from "./js/text.js";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));

// What rustc uses by default; every engine of the last years knows these.
const FEATURES = [
	"bulk-memory",
	"multivalue",
	"mutable-globals",
	"nontrapping-float-to-int",
	"reference-types",
	"sign-ext",
];

const binaryen = (tool, ...options) => {
	const path = createRequire(import.meta.url).resolve(`binaryen/bin/${tool}`);
	const features = FEATURES.map((feature) => `--enable-${feature}`);
	execFileSync(process.execPath, [path, ...features, ...options], { stdio: ["ignore", "ignore", "inherit"] });
};

// wasm-bindgen lets a crate without unsafe code export functions. What else it adds is for
// values that are no numbers: only what js/ calls is kept, and then nothing is imported.
const made = new WebAssembly.Module(readFileSync("dist/pkg/backoff_bg.wasm"));
const called = WebAssembly.Module.exports(made)
	.map(({ name }) => name)
	.filter((name) => !name.startsWith("__"));
writeFileSync(
	"dist/pkg/called.json",
	JSON.stringify([{ name: "js", root: true, reaches: called }, ...called.map((name) => ({ name, export: name }))]),
);
binaryen(
	"wasm-metadce",
	"dist/pkg/backoff_bg.wasm",
	"--graph-file=dist/pkg/called.json",
	"--output=dist/pkg/called.wasm",
);
binaryen(
	"wasm-opt",
	"dist/pkg/called.wasm",
	"--output=dist/backoff.wasm",
	"-Oz",
	// Alike things side by side: gzip finds more patterns.
	"--reorder-functions",
	"--reorder-locals",
	// Nothing here can trap, nor is the page at address 0 used.
	"--traps-never-happen",
	"--low-memory-unused",
	"--converge",
	"--strip-debug",
	"--strip-producers",
	"--strip-target-features",
);
writeFileSync("dist/pkg/text.js", `export default ${JSON.stringify(encode(readFileSync("dist/backoff.wasm")))};\n`);

const shared = { entryPoints: ["js/index.js"], bundle: true, minify: true, target: "es2022", logLevel: "warning" };
const [{ metafile }] = await Promise.all([
	build({ ...shared, format: "esm", outfile: "dist/index.js", metafile: true }),
	// For Node.js, which reads the names that a module exports before it runs it.
	build({ ...shared, format: "cjs", outfile: "dist/index.cjs", platform: "node" }),
	build({
		...shared,
		format: "esm",
		outfile: "dist/workerd.js",
		conditions: ["workerd"],
		external: ["./backoff.wasm"],
	}),
]);
// In Node.js `import` and `require` give the same classes, because there is one copy of them.
const names = metafile.outputs["dist/index.js"].exports.join(", ");
writeFileSync("dist/node.js", `export { ${names} } from "./index.cjs";\n`);
for (const types of ["dist/index.d.ts", "dist/index.d.cts"]) {
	copyFileSync("js/index.d.ts", types);
}
