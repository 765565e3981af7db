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

export function choose(name) {
	language.value = name;
	document.documentElement.dataset.language = name;
	try {
		localStorage.setItem("backoff-language", name);
	} catch {
		// Without storage the choice lasts until the page is left.
	}
}

/** Takes the language of an address: of a page of the language, or of a heading in a panel of it. */
export function chooseByAddress(path) {
	const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
	const named = target?.closest("section.language")?.dataset.language ?? path.replace(/^api\//, "").split("/")[0];
	const found = languages.find(({ name }) => name === named)?.name;
	choose(found ?? document.documentElement.dataset.language ?? languages[0].name);
	// It was hidden when the browser looked for it.
	if (target && found) requestAnimationFrame(() => target.scrollIntoView());
}
