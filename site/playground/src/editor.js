// The policy as text and as fields: a change of one changes the other.

import presets from "../../../tests/vectors/presets.json";
import { byId, h, say } from "./dom.js";
import * as engine from "./engine.js";
import { onChange, policyText, set, setPolicyText, state } from "./state.js";

/** Fields that most policies leave as they are. */
const MORE = [
	"offset",
	"cap_on",
	"floor",
	"origin",
	"max_elapsed",
	"elapsed_from",
	"attempt_timeout",
	"reset_after",
	"throttled_base",
	"retry_after",
	"retry_after_max",
	"retry_after_max_extra",
];

/** Another name of the limit of the retries. */
const HIDDEN = ["max_attempts"];

let catalog;
const inputs = new Map();

export function start() {
	catalog = engine.catalog();
	const cases = (kind) => presets.cases.filter(({ of }) => of === kind);
	const option = ({ preset, string }) => h("option", { value: preset, title: string }, preset);
	byId("preset").append(h("option", { value: "" }, "a preset …"), ...cases("policy").map(option));
	byId("budgets").append(...cases("budget").map(({ preset, string }) => h("option", { value: preset }, string)));
	byId("preset").addEventListener("change", ({ target }) => {
		if (target.value) {
			setPolicyText(target.value, "preset");
			say(`Policy ${target.value}`);
		}
	});
	byId("policy").addEventListener("input", ({ target }) => setPolicyText(target.value.trim(), "policy"));
	byId("budget").addEventListener("input", ({ target }) => set({ budget: target.value.trim() }, "budget"));
	onChange(show);
	show("address");
}

function show(source) {
	const text = policyText();
	const input = byId("policy");
	if (source !== "policy") {
		input.value = text;
		// Its end would hide its beginning.
		input.scrollLeft = 0;
	}
	if (byId("preset").value !== text) {
		byId("preset").value = presets.cases.some(({ of, preset }) => of === "policy" && preset === text) ? text : "";
	}
	const parsed = engine.policy(text);
	showError(input, byId("policy-error"), parsed.error);
	byId("policy-canonical").textContent = parsed.canonical && parsed.canonical !== text ? `= ${parsed.canonical}` : "";
	if (parsed.fields) {
		showFields(parsed.fields);
	}
	const budget = byId("budget");
	if (source !== "budget") {
		budget.value = state.budget ?? "";
	}
	showError(budget, byId("budget-error"), state.budget ? engine.budget(state.budget)?.error : undefined);
}

/** The message of the core under the place where the error is. */
export function showError(input, box, error) {
	input.setAttribute("aria-invalid", error ? "true" : "false");
	box.hidden = !error;
	if (!error) {
		box.replaceChildren();
		return;
	}
	box.replaceChildren(...errorParts(error));
}

const bytes = new TextEncoder();
const charactersIn = (text, count) => [...new TextDecoder().decode(bytes.encode(text).slice(0, count))].length;

export function errorParts({ message, text, at, length }) {
	const children = [];
	if (text !== undefined && at !== null && at !== undefined && text.length <= 300) {
		const from = charactersIn(text, at);
		const marks = Math.max(1, Math.min(length, [...text].length - from));
		// A mark for readers who see; the message has the position for the others.
		children.push(
			h("pre", { "aria-hidden": "true", class: "place" }, `${text}\n${" ".repeat(from)}${"^".repeat(marks)}`),
		);
	}
	// The list of all names is long.
	const [first, ...rest] = message.split("; ");
	children.push(h("span", { class: "message" }, first));
	if (rest.length > 0) {
		children.push(h("span", { class: "rest", tabindex: "0" }, rest.join("; ")));
	}
	return children;
}

function showFields(fields) {
	const names = catalog.policy.filter(({ name }) => name in fields && !HIDDEN.includes(name));
	for (const [box, rows] of [
		["fields", names.filter(({ name }) => !MORE.includes(name))],
		["more-fields", names.filter(({ name }) => MORE.includes(name))],
	]) {
		const wanted = rows.map((row) => fieldOf(row).label);
		const shown = [...byId(box).children];
		// Moving the element that has the focus would take the focus from it.
		if (wanted.length !== shown.length || wanted.some((element, index) => element !== shown[index])) {
			byId(box).replaceChildren(...wanted);
		}
	}
	for (const { name } of names) {
		const { input, error } = inputs.get(name);
		if (document.activeElement !== input || input.tagName === "SELECT") {
			input.value = fields[name];
			showError(input, error, undefined);
		}
	}
}

function fieldOf({ name, unit, kinds, description }) {
	if (inputs.has(name)) {
		return inputs.get(name);
	}
	const error = h("span", { class: "error", role: "alert", hidden: true, id: `error-${name}` });
	const attributes = { id: `field-${name}`, "aria-describedby": `help error-${name}` };
	const help = () => {
		byId("help").textContent = `${name}: ${description}`;
	};
	const input =
		unit === "kind"
			? h("select", attributes, ...kinds.map((kind) => h("option", { value: kind }, kind)))
			: h("input", {
					type: "text",
					class: "code",
					spellcheck: "false",
					autocapitalize: "off",
					autocomplete: "off",
					...attributes,
				});
	input.addEventListener("focus", help);
	input.addEventListener("pointerenter", help);
	input.addEventListener(unit === "kind" ? "change" : "input", () => change(name, input, error));
	input.addEventListener("blur", () => show("blur"));
	const label = h("label", { class: unit === "waits" ? "wide" : "" }, name, input, error);
	inputs.set(name, { label, input, error });
	return inputs.get(name);
}

function change(name, input, error) {
	// Jitter and its fraction are one field of the text.
	const changed = engine.change(policyText(), name, input.value.trim());
	showError(input, error, changed.error);
	if (!changed.error) {
		setPolicyText(changed.canonical, "field");
	}
}
