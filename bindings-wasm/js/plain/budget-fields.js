// Budget strings (SPEC 15.1, 15.2).

import { EVERY_INDEX, readTable, uses } from "./fields.js";
import { textOf, UNITS } from "./messages.js";
import { headsOf, parseText, readPresets } from "./parse.js";
import { joined } from "./print.js";
import { checkValue } from "./rules.js";

export const BUDGET_FIELDS = /* @__PURE__ */ readTable(`budget kind quota throttle ratio rate ttl concurrent
max_tokens count budget 1 2 3 4
cost count budget 1
cost_throttled count budget 1
cost_timeout count budget 1
ratio ratio budget 2 3 5 6
per duration budget 4
ttl duration budget 5
min_per_second count budget 5
min_concurrent count budget 6`);

export const QUOTA = 1n;
export const THROTTLE = 2n;
export const RATIO = 3n;
export const RATE = 4n;
export const TTL = 5n;

const PRESETS = `aws-sdk-standard quota:cost=5,cost_timeout=10
aws-sdk-2026 quota:cost=14,cost_throttled=5
grpc-retry throttle:max_tokens=10,ratio=0.1
sre ratio:ratio=0.1
sre-process rate:max_tokens=60,per=1m
finagle ttl:ttl=10s,min_per_second=10,ratio=0.2
envoy concurrent:ratio=0.2,min_concurrent=3`;

const TENTH = 0x10000000an;
const FIFTH = 0x100000005n;

function defaultOf(name, { budget, cost }) {
	switch (name) {
		case "max_tokens":
			return { [QUOTA]: 500n, [RATE]: 60n }[budget] ?? 10n;
		case "cost":
			return 5n;
		case "ratio":
			return budget === THROTTLE || budget === RATIO ? TENTH : FIFTH;
		case "per":
			return UNITS.m;
		case "ttl":
			return 10n * UNITS.s;
		case "min_per_second":
			return 10n;
		case "min_concurrent":
			return 3n;
		default:
			return cost;
	}
}

function rangeOf(name, { budget, max_tokens: maxTokens }) {
	switch (name) {
		case "max_tokens":
			return [1n, { [THROTTLE]: 1000n, [RATE]: 100_000n }[budget] ?? 1_000_000n];
		case "per":
			return [1n, UNITS.d];
		case "ttl":
			return [UNITS.s, UNITS.m];
		case "min_per_second":
			return [0n, 1_000_000n];
		case "min_concurrent":
			return [0n, EVERY_INDEX - 1n];
		default:
			return [1n, maxTokens];
	}
}

function check(fields, refuse) {
	const checked = { budget: fields.budget };
	const fail = (code, field, value, limit) => {
		const isDefault = code === "too_large" && field.name === "cost" && value === defaultOf("cost", checked);
		refuse(code, field, value, limit, isDefault ? `${value} (its default)` : undefined);
	};
	for (const field of Object.values(BUDGET_FIELDS).slice(1)) {
		const { name } = field;
		const value = fields[name];
		if (uses(checked, field)) {
			checked[name] = checkValue(field, value ?? defaultOf(name, checked), rangeOf(name, checked), fail);
		} else if (value !== undefined) {
			fail("unused", field, value, checked.budget);
		}
	}
	return checked;
}

let grammar;

/** The checked fields of a budget string. */
export function parseBudgetText(text) {
	grammar ??= {
		heads: { ...headsOf(BUDGET_FIELDS.budget), ...readPresets(PRESETS) },
		keys: BUDGET_FIELDS,
		check,
	};
	return parseText(grammar, text);
}

export function printBudget(fields) {
	const shown = Object.entries(fields).filter(
		([name, value]) => name === "budget" || value !== defaultOf(name, fields),
	);
	return joined(shown.map(([name, value]) => [name, textOf(BUDGET_FIELDS[name], value)]));
}
