// The modules for Cloudflare's workerd, which compiles no bytes at run time: they must be imported.

import module from "./backoff.wasm";
import more from "./backoff-more.wasm";

export const compile = () => module;
export const compileMore = () => more;
