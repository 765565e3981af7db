// The compiled module for Cloudflare's workerd, which compiles no bytes at run time: it must be imported.

import module from "./backoff.wasm";

/** @returns {WebAssembly.Module} */
export function compile() {
	return module;
}
