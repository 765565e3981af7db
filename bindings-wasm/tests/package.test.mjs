// The installed tarball: its files, its size, and loading it in every kind of host.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createContext, runInContext } from "node:vm";
import { esm, installed, Policy, project, RandomStream, requireThere, source } from "./installed.mjs";
import { inProject, npm } from "./project.mjs";

const read = (path) => readFileSync(join(installed, path));
const manifest = JSON.parse(read("package.json"));

/** Prints the first delay of docs/programs.md, if an iterator and a decision agree on it. */
const USE = `
	const policy = new Policy({ growth: "exponential", base: 100, cap: 20_000, jitter: "full" });
	const stream = new RandomStream(42, "job-1");
	const operation = new Operation(Policy.parse(policy.toString()), stream, { now: 0, budget: Budget.parse("ratio") });
	const { delay } = operation.decide(httpOutcome(500), { now: 1, retryAfter: parseRetryAfter("0", 0) });
	console.log(new Backoff(policy, stream).next().value === delay ? delay : "not the same");
`;
const USED = "{ Backoff, Budget, httpOutcome, Operation, Policy, parseRetryAfter, RandomStream }";
const FIRST = "11.399434\n";
const ENTRIES = ["backoff-wasm", "backoff-wasm/js"];
const MODULES = ["backoff", "backoff-analysis", "backoff-budget", "backoff-member"].map((name) => `dist/${name}.wasm`);
const ADAPTERS = readdirSync(join(source, "js/adapters"))
	.filter((file) => file.endsWith(".d.ts"))
	.map((file) => file.slice(0, -".d.ts".length));

/** Adapters that import what they adapt. */
const IMPORTING = ["axios", "effect", "undici", "opentelemetry"];

/** Adapters that are stores: they need nothing. */
const STORES = ["postgres", "redis"];

