// Serves a folder on loopback: `node serve.mjs FOLDER [PORT [BASE]]` prints the address.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
	".css": "text/css",
	".html": "text/html; charset=utf-8",
	".js": "text/javascript",
	".json": "application/json",
	".mjs": "text/javascript",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
	".wasm": "application/wasm",
	".woff2": "font/woff2",
};

/** Serves the folder at the path `base`, at a free port if it is 0. Returns the server once it listens. */
export function serve(folder, port = 0, base = "/") {
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url, "http://localhost");
		const inFolder = pathname.startsWith(base) ? normalize(decodeURIComponent(pathname.slice(base.length))) : "..";
		let path = join(folder, inFolder);
		if (inFolder.startsWith("..") || !existsSync(path)) path = join(folder, "404.html");
		else if (statSync(path).isDirectory()) path = join(path, "index.html");
		const isFound = !path.endsWith("404.html") && existsSync(path);
		response.writeHead(isFound ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
		if (existsSync(path)) createReadStream(path).pipe(response);
		else response.end();
	});
	return new Promise((listens, fails) => {
		server.once("error", fails);
		server.listen(port, "127.0.0.1", () => listens(server));
	});
}

if (process.argv[1] === import.meta.filename) {
	const [folder, port = "8080", base = "/"] = process.argv.slice(2);
	const server = await serve(folder, Number(port), base);
	console.log(`http://127.0.0.1:${server.address().port}${base}`);
}
