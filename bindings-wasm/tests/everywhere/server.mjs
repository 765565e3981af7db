// A server on this machine: `/busy?ID` answers 503 at first, `/report?ID` takes results, and the rest are pages.

import { createServer } from "node:http";
import { FAILURES } from "./expected.mjs";

const TYPES = { html: "text/html", js: "text/javascript" };

/** Starts a server. `page(path)` is the content of a page, or undefined; a page below `/strict/` forbids WebAssembly. */
export async function startServer(page = () => undefined) {
	const calls = new Map();
	const reports = new Map();
	const reported = (id) => {
		if (!reports.has(id)) {
			reports.set(id, Promise.withResolvers());
		}
		return reports.get(id);
	};
	const server = createServer(async (request, response) => {
		const { pathname, search } = new URL(request.url, "http://localhost");
		response.setHeader("Access-Control-Allow-Origin", "*");
		if (pathname === "/busy") {
			const count = (calls.get(search) ?? 0) + 1;
			calls.set(search, count);
			response.statusCode = count <= FAILURES ? 503 : 200;
			return response.end("loaded");
		}
		if (pathname === "/report") {
			const body = await new Response(request).text();
			reported(search.slice(1)).resolve(JSON.parse(body));
			return response.end();
		}
		const content = page(pathname);
		response.statusCode = content === undefined ? 404 : 200;
		response.setHeader("Content-Type", TYPES[pathname.split(".").pop()] ?? "text/plain");
		if (pathname.startsWith("/strict/")) {
			response.setHeader("Content-Security-Policy", "script-src 'self'");
		}
		response.end(content);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${server.address().port}`,
		/** What is reported under an ID. */
		report: (id) => reported(id).promise,
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}
