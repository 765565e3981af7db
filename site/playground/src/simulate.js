// The simulator: many clients with each of the policies.

import { swatch } from "./chart.js";
import { command, h, quoted, say } from "./dom.js";
import { errorParts } from "./editor.js";
import { compiled } from "./engine.js";
import { EXPERIMENTS, MODELS, moreOf, option, optionsOf, unused } from "./models.js";
import { everything, figures } from "./results.js";
import { lineText, policyText, set, state } from "./state.js";

/** How long a reader may go on typing before it begins, in milliseconds. */
const PATIENCE = 350;

/** The latest simulation: for tests, and for a reader who comes back. */
export const results = { isEnd: false, points: [], begun: undefined, seconds: 0, error: undefined };

/** How often the time is shown while nothing else is, in milliseconds. */
const EVERY = 500;

let worker;
let clock;
let timer;
let view;
/** The input of the last simulation: a new one begins only if the input changes. */
let simulated = "";

const model = () => (state.model in MODELS ? state.model : "occ");

function input() {
	const options = {};
	for (const name of [...optionsOf(model()), "seed", "budget"]) {
		const value = state[name];
		if (value !== undefined && !(name === "drops-stale" && value !== "true")) {
			options[name] = value;
		}
	}
	for (const name of unused(options)) {
		delete options[name];
	}
	return { model: model(), policies: state.policy, options };
}

export function render(box) {
	const progress = h("progress", { max: "1", value: 0, "aria-label": "Progress of the simulation" });
	const status = h("span", { class: "muted small" });
	const button = h("button", { type: "button", class: "primary", id: "run" }, "Run");
	button.addEventListener("click", () => (worker ? cancel() : begin()));
	view = {
		policies: h("div", { class: "beside" }),
		model: h(
			"select",
			{ id: "model" },
			...Object.entries(MODELS).map(([value, { name }]) => h("option", { value }, `${value}: ${name}`)),
		),
		about: h("p", { class: "muted small" }),
		help: h("p", { class: "muted hint", id: "option-help" }),
		options: h("div", { class: "options" }),
		more: h("div", { class: "options" }),
		abouts: h("div", { hidden: true }),
		experiment: h("p", { class: "muted small" }),
		error: h("div", { class: "error", role: "alert", hidden: true }),
		beside: h("div", { class: "error", hidden: true, id: "simulation-error" }),
		charts: h("div", { class: "charts" }),
		after: h("div", {}),
		command: h("div", {}),
		progress,
		status,
		button,
		shownModel: undefined,
		rows: [],
	};
	view.model.addEventListener("change", () => {
		const others = Object.fromEntries(
			Object.keys(MODELS)
				.flatMap((name) => optionsOf(name))
				.map((name) => [name, undefined]),
		);
		set({ ...others, runs: state.runs, model: view.model.value, chart: undefined }, "model");
	});
	const chips = Object.entries(EXPERIMENTS).map(([name, experiment]) => {
		const chip = h("button", { type: "button" }, name);
		chip.addEventListener("click", () => start(experiment));
		return chip;
	});
	box.replaceChildren(
		h("h2", { class: "visually-hidden" }, "Simulation"),
		h("p", { class: "label" }, "Start from an experiment"),
		h("div", { class: "chips" }, ...chips),
		view.experiment,
		h("div", { class: "run" }, button, progress, status),
		view.error,
		view.charts,
		view.after,
		h(
			"div",
			{ class: "settings" },
			h("h3", {}, "Policies"),
			h(
				"p",
				{ class: "muted small" },
				"The first is the one that you edit. A policy may have a name in front and a budget behind (sre: retries add at most a tenth to the load): ",
				h("code", {}, "mine=default;budget=sre"),
			),
			view.policies,
			h("h3", { class: "block" }, h("label", { for: "model" }, "Model")),
			view.model,
			view.about,
			view.options,
			h(
				"details",
				{ open: moreOf(model()).some((name) => name in state) },
				h("summary", {}, "More options"),
				view.more,
			),
			view.help,
			view.abouts,
		),
		view.command,
	);
	simulated = "";
	return update;
}

export function leave() {
	clearTimeout(timer);
	stop();
}

