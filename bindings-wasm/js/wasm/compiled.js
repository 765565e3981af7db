// The core of the single-file builds: WebAssembly. Its bytes are text in the same file, so no bundler
// can leave them behind.

import { decode } from "./ascii.js";

/** The module's functions and its memory. `MODULE_TEXT` stands for the text, which build.mjs puts there. */
export function instantiate() {
	return new WebAssembly.Instance(new WebAssembly.Module(decode(MODULE_TEXT))).exports;
}
