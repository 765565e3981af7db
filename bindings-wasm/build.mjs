// Builds dist/: the WebAssembly module from the Rust crate in this folder, then the bundles, and in
// dist/package the folder that npm packs.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import wasm from "binaryen";
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

/** Compiles a crate and runs wasm-bindgen, which lets a crate without unsafe code export functions. */
function compile(crate, folder) {
	if (!existsSync(capture("rustc", "--print", "target-libdir", "--target", TARGET).trim())) {
		run("rustup", "target", "add", TARGET);
	}
	run("cargo", "build", "--locked", "--quiet", "--profile", "wasm", "--target", TARGET, "--package", crate);
	const { target_directory } = JSON.parse(
		capture("cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"),
	);
	const name = crate.replace("bindings", "backoff").replaceAll("-", "_");
	const module = join(target_directory, TARGET, "wasm", `${name}.wasm`);
	run("cargo", "run", "--locked", "--quiet", "--package", "bindings-wasm-glue", "--", module, folder);
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

/** The core as the build asks it for its tables: its functions, and a function that reads the text that one writes. */
function startCore() {
	const compiled = new WebAssembly.Module(readFileSync("dist/pkg/backoff_bg.wasm"));
	const imports = {};
	for (const { module, name } of WebAssembly.Module.imports(compiled)) {
		imports[module] = { ...imports[module], [name]() {} };
	}
	const { exports } = new WebAssembly.Instance(compiled, imports);
	const read = (length) => Buffer.from(exports.memory.buffer, exports.bytes(), length).toString();
	return { exports, read };
}

/**
 * The core's outcomes of HTTP statuses, as pairs of a status and the outcome from there on, from the largest down. A
 * loop without the core (SPEC 18.7) can ask this table.
 */
function httpOutcomes({ exports, read }) {
	const outcomes = /^outcome kind (.*)/m.exec(read(exports.catalog()))[1].split(" ");
	const of = (status) => outcomes[exports.http_outcome(status) - 1];
	const statuses = Array.from({ length: 2 ** 16 }, (_, status) => status);
	const changes = statuses.filter((status) => status === 0 || of(status) !== of(status - 1));
	return changes.map((status) => [status, of(status)]).reverse();
}

/** The methods of RFC 9110, and PATCH. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

function idempotentMethods({ exports }) {
	const bytes = new Uint8Array(exports.memory.buffer, exports.bytes());
	return METHODS.filter((method) => exports.is_idempotent(new TextEncoder().encodeInto(method, bytes).written));
}

/** Functions that only this build calls. */
const ONLY_HERE = ["http_outcome", "is_idempotent"];

/**
 * The modules into which the module is split: the functions that js/ calls of each, and the modules whose functions these
 * call. A program downloads those that it needs, so a loop without a budget has only the first, which has all others.
 */
const MODULES = {
	first: { of: /^(?!budget|member|preview|policy_(?:fit|params))/, on: [] },
	analysis: { of: /^(?:preview|policy_(?:fit|params))/, on: ["first"] },
	budget: { of: /^budget/, on: ["first"] },
	member: { of: /^member/, on: ["first", "budget"] },
};
const pathOf = (name) => (name === "first" ? "dist/backoff.wasm" : `dist/backoff-${name}.wasm`);

/** The part of a module that some of its functions reach, with the names of its functions. */
function reduced(input, called, output) {
	const graph = [{ name: "js", root: true, reaches: called }, ...called.map((name) => ({ name, export: name }))];
	writeFileSync(`${output}.json`, JSON.stringify(graph));
	binaryen("wasm-metadce", input, "--debuginfo", `--graph-file=${output}.json`, `--output=${output}`);
	return wasm.readBinary(readFileSync(output));
}

const functionsOf = (module) =>
	Array.from({ length: module.getNumFunctions() }, (_, index) =>
		wasm.getFunctionInfo(module.getFunctionByIndex(index)),
	);

/** Splits a module. The first one imports nothing. Others work on its memory, which has the data of all. */
function split(folder) {
	const input = `${folder}/backoff_bg.wasm`;
	const called = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(input)))
		.map(({ name }) => name)
		// Those with `__` support values that are not numbers.
		.filter((name) => !name.startsWith("__") && !ONLY_HERE.includes(name));
	const parts = {};
	for (const [part, { of, on }] of Object.entries(MODULES)) {
		const own = called.filter((name) => of.test(name));
		const others = on.flatMap((other) => parts[other].own);
		const module = reduced(input, [...own, ...others], `${folder}/${part}.wasm`);
		for (const other of on) {
			for (const [number, { name, params, results }] of parts[other].functions.entries()) {
				module.removeFunction(name);
				module.addFunctionImport(name, other, `${number}`, params, results);
			}
		}
		for (const name of others) {
			module.removeExport(name);
		}
		parts[part] = { own, module, functions: functionsOf(module).filter((each) => each.module === "") };
		if (part === "first") {
			module.addGlobalExport(STACK, STACK);
		} else {
			module.setMemory(module.getMemoryInfo().initial, NO_LIMIT, null, [], false, false, MEMORY);
			module.addMemoryImport(MEMORY, "first", "memory");
			module.removeGlobal(STACK);
			module.addGlobalImport(STACK, "first", STACK, wasm.i32, true);
		}
	}
	for (const [part, { module }] of Object.entries(parts).reverse()) {
		optimize(module, folder, pathOf(part));
		const imported = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(pathOf(part))));
		for (const { module: other, name } of imported.filter(({ kind }) => kind === "function")) {
			const { functions, module, exported = new Set() } = parts[other];
			if (!exported.has(name)) {
				module.addFunctionExport(functions[name].name, name);
			}
			parts[other].exported = exported.add(name);
		}
	}
}

