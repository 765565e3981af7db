// The policy in a program of each language, and in the configuration of each engine.

import programs from "../../../docs/programs.md";
import readme from "../../../README.md";
import { command, copyButton, h, quoted, table } from "./dom.js";
import * as engine from "./engine.js";
import { budgetText, policyText, set, state } from "./state.js";

/** The policy of the programs on the pages, which the tests run. */
const POLICY = "full:base=100ms,cap=20s,max_retries=3";

const LANGUAGES = {
	python: ["Python", /```python\n(.*?)```/s, readme],
	rust: ["Rust", /```rust\n(.*?)```/s, programs],
	go: ["Go", /```go\n(.*?)```/s, programs],
	javascript: ["JavaScript", /```js\n(.*?)```/s, programs],
	c: ["C", /```c\n(.*?)```/s, programs],
};

const programOf = (language) => {
	const [, pattern, page] = LANGUAGES[language];
	return pattern.exec(page)?.[1].replaceAll(POLICY, policyText()) ?? "";
};

/** Buttons of which one is pressed. */
function choice(label, names, chosen, choose) {
	const buttons = Object.entries(names).map(([name, text]) => {
		const button = h("button", { type: "button", "aria-pressed": String(name === chosen()) }, text);
		button.addEventListener("click", () => choose(name));
		return [name, button];
	});
	const show = () => {
		for (const [name, button] of buttons) {
			button.setAttribute("aria-pressed", String(name === chosen()));
		}
	};
	return {
		box: h("div", { class: "chips", role: "group", "aria-label": label }, ...buttons.map(([, button]) => button)),
		show,
	};
}

const check = (key, text) => {
	const input = h("input", { type: "checkbox", checked: state[key] === "true" });
	input.addEventListener("change", () => set({ [key]: input.checked ? "true" : undefined }, "use"));
	return h("label", { class: "check" }, input, text);
};

export function render(view) {
	const formats = engine.formats();
	const language = () => (state.language in LANGUAGES ? state.language : "python");
	const format = () => (formats.some(({ format }) => format === state.to) ? state.to : formats[0].format);
	const languages = choice(
		"Language",
		Object.fromEntries(Object.entries(LANGUAGES).map(([name, [text]]) => [name, text])),
		language,
		(name) => set({ language: name }, "use"),
	);
	const capitalized = (engine) => engine.replace(/^a (.)/, (_, first) => first.toUpperCase());
	const engines = choice(
		"Engine",
		Object.fromEntries(formats.map(({ format, engine }) => [format, capitalized(engine)])),
		format,
		(name) => set({ to: name }, "use"),
	);
	const program = h("pre", { class: "program", tabindex: "0", role: "region", "aria-label": "Program" }, h("code", {}));
	const configuration = h("div", {});
	view.replaceChildren(
		h(
			"div",
			{ class: "bar-between" },
			h("h2", {}, "In a program"),
			copyButton(() => programOf(language()), "the program"),
		),
		languages.box,
		program,
		h("h2", { class: "block" }, "In an engine that retries by itself"),
		h(
			"p",
			{ class: "muted small" },
			"An export is exact, or it names each field that the engine has no equivalent of.",
		),
		engines.box,
		h("div", { class: "run" }, check("nearest", "the nearest that it has"), check("yaml", "YAML")),
		configuration,
	);
	return () => {
		languages.show();
		engines.show();
		program.firstChild.textContent = programOf(language());
		showExport(configuration, format());
	};
}

function showExport(box, format) {
	const [nearest, yaml] = [state.nearest === "true", state.yaml === "true"];
	const exported = engine.exported(policyText(), budgetText(), format, nearest, yaml && format !== "nginx");
	if (exported.error) {
		box.replaceChildren(h("p", { class: "error", role: "alert" }, exported.error.message));
		return;
	}
	const { text, differences, warnings, refusals } = exported;
	const line = `backoff export ${quoted(policyText())} --to ${format}${budgetText() && ` --budget ${quoted(budgetText())}`}${nearest ? " --nearest" : ""}${yaml && format !== "nginx" ? " --yaml" : ""}`;
	box.replaceChildren(
		...warnings.map((warning) => h("p", { class: "error" }, warning)),
		...(differences.length === 0
			? []
			: [
					table(
						"What the engine does differently",
						["field", "policy", "engine", "why"],
						differences.map(({ field, policy, engine, reason }) => [field, policy, engine, reason]),
						"text",
					),
				]),
		...(text === null
			? [
					h(
						"div",
						{ class: "error" },
						h("strong", {}, "There is no exact equivalent."),
						h("ul", {}, ...refusals.map((refusal) => h("li", {}, refusal))),
					),
				]
			: [
					h(
						"pre",
						{ class: "program", tabindex: "0", role: "region", "aria-label": "Configuration" },
						h("code", {}, text),
					),
					h(
						"div",
						{ class: "run" },
						copyButton(() => text, "the configuration"),
					),
				]),
		command(line),
	);
}
