// The modules of the files for browsers and bundlers: their bytes are text in the same file, so no bundler can leave them
// behind. MODULE_TEXT and MORE_TEXT stand for the texts, which build.mjs puts there.

import { decode } from "./ascii.js";

export const compile = () => new WebAssembly.Module(decode(MODULE_TEXT));
export const compileMore = () => new WebAssembly.Module(decode(MORE_TEXT));
