// `node build.mjs [FOLDER]` builds the engine, the page and its worker, in dist/ unless a folder is given. Any file
// server can serve it, from any folder.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const TARGET = "wasm32-unknown-unknown";
const here = import.meta.dirname;
const dist = process.argv[2] ?? join(here, "dist");
const pkg = join(here, "../engine/pkg");

/** What a program prints: its words, and arguments that may contain spaces. */
function run(line, ...more) {
	const [program, ...words] = line.split(" ");
	return execFileSync(program, [...words, ...more], {
		cwd: here,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
	});
}

function engine() {
	if (!existsSync(run(`rustc --print target-libdir --target ${TARGET}`).trim())) {
		run(`rustup target add ${TARGET}`);
	}
	run(`cargo build --locked --quiet --profile site-engine --target ${TARGET} --package site-engine`);
	const { target_directory } = JSON.parse(run("cargo metadata --locked --no-deps --format-version 1"));
	const module = join(target_directory, TARGET, "site-engine/site_engine.wasm");
	run("cargo run --locked --quiet --package bindings-wasm-glue --", module, pkg);
	const optimizer = createRequire(import.meta.url).resolve("binaryen/bin/wasm-opt");
	const options = "-Oz --strip-debug --strip-producers --strip-target-features --output".split(" ");
	run("node", optimizer, join(pkg, "backoff_bg.wasm"), ...options, join(pkg, "engine.wasm"));
}

async function page() {
	rmSync(dist, { recursive: true, force: true });
	mkdirSync(dist, { recursive: true });
	await build({
		absWorkingDir: here,
		entryPoints: { playground: "src/main.js", worker: "src/worker.js", style: "style.css" },
		outdir: dist,
		bundle: true,
		format: "esm",
		target: "es2022",
		minify: true,
		legalComments: "linked",
		loader: { ".md": "text" },
		logLevel: "warning",
	});
	copyFileSync(join(here, "index.html"), join(dist, "index.html"));
	copyFileSync(join(pkg, "engine.wasm"), join(dist, "engine.wasm"));
}

// While you write the page, the engine stays as it is.
if (!process.env.BACKOFF_PAGE_ONLY) {
	engine();
}
await page();
const files = ["index.html", "style.css", "playground.js", "worker.js", "engine.wasm"];
const sizes = files.map((file) => [file, gzipSync(readFileSync(join(dist, file)), { level: 9 }).length]);
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
process.stdout.write(`${sizes.map(([file, size]) => `${file} ${size}`).join(", ")}: ${total} bytes gzipped\n`);
