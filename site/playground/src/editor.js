// The policy as text and as fields: a change of one changes the other.

import presets from "../../../tests/vectors/presets.json";
import { arrange, byId, h, say } from "./dom.js";
import * as engine from "./engine.js";
import { join, lineText, onChange, ownText, parts, policyText, set, state, withLine } from "./state.js";

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

/** What a reader typed into fields, and why the policy does not have it. */
const wrong = new Map();

/** The fields of the policy. */
let fields = {};

/**
 * The policies, and the wrong values, before this visit of a field. Each key replaces what the keys before it did, so
 * that typing does what pasting does.
 */
let base = { of: undefined, policies: [], wrong: new Map() };
let made;

function visit(of) {
	if (base.of !== of || state.policy !== made) {
		base = { of, policies: state.policy, wrong: new Map(wrong) };
	}
}

function edited(text, source) {
	visit(source);
	make(text, source);
}

function make(text, source) {
	made = withLine(base.policies, text);
	set({ policy: made }, source);
}

export function start() {
	catalog = engine.catalog();
	const cases = (kind) => presets.cases.filter(({ of }) => of === kind);
	const option = ({ preset, string }) => h("option", { value: preset, title: string }, preset);
	byId("preset").append(h("option", { value: "" }, "a preset …"), ...cases("policy").map(option));
	byId("budgets").append(...cases("budget").map(({ preset, string }) => h("option", { value: preset }, string)));
	byId("preset").addEventListener("change", ({ target }) => {
		if (target.value) {
			edited(target.value, "preset");
			say(`Policy ${target.value}`);
		}
	});
	byId("policy").addEventListener("input", ({ target }) => edited(target.value.trim(), "policy"));
	byId("budget").addEventListener("input", ({ target }) => set({ budget: target.value.trim() }, "budget"));
	document.addEventListener("focusin", () => {
		base.of = undefined;
	});
	onChange(show);
	show("address");
}

function show(source) {
	const text = lineText();
	const input = byId("policy");
	if (source !== "policy" && input.value !== text) {
		input.value = text;
		// Its end would hide its beginning.
		input.scrollLeft = 0;
	}
	if (byId("preset").value !== text) {
		byId("preset").value = presets.cases.some(({ of, preset }) => of === "policy" && preset === text) ? text : "";
	}
	const parsed = engine.clients(text);
	showError(input, byId("policy-error"), parsed.error);
	byId("policy-canonical").textContent =
		parsed.canonical && parsed.canonical !== policyText() ? `= ${parsed.canonical}` : "";
	if (["policy", "preset", "policies", "experiment", "address"].includes(source)) {
		wrong.clear();
	}
	if (parsed.fields) {
		fields = parsed.fields;
		showFields(source);
	}
	const budget = byId("budget");
	if (source !== "budget") {
		budget.value = state.budget ?? "";
	}
	const own = ownText("budget");
	budget.placeholder = own === undefined ? "none" : `${own}, of the policy`;
	const known = state.budget ? engine.budget(state.budget) : undefined;
	showError(budget, byId("budget-error"), known?.error);
	const same = known?.canonical && known.canonical !== state.budget ? `= ${known.canonical}` : "";
	byId("budget-canonical").textContent =
		own !== undefined && state.budget ? `The policy has a budget of its own: ${own}.` : same;
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

export function errorParts({ message, text, at, length, field }) {
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
	children.push(field === "budget" ? "budget " : "", h("span", { class: "message" }, first));
	if (rest.length > 0) {
		children.push(h("span", { class: "rest", tabindex: "0" }, rest.join("; ")));
	}
	return children;
}

function showFields(source) {
	const names = catalog.policy.filter(({ name }) => name in fields && !HIDDEN.includes(name));
	for (const [box, rows] of [
		["fields", names.filter(({ name }) => !MORE.includes(name))],
		["more-fields", names.filter(({ name }) => MORE.includes(name))],
	]) {
		arrange(
			byId(box),
			rows.map((row) => fieldOf(row).label),
		);
	}
	for (const { name } of names) {
		const { input } = inputs.get(name);
		const isTyped = source === "field" && document.activeElement === input && input.tagName !== "SELECT";
		if (!isTyped && !wrong.has(name)) {
			input.value = fields[name];
		}
	}
	for (const name of [...wrong.keys()].filter((name) => !(name in fields))) {
		wrong.delete(name);
	}
	showWrong();
}

function showWrong() {
	for (const [name, { input, error }] of inputs) {
		const message = wrong.get(name)?.message ?? "";
		input.setAttribute("aria-invalid", String(message !== ""));
		error.hidden = message === "";
		if (error.textContent !== message) {
			error.textContent = message;
		}
	}
	byId("help").hidden = wrong.size > 0;
}

function fieldOf({ name, unit, kinds, description }) {
	if (inputs.has(name)) {
		return inputs.get(name);
	}
	const error = h("div", { class: "error", role: "alert", hidden: true, id: `error-${name}` });
	byId("field-errors").append(error, h("p", { id: `about-${name}`, hidden: true }, description));
	const attributes = { id: `field-${name}`, "aria-describedby": `about-${name} error-${name}` };
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
	input.addEventListener(unit === "kind" ? "change" : "input", () => change(name, input.value.trim()));
	input.addEventListener("blur", () => {
		if (!wrong.has(name) && name in fields) {
			input.value = fields[name];
		}
	});
	// A line may break after an underscore.
	const words = name.split("_").flatMap((word, at) => (at === 0 ? [word] : ["_", h("wbr"), word]));
	const label = h("label", { class: unit === "waits" ? "wide" : "" }, h("span", {}, ...words), input);
	inputs.set(name, { label, input, error });
	return inputs.get(name);
}

/** Changes a field, and those whose values were wrong: base=30s is right as soon as the cap is above it. */
function change(name, value) {
	visit(name);
	const { name: called, policy, rest } = parts(base.policies[0] ?? "");
	const before = engine.policy(policy);
	const wanted = new Map([...base.wrong].map(([name, { value }]) => [name, value])).set(name, value);
	wrong.clear();
	let text = before.canonical;
	for (let isChanged = !before.error; isChanged; ) {
		isChanged = false;
		for (const [field, value] of wanted) {
			const changed = engine.change(text, field, value);
			if (changed.error) {
				wrong.set(field, { value, message: `${field}: ${changed.error.message.replace(/^at \d+: /, "")}` });
			} else {
				wrong.delete(field);
				wanted.delete(field);
				text = changed.canonical;
				isChanged = true;
			}
		}
	}
	if (before.error) {
		wrong.set(name, { value, message: `${name}: the policy itself is wrong; mend it first` });
		showWrong();
	} else {
		// A preset keeps its name as long as it is one.
		make(join(called, text === before.canonical ? policy : text, rest), "field");
	}
}
