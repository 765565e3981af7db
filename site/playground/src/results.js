// What a simulation found: a chart of each measure, the load over time, and a table of everything.

import { chart, seriesColor } from "./chart.js";
import { h, table } from "./dom.js";
import { axisUnit, count, percent, time } from "./numbers.js";
import { seed, state } from "./state.js";

const MS = 1e6;

/** What charts show, by the names of the command. Times are in nanoseconds. */
const MEASURES = {
	calls: { title: "Work: number of calls", value: ({ calls }) => calls.mean, text: count },
	time: { title: "Completion time", value: ({ time_ms }) => time_ms.mean * MS, text: time },
	success: { title: "Operations that succeed", value: ({ success_rate }) => success_rate, text: percent },
	retries: {
		title: "Retries for each operation that succeeds",
		value: (summary) => summary.retries_per_success,
		text: count,
	},
	waiting: { title: "Mean wait of an operation", value: ({ waiting_ms }) => waiting_ms.mean * MS, text: time },
	p50: {
		title: "Median latency of the operations that succeed",
		value: ({ latency_ms }) => latency_ms && latency_ms.p50 * MS,
		text: time,
	},
	p90: {
		title: "Latency of 90 of 100 operations that succeed",
		value: ({ latency_ms }) => latency_ms && latency_ms.p90 * MS,
		text: time,
	},
	p99: {
		title: "Latency of 99 of 100 operations that succeed",
		value: ({ latency_ms }) => latency_ms && latency_ms.p99 * MS,
		text: time,
	},
	max: {
		title: "Longest latency of the operations that succeed",
		value: ({ latency_ms }) => latency_ms && latency_ms.max * MS,
		text: time,
	},
	peak: { title: "Peak: most calls in a second", value: peak, text: count },
	recovery: {
		title: "Time to recover after the outage",
		value: ({ recovery_ms }) => recovery_ms && recovery_ms.mean * MS,
		text: time,
	},
};

/** After the outage, if there is one. */
function peak({ load }, { interval_ns, outage_ns }) {
	const loads = load?.filter(({ from_ms }) => from_ms >= (outage_ns?.[1] ?? 0) / MS);
	return loads?.length > 0 ? Math.max(...loads.map(({ calls }) => calls)) / (interval_ns / 1e9) : undefined;
}

/** The figures of what was found so far. */
export function figures(results) {
	const all = results.points.filter(Boolean);
	const found = lines(results);
	const xs = [...new Set(all.map(xOf))].sort((a, b) => a - b);
	const runs = Math.max(...all.map(({ runs }) => runs));
	const subtitle = `model ${all[0].model}, mean of ${runs} run${runs === 1 ? "" : "s"}, seed ${seed()}`;
	const shown = measures(all, results.begun).map((name) =>
		xs.length > 1 ? measureChart(name, found, xs, subtitle) : bars(name, found, subtitle),
	);
	const hasLoad = all.some(({ load }) => load?.length > 0) && (!state.chart || state.chart.includes("load"));
	return hasLoad ? [loadChart(results.begun, found, subtitle, xs.length > 1), ...shown] : shown;
}

/** A line has as many points as the others. */
function lines({ begun, points }) {
	const names = begun.lines;
	const [first] = points.filter(Boolean);
	const each = begun.points / names.length;
	return names.map((name, number) => ({
		name,
		number,
		points: points.slice(number * each, (number + 1) * each).filter(Boolean),
		first,
		begun,
	}));
}

const xOf = ({ clients, rate }) => clients ?? rate;

function measures(all, { outage_ns }) {
	if (state.chart) {
		return state.chart.split(",").filter((name) => name in MEASURES);
	}
	const wanted = all[0]?.rate === null ? ["calls", "time"] : ["success", "retries"];
	if (all[0]?.rate === null && all.some(({ success_rate }) => success_rate < 1)) {
		wanted.push("success");
	}
	if (outage_ns) {
		wanted.push("recovery");
	}
	return wanted;
}

function measureChart(name, found, xs, subtitle) {
	const { title, value, text } = MEASURES[name];
	const isTime = text === time;
	const of = (line) =>
		xs.map((x) => line.points.filter((point) => xOf(point) === x).map((point) => value(point, line.begun))[0] ?? null);
	const values = found.map(of);
	const longest = Math.max(...values.flat().filter((one) => one !== null), 0);
	const [unit, length] = isTime ? axisUnit(longest) : ["", 1];
	const isClosed = found[0].first.rate === null;
	const last = xs.length - 1;
	const ends = found.map(
		(line, at) => `${line.name} ${values[at][last] === null ? "nothing" : text(values[at][last])}`,
	);
	return chart(name, {
		title: isTime ? `${title}, in ${unit}` : title,
		subtitle,
		description: `At ${xs[last]} ${isClosed ? "clients" : "arrivals in a second"}: ${ends.join("; ")}. The numbers are in a table below.`,
		x: {
			values: xs,
			label: isClosed ? "clients" : "arrivals in a second",
			range: (min, max) => [min - (max - min) * 0.02, max + (max - min) * 0.02],
		},
		series: found.map((line, at) => ({
			name: line.name,
			number: line.number,
			values: values[at].map((one) => one && one / length),
		})),
		format: name === "success" ? (part) => `${Math.round(part * 100)}%` : count,
		unit: length,
		head: [isClosed ? "clients" : "rate", ...found.map((line) => line.name)],
		rows: () =>
			xs.map((x) => [
				x,
				...found.map(({ points, begun }) =>
					cellOf(
						name,
						points.find((point) => xOf(point) === x),
						begun,
					),
				),
			]),
	});
}

