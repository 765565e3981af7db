// Charts of uPlot: a canvas with a description, a legend with shapes, and a table with the same numbers.

import uPlot from "uplot";
import { h, table } from "./dom.js";
import { count } from "./numbers.js";

const HEIGHT = 300;

/** What the charts on the page show, for tests and for the console. */
export const charts = {};

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const seriesColor = (number) => `--series-${number % 7}`;

/** Lines differ by their dashes and their points as well, for readers who see no colours. */
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4], [12, 4]];
const SHAPES = ["circle", "square", "triangle", "diamond", "cross"];
/** The eighth line has the colour of the first, and looks different. */
const dashOf = (number) => DASHES[(number + 3 * Math.floor(number / 7)) % 7];
const shapeOf = (number) => SHAPES[number % 5];

function shapePath(shape, x, y, r) {
	const path = new Path2D();
	if (shape === "square") {
		path.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
	} else if (shape === "triangle") {
		path.moveTo(x, y - r * 1.2);
		path.lineTo(x + r * 1.1, y + r * 0.8);
		path.lineTo(x - r * 1.1, y + r * 0.8);
		path.closePath();
	} else if (shape === "diamond") {
		path.moveTo(x, y - r * 1.3);
		path.lineTo(x + r * 1.3, y);
		path.lineTo(x, y + r * 1.3);
		path.lineTo(x - r * 1.3, y);
		path.closePath();
	} else if (shape === "cross") {
		const t = r * 0.4;
		path.rect(x - r * 1.1, y - t, r * 2.2, 2 * t);
		path.rect(x - t, y - r * 1.1, 2 * t, r * 2.2);
	} else {
		path.arc(x, y, r, 0, 2 * Math.PI);
	}
	return path;
}

/** Draws the points of a series as filled shapes. */
const points = (shape, radius) => ({
	show: true,
	paths: (plot, series, from, to) => {
		const fill = new Path2D();
		const [xs, ys] = [plot.data[0], plot.data[series]];
		for (let index = from; index <= to; index++) {
			if (ys[index] !== null && ys[index] !== undefined) {
				const x = plot.valToPos(xs[index], "x", true);
				const y = plot.valToPos(ys[index], "y", true);
				fill.addPath(shapePath(shape, x, y, radius * devicePixelRatio));
			}
		}
		return { fill };
	},
	filter: null,
});

/** A line's sample in a legend. */
export function swatch(
	number = 0,
	{ dash = dashOf(number), shape = shapeOf(number), token = seriesColor(number) } = {},
) {
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	svg.setAttribute("width", "26");
	svg.setAttribute("height", "12");
	svg.setAttribute("aria-hidden", "true");
	const marks = {
		circle: '<circle cx="13" cy="6" r="3.4"/>',
		square: '<rect x="9.9" y="2.9" width="6.2" height="6.2"/>',
		triangle: '<path d="M13 1.6 17 9H9Z"/>',
		diamond: '<path d="M13 1 17.6 6 13 11 8.4 6Z"/>',
		cross: '<path d="M11.8 2h2.4v8h-2.4zM9 4.8h8v2.4H9z"/>',
	};
	const line =
		dash === null ? "" : `<path d="M1 6H25" stroke="var(${token})" stroke-width="2" stroke-dasharray="${dash}"/>`;
	svg.innerHTML = `${line}<g fill="var(${token})">${marks[shape] ?? ""}</g>`;
	return svg;
}

/**
 * A chart in a figure. `series` are lines with `name`, `values`, and perhaps `token`, `dash`, `shape` and `line: false`.
 * `bands` are pairs of series between which is filled. `marks` are spans of x that are shaded, and heights that are drawn.
 */
export function chart(
	id,
	{
		title,
		subtitle,
		x,
		series,
		bands = [],
		marks = {},
		format = count,
		unit = 1,
		description,
		head,
		rows,
		log = false,
	},
) {
	const box = h("div", { class: "plot", role: "img", "aria-label": `${title}. ${description}` });
	const legend = h(
		"ul",
		{ class: "legend" },
		...series
			.filter(({ inLegend = true }) => inLegend)
			.map(({ name, number, ...look }) => h("li", {}, swatch(number, look), name)),
	);
	const known = charts[id];
	const names = series.map(({ name }) => name).join("\n");
	if (known?.figure.isConnected && known.names === names && known.title === title && known.state.log === log) {
		known.box.setAttribute("aria-label", `${title}. ${description}`);
		known.figure.querySelector("figcaption .muted").textContent = subtitle ?? "";
		Object.assign(known.state, { series, bands, marks, format, unit, x, log, rows });
		known.plot?.setData(dataOf(known.state));
		known.fill();
		return known.figure;
	}
	const details = h("details", {}, h("summary", {}, "The numbers"));
	const fill = () => {
		if (details.open) {
			details.replaceChildren(details.firstChild, table(title, head, state.rows()));
		}
	};
	details.addEventListener("toggle", fill);
	const figure = h(
		"figure",
		{ id: `chart-${id}`, "aria-labelledby": `title-${id}` },
		h("figcaption", {}, h("h3", { id: `title-${id}` }, title), h("span", { class: "muted small" }, subtitle ?? "")),
		box,
		legend,
		details,
	);
	const state = { series, bands, marks, format, unit, x, log, rows };
	const entry = { figure, box, state, names, title, fill, plot: undefined };
	charts[id]?.plot?.destroy();
	charts[id] = entry;
	// Its width is known when it is on the page.
	// A task for each: a page with many charts stays responsive.
	new ResizeObserver(() => setTimeout(draw, 0, entry)).observe(box);
	return figure;
}

