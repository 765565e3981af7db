// Writes what VitePress reads: the pages of the project with the links of the site, the home page and the pages of tasks.
//
//	node source/write.mjs FOLDER

import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deeper, firstLevel, forSite, section } from "./markdown.mjs";
import { allPages, languages, references, root } from "./pages.mjs";
import { tasks } from "./tasks.mjs";

const pages = allPages();

/** The page and the heading of `PATH#HEADING`. */
function part(name) {
	const [path, heading] = name.split("#");
	const page = pages.get(path);
	if (!page) throw new Error(`no page ${path}`);
	return { page, heading };
}

/** What a part says, with headings that fit below one of the first level. */
function shown(name, isFirst) {
	const { page, heading } = part(name);
	const { depth, text } = section(page, heading);
	const title = heading === undefined ? page.title : heading;
	// The first needs a title only if its own headings would skip a level.
	const isBare = heading === "^" || (isFirst && firstLevel(text) <= 2);
	const above = isBare ? "" : `## ${title}\n\n`;
	// A whole page without a title above it keeps its headings.
	return above + deeper(forSite(page, pages, text), above ? Math.max(0, 2 - depth) : 0);
}

/** A part for each language, of which the page shows the one that the reader chose. */
function panels(contents) {
	const panel = ({ name, title }) =>
		`<section class="language" data-language="${name}" id="${name}" role="tabpanel" aria-label="${title}">\n\n${contents[name]}\n\n</section>`;
	return `<LanguageTabs />\n\n${languages.map(panel).join("\n\n")}`;
}

function linkTo(name) {
	const { page, heading } = part(name);
	const language = languages.find(({ name }) => page.address.startsWith(`${name}/`));
	const where = heading === undefined || heading === "^" ? "" : `: ${heading}`;
	const anchor = where && `#${heading.toLowerCase().replaceAll(" ", "-")}`;
	return `[${language ? `${language.title}: ` : ""}${page.title}${where}](/${page.address}.md${anchor})`;
}

function task({ title, text, parts, more }) {
	const all = ({ name }) => [name, parts[name].map((name, index) => shown(name, index === 0)).join("\n\n")];
	const whole = ({ name }) =>
		`\n\nMore: ${[...new Set(parts[name].map((name) => name.split("#")[0]))].map(linkTo).join(", ")}.`;
	const contents = Object.fromEntries(languages.map(all));
	for (const language of languages) contents[language.name] += whole(language);
	const others = more.filter((name) => pages.has(name.split("#")[0])).map((name) => `- ${linkTo(name)}`);
	return `---\naside: false\n---\n\n# ${title}\n\n${text}\n\n${panels(contents)}\n\n## See also\n\n${others.join("\n")}\n`;
}

/** The first block of code in a text, and the block that it prints. */
function program(page, heading) {
	const { text } = section(page, heading);
	return forSite(page, pages, /^```[\s\S]*?^```$/m.exec(text)[0]);
}

function home() {
	const readme = pages.get("README.md");
	const programs = pages.get("docs/programs.md");
	const first = section(readme, "^").text;
	const output = /^```text[\s\S]*?^```$/m.exec(first)[0];
	const contents = { python: program(readme, "^") };
	for (const { name, title } of languages.slice(1)) contents[name] = program(programs, title);
	for (const { name, title } of languages) contents[name] += `\n\n[All about ${title}](/${name}/index.md)`;
	const list = tasks.map(({ name, title, text }) => `- [**${title}**](/tasks/${name}.md)\n  ${text}`);
	const lead = first.slice(0, first.indexOf("\n\n"));
	return `---
title: backoff
titleTemplate: false
sidebar: false
aside: false
outline: false
pageClass: home
---

<div class="hero">
<div>

# backoff

${lead}

<div class="actions">

[Try a policy](/playground/) [Which policy for what](/${pages.has("docs/choosing.md") ? "choosing" : "presets"}.md) [Overview](/overview.md)

</div>
</div>
<ClientsPicture />
</div>

## The first program

${panels(contents)}

Each prints:

${output}

## What do you want to do?

<div class="cards">

${list.join("\n")}

</div>
`;
}

export function write(folder) {
	rmSync(folder, { recursive: true, force: true });
	const put = (address, text) => {
		const path = join(folder, `${address}.md`);
		if (existsSync(path)) throw new Error(`two pages are at ${address}`);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	};
	for (const page of pages.values()) put(page.address, forSite(page, pages));
	for (const { address, text } of references()) put(address, text);
	for (const page of tasks) put(`tasks/${page.name}`, task(page));
	put("index", home());
	const pictures = join(folder, "public/pictures");
	mkdirSync(pictures, { recursive: true });
	for (const name of readdirSync(join(root, "docs"), { recursive: true }).filter((name) => name.endsWith(".svg"))) {
		copyFileSync(join(root, "docs", name), join(pictures, `docs-${name.replaceAll("/", "-")}`));
	}
	copyFileSync(join(import.meta.dirname, "favicon.svg"), join(folder, "public/favicon.svg"));
	// The pages become programs, which import Vue.
	symlinkSync(join(root, "site/node_modules"), join(folder, "node_modules"));
}

if (process.argv[1] === import.meta.filename) write(process.argv[2]);