function loadChart(begun, found, subtitle, hasLoads) {
	const { interval_ns, outage_ns, capacity } = begun;
	const seconds = interval_ns / 1e9;
	const loads = found.flatMap((line) =>
		line.points.map((point) => ({
			name: hasLoads ? `${line.name}, ${xOf(point)}` : line.name,
			number: line.number,
			load: point.load ?? [],
		})),
	);
	const longest = Math.max(...loads.map(({ load }) => load.length));
	const xs = Array.from({ length: longest }, (_, index) => (index + 0.5) * seconds);
	const values = loads.map(({ load }) => xs.map((_, index) => (load[index] ? load[index].calls / seconds : null)));
	const figure = chart("load", {
		title: "Load: calls per second",
		subtitle,
		description: `${loads.map(({ name }, at) => `${name}: at most ${count(Math.max(...values[at]))} in a second`).join("; ")}. The numbers are in a table below.`,
		x: { values: xs, label: "seconds", range: (_, max) => [0, max + seconds / 2] },
		series: loads.map(({ name, number }, at) => ({
			name,
			number,
			values: values[at],
			shape: longest > 40 ? null : undefined,
		})),
		marks: {
			spans: outage_ns ? [{ from: outage_ns[0] / 1e9, until: outage_ns[1] / 1e9, text: "outage" }] : [],
			heights: capacity ? [{ at: capacity, text: `it can serve ${count(capacity)}` }] : [],
		},
		format: count,
		head: ["second", ...loads.map(({ name }) => name)],
		rows: () =>
			xs.map((x, index) => [
				count(x - seconds / 2),
				...values.map((line) => (line[index] === null ? "–" : count(line[index]))),
			]),
	});
	figure.style.gridColumn = "1 / -1";
	return figure;
}

/** A value as text: "never" if no run recovered, and how many did unless all did. */
function cellOf(name, point, begun) {
	const { value, text } = MEASURES[name];
	const found = point && value(point, begun);
	const isNone = found === null || found === undefined;
	if (name === "recovery" && point && begun.outage_ns) {
		const some = point.recovered < point.runs ? ` (${point.recovered} of ${point.runs})` : "";
		return (isNone ? "never" : text(found)) + some;
	}
	return isNone ? "–" : text(found);
}

/** A point is a bar, not a dot. */
function bars(name, found, subtitle) {
	const { title, value } = MEASURES[name];
	const values = found.map((line) => (line.points[0] ? (value(line.points[0], line.begun) ?? null) : null));
	const longest = Math.max(...values.filter((one) => one !== null), 0) || 1;
	const cell = (at) => cellOf(name, found[at].points[0], found[at].begun);
	return h(
		"figure",
		{ id: `chart-${name}`, "aria-labelledby": `title-${name}` },
		h("figcaption", {}, h("h3", { id: `title-${name}` }, title), h("span", { class: "muted small" }, subtitle)),
		h(
			"div",
			{ class: "bars" },
			...found.flatMap((line, at) => [
				h("span", { class: "name" }, line.name),
				h("span", {
					class: "bar",
					"aria-hidden": "true",
					style: `width:${(values[at] === null ? 0 : values[at] / longest) * 100}%;background:var(${seriesColor(line.number)})`,
				}),
				h("span", {}, cell(at)),
			]),
		),
	);
}

/** All measures of the last point of each line. */
export function everything(results) {
	const found = lines(results);
	const isOpen = found[0].points.at(-1)?.rate !== null;
	// Where operations arrive by themselves, the last one ends a little after they do.
	const names = Object.keys(MEASURES).filter(
		(name) =>
			!(isOpen && name === "time") &&
			((name === "recovery" && results.begun.outage_ns) ||
				found.some(
					({ points, begun }) => points.at(-1) && (MEASURES[name].value(points.at(-1), begun) ?? null) !== null,
				)),
	);
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
			found.map((line) => [line.name, ...names.map((name) => cellOf(name, line.points.at(-1), line.begun))]),
			"first-wraps",
		),
		isOpen &&
			h(
				"p",
				{ class: "muted small" },
				"Operations that arrive in the first quarter of the duration, or before an outage that begins earlier, are not counted.",
			),
		cut > 0 &&
			h(
				"p",
				{ class: "muted small" },
				`${cut} runs were cut after 20 million events, before all operations had ended.`,
			),
	].filter(Boolean);
}
