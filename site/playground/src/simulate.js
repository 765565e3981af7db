// The simulator: many clients with each of the policies.

import { chart, seriesColor, swatch } from "./chart.js";
import { command, h, quoted, say, table } from "./dom.js";
import { errorParts } from "./editor.js";
import { EXPERIMENTS, MODELS, option, optionsOf } from "./models.js";
import { axisUnit, count, percent, time } from "./numbers.js";
import { policyText, seed, set, state } from "./state.js";

const MS = 1e6;

/** What charts show, by the names of the command. Times are in nanoseconds. */
const MEASURES = {
	calls: { title: "Work: number of calls", value: ({ calls }) => calls.mean, text: count },
	time: { title: "Completion time", value: ({ time_ms }) => time_ms.mean * MS, text: time },
	success: { title: "Operations that succeed", value: ({ success_rate }) => success_rate, text: percent },
	retries: { title: "Retries for each operation that succeeds", value: (summary) => summary.retries_per_success, text: count },
	waiting: { title: "Mean wait of an operation", value: ({ waiting_ms }) => waiting_ms.mean * MS, text: time },
	p50: { title: "Median latency of the operations that succeed", value: ({ latency_ms }) => latency_ms && latency_ms.p50 * MS, text: time },
	p90: { title: "Latency of 90 of 100 operations that succeed", value: ({ latency_ms }) => latency_ms && latency_ms.p90 * MS, text: time },
	p99: { title: "Latency of 99 of 100 operations that succeed", value: ({ latency_ms }) => latency_ms && latency_ms.p99 * MS, text: time },
	max: { title: "Longest latency of the operations that succeed", value: ({ latency_ms }) => latency_ms && latency_ms.max * MS, text: time },
	recovery: { title: "Time to recover after the outage", value: ({ recovery_ms }) => recovery_ms && recovery_ms.mean * MS, text: time },
};

/** How long a reader may go on typing before it begins, in milliseconds. */
const PATIENCE = 350;

/** The latest simulation: for tests, and for a reader who comes back. */
export const results = { isEnd: false, points: [], begun: undefined, seconds: 0, error: undefined };

let worker;
let timer;
let view;
/** What was simulated, to begin again only if something else is asked for. */
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
	return { model: model(), policies: state.policy, options };
}

export function render(box) {
	const progress = h("progress", { max: "1", value: 0, "aria-label": "Progress of the simulation" });
	const status = h("span", { class: "muted small" });
	const button = h("button", { type: "button", class: "primary", id: "run" }, "Run");
	button.addEventListener("click", () => (worker ? cancel() : begin()));
	view = {
		policies: h("div", { class: "beside" }),
		model: h("select", { id: "model" }, ...Object.entries(MODELS).map(([value, { name }]) => h("option", { value }, `${value}: ${name}`))),
		about: h("p", { class: "muted small" }),
		options: h("div", { class: "options" }),
		more: h("div", { class: "options" }),
		error: h("div", { class: "error", role: "alert", hidden: true }),
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
		const others = Object.fromEntries(Object.keys(MODELS).flatMap((name) => optionsOf(name)).map((name) => [name, undefined]));
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
		h("div", { class: "block" }, h("label", { for: "model" }, "model"), view.model, view.about),
		view.options,
		h("details", {}, h("summary", {}, "More options"), view.more),
		h("h3", { class: "block" }, "Policies"),
		h("p", { class: "muted small" }, "The first is the one that you edit. A policy may have a name in front and a budget behind: ", h("code", {}, "mine=default;budget=sre")),
		view.policies,
		view.error,
		h("div", { class: "run" }, button, progress, status),
		view.charts,
		view.after,
		view.command,
	);
	simulated = "";
	return update;
}

export function leave() {
	clearTimeout(timer);
	stop();
}

function start({ model, options = {}, policies }) {
	const others = Object.fromEntries(Object.keys(MODELS).flatMap((name) => optionsOf(name)).map((name) => [name, undefined]));
	const beside = policies.map((text) => text.replace("POLICY", policyText()));
	set({ ...others, chart: undefined, ...options, model, policy: [state.policy[0], ...beside] }, "experiment");
}

