// Every link of the built site leads to a file of it, and to an element of that file. `BACKOFF_SITE` is its folder.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const site = process.env.BACKOFF_SITE;
const base = process.env.BACKOFF_SITE_BASE ?? "/";
/** What the tests of a change do not build: `cargo xtask site` does. */
const later = process.env.BACKOFF_SITE_PAGES_ONLY ? ["playground/", "api/"] : [];

const files = readdirSync(site, { recursive: true }).filter((path) => path.endsWith(".html"));
const texts = new Map(files.map((path) => [path, readFileSync(join(site, path), "utf8")]));
const ids = new Map();

function idsOf(path) {
	if (!ids.has(path))
		ids.set(
			path,
			new Set(
				[...texts.get(path).matchAll(/\s(?:id|name)=(?:"([^"]*)"|([^\s">]+))/g)].map(([, id, bare]) =>
					unescaped(id ?? bare),
				),
			),
		);
	return ids.get(path);
}

function unescaped(text) {
	return text
		.replaceAll("&quot;", '"')
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&#39;", "'")
		.replaceAll("&amp;", "&");
}

/** Why a link leads nowhere. */
function fault(from, link) {
	if (/^(https?|mailto|data|javascript):/.test(link)) return;
	const [address, anchor] = unescaped(link).split("#");
	const path = decodeURIComponent(address.split("?")[0]);
	if (path.startsWith("/") && !path.startsWith(base)) return "is outside of the site";
	let file = path === "" ? from : path.startsWith("/") ? path.slice(base.length) : join(dirname(from), path);
	if (later.some((folder) => file.startsWith(folder))) return;
	if (existsSync(join(site, file)) && statSync(join(site, file)).isDirectory()) file = join(file, "index.html");
	if (!existsSync(join(site, file))) return "is no file";
	const goesOn = /<meta http-equiv="refresh" content="0;URL=([^"]*)"/.exec(texts.get(file))?.[1];
	if (goesOn) return fault(file, anchor ? `${goesOn}#${anchor}` : goesOn);
	// Scripts answer these: the playground its own addresses, and rustdoc ranges of lines.
	const isOfAScript = file.startsWith("playground/") || file.startsWith("api/rust/src/");
	const names = () => [anchor, decodeURIComponent(anchor)];
	if (anchor && texts.has(file) && !isOfAScript && !names().some((name) => idsOf(file).has(name)))
		return "has no such heading";
}

test("no link is dead", () => {
	const faults = new Set();
	let count = 0;
	for (const [path, text] of texts) {
		const body = text.replace(/<script\b[\s\S]*?<\/script>/g, "");
		for (const [, link] of body.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
			count += 1;
			const why = fault(path, link);
			if (why) faults.add(`${path}: ${link} ${why}`);
		}
	}
	assert.deepEqual([...faults].slice(0, 50), []);
	assert.ok(texts.size > 100 && count > 5000, `${texts.size} pages, ${count} links`);
});

test("nothing is loaded from elsewhere", () => {
	const loads =
		/<(?:script|img|iframe|source|video|audio)\b[^>]*\ssrc="(https?:[^"]*)"|<link\b[^>]*\shref="(https?:[^"]*)"/g;
	const found = [...texts].flatMap(([path, text]) =>
		[...text.matchAll(loads)].map(([, src, href]) => `${path}: ${src ?? href}`),
	);
	assert.deepEqual(found, []);
	const styles = readdirSync(site, { recursive: true }).filter((path) => path.endsWith(".css"));
	const named = styles.filter((path) => /url\(["']?https?:/.test(readFileSync(join(site, path), "utf8")));
	assert.deepEqual(
		named.map((path) => relative(site, path)),
		[],
	);
});
