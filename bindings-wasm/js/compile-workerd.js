// Cloudflare's workerd compiles no bytes at run time; it wants the module imported.

import module from "./backoff.wasm";

/** @returns {WebAssembly.Module} */
export function compile() {
	return module;
}
