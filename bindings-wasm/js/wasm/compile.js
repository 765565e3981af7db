// The compiled module of the single-file builds. Its bytes are text in the same file, so no
// bundler can leave them behind.

import text from "../../dist/pkg/text.js";
import { decode } from "./ascii.js";

/** @returns {WebAssembly.Module} */
export function compile() {
	return new WebAssembly.Module(decode(text));
}
