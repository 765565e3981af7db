// The modules for Vercel's Edge Runtime, which compiles no bytes at run time either. Its tools import a module
// by this suffix.

import first from "./backoff.wasm?module";
import analysis from "./backoff-analysis.wasm?module";
import budget from "./backoff-budget.wasm?module";
import member from "./backoff-member.wasm?module";

export const compileFirst = () => first;
export const compileAnalysis = () => analysis;
export const compileBudget = () => budget;
export const compileMember = () => member;
