// The core of the file for Node.js: its bytes are base64, which Node.js decodes in no time. `decode` of ascii.js takes
// 3 ms before the engine has optimised it.

/** The module's functions and its memory. `MODULE_BASE64` stands for the text, which build.mjs puts there. */
export function instantiate() {
	const bytes =
		typeof Buffer === "function"
			? Buffer.from(MODULE_BASE64, "base64")
			: Uint8Array.from(atob(MODULE_BASE64), (character) => character.charCodeAt(0));
	return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}
