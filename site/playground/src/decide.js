// The decisions of an operation: after each attempt to wait or to stop, and why.

import { keys } from "./delays.js";
import { h, say } from "./dom.js";
import { errorParts } from "./editor.js";
import * as engine from "./engine.js";
import { time } from "./numbers.js";
import { budgetText, policyText, seed, set, state } from "./state.js";

const OUTCOMES = ["success", "transient", "throttled", "timeout", "permanent"];

/** What a new reader sees. */
const FIRST = ["transient", "throttled;retry-after=2s", "timeout;took=1s", "transient", "transient", "transient"];

const REASONS = {
	success: "the attempt succeeded",
	permanent: "another attempt would not help",
	max_retries: "all retries were made",
	max_elapsed: "the wait would end later than max_elapsed allows",
	deadline: "the wait would end after the deadline",
	budget: "the budget refuses the retry",
	cancelled: "it was cancelled",
};

const attempts = () => state.attempt ?? FIRST;

function read(text) {
	const [outcome, ...pairs] = text.split(";");
	const values = Object.fromEntries(pairs.map((pair) => pair.split("=")));
	return { outcome, retryAfter: values["retry-after"] ?? "", took: values.took ?? "" };
}

const written = ({ outcome, retryAfter, took }) =>
	`${outcome}${retryAfter && `;retry-after=${retryAfter}`}${took && `;took=${took}`}`;

export function render(view) {
	const list = h("ol", { class: "steps", "aria-label": "Attempts" });
	const error = h("div", { class: "error", role: "alert", hidden: true });
	const before = field("before", "0", "other operations that failed just before, of the same budget");
	const deadline = field("deadline", "none", "how long after its beginning it may retry");
	const key = field("key", keys()[0], "whose waits these are", (value) => ({
		key: value ? [value, ...keys().slice(1)] : undefined,
	}));
	const summary = h("p", { class: "block", "aria-live": "polite" });
	const rows = [];
	const add = h("button", { type: "button" }, "Add an attempt");
	add.addEventListener("click", () => {
		set({ attempt: [...attempts(), "transient"] }, "decide");
		rows.at(-1)?.outcome.focus();
	});
	view.replaceChildren(
		h("h2", { class: "visually-hidden" }, "Decisions"),
		h("p", { class: "muted" }, "One operation: how each attempt ends, and what the policy and the budget decide."),
		h("div", { class: "options roomy block" }, key.label, deadline.label, before.label),
		error,
		list,
		h("div", { class: "run" }, add, reset()),
		summary,
	);
	return () => {
		const texts = attempts();
		while (rows.length > texts.length) {
			rows.pop().item.remove();
		}
		for (let number = rows.length; number < texts.length; number++) {
			rows.push(row(number));
			list.append(rows[number].item);
		}
		for (const [number, text] of texts.entries()) {
			rows[number].show(read(text));
		}
		for (const { input, value } of [before, deadline, key]) {
			if (document.activeElement !== input) {
				input.value = value();
			}
		}
		decide(rows, error, summary);
	};
}

function reset() {
	const button = h("button", { type: "button" }, "All fail");
	button.addEventListener("click", () => set({ attempt: Array.from({ length: 8 }, () => "transient") }, "decide"));
	return button;
}

function field(name, placeholder, title, change = (value) => ({ [name]: value })) {
	const value = () => (name === "key" ? (state.key?.[0] ?? "") : (state[name] ?? ""));
	const input = h("input", {
		type: "text",
		class: "code",
		placeholder,
		value: value(),
		autocomplete: "off",
		spellcheck: "false",
	});
	input.addEventListener("input", () => set(change(input.value.trim()), "decide"));
	return { input, value, label: h("label", {}, name, input, h("span", { class: "hint" }, title)) };
}

function row(number) {
	const select = h("select", {}, ...OUTCOMES.map((outcome) => h("option", { value: outcome }, outcome)));
	const text = (placeholder) =>
		h("input", { type: "text", class: "code", placeholder, autocomplete: "off", spellcheck: "false" });
	const [took, retryAfter] = [text("50ms"), text("none")];
	const decision = h("div", { class: "decision" });
	const remove = h("button", { type: "button", class: "icon", "aria-label": `Remove attempt ${number + 1}` }, "×");
	const change = () => {
		const one = written({ outcome: select.value, retryAfter: retryAfter.value.trim(), took: took.value.trim() });
		set({ attempt: attempts().map((text, at) => (at === number ? one : text)) }, "decide");
	};
	select.addEventListener("change", change);
	took.addEventListener("input", change);
	retryAfter.addEventListener("input", change);
	remove.addEventListener("click", () => {
		set({ attempt: attempts().filter((_, at) => at !== number) }, "decide");
		say(`Attempt ${number + 1} removed`);
	});
	const item = h(
		"li",
		{ "aria-label": `Attempt ${number + 1}` },
		h(
			"div",
			{ class: "inputs" },
			h("label", {}, `attempt ${number + 1}`, select),
			h("label", {}, "took", took),
			h("label", {}, "retry-after", retryAfter),
		),
		decision,
		remove,
	);
	const show = (values) => {
		for (const [input, value] of [
			[select, values.outcome],
			[took, values.took],
			[retryAfter, values.retryAfter],
		]) {
			if (input.value !== value && document.activeElement !== input) {
				input.value = value;
			}
		}
	};
	return { item, decision, outcome: select, show };
}

function decide(rows, error, summary) {
	const steps = engine.decide({
		policy: policyText(),
		budget: budgetText(),
		seed: seed(),
		key: keys()[0],
		deadline: state.deadline ?? "",
		before: Number.parseInt(state.before ?? "0", 10) || 0,
		attempts: attempts(),
	});
	error.hidden = !steps.error;
	if (steps.error) {
		error.replaceChildren(...errorParts(steps.error));
		return;
	}
	for (const [number, { item, decision }] of rows.entries()) {
		item.classList.toggle("unused", number >= steps.length);
		decision.replaceChildren(
			...(steps[number] ? sentence(steps[number]) : [h("span", { class: "muted" }, "not made")]),
		);
	}
	const last = steps.at(-1);
	summary.textContent = !last
		? ""
		: last.decision === "stop"
			? `It stops after ${time(last.ended_ns)} and ${steps.length} attempt${steps.length === 1 ? "" : "s"}: ${REASONS[last.reason]}.`
			: "It still waits: add an attempt.";
}

function sentence(step) {
	const {
		decision,
		reason,
		delay_ns,
		computed_ns,
		retry_after_ns,
		index,
		level,
		level_before,
		level_max,
		began_ns,
		ended_ns,
	} = step;
	const stops = decision === "stop";
	const hint = retry_after_ns === null ? undefined : `Retry-After ${time(retry_after_ns)}`;
	const why = stops
		? `${REASONS[reason]}${delay_ns === "0" ? "" : ` (it would be ${time(delay_ns)})`}`
		: delay_ns === computed_ns
			? `the delay of retry ${index + 1}${hint ? `; ${hint} does not change it` : ""}`
			: `${hint ?? "a base after throttling"} in place of ${time(computed_ns)}, the delay of retry ${index + 1}`;
	const tokens =
		level === null ? "" : ` Budget: ${level_before === level ? level : `${level_before} → ${level}`} of ${level_max}.`;
	return [
		h("span", { class: stops ? "verdict stop" : "verdict" }, stops ? "stop" : `wait ${time(delay_ns)}`),
		h("span", {}, `${why}.`),
		h("span", { class: "muted" }, `${tokens} ${time(began_ns)} to ${time(ended_ns)}.`),
	];
}
