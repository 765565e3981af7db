// The core for Cloudflare's workerd, which compiles no bytes at run time: it must be imported.

import module from "./backoff.wasm";

/** The module's functions and its memory. */
export function instantiate() {
	return new WebAssembly.Instance(module).exports;
}
