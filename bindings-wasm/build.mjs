// Builds dist/: the WebAssembly module from the Rust crate in this folder, then the bundles, and in
// dist/package the folder that npm packs.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { minify } from "terser";
import { encode } from "./js/wasm/ascii.js";

const TARGET = "wasm32-unknown-unknown";

process.chdir(fileURLToPath(new URL(".", import.meta.url)));

const capture = (program, ...options) => {
	try {
		return execFileSync(program, options, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
	} catch (error) {
		if (error.code === "ENOENT") {
			throw new Error(`${program} is missing; install Rust with rustup: https://rustup.rs`);
		}
		throw error;
	}
};
const run = (program, ...options) => void capture(program, ...options);

/** Compiles the crate and runs wasm-bindgen, which lets a crate without unsafe code export functions. */
function compile() {
	if (!existsSync(capture("rustc", "--print", "target-libdir", "--target", TARGET).trim())) {
		run("rustup", "target", "add", TARGET);
	}
	run("cargo", "build", "--locked", "--quiet", "--profile", "wasm", "--target", TARGET, "--package", "bindings-wasm");
	const { target_directory } = JSON.parse(
		capture("cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"),
	);
	const module = join(target_directory, TARGET, "wasm", "backoff_wasm.wasm");
	run("cargo", "run", "--locked", "--quiet", "--package", "bindings-wasm-glue", "--", module, "dist/pkg");
}

/** The features that rustc uses by default. Every engine of recent years has them. */
const FEATURES = [
	"bulk-memory",
	"multivalue",
	"mutable-globals",
	"nontrapping-float-to-int",
	"reference-types",
	"sign-ext",
];

function binaryen(tool, ...options) {
	const path = createRequire(import.meta.url).resolve(`binaryen/bin/${tool}`);
	run(process.execPath, path, ...FEATURES.map((feature) => `--enable-${feature}`), ...options);
}

/** Shrinks the module to the functions that js/ calls. It then imports nothing. */
function shrink() {
	const compiled = new WebAssembly.Module(readFileSync("dist/pkg/backoff_bg.wasm"));
	const called = WebAssembly.Module.exports(compiled)
		.map(({ name }) => name)
		// The rest supports values that are not numbers.
		.filter((name) => !name.startsWith("__"));
	const graph = [{ name: "js", root: true, reaches: called }, ...called.map((name) => ({ name, export: name }))];
	writeFileSync("dist/pkg/called.json", JSON.stringify(graph));
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
		// The new control flow graph and the second round save 170 bytes of the gzipped package.
		"--flatten",
		"--rereloop",
		"-Oz",
		"-Oz",
		// Similar functions side by side: gzip finds more patterns.
		"--reorder-functions",
		"--reorder-locals",
		// The module cannot trap, and it does not use the page at address 0.
		"--traps-never-happen",
		"--low-memory-unused",
		"--converge",
		"--strip-debug",
		"--strip-producers",
		"--strip-target-features",
	);
}

/** For workerd, the module that imports the WebAssembly replaces the one that compiles it. */
const WORKERD = {
	name: "workerd",
	setup({ onResolve }) {
		onResolve({ filter: /\/compile\.js$/ }, () => ({ path: resolve("js/wasm/compile-workerd.js") }));
	},
};

const BUNDLE = { entryPoints: ["js/index.js"], bundle: true, target: "es2022", logLevel: "warning" };

/** Bundles for downloads: small, with a source map. Terser saves a further 400 bytes of the gzipped package. */
async function bundleSmall(name, options) {
	const { metafile, outputFiles } = await build({
		...BUNDLE,
		...options,
		format: "esm",
		minify: true,
		sourcemap: "external",
		outfile: `dist/${name}`,
		metafile: true,
		write: false,
	});
	const [content, { text }] = outputFiles;
	const { code, map } = await minify(text, {
		module: true,
		ecma: 2022,
		compress: { passes: 2 },
		sourceMap: { content: content.text, url: `${name}.map` },
	});
	writeFileSync(`dist/${name}`, code);
	writeFileSync(`dist/${name}.map`, map);
	return metafile.outputs[`dist/${name}`].exports;
}

async function bundle() {
	const define = { MODULE_TEXT: JSON.stringify(encode(readFileSync("dist/backoff.wasm"))) };
	const [exported, , node] = await Promise.all([
		bundleSmall("index.js", { define }),
		bundleSmall("workerd.js", { plugins: [WORKERD], external: ["./backoff.wasm"] }),
		// For Node.js, which reads the names of a module's exports before it runs the module. Nobody
		// downloads it to a page, so its stack traces can show the names of the sources.
		build({ ...BUNDLE, define, format: "cjs", platform: "node", write: false }),
	]);
	// esbuild renames a class inside itself, and messages and stack traces would show that name.
	const [{ text }] = node.outputFiles;
	const classes = [...text.matchAll(/ = class _(\w+)/g)].map(([, name]) => name);
	writeFileSync("dist/index.cjs", text.replace(new RegExp(`\\b_(?=(?:${classes.join("|")})\\b)`, "g"), ""));
	// In Node.js `import` and `require` load the same copy of the classes.
	writeFileSync("dist/node.js", `export { ${exported.join(", ")} } from "./index.cjs";\n`);
	for (const types of ["dist/index.d.ts", "dist/index.d.cts"]) {
		copyFileSync("js/index.d.ts", types);
	}
}

/** Copies the files of the package, and the manifest without what only a checkout has. */
function stage() {
	rmSync("dist/package", { recursive: true, force: true });
	const { private: _, scripts, devDependencies, ...manifest } = JSON.parse(readFileSync("package.json"));
	for (const path of ["README.md", ...manifest.files]) {
		cpSync(path, join("dist/package", path));
	}
	writeFileSync("dist/package/package.json", `${JSON.stringify(manifest, null, "\t")}\n`);
}

compile();
shrink();
await bundle();
stage();
