// The language that the reader chose: an attribute of the page, which the script in its head sets before the first paint.

import { ref } from "vue";

/** In the order of their tabs. */
export const languages = [
	{ name: "python", title: "Python" },
	{ name: "javascript", title: "JavaScript" },
	{ name: "go", title: "Go" },
	{ name: "rust", title: "Rust" },
	{ name: "c", title: "C" },
];

export const language = ref(languages[0].name);

/** What the reader chose, which lasts longer than what an address shows. */
let chosen;

function show(name) {
	language.value = name;
	document.documentElement.dataset.language = name;
}

export function choose(name) {
	chosen = name;
	show(name);
	try {
		localStorage.setItem("backoff-language", name);
	} catch {
		// Without storage the choice lasts until the page is left.
	}
}

function kept() {
	try {
		chosen ??= localStorage.getItem("backoff-language");
	} catch {}
	return languages.find(({ name }) => name === chosen)?.name;
}

/** Shows the language of an address: of a page of the language, or of a heading that only a panel of it has. */
export function chooseByAddress(path) {
	const heading = document.getElementById(decodeURIComponent(location.hash.slice(1)));
	const ofPage = path.replace(/^api\//, "").split("/")[0];
	if (!kept() && languages.some(({ name }) => name === ofPage)) choose(ofPage);
	const reader = kept() ?? languages[0].name;
	const ofReader = document.querySelectorAll(`section.language[data-language="${reader}"] :is(h2, h3, h4)`);
	const panel = heading?.closest("section.language");
	const target = (panel && [...ofReader].find((same) => same.textContent === heading.textContent)) ?? heading;
	const named = target?.closest("section.language")?.dataset.language ?? ofPage;
	show(languages.find(({ name }) => name === named)?.name ?? reader);
	// It was hidden when the browser looked for it.
	if (panel) requestAnimationFrame(() => target.scrollIntoView());
}
