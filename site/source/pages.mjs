// The pages of the site: every Markdown file that the project has, and its address.

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");
export const repository = "https://github.com/backoff-rs/backoff";
/** Where the site is published. Pages name it, because the forge shows them, too. */
export const published = "https://backoff-rs.github.io/backoff/";

/** The languages, in the order of their tabs: what readers see, and the folder of the binding. */
export const languages = [
	{ name: "python", title: "Python", folder: "bindings-python" },
	{ name: "javascript", title: "JavaScript", folder: "bindings-wasm" },
	{ name: "go", title: "Go", folder: "bindings-go" },
	{ name: "rust", title: "Rust", folder: "bindings-rust" },
	{ name: "c", title: "C", folder: "bindings-c" },
];

/** Folders and their addresses. The first that fits a page counts. */
const folders = [
	["bindings-rust/adapters/docs/", "rust/adapters/"],
	["bindings-rust/adapters/", "rust/adapters/"],
	["bindings-c/examples/languages/", "c/languages/"],
	...languages.flatMap(({ name, folder }) => [
		[`${folder}/docs/`, `${name}/`],
		[`${folder}/`, `${name}/`],
	]),
	["core/fuzz/", "project/fuzz/"],
	["core/", "rust/core/"],
	["tools/cli/docs/", "command/"],
	["tools/cli/", "command/"],
	["tools/simulator/", "simulator/"],
	["tools/export/", "rust/export/"],
	["docs/", ""],
	["site/", "project/site/"],
	["tests/", "project/tests/"],
	["bench/", "project/bench/"],
];

/** The address of a page, without the end of its name. */
export function addressOf(path) {
	if (path === "README.md") return "overview";
	const [folder, address] = folders.find(([folder]) => path.startsWith(folder)) ?? ["", ""];
	const rest = path.slice(folder.length).replace(/\.md$/, "");
	return address + rest.replace(/(^|\/)README$/, "$1index").toLowerCase();
}

/** The pages by their paths in the project. Links to pages of other folders are the same pages. */
export function allPages() {
	const list = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
	const paths = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\n");
	const isPage = (path) => path !== "" && existsSync(join(root, path)) && !lstatSync(join(root, path)).isSymbolicLink();
	const page = (path) => {
		const text = readFileSync(join(root, path), "utf8");
		return [path, { path, text, address: addressOf(path), title: titleOf(text) }];
	};
	return new Map(paths.filter(isPage).sort().map(page));
}

/** The pages of the references, which the tools of the languages have written. A site without references has none. */
export function references() {
	const folder = process.env.BACKOFF_SITE_REFERENCES;
	if (!folder) return [];
	const files = readdirSync(folder, { recursive: true })
		.filter((name) => name.endsWith(".md"))
		.sort();
	return files.map((file) => {
		const text = readFileSync(join(folder, file), "utf8");
		return { address: `api/${file.slice(0, -".md".length)}`, text, title: titleOf(text) };
	});
}

export function titleOf(text) {
	return /^# (.*)$/m.exec(text)?.[1].replaceAll("`", "") ?? "";
}
