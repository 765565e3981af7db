// The reference of Rust: copies what rustdoc wrote, without the links to crates that it did not document, and without
// what programs read. `node rust.mjs FROM TO`.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [from, to] = process.argv.slice(2);

/** An anchor without `href` is text. */
function linked(path, text) {
	return text.replace(/<a\b([^>]*?) href="([^"]*)"/g, (whole, attributes, link) => {
		const isElsewhere = /^(https?:|javascript:|#)/.test(link);
		const file = join(from, dirname(path), link.split(/[#?]/)[0]);
		return isElsewhere || existsSync(file) ? whole : `<a${attributes}`;
	});
}

for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
	if (!entry.isFile() || entry.name.endsWith(".json") || entry.name.startsWith(".")) continue;
	const path = join(entry.parentPath, entry.name).slice(from.length + 1);
	mkdirSync(dirname(join(to, path)), { recursive: true });
	if (path.endsWith(".html")) writeFileSync(join(to, path), linked(path, readFileSync(join(from, path), "utf8")));
	else copyFileSync(join(from, path), join(to, path));
}
