// The core for Vercel's Edge Runtime, which compiles no bytes at run time either. Its tools import a module
// by this suffix.

import module from "./backoff.wasm?module";

/** The module's functions and its memory. */
export function instantiate() {
	return new WebAssembly.Instance(module).exports;
}
