// The modules for Vercel's Edge Runtime, which compiles no bytes at run time either. Its tools import a module
// by this suffix.

import module from "./backoff.wasm?module";
import more from "./backoff-more.wasm?module";

export const compile = () => module;
export const compileMore = () => more;
