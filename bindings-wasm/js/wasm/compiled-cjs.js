// The modules of the file for Node.js: their bytes are base64, which Node.js decodes in no time. `decode` of ascii.js takes
// 3 ms before the engine has optimised it.

/** MODULE_BASE64 and MORE_BASE64 stand for the texts, which build.mjs puts there. */
export const compile = () => new WebAssembly.Module(decode(MODULE_BASE64));
export const compileMore = () => new WebAssembly.Module(decode(MORE_BASE64));

function decode(base64) {
	return typeof Buffer === "function"
		? Buffer.from(base64, "base64")
		: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