const [MEMORY, STACK, NO_LIMIT] = ["0", "__stack_pointer", 2 ** 32 - 1];

function optimize(module, folder, output) {
	writeFileSync(`${folder}/split.wasm`, module.emitBinary());
	binaryen(
		"wasm-opt",
		`${folder}/split.wasm`,
		`--output=${output}`,
		// The new control flow graph and the second round save 170 bytes of the gzipped package.
		"--flatten",
		"--rereloop",
		"-Oz",
		"-Oz",
		// The module cannot trap, and it does not use the page at address 0.
		"--traps-never-happen",
		"--low-memory-unused",
		"--converge",
		"--strip-debug",
		"--strip-producers",
		"--strip-target-features",
	);
}

/** An entry with modules of its own kind: `js/wasm/compiled-NAME.js` takes the place of `compiled.js`. */
const compiledBy = (name) => ({
	name,
	setup({ onResolve }) {
		onResolve({ filter: /\/compiled\.js$/ }, () => ({ path: resolve(`js/wasm/compiled-${name}.js`) }));
	},
});

/**
 * The core in plain JavaScript, for `backoff-wasm/js` and `backoff-wasm/delay`: a file of one of these folders takes the
 * place of the one of its name.
 */
const plain = (...folders) => ({
	name: "plain",
	setup({ onResolve }) {
		onResolve({ filter: /^\.\.?\// }, ({ path }) => {
			const own = folders.map((folder) => resolve("js", folder, basename(path))).find((file) => existsSync(file));
			return own ? { path: own } : undefined;
		});
	},
});

const BUNDLE = { entryPoints: ["js/index.js"], bundle: true, target: "es2022", logLevel: "warning" };

/**
 * The text with the names of its classes. esbuild renames a class inside itself, or one whose name its variable has, and
 * messages and stack traces would show that name.
 */
function withClassNames(text) {
	const renamed = [...text.matchAll(/\bclass (_\w+|\w+2)\b/g)].map(([, name]) => name);
	return renamed.length === 0
		? text
		: text.replace(new RegExp(`\\b(?:${renamed.join("|")})\\b`, "g"), (name) => name.replace(/^_|2$/g, ""));
}

/**
 * A file for Node.js, which reads the names of a module's exports before it runs the module. It has no source map,
 * because it has the names of the sources; and Metro, which bundles one of these files, reads no map of a package.
 */
