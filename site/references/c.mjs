// The reference of C: the header as a page, with a heading for each declaration. `node c.mjs FILE`.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const header = readFileSync(join(import.meta.dirname, "../../include/backoff.h"), "utf8");

/** The comment at the top, without its list of chapters, which the page has beside it. */
const about = /^\/\*\n([\s\S]*?)\n \*\//
	.exec(header)[1]
	.replace(/^ \* ?/gm, "")
	.replace(/Contents[\s\S]*?\n\n[\s\S]*?\n\n/, "");

/** Comments are text, and names of the header in them are code. */
function text(comment) {
	return comment
		.replace(/^\/\/ ?/gm, "")
		.replace(/`[^`]*`|\b(?:backoff_\w+|BACKOFF_\w+)(?:\(\))?/g, (name) => (name.startsWith("`") ? name : `\`${name}\``))
		.replaceAll("<", "&lt;");
}

function declaration(part) {
	const [, comment, code] = /^((?:\/\/.*\n)*)([\s\S]*)$/.exec(part.trim());
	const name = /^BACKOFF_ENUM\((\w+)\)|^#define (\w+)|^struct (?:BACKOFF_\w+\(\d+\) )?(\w+) \{|(\w+)\(/m
		.exec(code)
		?.slice(1)
		.find(Boolean);
	if (!name) return code.trim() && `\`\`\`c\n${part.trim()}\n\`\`\`\n`;
	return `### ${name}\n\n${text(comment)}\n\`\`\`c\n${code.trim()}\n\`\`\`\n`;
}

const chapters = header.split(/^\/\* \d+\. (.*?) -+ \*\/\n/m).slice(1);
const [before, conventions] = about.replace(/^backoff\.h: |^Generated .*\n\n/gm, "").split("\nConventions");
/** What is indented in a comment is code. */
const program = (code) => `\`\`\`c\n${code.replace(/^ {4}/gm, "").trim()}\n\`\`\`\n`;
const first = before
	.trim()
	.split(/((?:^ {4}.*\n|\n(?= {4}))+)/m)
	.map((part) => (/^\n* {4}/.test(part) ? program(part) : text(part)));
const page = [
	`# backoff.h\n\n${first.join("\n").replace(/^./, (letter) => letter.toUpperCase())}\n\n## Conventions\n${text(conventions)}\n`,
];
for (let index = 0; index < chapters.length; index += 2) {
	const parts = chapters[index + 1]
		.split(/\n#ifdef __cplusplus\n\}/)[0]
		.split(/\n\n/)
		.filter((part) => part.trim());
	page.push(`## ${chapters[index]}\n`, ...parts.map(declaration));
}
mkdirSync(dirname(process.argv[2]), { recursive: true });
writeFileSync(process.argv[2], page.join("\n"));