function changesOf({ model, options = {}, policies }) {
	const others = Object.fromEntries(
		Object.keys(MODELS)
			.flatMap((name) => optionsOf(name))
			.map((name) => [name, undefined]),
	);
	const beside = policies.map((text) => text.replace("POLICY", policyText()));
	return { ...others, chart: undefined, ...options, model, policy: [lineText(), ...beside] };
}

const start = (experiment) => set(changesOf(experiment), "experiment");

/** Whether everything is as an experiment has it. */
const isShown = (experiment) =>
	Object.entries(changesOf(experiment)).every(
		([name, value]) => String(value ?? "") === String((name === "model" ? model() : state[name]) ?? ""),
	);

function update() {
	view.model.value = model();
	view.about.textContent = MODELS[model()].about;
	const [, experiment] = Object.entries(EXPERIMENTS).find(([, one]) => isShown(one)) ?? [];
	view.experiment.textContent = experiment ? `With the policy default it shows: ${experiment.about}` : "";
	if (view.shownModel !== model()) {
		view.shownModel = model();
		view.inputs = new Map();
		view.abouts.replaceChildren();
		view.options.replaceChildren(...MODELS[model()].options.map(optionInput), optionInput("seed"));
		view.more.replaceChildren(...moreOf(model()).map(optionInput));
	}
	for (const [name, field] of view.inputs) {
		const value = state[name] ?? (field.tagName === "SELECT" ? option(model(), name).value : "");
		if (document.activeElement !== field || field.tagName === "SELECT") {
			field.value = value;
		}
	}
	showPolicies();
	view.command.replaceChildren(command(commandLine()));
	const wanted = JSON.stringify(input());
	if (wanted !== simulated) {
		clearTimeout(timer);
		timer = setTimeout(begin, simulated === "" ? 0 : PATIENCE);
		simulated = wanted;
	} else {
		show();
	}
}

function optionInput(name) {
	const { value, about, values } = option(model(), name);
	const field = values
		? h("select", {}, ...values.map((one) => h("option", { value: one }, one)))
		: h("input", {
				type: "text",
				class: "code",
				placeholder: value,
				spellcheck: "false",
				autocomplete: "off",
				autocapitalize: "off",
			});
	field.id = `option-${name}`;
	field.setAttribute("aria-describedby", `about-option-${name}`);
	const help = () => {
		view.help.textContent = `${name}: ${about}`;
	};
	field.addEventListener("focus", help);
	field.addEventListener("pointerenter", help);
	field.addEventListener(values ? "change" : "input", () => {
		const text = field.value.trim();
		set({ [name]: values && text === value ? undefined : text }, "option");
	});
	view.inputs.set(name, field);
	view.abouts.append(h("p", { id: `about-option-${name}` }, about));
	return h("label", {}, name, field);
}

function commandLine() {
	const { options, policies } = input();
	const words = policies.map((policy) => `--policy ${quoted(policy)}`);
	for (const [name, value] of Object.entries(options)) {
		words.push(name === "drops-stale" ? "--drops-stale" : `--${name} ${quoted(value)}`);
	}
	return `backoff simulate ${model()} ${words.join(" ")}${state.chart ? ` --chart ${state.chart}` : ""}`;
}

function showPolicies() {
	while (view.rows.length > state.policy.length) {
		for (const element of view.rows.pop()) {
			element.remove();
		}
	}
	for (const [number, text] of state.policy.entries()) {
		view.rows[number] ??= policyRow(number);
		const field = view.rows[number][1];
		if (document.activeElement !== field) {
			field.value = text;
		}
	}
	if (!view.add) {
		view.add = h("button", { type: "button" }, "Add a policy");
		view.add.addEventListener("click", () => {
			set({ policy: [...state.policy, "default"] }, "policies");
			view.rows.at(-1)[1].focus();
		});
		view.policies.after(h("div", { class: "run" }, view.add));
	}
}

