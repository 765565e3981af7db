// The decisions of an operation: after each attempt to wait or to stop, and why.

import { keys } from "./delays.js";
import { h, say } from "./dom.js";
import { errorParts } from "./editor.js";
import * as engine from "./engine.js";
import { time } from "./numbers.js";
import { budgetText, deadlineText, ownText, policyText, seed, set, state } from "./state.js";

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

/** The most attempts: a page shows them all at once. */
const MOST = 100;

const attempts = () => (state.attempt ?? FIRST).slice(0, MOST);

function read(text) {
	const [outcome, ...pairs] = text.split(";");
	const values = Object.fromEntries(pairs.map((pair) => /^([^=]*)=?(.*)$/s.exec(pair).slice(1)));
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
	const most = h("p", { class: "muted small" });
	const summary = h("p", { class: "block", "aria-live": "polite" });
	const rows = [];
	const add = h("button", { type: "button" }, "Add an attempt");
	add.addEventListener("click", () => {
		set({ attempt: [...attempts(), "transient"].slice(0, MOST) }, "decide");
		rows.at(-1)?.outcome.focus();
	});
	view.replaceChildren(
		h("h2", { class: "visually-hidden" }, "Decisions"),
		h("p", { class: "muted" }, "One operation: how each attempt ends, and what the policy and the budget decide."),
		h("div", { class: "options roomy block" }, key.label, deadline.label, before.label),
		error,
		list,
		h("div", { class: "run" }, add, reset()),
		most,
		summary,
	);
	return () => {
		const texts = attempts();
		const more = (state.attempt?.length ?? 0) - MOST;
		add.disabled = texts.length >= MOST;
		most.textContent =
			more > 0
				? `Only the first ${MOST} attempts are shown: ${more} are not.`
				: add.disabled
					? `At most ${MOST} attempts are shown.`
					: "";
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
		const own = ownText("deadline");
		deadline.input.placeholder = own === undefined ? "none" : `${own}, of the policy`;
		decide({ rows, fields: { before, deadline }, error, summary });
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
	const error = h("div", { class: "error", role: "alert", hidden: true });
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
		error,
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
	return { item, decision, error, outcome: select, inputs: { outcome: select, took, "retry-after": retryAfter }, show };
}

/** Shows what is wrong beside its field, or at the top if it is in the policy or in the budget. */
function showRefused({ rows, fields, error }, refused) {
	const row = refused?.option === "attempt" ? rows[refused.number] : undefined;
	const wrong = row ? row.inputs[refused.field] : fields[refused?.option]?.input;
	const inputs = [
		...rows.flatMap(({ inputs }) => Object.values(inputs)),
		...Object.values(fields).map(({ input }) => input),
	];
	for (const input of inputs) {
		input.setAttribute("aria-invalid", String(input === wrong));
	}
	for (const one of rows) {
		one.error.hidden = one !== row;
		one.error.replaceChildren(...(one === row ? [`${refused.field}: ${refused.message}`] : []));
	}
	error.hidden = !refused || row !== undefined;
	error.replaceChildren(...(error.hidden ? [] : [h("strong", {}, `${refused.option}: `), ...errorParts(refused)]));
}

function decide(shown) {
	const { rows, summary } = shown;
	const steps = engine.decide({
		policy: policyText(),
		budget: budgetText(),
		seed: seed(),
		key: keys()[0],
		deadline: deadlineText(),
		before: state.before ?? "",
		attempts: attempts(),
	});
	showRefused(shown, steps.error);
	const { fields } = steps.error ? {} : engine.policy(policyText());
	const nothing = steps.error ? "not decided: something is wrong" : "not made";
	for (const [number, { item, decision }] of rows.entries()) {
		const step = steps.error ? undefined : steps[number];
		item.classList.toggle("unused", !step);
		decision.replaceChildren(...(step ? sentence(step, fields) : [h("span", { class: "muted" }, nothing)]));
	}
	const last = steps.error ? undefined : steps.at(-1);
	summary.textContent = !last
		? ""
		: last.decision === "stop"
			? `It stops after ${time(last.ended_ns)} and ${steps.length} attempt${steps.length === 1 ? "" : "s"}: ${REASONS[last.reason]}.`
			: rows.length < MOST
				? "It still waits: add an attempt."
				: "It still waits.";
}

function sentence(step, fields) {
	const {
		decision,
		reason,
		delay_ns,
		computed_ns,
		retry_after_ns,
		limit,
		index,
		level,
		level_before,
		level_max,
		began_ns,
		ended_ns,
	} = step;
	const stops = decision === "stop";
	const cut = limit ? `, limited by ${limit}=${fields[limit]},` : "";
	const hint = retry_after_ns === null ? undefined : `Retry-After ${time(retry_after_ns)}${cut}`;
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
		h("span", { class: "muted" }, `${tokens} This attempt took from ${time(began_ns)} to ${time(ended_ns)}.`),
	];
}
