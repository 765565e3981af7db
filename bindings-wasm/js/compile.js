// The module of the single-file builds: its bytes are text in the same file, so that no
// bundler can leave them behind.

import text from "../dist/pkg/text.js";
import { decode } from "./text.js";

/** @returns {WebAssembly.Module} */
export function compile() {
	return new WebAssembly.Module(decode(text));
}
