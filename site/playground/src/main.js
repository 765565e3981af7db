// The page: the editor, the tabs, and the view that is shown.

import { charts, forget } from "./chart.js";
import * as decide from "./decide.js";
import * as delays from "./delays.js";
import { byId, copies, h } from "./dom.js";
import * as editor from "./editor.js";
import * as engine from "./engine.js";
import * as simulate from "./simulate.js";
import { address, onChange, set, state } from "./state.js";
import * as use from "./use.js";

const VIEWS = { delays, decide, simulate, use };

let shown;
let update = () => {};
let leave = () => {};

const chosen = () => (state.view in VIEWS ? state.view : "delays");

function show() {
	const name = chosen();
	if (shown !== name) {
		leave();
		forget();
		shown = name;
		for (const view of Object.keys(VIEWS)) {
			const tab = byId(`tab-${view}`);
			tab.setAttribute("aria-selected", String(view === name));
			tab.tabIndex = view === name ? 0 : -1;
		}
		byId("view").setAttribute("aria-labelledby", `tab-${name}`);
		update = VIEWS[name].render(byId("view"));
		leave = VIEWS[name].leave ?? (() => {});
	}
	update();
}

function tabs() {
	const names = Object.keys(VIEWS);
	for (const name of names) {
		byId(`tab-${name}`).addEventListener("click", () => set({ view: name === "delays" ? undefined : name }, "tabs"));
	}
	byId("tabs").addEventListener("keydown", (event) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		const at = { Home: 0, End: names.length - 1 }[event.key];
		if (step === undefined && at === undefined) {
			return;
		}
		event.preventDefault();
		const next = at ?? (names.indexOf(chosen()) + step + names.length) % names.length;
		byId(`tab-${names[next]}`).focus();
		byId(`tab-${names[next]}`).click();
	});
}

async function start() {
	tabs();
	copies(byId("share"), address, "the link");
	await engine.start();
	editor.start();
	onChange(show);
	show();
	// For the console and for tests: what the charts show.
	window.playground = { charts, state, results: simulate.results };
	document.documentElement.dataset.ready = "";
}

start().catch((error) => {
	byId("view").replaceChildren(h("p", { class: "error", role: "alert" }, `The core did not start: ${error}`));
	throw error;
});
