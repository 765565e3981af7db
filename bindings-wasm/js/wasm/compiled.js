// The modules of the files for browsers and bundlers: their bytes are text in the same file, so no bundler can leave them
// behind. FIRST_TEXT and its siblings stand for the texts, which build.mjs puts there.

import { decode } from "./ascii.js";

const compile = (text) => new WebAssembly.Module(decode(text));
export const compileFirst = () => compile(FIRST_TEXT);
export const compileAnalysis = () => compile(ANALYSIS_TEXT);
export const compileBudget = () => compile(BUDGET_TEXT);
export const compileMember = () => compile(MEMBER_TEXT);
