#!/usr/bin/env -S node --no-warnings
// Runs a program of GOOS=wasip1 in Node.js: go test -exec=wasip1_exec.mjs
import { readFile } from "node:fs/promises";
import { argv, cwd, env, exit } from "node:process";
import { WASI } from "node:wasi";

const wasi = new WASI({
  version: "preview1",
  args: argv.slice(2),
  env: { ...env, PWD: cwd() },
  preopens: { "/": "/" },
});
const module = await WebAssembly.compile(await readFile(argv[2]));
exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
