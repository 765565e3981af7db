// Parts of pages, and what of them differs between the forge and the site.

import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { published, repository, root } from "./pages.mjs";

/** What the forge calls a heading. */
export function slugify(heading) {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}_\- ]/gu, "")
		.replaceAll(" ", "-");
}

/** The lines of a page, and whether each is outside of the blocks of code. */
function* linesOf(text) {
	let isCode = false;
	for (const line of text.split("\n")) {
		const isFence = line.startsWith("```");
		yield { line, isProse: !isCode && !isFence, opens: isFence && !isCode };
		if (isFence) isCode = !isCode;
	}
}

/** A part of a page: of all, of what is before its second heading (`^`), or of what is below a heading, which is named. */
export function section(page, heading) {
	const lines = [...linesOf(page.text)];
	const level = ({ line, isProse }) => (isProse ? (/^(#+) /.exec(line)?.[1].length ?? 0) : 0);
	const isStart = (line) =>
		level(line) > 0 && (heading === undefined || heading === "^" || line.line.replace(/^#+ /, "") === heading);
	const start = lines.findIndex(isStart);
	if (start < 0) throw new Error(`${page.path} has no heading "${heading}"`);
	const depth = heading === "^" ? 6 : level(lines[start]);
	const rest = lines.slice(start + 1);
	const length = heading === undefined ? -1 : rest.findIndex((line) => level(line) > 0 && level(line) <= depth);
	const part = length < 0 ? rest : rest.slice(0, length);
	return {
		depth: level(lines[start]),
		text: part
			.map(({ line }) => line)
			.join("\n")
			.trim(),
	};
}

/** The level of the first heading in a text, or 0. */
export function firstLevel(text) {
	for (const { line, isProse } of linesOf(text)) {
		const marks = isProse && /^(#+) /.exec(line)?.[1];
		if (marks) return marks.length;
	}
	return 0;
}

/** The text with its headings so much deeper. */
export function deeper(text, by) {
	const line = ({ line, isProse }) => (isProse ? line.replace(/^#+ /, (marks) => `${"#".repeat(by)}${marks}`) : line);
	return [...linesOf(text)].map(line).join("\n");
}

/** A page, or a part of it that another page shows, as the site has it: links within the site, which name pages and not
 * files, and Rust without the lines that rustdoc hides. */
export function forSite(page, pages, part) {
	let isRust = false;
	const shown = [];
	for (const { line, isProse, opens } of linesOf(part ?? page.text)) {
		if (opens) {
			const [language, ...words] = line.slice(3).split(/[ ,]/);
			isRust = language === "rust" || (language === "" && isCrate(page.path));
			shown.push(`\`\`\`${isRust ? "rust" : [language, ...words].join(" ")}`);
		} else if (isProse) {
			const titled = line.replace(/\[`?([\w./-]+\.md)`?\]\(([^)\s#]*)\)/g, (whole, _, target) => {
				const title = placeOf(target, page, pages)?.found?.title;
				return title ? `[${title}](${target})` : whole;
			});
			shown.push(prose(titled, (target) => linkOf(target, page, pages, part === undefined), isCrate(page.path)));
		} else if (!isRust || !/^\s*#( |$)/.test(line)) {
			shown.push(line);
		}
	}
	return shown.join("\n");
}

function isCrate(path) {
	return /^(core|bindings-rust|tools\/(simulator|export))\//.test(path);
}

/** A line without code in it. Items of Rust, which rustdoc links, become their names. */
function prose(line, link, isOfACrate) {
	const item = (whole, code, target) => (/[./#]/.test(target) ? whole : code);
	if (isOfACrate) {
		line = line.replace(/\[(`[^`\]]+`)\](?![([:])/g, "$1").replace(/\[([^\]]*`[^\]]*)\]\(([^)\s]*)\)/g, item);
	}
	return line
		.replace(/`[^`]*`|\]\(([^)\s]*)\)/g, (whole, target) => (target === undefined ? whole : `](${link(target)})`))
		.replace(/^(\[[^\]]+\]: )(\S+)$/, (_, name, target) => name + link(target));
}

/** Where a link of a page leads in the repository, if it leads there: the path, the page that it is, and the heading. */
function placeOf(target, page, pages) {
	const inRepository = new RegExp(`^${repository}/(?:blob|tree)/main/(.*)$`).exec(target);
	if (!inRepository && /^[a-z]+:/i.test(target)) return undefined;
	const [file, anchor] = (inRepository?.[1] ?? target).split("#");
	const path = join(inRepository ? "" : file === "" ? page.path : dirname(page.path), file).replace(/\/$/, "");
	return { path, anchor, found: pages.get(path) ?? pages.get(join(path, "README.md")) };
}

/** Where a link of a page leads on the site, or in the repository if the site lacks it. */
export function linkOf(target, page, pages, isItsPage = true) {
	if (target.startsWith(published)) return `/${target.slice(published.length)}`;
	const place = target.startsWith("#") && isItsPage ? undefined : placeOf(target, page, pages);
	if (!place) return target;
	const { path, anchor, found } = place;
	if (found) return `/${found.address}.md${anchor ? `#${anchor}` : ""}`;
	if (path.endsWith(".svg")) return `/pictures/${path.replaceAll("/", "-")}`;
	const kind = existsSync(join(root, path)) && statSync(join(root, path)).isDirectory() ? "tree" : "blob";
	return `${repository}/${kind}/main/${path}${anchor ? `#${anchor}` : ""}`;
}
