// The modules for Cloudflare's workerd, which compiles no bytes at run time: they must be imported.

import first from "./backoff.wasm";
import analysis from "./backoff-analysis.wasm";
import budget from "./backoff-budget.wasm";
import member from "./backoff-member.wasm";

export const compileFirst = () => first;
export const compileAnalysis = () => analysis;
export const compileBudget = () => budget;
export const compileMember = () => member;