describe("contents", () => {
	test("the files, and no others", () => {
		const files = readdirSync(installed, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
		const ofAdapters = ADAPTERS.flatMap((name) => [
			...["js", "cjs", "d.ts", "d.cts"].map((end) => `dist/adapters/${name}.${end}`),
			...["js", "cjs"].map((end) => `dist/js/adapters/${name}.${end}`),
			...[`${name}/package.json`, `js/${name}/package.json`],
		]);
		const others = files.filter((file) => !ofAdapters.includes(file));
		assert.equal(others.length, files.length - ofAdapters.length);
		const pages = [...readdirSync(join(source, "docs")), "migrating-javascript.md"].map((name) => `docs/${name}`);
		const listed = JSON.parse(readFileSync(join(source, "package.json"))).files.filter((file) => file !== "docs");
		assert.deepEqual(others.sort(), [...listed, ...pages, "README.md", "package.json"].sort());
	});

	test("no dependencies, no scripts, the version of the workspace", () => {
		const cargo = readFileSync(join(source, "../Cargo.toml"), "utf8");
		assert.equal(manifest.version, /^version = "(.*)"$/m.exec(cargo)[1]);
		const dependencies = ["dependencies", "devDependencies", "optionalDependencies"];
		for (const absent of [...dependencies, "scripts", "imports", "private"]) {
			assert.equal(manifest[absent], undefined, absent);
		}
	});

	test("what an adapter adapts is optional, and no version of it is a conflict", () => {
		const { peerDependencies, peerDependenciesMeta } = manifest;
		assert.deepEqual(Object.keys(peerDependenciesMeta), Object.keys(peerDependencies));
		for (const [name, version] of Object.entries(peerDependencies)) {
			assert.deepEqual([version, peerDependenciesMeta[name]], ["*", { optional: true }], name);
		}
	});

	test("no file uses fetch, the file system or a URL", () => {
		// The files for `import` in Node.js load those for `require`. Adapters use what they adapt.
		const files = manifest.files
			.filter((file) => /\.c?js$/.test(file) && !file.endsWith("node.js"))
			.filter((file) => !/^dist\/(?:js\/)?adapters\//.test(file));
		for (const path of files) {
			assert.doesNotMatch(read(path).toString(), /(?<!#)\bfetch\(|import\.meta|require\(|["']node:|new URL/, path);
		}
	});

	test("the links of the README are absolute, for the page of the package", () => {
		const pages = `${read("README.md")}${read("ADAPTERS.md")}`;
		const links = [...pages.matchAll(/\]\((?!#)([^)]*)\)/g)].map(([, link]) => link);
		assert.deepEqual(
			links.filter((link) => !link.startsWith("https://")),
			[],
		);
		assert.ok(links.length > 3);
	});

	test("the lock files name no registry", () => {
		const folders = [".", "tests/everywhere", "tests/hosts/newest", "tests/hosts/oldest"];
		for (const path of folders.map((folder) => join(folder, "package-lock.json"))) {
			assert.doesNotMatch(readFileSync(join(source, path), "utf8"), /"resolved"|registry/, path);
		}
	});

	test("npm installs it into an empty project, and removes all of it", async () => {
		await inProject((empty) => {
			const run = () => spawnSync(process.execPath, ["-e", 'require("backoff-wasm")'], { cwd: empty }).status;
			assert.equal(run(), 0);
			npm(empty, "uninstall", "--offline", "--no-audit", "--no-fund", "backoff-wasm");
			assert.notEqual(run(), 0);
			const left = readdirSync(empty, { recursive: true }).filter((path) => path.includes("backoff"));
			assert.deepEqual(left, []);
		});
	});
});

describe("the modules", () => {
	const modules = MODULES.map((path) => new WebAssembly.Module(read(path)));
	const start = (module, imports) => new WebAssembly.Instance(module, imports).exports;
	const first = start(modules[0]);
	const analysis = start(modules[1], { first });
	const budget = start(modules[2], { first });
	const member = start(modules[3], { first, budget });
	const exported = (module) => WebAssembly.Module.exports(module).map(({ name, kind }) => `${kind} ${name}`);

	test("the first imports nothing; others export functions of numbers", () => {
		assert.deepEqual(WebAssembly.Module.imports(modules[0]), []);
		const noFunctions = modules.map((module) => exported(module).filter((line) => !line.startsWith("function ")));
		assert.deepEqual(noFunctions, [["memory memory", "global __stack_pointer"], [], [], []]);
	});

	test("have no panic, no name section and no path", () => {
		for (const [position, module] of modules.entries()) {
			const text = read(MODULES[position]).toString("latin1");
			assert.doesNotMatch(text, /panic|unwrap|overflow|rustc|assertion|logarithm|\.rs\b/);
			for (const path of [source, homedir()]) {
				assert.ok(!text.includes(path), path);
			}
			assert.deepEqual(WebAssembly.Module.customSections(module, "name"), []);
		}
	});

	test("its memory does not grow", () => {
		const before = first.memory.buffer.byteLength;
		for (let turn = 0; turn < 1000; turn++) {
			first.catalog();
			first.policy_build(false);
			first.policy_parse(first.bytes_capacity());
			first.policy_build(true);
			budget.budget_parse(first.bytes_capacity());
			budget.budget_level(first.bytes_capacity(), 1n);
			first.begin(1n, 0n, 0n, false, 0n);
			budget.budget_step(0, 4, 2, 0n, 1n);
			budget.budget_step(first.bytes_capacity(), 1, 0, 0n, 1n);
			first.decide(2, 0n, true, 1n, true, 5n);
			first.decide(0, 0n, false, 0n, false, 0n);
			budget.budget_report(4, 2, 0n, 1n);
			member.member_begin(0, 1, 0n, 1n, 1n);
			member.member_step(0, false, 1n);
			analysis.policy_fit(true, 3n, 1_000_000_000n);
			analysis.preview_begin();
			analysis.preview_next();
			first.key_begin(1n);
			first.key_update(first.bytes_capacity());
			first.key_stream();
			first.fill(1n, 0, 512);
		}
		assert.equal(first.memory.buffer.byteLength, before);
	});
});

describe("loads", () => {
	const node = (...options) => execFileSync(process.execPath, options, { cwd: project, encoding: "utf8" });

	for (const entry of ENTRIES) {
		test(`${entry} by import`, () => {
			const code = `import ${USED} from "${entry}";${USE}`;
			assert.equal(node("--input-type=module", "--eval", code), FIRST);
		});

		test(`${entry} by require`, () => {
			const code = `const ${USED} = require("${entry}");${USE}`;
			assert.equal(node("--input-type=commonjs", "--eval", code), FIRST);
		});
	}

	test("React Native gets the entry without WebAssembly", () => {
		const code = `console.log(require.resolve("backoff-wasm") === require.resolve("backoff-wasm/js"))`;
		assert.equal(node("--conditions=react-native", "--eval", code), "true\n");
		assert.equal(node("--eval", code), "false\n");
	});

	test("a resolver that knows no exports, such as that of Metro before 0.79, finds both entries", async () => {
		// Node.js takes a path for a folder and reads "main".
		const folders = [installed, join(installed, "js")];
		const code = `console.log(${JSON.stringify(folders)}.map((folder) => require.resolve(folder)).join())`;
		assert.equal(
			node("--eval", code),
			`${folders.map((_, js) => join(installed, `dist${["", "/js"][js]}/index.cjs`))}\n`,
		);
		for (const folder of folders) {
			const fields = JSON.parse(readFileSync(join(folder, "package.json")));
			assert.equal(join(folder, fields["react-native"]), join(installed, "dist/js/react-native.cjs"));
			assert.equal(join(folder, fields.types), join(installed, "dist/index.d.ts"));
			const { inputs } = await bundled(`export { retry } from ${JSON.stringify(folder)};`, "browser");
			assert.ok(Object.keys(inputs).some((path) => resolve(path) === join(folder, fields.module)));
		}
	});

	describe("an adapter", () => {
		// Others need what they adapt: tests/hosts.
		for (const name of ADAPTERS.filter((name) => !IMPORTING.includes(name))) {
			const ofStore = `const [[, make]] = Object.entries(adapter).filter(([name]) => name !== "default");
				const client = { query() {}, evalsha() {}, eval() {} };
				console.log(typeof new SharedBudget(make(client), "name", "sre").flush === "function" && "no is unknown");`;
			const ofPolicy = `const policy = new Policy({ growth: "constant", base: 1 });
				const [[, make]] = Object.entries(adapter).filter(([name]) => name !== "default");
				try {
					/^[A-Z]/.test(make.name) ? new make({ policy, no: 1 }) : make({ policy, no: 1 });
				} catch ({ message }) {
					console.log(message.split(";")[0]);
				}`;
			const use = STORES.includes(name) ? ofStore : ofPolicy;
			for (const entry of ENTRIES) {
				test(`${entry}/${name} by import, with the classes of ${entry}`, () => {
					const code = `import * as adapter from "${entry}/${name}"; import { Policy, SharedBudget } from "${entry}"; ${use}`;
					assert.equal(node("--input-type=module", "--eval", code), "no is unknown\n");
				});
				test(`${entry}/${name} by require, with the classes of ${entry}`, () => {
					const code = `const adapter = require("${entry}/${name}"); const { Policy, SharedBudget } = require("${entry}"); ${use}`;
					assert.equal(node("--eval", code), "no is unknown\n");
				});
				test(`${entry}/${name} by a resolver that knows no exports`, () => {
					const folder = entry.replace("backoff-wasm", "");
					const code = `console.log(require.resolve(${JSON.stringify(join(installed, folder, name))}))`;
					assert.equal(node("--eval", code), `${join(installed, "dist", folder, `adapters/${name}.cjs`)}\n`);
				});
			}
		}

		test("has no copy of the core", () => {
			for (const name of ADAPTERS) {
				for (const entry of ENTRIES) {
					const text = read(join("dist", entry.replace("backoff-wasm", ""), `adapters/${name}.js`)).toString();
					assert.ok(text.length < 32_000, name);
					const imported = [...text.matchAll(/from "(backoff-wasm.*?)"/g)].map(([, from]) => from);
					assert.deepEqual([...new Set(imported)], STORES.includes(name) ? [] : [entry], name);
				}
			}
		});
	});

	describe("stack traces name the functions of the sources", () => {
		const code = 'try { Policy.parse("ful"); } catch ({ stack }) { console.log(stack); }';
		const names = /at throwParseError \(.*\n *at parseText \(.*\n *at (?:Function\.)?(?:Policy\.)?parse \(/;

		test("backoff-wasm in Node.js", () => {
			assert.match(node("--eval", `const { Policy } = require("backoff-wasm");${code}`), names);
		});

		const ofPlain =
			/at failAt \(.*\n *at read \(.*\n *at parseText \(.*\n.*\n *at (?:Function\.)?(?:Policy\.)?parse \(/;
		test("backoff-wasm/js in Node.js", () => {
			assert.match(node("--eval", `const { Policy } = require("backoff-wasm/js");${code}`), ofPlain);
		});

		for (const path of ["dist/index.js", "dist/js/index.js"]) {
			test(`${path} elsewhere`, () => {
				const { href } = pathToFileURL(join(installed, path));
				assert.match(
					node("--input-type=module", "--eval", `import { Policy } from "${href}";${code}`),
					/at Policy\.parse \(/,
				);
			});
		}
	});

	/** Passes objects of each import to the other: prints the calls, the error and the class check. */
	const BOTH = `
		const fail = async ({ retry, Policy }, { PermanentError, Policy: Other }) => {
			let calls = 0;
			const fn = () => {
				calls++;
				throw new PermanentError("gone");
			};
			const policy = Other.parse("constant:base=1ms,max_retries=2");
			const error = await retry(fn, { policy, shouldRetry: () => true }).catch((error) => error);
			return [calls, error.message, policy instanceof Policy].join();
		};
		fail(imported, required).then(async (first) => console.log(first, await fail(required, imported)));
	`;
	const ALIKE = "1,gone,true 1,gone,true\n";

	test("by import and by require, with the same classes", () => {
		const code = `
			import { createRequire } from "node:module";
			import * as imported from "backoff-wasm";
			const required = createRequire(import.meta.url)("backoff-wasm");
			${BOTH}`;
		assert.equal(node("--input-type=module", "--eval", code), ALIKE);
	});

	test("a PermanentError of one entry ends a loop of the other; a policy of it is a TypeError", () => {
		const code = `
			const [one, other] = ${JSON.stringify(ENTRIES)}.map((entry) => require(entry));
			const fn = () => {
				console.log("called");
				throw new other.PermanentError("gone");
			};
			one.retry(fn, { shouldRetry: () => true }).catch(({ message }) => console.log(message));
			const policy = other.Policy.parse("default");
			one.retry(fn, { policy, shouldRetry: () => true }).catch(({ message }) => console.log(message));`;
		const message =
			"policy must be a Policy or a policy string, got a Policy of another copy of backoff-wasm, or a proxy";
		assert.deepEqual(node("--eval", code).split("\n").sort(), ["", "called", "gone", message]);
	});

	for (const entry of ENTRIES) {
		for (const conditions of [undefined, ["workerd", "module"], ["edge-light", "module"], ["react-native"]]) {
			for (const platform of ["browser", "node"]) {
				const where = conditions?.[0] ?? platform;
				test(`${entry} by both through a bundler for ${where}, with the same classes`, async () => {
					const { inputs } = await bundled(
						`import * as imported from "${entry}"; const required = require("${entry}");${BOTH}`,
						platform,
						conditions,
					);
					assert.equal(Object.keys(inputs).filter((path) => path.includes("backoff-wasm")).length, 1);
				});
			}
		}

		test(`${entry} through a bundler, in a realm without Node.js and without TextEncoder`, async () => {
			const bundled = await bundle("browser", [], entry);
			const lines = [];
			const options = { codeGeneration: { strings: false, wasm: entry === "backoff-wasm" } };
			const realm = createContext({ console: { log: (line) => lines.push(`${line}\n`) } }, options);
			runInContext(bundled, realm);
			assert.deepEqual(lines, [FIRST]);
		});
	}

	for (const [runtime, suffix] of [
		["workerd", ""],
		["edge-light", "?module"],
	]) {
		test(`in ${runtime}, which imports the modules`, async () => {
			const bundled = await bundle("neutral", [runtime]);
			const imports = [...bundled.matchAll(/import (\w+) from ?"([^"]*)";/g)];
			const paths = MODULES.map((path) => `${path.replace("dist", ".")}${suffix}`);
			assert.deepEqual(imports.map(([, , from]) => from).sort(), paths.toSorted());
			const lines = [];
			const body = imports.reduce(
				(text, [imported, name, from]) => text.replace(imported, `const ${name} = modules[${paths.indexOf(from)}];`),
				bundled,
			);
			const { default: run } = await import(
				`data:text/javascript,${encodeURIComponent(`export default (modules, console) => {${body}}`)}`
			);
			const modules = MODULES.map((path) => new WebAssembly.Module(read(path)));
			run(modules, { log: (line) => lines.push(`${line}\n`) });
			assert.deepEqual(lines, [FIRST]);
		});
	}

	test("without crypto a stream from entropy is an error with a reason", () => {
		const realm = createContext({ module: { exports: {} } });
		runInContext(`(function (module) {${read("dist/index.cjs")}})(module)`, realm);
		assert.throws(
			() => runInContext("module.exports.RandomStream.fromEntropy()", realm),
			/crypto\.getRandomValues is missing/,
		);
	});

	test("without crypto a loop takes its seed from Math.random", async () => {
		const realm = createContext({ module: { exports: {} }, atob, performance, AbortController });
		runInContext(`(function (module) {${read("dist/index.cjs")}})(module)`, realm);
		const waits = await runInContext(
			`(async () => {
				Math.random = () => 0.5;
				const waits = [];
				const clock = { now: () => 0, sleep: (delay) => void waits.push(delay) };
				const policy = "full:base=1s,cap=1s,max_retries=3";
				await module.exports.retry(() => { throw 1; }, { policy, clock, shouldRetry: () => true }).catch(() => {});
				return waits;
			})()`,
			realm,
		);
		// 0.5 gives the seed 2^63 + 2^31; the first loop has number 0 (SPEC 18.1), whose key is eight zero bytes.
		const stream = new RandomStream(2n ** 63n + 2n ** 31n, new Uint8Array(8));
		assert.deepEqual([...waits], [...Policy.parse("full:base=1s,cap=1s").delays(stream, 3)]);
	});

	const bundle = async (platform, conditions, entry = "backoff-wasm") =>
		(await bundled(`import ${USED} from "${entry}";${USE}`, platform, [...conditions, "import"])).text;

	async function bundled(contents, platform, conditions) {
		const esbuild = createRequire(join(source, "package.json"))("esbuild");
		const { metafile, outputFiles } = await esbuild.build({
			stdin: { contents, resolveDir: project },
			bundle: true,
			write: false,
			metafile: true,
			format: "esm",
			platform,
			...(conditions && { conditions }),
			external: ["*.wasm", "*.wasm?module"],
		});
		return { text: outputFiles[0].text, inputs: metafile.inputs };
	}
});

test("the exports, by import and by require", async () => {
	const errors = ["PermanentError", "PolicyError", "RetryError", "StartError"];
	const budgets = ["Budget", "BudgetMember", "BudgetState", "SharedBudget"];
	const classes = [...errors, ...budgets, "Backoff", "Operation", "Policy", "RandomStream", "RetryStats"].sort();
	const functions = [
		"fetchOutcome",
		"httpOutcome",
		"httpVerdict",
		"isIdempotentMethod",
		"makeRetriable",
		"parseRetryAfter",
		"parseRetryAfterNs",
		"retry",
		"setDefaults",
	];
	const imported = await import(pathToFileURL(join(installed, "dist/node.js")).href);
	const noWasm = await import(pathToFileURL(join(installed, "dist/js/index.js")).href);
	for (const exported of [esm, imported, noWasm, ...ENTRIES.map((entry) => requireThere(entry))]) {
		assert.deepEqual(Object.keys(exported).sort(), [...classes, ...functions, "AbortError", "proxyStatuses"].sort());
		const names = [...classes, ...functions];
		assert.deepEqual(
			names.map((name) => exported[name].name),
			names,
		);
	}
	// The file for Node.js has the names of the sources, also in messages.
	for (const name of classes) {
		const message = `Class constructor ${name} cannot be invoked without 'new'`;
		assert.throws(() => imported[name](), { message });
	}
	assert.doesNotMatch(read("dist/index.cjs").toString(), /class _/);
});