async function bundleForNode(path, options) {
	const { outputFiles } = await build({ ...BUNDLE, ...options, format: "cjs", platform: "node", write: false });
	writeFileSync(`dist/${path}`, withClassNames(outputFiles[0].text));
}

/** A readable file of which a bundler keeps what a program uses. Terser does first what some bundlers cannot. */
async function bundleForBundlers(path, { before = "", ...options }) {
	const { outputFiles } = await build({ ...BUNDLE, ...options, format: "esm", minifySyntax: true, write: false });
	const { code } = await minify(withClassNames(outputFiles[0].text), {
		module: true,
		ecma: 2022,
		mangle: false,
		// Bundlers make smaller files of declared functions than of those that were put where they are called.
		compress: { passes: 3, join_vars: false, reduce_funcs: false, hoist_funs: true },
		format: { beautify: true, preserve_annotations: true },
	});
	writeFileSync(`dist/${path}`, `${before}${code}\n`);
}

async function bundle() {
	const constantsOf = (end, encode) =>
		Object.keys(MODULES).map((name) => [
			`${name.toUpperCase()}_${end}`,
			JSON.stringify(encode(readFileSync(pathOf(name)))),
		]);
	const core = startCore();
	const text = (value) => JSON.stringify(JSON.stringify(value));
	const define = { HTTP_OUTCOMES: text(httpOutcomes(core)), IDEMPOTENT_METHODS: text(idempotentMethods(core)) };
	// In front of everything else a text costs 350 bytes less of the gzipped file than at its place.
	const texts = constantsOf("TEXT", encode).map(([name, text]) => `const ${name}=${text};\n`);
	const base64 = Object.fromEntries(constantsOf("BASE64", (bytes) => bytes.toString("base64")));
	const js = { define, plugins: [plain("plain")] };
	const imported = (name) =>
		bundleForBundlers(`${name}.js`, { define, plugins: [compiledBy(name)], external: ["*.wasm", "*.wasm?module"] });
	const delay = { entryPoints: ["js/delay.js"], plugins: [plain("delay", "plain")] };
	mkdirSync("dist/js", { recursive: true });
	await Promise.all([
		bundleForBundlers("index.js", { before: texts.join(""), define }),
		bundleForNode("index.cjs", {
			define: { ...define, ...base64 },
			plugins: [compiledBy("cjs")],
		}),
		imported("workerd"),
		imported("edge-light"),
		bundleForBundlers("js/index.js", js),
		bundleForBundlers("delay.js", delay),
		bundleForNode("js/index.cjs", js),
		// Its compilers lack private members, which are slow without them.
		bundleForNode("js/react-native.cjs", { ...js, target: "es2020" }),
		bundleForNode("delay.cjs", { ...delay, target: "es2020" }),
	]);
	const exported = Object.keys(createRequire(import.meta.url)("./dist/js/index.cjs"));
	for (const [path, names, required] of [
		["node", exported, "index"],
		["js/node", exported, "index"],
		["delay-node", ["Backoff", "Policy", "PolicyError", "RandomStream", "StartError"], "delay"],
	]) {
		// In Node.js `import` and `require` load the same copy of the classes. A plain `import` of that file would take
		// 40 times as long: Node.js would search its text for the names of its exports.
		writeFileSync(
			`dist/${path}.js`,
			`import { createRequire } from "node:module";
export const { ${names.join(", ")} } = createRequire(import.meta.url)("./${required}.cjs");
`,
		);
	}
	for (const types of ["dist/index.d.ts", "dist/index.d.cts"]) {
		copyFileSync("js/index.d.ts", types);
	}
	const types = readFileSync("js/delay.d.ts", "utf8");
	writeFileSync("dist/delay.d.ts", types);
	writeFileSync("dist/delay.d.cts", types.replaceAll("./index.js", "./index.cjs"));
}

/** The adapters, by the names of their types: `bullmq`. */
const ADAPTERS = readdirSync("js/adapters")
	.filter((file) => file.endsWith(".d.ts"))
	.map((file) => basename(file, ".d.ts"));

