// The compiled module of the single-file builds. Its bytes are text in the same file, so no
// bundler can leave them behind.

import { decode } from "./ascii.js";

/**
 * `MODULE_TEXT` stands for the text, which build.mjs puts there.
 * @returns {WebAssembly.Module}
 */
export function compile() {
	return new WebAssembly.Module(decode(MODULE_TEXT));
}
