// `npm run locks`: writes the lock files with a package on each line, so that a difference shows a package. npm reads
// them so, and writes them with a member on each line.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const LOCKS = [".", "tests/everywhere", "tests/hosts/newest", "tests/hosts/oldest"].map((folder) =>
	join(import.meta.dirname, folder, "package-lock.json"),
);

/** JSON on one line, with spaces between members. */
const shown = (value) =>
	JSON.stringify(value, null, 1)
		.replace(/(?<=[[{])\n *|\n *(?=[\]}])/g, "")
		.replace(/\n */g, " ");

export function withAPackageALine(text) {
	const { packages, ...lock } = JSON.parse(text);
	const members = Object.entries(lock).map(([name, value]) => `\t${shown(name)}: ${shown(value)},\n`);
	const lines = Object.entries(packages).map(([path, found]) => `\t\t${shown(path)}: ${shown(found)}`);
	return `{\n${members.join("")}\t"packages": {\n${lines.join(",\n")}\n\t}\n}\n`;
}

if (process.argv[1] === import.meta.filename) {
	for (const path of LOCKS) {
		writeFileSync(path, withAPackageALine(readFileSync(path, "utf8")));
	}
}