/** By the folder of an adapter's files, the entry that they import, so that a program has one copy of the core. */
const ENTRY_OF_ADAPTERS = { adapters: "backoff-wasm", "js/adapters": "backoff-wasm/js" };

async function bundleAdapter(name) {
	for (const [folder, entry] of Object.entries(ENTRY_OF_ADAPTERS)) {
		const alias = { "backoff-wasm": entry };
		const options = { ...BUNDLE, entryPoints: [`js/adapters/${name}.js`], packages: "external", alias };
		await Promise.all([
			build({ ...options, format: "esm", outfile: `dist/${folder}/${name}.js` }),
			build({ ...options, format: "cjs", platform: "node", outfile: `dist/${folder}/${name}.cjs` }),
		]);
	}
	const types = readFileSync(`js/adapters/${name}.d.ts`, "utf8");
	writeFileSync(`dist/adapters/${name}.d.ts`, types);
	const ofRequire = types
		.replace(/(from "\..*)\.js"/g, '$1.cjs"')
		// They have types for `import` only, which hold for `require` as well.
		.replace(/from "(?:effect|got)"(?=;)/g, '$& with { "resolution-mode": "import" }');
	writeFileSync(`dist/adapters/${name}.d.cts`, ofRequire);
}

/** What the manifest of the package says about an adapter. Both entries have the same types. */
function entryOf(name, folder) {
	const [esm, cjs] = [`./dist/${folder}/${name}.js`, `./dist/${folder}/${name}.cjs`];
	return {
		import: { types: `./dist/adapters/${name}.d.ts`, default: esm },
		require: { types: `./dist/adapters/${name}.d.cts`, default: cjs },
	};
}

/** For resolvers that know no exports: the manifest of a folder with the name of the adapter. */
function folderOf(name, folder, root) {
	const [main, module] = ["cjs", "js"].map((end) => `${root}/dist/${folder}/${name}.${end}`);
	return { type: "module", main, module, types: `${root}/dist/adapters/${name}.d.cts`, sideEffects: false };
}

/** Copies the files of the package, and the manifest without what only a checkout has, and with the adapters. */
function stage() {
	rmSync("dist/package", { recursive: true, force: true });
	const { private: _, scripts, devDependencies, ...manifest } = JSON.parse(readFileSync("package.json"));
	const write = (path, content) =>
		writeFileSync(join("dist/package", path), `${JSON.stringify(content, null, "\t")}\n`);
	for (const name of ADAPTERS) {
		manifest.files.push(...["js", "cjs", "d.ts", "d.cts"].map((end) => `dist/adapters/${name}.${end}`));
		manifest.files.push(...["js", "cjs"].map((end) => `dist/js/adapters/${name}.${end}`));
		manifest.exports[`./${name}`] = entryOf(name, "adapters");
		manifest.exports[`./js/${name}`] = entryOf(name, "js/adapters");
	}
	for (const path of ["README.md", ...manifest.files]) {
		cpSync(path, join("dist/package", path), { recursive: true });
	}
	// The links of this page are those of a checkout.
	const page = readFileSync("../docs/migrating-javascript.md", "utf8");
	const links = page.replaceAll(
		"](migrating.md)",
		`](${manifest.homepage.replace(/bindings-wasm.*/, "docs/migrating.md")})`,
	);
	writeFileSync("dist/package/docs/migrating-javascript.md", links.replaceAll("](../bindings-wasm/", "](../"));
	for (const name of ADAPTERS) {
		mkdirSync(join("dist/package", name));
		mkdirSync(join("dist/package/js", name));
		write(`${name}/package.json`, folderOf(name, "adapters", ".."));
		write(`js/${name}/package.json`, folderOf(name, "js/adapters", "../.."));
		manifest.files.push(`${name}/package.json`, `js/${name}/package.json`);
	}
	write("package.json", manifest);
}

compile("bindings-wasm", "dist/pkg");
split("dist/pkg");
await bundle();
await Promise.all(ADAPTERS.map(bundleAdapter));
stage();