function update() {
	view.model.value = model();
	view.about.textContent = MODELS[model()].about;
	if (view.shownModel !== model()) {
		view.shownModel = model();
		view.inputs = new Map();
		view.options.replaceChildren(...MODELS[model()].options.map(optionInput), optionInput("seed"));
		view.more.replaceChildren(...MODELS[model()].more.map(optionInput));
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
		: h("input", { type: "text", class: "code", placeholder: value, spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
	field.id = `option-${name}`;
	field.addEventListener(values ? "change" : "input", () => {
		const text = field.value.trim();
		set({ [name]: values && text === value ? undefined : text }, "option");
	});
	view.inputs.set(name, field);
	return h("label", { title: about }, name, field);
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
		view.rows.pop().forEach((element) => element.remove());
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
	const field = h("input", { type: "text", class: "code", "aria-label": `Policy ${number + 1}`, spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
	field.addEventListener("input", () => set({ policy: state.policy.map((text, at) => (at === number ? field.value.trim() : text)) }, "policies"));
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
	worker?.terminate();
	worker = undefined;
}

function cancel() {
	stop();
	view.button.textContent = "Run";
	view.status.textContent = "Cancelled";
	say("Cancelled");
}

function begin() {
	clearTimeout(timer);
	stop();
	Object.assign(results, { isEnd: false, points: [], begun: undefined, seconds: 0, error: undefined });
	view.progress.value = 0;
	view.status.textContent = "";
	view.button.textContent = "Cancel";
	view.error.hidden = true;
	say("Simulation running");
	const own = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
	worker = own;
	own.onmessage = ({ data }) => {
		if (worker === own) {
			receive(data);
		}
	};
	own.onerror = ({ message }) => receive({ error: { message: message || "The worker did not start.", option: "model" } });
	own.postMessage(input());
}

function receive({ begun, error, points, done, isEnd, seconds }) {
	if (error) {
		stop();
		results.error = error;
		view.button.textContent = "Run";
		view.error.hidden = false;
		const where = error.option === "policy" || error.option === "budget" ? `${error.option} of line ${(error.number ?? 0) + 1}` : error.option;
		view.error.replaceChildren(h("strong", {}, `${where}: `), ...errorParts(error));
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
	view.progress.value = done;
	view.status.textContent = `${Math.round(done * 100)}%, ${seconds.toFixed(1)} s`;
	if (isEnd) {
		stop();
		results.isEnd = true;
		view.button.textContent = "Run again";
		say("Simulation finished");
	}
	show();
}

/** A line has as many points as the others. */
function lines() {
	const names = results.begun.lines;
	const [first] = results.points.filter(Boolean);
	const each = Math.max(1, Math.round(view.total / names.length) || 1);
	return names.map((name, number) => ({ name, number, points: results.points.slice(number * each, (number + 1) * each).filter(Boolean), first }));
}

const xOf = ({ clients, rate }) => clients ?? rate;

function measures(all) {
	const asked = (state.chart ?? "").split(",").filter((name) => name in MEASURES);
	if (asked.length > 0) {
		return asked;
	}
	const wanted = all[0]?.rate === null ? ["calls", "time"] : ["success", "retries"];
	if (all[0]?.rate === null && all.some(({ success_rate }) => success_rate < 1)) {
		wanted.push("success");
	}
	if (all.some(({ recovery_ms }) => recovery_ms)) {
		wanted.push("recovery");
	}
	return wanted;
}

function show() {
	const all = results.points.filter(Boolean);
	if (!results.begun || all.length === 0) {
		return;
	}
	view.total = results.begun.points;
	const found = lines();
	const xs = [...new Set(all.map(xOf))].sort((a, b) => a - b);
	const runs = Math.max(...all.map(({ runs }) => runs));
	const subtitle = `model ${all[0].model}, mean of ${runs} run${runs === 1 ? "" : "s"}, seed ${seed()}`;
	const figures = [];
	if (all.some(({ load }) => load?.length > 0) && (!state.chart || state.chart.includes("load"))) {
		figures.push(loadChart(found, subtitle, xs.length > 1));
	}
	for (const name of measures(all)) {
		figures.push(xs.length > 1 ? measureChart(name, found, xs, subtitle) : bars(name, found, subtitle));
	}
	const shown = [...view.charts.children];
	if (figures.length !== shown.length || figures.some((figure, index) => figure !== shown[index])) {
		view.charts.replaceChildren(...figures);
	}
	if (results.isEnd) {
		view.after.replaceChildren(...everything(found));
	} else {
		view.after.replaceChildren();
	}
}

function measureChart(name, found, xs, subtitle) {
	const { title, value, text } = MEASURES[name];
	const isTime = text === time;
	const of = (line) => xs.map((x) => line.points.filter((point) => xOf(point) === x).map(value)[0] ?? null);
	const values = found.map(of);
	const longest = Math.max(...values.flat().filter((one) => one !== null), 0);
	const [unit, length] = isTime ? axisUnit(longest) : ["", 1];
	const isClosed = found[0].first.rate === null;
	const last = xs.length - 1;
	const ends = found.map((line, at) => `${line.name} ${values[at][last] === null ? "nothing" : text(values[at][last])}`);
	return chart(name, {
		title: isTime ? `${title}, in ${unit}` : title,
		subtitle,
		description: `At ${xs[last]} ${isClosed ? "clients" : "arrivals in a second"}: ${ends.join("; ")}. The numbers are in a table below.`,
		x: { values: xs, label: isClosed ? "clients" : "arrivals in a second", range: (min, max) => [min - (max - min) * 0.02, max + (max - min) * 0.02] },
		series: found.map((line, at) => ({ name: line.name, number: line.number, values: values[at].map((one) => one && one / length) })),
		format: name === "success" ? (part) => `${Math.round(part * 100)}%` : count,
		unit: length,
		head: [isClosed ? "clients" : "rate", ...found.map((line) => line.name)],
		rows: () => xs.map((x, index) => [x, ...values.map((line) => (line[index] === null ? "–" : text(line[index])))]),
	});
}

function loadChart(found, subtitle, hasLoads) {
	const { interval_ns, outage_ns, capacity } = results.begun;
	const seconds = interval_ns / 1e9;
	const loads = found.flatMap((line) => line.points.map((point) => ({ name: hasLoads ? `${line.name}, ${xOf(point)}` : line.name, number: line.number, load: point.load ?? [] })));
	const longest = Math.max(...loads.map(({ load }) => load.length));
	const xs = Array.from({ length: longest }, (_, index) => (index + 0.5) * seconds);
	const values = loads.map(({ load }) => xs.map((_, index) => (load[index] ? load[index].calls / seconds : null)));
	const figure = chart("load", {
		title: "Load: calls per second",
		subtitle,
		description: `${loads.map(({ name }, at) => `${name}: at most ${count(Math.max(...values[at]))} in a second`).join("; ")}. The numbers are in a table below.`,
		x: { values: xs, label: "seconds", range: (_, max) => [0, max + seconds / 2] },
		series: loads.map(({ name, number }, at) => ({ name, number, values: values[at], shape: longest > 40 ? null : undefined })),
		marks: {
			spans: outage_ns ? [{ from: outage_ns[0] / 1e9, until: outage_ns[1] / 1e9, text: "outage" }] : [],
			heights: capacity ? [{ at: capacity, text: `it can serve ${count(capacity)}` }] : [],
		},
		format: count,
		head: ["second", ...loads.map(({ name }) => name)],
		rows: () => xs.map((x, index) => [count(x - seconds / 2), ...values.map((line) => (line[index] === null ? "–" : count(line[index])))]),
	});
	figure.style.gridColumn = "1 / -1";
	return figure;
}

/** A point is a bar, not a dot. */
function bars(name, found, subtitle) {
	const { title, value, text } = MEASURES[name];
	const values = found.map((line) => (line.points[0] ? (value(line.points[0]) ?? null) : null));
	const longest = Math.max(...values.filter((one) => one !== null), 0) || 1;
	const cell = (at) => {
		const { recovered, runs } = found[at].points[0] ?? {};
		const never = name === "recovery" && recovered < runs ? ` (${recovered} of ${runs})` : "";
		return values[at] === null ? (name === "recovery" ? `never${never}` : "–") : text(values[at]) + never;
	};
	return h(
		"figure",
		{ id: `chart-${name}` },
		h("figcaption", {}, h("h3", {}, title), h("span", { class: "muted small" }, subtitle)),
		h(
			"div",
			{ class: "bars" },
			...found.flatMap((line, at) => [
				h("span", { class: "name" }, line.name),
				h("span", { class: "bar", "aria-hidden": "true", style: `width:${(values[at] === null ? 0 : values[at] / longest) * 100}%;background:var(${seriesColor(line.number)})` }),
				h("span", {}, cell(at)),
			]),
		),
	);
}

/** All measures of the last point of each line. */
function everything(found) {
	const names = Object.keys(MEASURES).filter((name) => found.some(({ points }) => points.at(-1) && (MEASURES[name].value(points.at(-1)) ?? null) !== null));
	const last = found[0].points.at(-1);
	if (!last) {
		return [];
	}
	const at = last.rate === null ? `${last.clients} clients` : `${last.rate} arrivals in a second`;
	const cut = results.points.filter(Boolean).reduce((sum, { cut }) => sum + cut, 0);
	const caption = `All measures at ${at}`;
	return [
		h("h3", { class: "block" }, caption),
		table(
			caption,
			["policy", ...names],
			found.map((line) => [line.name, ...names.map((name) => {
				const value = line.points.at(-1) && MEASURES[name].value(line.points.at(-1));
				return value === null || value === undefined ? "–" : MEASURES[name].text(value);
			})]),
		),
		cut > 0 && h("p", { class: "muted small" }, `${cut} runs were cut before all operations had ended.`),
	].filter(Boolean);
}
