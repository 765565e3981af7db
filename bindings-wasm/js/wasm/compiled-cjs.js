// The modules of the file for Node.js: their bytes are base64, which Node.js decodes in no time. `decode` of ascii.js takes
// 3 ms before the engine has optimised it. FIRST_BASE64 and its siblings stand for the texts, which build.mjs puts there.

export const compileFirst = () => compile(FIRST_BASE64);
export const compileAnalysis = () => compile(ANALYSIS_BASE64);
export const compileBudget = () => compile(BUDGET_BASE64);
export const compileMember = () => compile(MEMBER_BASE64);

function compile(base64) {
	const bytes =
		typeof Buffer === "function"
			? Buffer.from(base64, "base64")
			: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
	return new WebAssembly.Module(bytes);
}