function policyRow(number) {
	const mark = h("span", { class: "swatch" }, swatch(number));
	const field = h("input", {
		type: "text",
		class: "code",
		"aria-label": `Policy ${number + 1}`,
		spellcheck: "false",
		autocomplete: "off",
		autocapitalize: "off",
	});
	field.addEventListener("input", () =>
		set({ policy: state.policy.map((text, at) => (at === number ? field.value.trim() : text)) }, "policies"),
	);
	const remove = h("button", { type: "button", class: "icon", "aria-label": `Remove policy ${number + 1}` }, "×");
	remove.addEventListener("click", () => {
		set({ policy: state.policy.filter((_, at) => at !== number) }, "policies");
		say(`Policy ${number + 1} removed`);
	});
	const row = [mark, field, number === 0 ? h("span", {}) : remove];
	view.policies.append(...row);
	return row;
}

function stop() {
	clearInterval(clock);
	worker?.terminate();
	worker = undefined;
}

function cancel() {
	clearTimeout(timer);
	stop();
	view.button.textContent = "Run";
	view.status.textContent = "Cancelled";
	say("Cancelled");
}

const fields = () => [...view.inputs.values(), ...view.rows.map(([, field]) => field)];

function begin() {
	clearTimeout(timer);
	stop();
	Object.assign(results, { isEnd: false, points: [], begun: undefined, seconds: 0, error: undefined });
	view.progress.value = 0;
	view.status.textContent = "";
	view.button.textContent = "Cancel";
	view.error.hidden = true;
	view.beside.remove();
	for (const field of fields()) {
		field.removeAttribute("aria-invalid");
	}
	say("Simulation running");
	const began = performance.now();
	let done = 0;
	// A run can take long, and the worker reports after runs.
	clock = setInterval(() => progress(done, (performance.now() - began) / 1000), EVERY);
	const own = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
	worker = own;
	own.onmessage = ({ data }) => {
		if (worker === own) {
			done = data.done ?? done;
			receive(data);
		}
	};
	own.onerror = ({ message }) =>
		receive({ error: { message: message || "The worker did not start.", option: "simulation" } });
	own.postMessage({ module: compiled(), input: input() });
}

function progress(done, seconds) {
	view.progress.value = done;
	view.status.textContent = `${Math.round(done * 100)}%, ${seconds.toFixed(1)}s`;
}

/** Says at the top what is wrong, and beside the field where. */
function refuse(error) {
	results.error = error;
	view.button.textContent = "Run";
	view.status.textContent = "";
	const isPolicy = error.option === "policy";
	const row = isPolicy ? view.rows[error.number ?? 0] : undefined;
	const field = row?.[1] ?? view.inputs.get(error.option);
	field?.setAttribute("aria-invalid", "true");
	view.beside.replaceChildren(...errorParts(error));
	view.beside.hidden = !field;
	if (row) {
		row.at(-1).after(view.beside);
	} else if (field) {
		field.closest(".options").after(view.beside);
		field.closest("details")?.setAttribute("open", "");
	}
	const go = h("button", { type: "button", class: "quiet" }, "Go to it");
	go.addEventListener("click", () => field.focus());
	const name = isPolicy ? `policy ${(error.number ?? 0) + 1}` : error.option;
	view.error.hidden = false;
	view.error.replaceChildren(
		h("strong", {}, `${name}: `),
		h("span", {}, `${error.field === "budget" ? "budget " : ""}${error.message.split("; ")[0]} `),
		...(field ? [go] : []),
	);
}

function receive({ begun, error, points, done, isEnd, seconds }) {
	if (error) {
		stop();
		refuse(error);
		return;
	}
	if (begun) {
		results.begun = begun;
		return;
	}
	for (const [number, summary] of points) {
		results.points[number] = summary;
	}
	results.seconds = seconds;
	progress(done, seconds);
	if (isEnd) {
		stop();
		results.isEnd = true;
		view.button.textContent = "Run again";
		say("Simulation finished");
	}
	show();
}

function show() {
	if (!results.begun || results.points.length === 0) {
		return;
	}
	const wanted = figures(results);
	const shown = [...view.charts.children];
	if (wanted.length !== shown.length || wanted.some((figure, index) => figure !== shown[index])) {
		view.charts.replaceChildren(...wanted);
	}
	view.after.replaceChildren(...(results.isEnd ? everything(results) : []));
}