function draw(entry) {
	const { box, state } = entry;
	if (!box.isConnected || box.clientWidth === 0) {
		return;
	}
	if (entry.plot && entry.plot.width === box.clientWidth) {
		return;
	}
	entry.plot?.destroy();
	entry.plot = plotOf(box, state);
}

/** Of a logarithmic axis only the powers of ten are shown. */
const powers = (_, splits) => splits.map((value) => (Number.isInteger(Math.log10(value)) ? value : null));

const dataOf = ({ x, series }) => [x.values, ...series.map(({ values }) => values)];

function plotOf(box, state) {
	const { series, bands, x, log } = state;
	const axis = {
		stroke: color("--muted"),
		grid: { stroke: color("--grid"), width: 1 },
		ticks: { show: false },
		font: "12px system-ui, sans-serif",
		labelFont: "12px system-ui, sans-serif",
		labelSize: 20,
	};
	const lines = series.map(({ number = 0, dash, shape, token, line = true, width = 2 }) => {
		const stroke = color(token ?? seriesColor(number));
		return {
			stroke: line ? stroke : "transparent",
			width: line ? width : 0,
			dash: dash === undefined ? dashOf(number) : (dash ?? []),
			paths: line ? undefined : () => null,
			spanGaps: true,
			points:
				shape === null
					? { show: false }
					: { ...points(shape ?? shapeOf(number), line ? 3.2 : 3), fill: stroke, stroke },
		};
	});
	const values = (_, splits) => splits.map((value) => (value === null ? "" : state.format(value)));
	const plot = new uPlot(
		{
			width: box.clientWidth,
			height: HEIGHT,
			padding: [12, 14, 0, 0],
			legend: { show: false },
			cursor: { show: false },
			scales: {
				x: { time: false, range: (_, min, max) => state.x.range?.(min, max) ?? [min, max] },
				y: log ? { distr: 3 } : { range: (_, __, max) => [0, max > 0 ? max * 1.06 : 1] },
			},
			axes: [
				{
					...axis,
					label: x.label,
					size: 30,
					space: 46,
					...(x.whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000, 1000000] } : {}),
				},
				{
					...axis,
					...(log ? { grid: { ...axis.grid, filter: powers }, filter: powers } : {}),
					values,
					size: (_, texts) => 14 + 7 * Math.max(2, ...(texts ?? []).map((text) => text.length)),
					space: 42,
				},
			],
			series: [{}, ...lines],
			bands: bands.map(([upper, lower, number]) => ({
				series: [upper + 1, lower + 1],
				fill: `${color(seriesColor(number))}26`,
			})),
			hooks: { drawClear: [(self) => shade(self, state.marks)] },
		},
		dataOf(state),
		box,
	);
	return plot;
}

function shade(plot, { spans = [], heights = [] }) {
	const { ctx, bbox } = plot;
	ctx.save();
	ctx.beginPath();
	ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
	ctx.clip();
	for (const { from, until, text } of spans) {
		const [left, right] = [from, until].map((value) => plot.valToPos(value, "x", true));
		ctx.fillStyle = `${color("--series-1")}1c`;
		ctx.fillRect(left, bbox.top, right - left, bbox.height);
		ctx.fillStyle = color("--muted");
		ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
		ctx.textBaseline = "top";
		ctx.textAlign = "left";
		ctx.fillText(text, left + 6 * devicePixelRatio, bbox.top + 5 * devicePixelRatio);
	}
	for (const { at, text } of heights) {
		const y = plot.valToPos(at, "y", true);
		ctx.strokeStyle = color("--muted");
		ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
		ctx.lineWidth = devicePixelRatio;
		ctx.beginPath();
		ctx.moveTo(bbox.left, y);
		ctx.lineTo(bbox.left + bbox.width, y);
		ctx.stroke();
		ctx.fillStyle = color("--muted");
		ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
		ctx.textBaseline = "bottom";
		ctx.textAlign = "right";
		ctx.fillText(text, bbox.left + bbox.width - 6 * devicePixelRatio, y - 3 * devicePixelRatio);
	}
	ctx.restore();
}

/** Forgets the charts of a view that is gone. */
export function forget() {
	for (const id of Object.keys(charts)) {
		charts[id].plot?.destroy();
		delete charts[id];
	}
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	for (const entry of Object.values(charts)) {
		entry.plot?.destroy();
		entry.plot = undefined;
		draw(entry);
	}
});
