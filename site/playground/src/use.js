// The policy in a program of each language, and in the configuration of each engine.

import programs from "../../../docs/programs.md";
import readme from "../../../README.md";
import { command, copyButton, h, quoted, table } from "./dom.js";
import * as engine from "./engine.js";
import { budgetText, policyText, set, state } from "./state.js";

/** The policy of the programs on the pages, which the tests run. */
const POLICY = "full:base=100ms,cap=20s,max_retries=3";

/**
 * In the order of the site. With the page of each program, and where the program has a budget: text of the program, and
 * what takes its place.
 */
const LANGUAGES = {
	python: [
		"Python",
		/```python\n(.*?)```/s,
		readme,
		["import retry\n", 'import Budget, retry\n\nbudget = Budget.parse("BUDGET")  # one for each server\n'],
		["    on=ConnectionError,\n", "    on=ConnectionError,\n    budget=budget,\n"],
	],
	javascript: [
		"JavaScript",
		/```js\n(.*?)```/s,
		programs,
		["{ retry }", "{ Budget, retry }"],
		['"backoff-wasm";\n', '"backoff-wasm";\n\nconst budget = Budget.parse("BUDGET"); // one for each server'],
		["\tshouldRetry:", "\tbudget,\n\tshouldRetry:"],
	],
	go: [
		"Go",
		/```go\n(.*?)```/s,
		programs,
		[
			"\tanswer, err :=",
			'\tbudget, err := backoff.ParseBudget("BUDGET") // one for each server\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tanswer, err :=',
		],
		["\t\tbackoff.RetryOn", "\t\tbackoff.WithBudget(budget),\n\t\tbackoff.RetryOn"],
	],
	rust: [
		"Rust",
		/```rust\n(.*?)```/s,
		programs,
		["backoff_retry::Retry;", "backoff_retry::{Budget, Retry};"],
		["    let result =", '    let budget = Budget::parse("BUDGET")?; // one for each server\n    let result ='],
		["        .when(", "        .budget(&budget)\n        .when("],
	],
	c: [
		"C",
		/```c\n(.*?)```/s,
		programs,
		["  int failures", '  static const char of_budget[] = "BUDGET";\n  int failures'],
		["  backoff_policy policy;", "  backoff_policy policy;\n  backoff_budget budget; /* one for each server */"],
		[".policy = &policy}", ".policy = &policy, .budget = &budget}"],
		[
			"  if (backoff_stream",
			"  if (backoff_budget_parse(&budget, of_budget, strlen(of_budget), NULL) != BACKOFF_OK) return 1;\n  if (backoff_stream",
		],
	],
};

function programOf(language) {
	const [, pattern, page, ...changes] = LANGUAGES[language];
	const budget = budgetText();
	const program = pattern.exec(page)?.[1].replaceAll(POLICY, () => policyText()) ?? "";
	return (budget ? changes : []).reduce(
		(text, [place, change]) => text.replace(place, () => change.replace("BUDGET", () => budget)),
		program,
	);
}

/** How to install, as the README says it. */
const [, UNPUBLISHED, INSTALL] =
	/## Install\n\n(The packages are not published yet);.*?```sh\n(.*?)```/s.exec(readme) ?? [];

/** Where the site keeps the language that the reader chose. */
const CHOSEN = "backoff-language";

function chosenLanguage() {
	try {
		return localStorage.getItem(CHOSEN);
	} catch {
		return null;
	}
}

function chooseLanguage(name) {
	try {
		localStorage.setItem(CHOSEN, name);
	} catch {
		// Without storage the choice is in the address only.
	}
	set({ language: name }, "use");
}

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
	const language = () => [state.language, chosenLanguage()].find((name) => name in LANGUAGES) ?? "python";
	const format = () => (formats.some(({ format }) => format === state.to) ? state.to : formats[0].format);
	const languages = choice(
		"Language",
		Object.fromEntries(Object.entries(LANGUAGES).map(([name, [text]]) => [name, text])),
		language,
		chooseLanguage,
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
	const wrong = h("p", { class: "error", role: "alert" });
	const copyProgram = copyButton(() => programOf(language()), "the program");
	view.replaceChildren(
		h("div", { class: "bar-between" }, h("h2", {}, "In a program"), copyProgram),
		languages.box,
		wrong,
		program,
		h(
			"details",
			{},
			h("summary", {}, "How to install"),
			h("p", { class: "muted small" }, `${UNPUBLISHED}: build them from a clone, in which these commands run.`),
			h("pre", { class: "program", tabindex: "0", role: "region", "aria-label": "Commands" }, h("code", {}, INSTALL)),
		),
		h("h2", { class: "block" }, "In an engine that retries by itself"),
		h(
			"p",
			{ class: "muted small" },
			"An export does exactly what the policy does, or it names each field that the engine has no equivalent of.",
		),
		engines.box,
		h("div", { class: "run" }, check("nearest", "the nearest configuration, if none is exact"), check("yaml", "YAML")),
		configuration,
	);
	return () => {
		languages.show();
		engines.show();
		const error = engine.policy(policyText()).error ?? (budgetText() ? engine.budget(budgetText()).error : undefined);
		wrong.hidden = !error;
		wrong.textContent = error ? `There is no program with this ${error.option}: ${error.message.split("; ")[0]}` : "";
		program.hidden = error !== undefined;
		copyProgram.hidden = error !== undefined;
		program.firstChild.textContent = error ? "" : programOf(language());
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
