// The window, the shortest, mean and longest delay of each retry, and the waits of some keys.

import { chart } from "./chart.js";
import { command, h, quoted } from "./dom.js";
import * as engine from "./engine.js";
import { axisUnit, count, time } from "./numbers.js";
import { policyText, seed, set, state } from "./state.js";

const KEYS = Array.from({ length: 8 }, (_, index) => `client-${index + 1}`);

/** How many retries are shown of a policy with many, or without a limit. */
const [MANY, FEW] = [40, 12];

/** The most keys of a chart. */
const MOST_KEYS = 50;

export const keys = () => (state.key ?? KEYS).slice(0, MOST_KEYS);

function rowsWanted(fields) {
	const wanted = Number.parseInt(state.retries ?? "", 10);
	if (wanted >= 1 && wanted <= 1000) {
		return wanted;
	}
	const limit = fields.max_retries === "none" ? Number.POSITIVE_INFINITY : Number(fields.max_retries);
	return limit <= MANY ? limit : FEW;
}

export function render(view) {
	const chartBox = h("div", {});
	const keyInput = h("input", {
		type: "text",
		id: "keys",
		class: "code",
		value: keys().join(" "),
		spellcheck: "false",
		autocomplete: "off",
	});
	const seedInput = h("input", {
		type: "text",
		id: "seed",
		class: "code",
		value: seed(),
		inputmode: "numeric",
		autocomplete: "off",
	});
	const retries = h("input", {
		type: "text",
		id: "retries",
		class: "code",
		value: state.retries ?? "",
		placeholder: "all, or 12",
		inputmode: "numeric",
		autocomplete: "off",
	});
	const listen = (input, change) => input.addEventListener("input", () => set(change(input.value.trim()), "delays"));
	listen(keyInput, (value) => ({ key: value.split(/[\s,]+/).filter(Boolean) }));
	listen(seedInput, (value) => ({ seed: value }));
	listen(retries, (value) => ({ retries: value }));
	const log = h("input", { type: "checkbox", checked: state.scale === "log" });
	log.addEventListener("change", () => set({ scale: log.checked ? "log" : undefined }, "delays"));
	view.replaceChildren(
		h("h2", { class: "visually-hidden" }, "Delays"),
		h(
			"div",
			{ class: "options" },
			h("label", {}, "retries", retries),
			h("label", {}, "seed", seedInput),
			h("label", { class: "wide" }, "keys", keyInput),
			h("label", { class: "check" }, log, "logarithmic"),
		),
		chartBox,
	);
	return () => update(chartBox);
}

function update(box) {
	const parsed = engine.policy(policyText());
	if (parsed.error) {
		if (box.childElementCount === 0) {
			box.append(h("p", { class: "muted block" }, "There is nothing to show of this policy yet."));
		}
		return;
	}
	const rows = engine.preview(policyText(), rowsWanted(parsed.fields), seed(), keys());
	if (rows.error) {
		box.replaceChildren(h("p", { class: "error", role: "alert" }, `${rows.error.option}: ${rows.error.message}`));
		return;
	}
	if (rows.length === 0) {
		box.replaceChildren(h("p", { class: "muted block" }, "This policy never retries."));
		return;
	}
	const longest = Math.max(
		...rows.flatMap(({ max_ns, window_ns }) => [
			Number(max_ns),
			parsed.fields.jitter === "decorrelated" ? 0 : Number(window_ns),
		]),
	);
	const log = state.scale === "log";
	const [unit, length] = log ? ["s", 1e9] : axisUnit(longest);
	const shown = (ns) => (log && ns === "0" ? null : Number(ns) / length);
	const of = (name) => rows.map((row) => shown(row[name]));
	const hasWindow = parsed.fields.jitter !== "decorrelated";
	const x = rows.map(({ index }) => index + 1);
	const dots = keys().map((_, key) => rows.map(({ waits_ns }) => shown(waits_ns[key])));
	const total = rows.at(-1);
	const all = String(rows.length) === parsed.fields.max_retries ? "All" : "The first";
	const more = (state.key?.length ?? 0) - MOST_KEYS;
	box.replaceChildren(
		h(
			"p",
			{ class: "block" },
			`${all} ${rows.length} waits together: `,
			h("strong", {}, `${time(total.total_min_ns)} to ${time(total.total_max_ns)}`),
			`, on average ${time(total.total_mean_ns)}.`,
			more > 0 ? ` Only the first ${MOST_KEYS} keys are shown: ${more} are not.` : "",
		),
		chart("delays", {
			title: `Delay before each retry, in ${unit}`,
			subtitle: `seed ${seed()}`,
			description: `From the first retry with ${time(rows[0].min_ns)} to ${time(rows[0].max_ns)}, to retry ${rows.length} with ${time(total.min_ns)} to ${time(total.max_ns)}. The numbers are in a table below.`,
			x: {
				values: x,
				label: "retry (the index of the first is 0)",
				whole: true,
				range: () => [0.5, rows.length + 0.5],
			},
			series: [
				...(hasWindow
					? [
							{
								name: "window, before jitter",
								values: of("window_ns"),
								token: "--muted",
								dash: [7, 4],
								shape: null,
								width: 1.5,
							},
						]
					: []),
				{ name: "longest", values: of("max_ns"), number: 0, dash: [], shape: null, width: 1 },
				{ name: "mean", values: of("mean_ns"), number: 1, dash: [], shape: "square", width: 2.5 },
				{ name: "shortest", values: of("min_ns"), number: 0, dash: [2, 3], shape: null, width: 1.5 },
				...dots.map((values, key) => ({
					name: key === 0 ? `waits of ${keys().length} keys` : keys()[key],
					values,
					number: 2,
					shape: "circle",
					dash: null,
					line: false,
					inLegend: key === 0,
				})),
			],
			bands: [hasWindow ? [1, 3, 0] : [0, 2, 0]],
			format: log ? (value) => value.toLocaleString("en", { maximumSignificantDigits: 2 }) : count,
			log,
			unit: length,
			head: ["retry", "window", "min", "mean", "max", "mean total", "max total", ...keys()],
			rows: () =>
				rows.map((row) => [
					row.index + 1,
					hasWindow ? time(row.window_ns) : "–",
					...[row.min_ns, row.mean_ns, row.max_ns, row.total_mean_ns, row.total_max_ns, ...row.waits_ns].map(time),
				]),
		}),
		command(`backoff preview ${quoted(policyText())}${state.retries ? ` --retries ${state.retries}` : ""}`),
	);
}
