// The order of the pages, in the bar above and beside each page. A page that is not named here comes last in its group.

import { allPages, languages, references } from "./pages.mjs";
import { tasks } from "./tasks.mjs";

const ORDER = [
	"index",
	"retry",
	"http",
	"adapters",
	"budgets",
	"testing",
	"observe",
	"observability",
	"policies",
	"vary",
	"errors",
];

const GROUPS = [
	[
		"Policies",
		[
			"docs/choosing.md",
			"docs/presets.md",
			"docs/programs.md",
			"docs/http-budget.md",
			"docs/shared-budgets.md",
			"docs/export.md",
		],
	],
	[
		"Other libraries",
		[
			"docs/migrating.md",
			"docs/migrating-*.md",
			"bindings-c/docs/any-language.md",
			"bindings-c/examples/languages/README.md",
		],
	],
	["The command", ["tools/cli/README.md", "tools/cli/docs/*.md", "tools/simulator/README.md"]],
	["About", ["SPEC.md", "docs/*.md", "CHANGELOG.md", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]],
];

export function navigation() {
	const pages = allPages();
	const left = new Set(pages.keys());
	const item = (path, text) => {
		left.delete(path);
		const { title, address } = pages.get(path);
		return { text: text ?? short(title), link: `/${address}` };
	};
	const overview = item("README.md", "Overview");
	const groups = GROUPS.map(([text, names]) => {
		const found = names.flatMap((name) =>
			[...left].filter((path) => matches(path, name) && !isOfLaterGroup(path, text)),
		);
		return { text, collapsed: text !== "Policies", items: [...new Set(found)].map((path) => item(path)) };
	});
	const ofLanguage = languages.map(({ name, title }) => {
		const rank = (path) => {
			const rest = pages.get(path).address.slice(name.length + 1);
			return ORDER.includes(rest) ? ORDER.indexOf(rest) : ORDER.length + rest.split("/").length;
		};
		const own = [...left].filter((path) => pages.get(path).address.startsWith(`${name}/`));
		const items = own
			.sort((a, b) => rank(a) - rank(b))
			.map((path) => item(path, path === bindingOf(name) ? "Overview" : undefined));
		const ofReference = referencesOf(name);
		if (ofReference.length > 0) items.push({ text: "API", collapsed: true, items: ofReference });
		return { text: `<span data-language="${name}">${title}</span>`, items };
	});
	groups.at(-1).items.push(...[...left].map((path) => item(path)));
	const taskItems = tasks.map(({ name, title }) => ({ text: title, link: `/tasks/${name}` }));
	const playground = { text: "Playground", link: "/playground/", target: "_self" };
	return {
		nav: [
			playground,
			{ text: "Choosing", link: pages.has("docs/choosing.md") ? "/choosing" : "/presets" },
			{ text: "Tasks", items: taskItems },
			{ text: "Languages", items: languages.map(({ name, title }) => ({ text: title, link: `/${name}/` })) },
			{ text: "Specification", link: "/spec" },
		],
		sidebar: [{ items: [overview, playground] }, { text: "Tasks", items: taskItems }, ...ofLanguage, ...groups],
	};
}

/** The crates, whose references rustdoc writes. */
const CRATES = ["backoff-retry", "backoff-core", "backoff-adapters", "backoff-export", "backoff-sim"];

/** The pages of a reference, the main one first. */
function referencesOf(language) {
	const all = references();
	if (language === "rust" && all.length > 0) {
		return CRATES.map((text) => ({ text, link: `/api/rust/${text.replace("-", "_")}/index.html`, target: "_self" }));
	}
	const pages = all.filter(({ address }) => address.startsWith(`api/${language}/`));
	const isPart = ({ address }) => address.includes("/adapters");
	const item = ({ title, address }) => ({
		text: title.replace(/^package |^backoff_rs\.(?=adapters)/, ""),
		link: `/${address}`,
	});
	const main = pages.filter((page) => !isPart(page)).sort((a, b) => a.title.length - b.title.length);
	return [...main, ...pages.filter(isPart)].map(item);
}

function bindingOf(name) {
	return `${languages.find((language) => language.name === name).folder}/README.md`;
}

function matches(path, name) {
	const [before, after] = name.split("*");
	const rest = path.slice(before.length);
	return after === undefined ? path === name : path.startsWith(before) && path.endsWith(after) && !rest.includes("/");
}

/** Whether a later group names the page. */
function isOfLaterGroup(path, text) {
	const later = GROUPS.slice(GROUPS.findIndex(([name]) => name === text) + 1);
	return later.some(([, names]) => names.includes(path));
}

/** A title without what the group says already. */
function short(title) {
	return title
		.replace(/^Migrating from other libraries in /, "From others in ")
		.replace(/^Migrating from /, "From ")
		.replace(/, the command$/, "");
}
