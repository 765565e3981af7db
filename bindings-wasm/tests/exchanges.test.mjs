// Exchanges of shared budgets: the vectors of all languages, on the installed package.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Budget, BudgetMember } from "./installed.mjs";
import { vectors } from "./vectors.mjs";

const RETRIED = ["transient", "throttled", "timeout"];

/** What each action of a case does, and what it must return. */
const ACTIONS = {
	note: (member, { event, held, local }, now) => member.note(event, BigInt(held), local, now),
	request(member, { outcome, answer, held, local }, now) {
		const granted = answer === "granted";
		const want = answer === "waits" ? undefined : { granted, held: BigInt(held), isLocal: local };
		assert.deepEqual(member.request(outcome, now), want);
	},
	cancel: (member, { outcome }) => member.cancel(outcome),
	begin: (member, _, now) => member.begin(now),
	step(member, { text, store_now: storeNow, after, changed, steps }) {
		const found = member.step(text, BigInt(storeNow));
		if (after === null) {
			assert.equal(found, undefined);
			return;
		}
		const shown = found.steps.map((step) => ({
			...step,
			held: `${step.held}`,
			count: `${step.count}`,
			granted: `${step.granted ?? 0}`,
		}));
		assert.deepEqual({ after: found.after, changed: found.isChanged, steps: shown }, { after, changed, steps });
	},
	stored(member, { granted, refused, held }, now) {
		const rows = RETRIED.map((outcome, at) => ({
			outcome,
			granted: Number(granted[at]),
			refused: Number(refused[at]),
			held: BigInt(held[at]),
		}));
		assert.deepEqual(member.stored(now), rows);
	},
	lost: (member, { wait }, now) => assert.equal(member.lost(now), wait === null ? undefined : BigInt(wait)),
	failed: (member, { stored }, now) => member.failed(stored, now),
	late: (member, _, now) => member.late(now),
};

describe("exchanges", () => {
	for (const { id, budget, local, lease, fallback, timeout, seed, steps, stats } of vectors("exchanges")) {
		test(id, () => {
			const [shared, own] = [budget, local].map((text) => Budget.parse(text));
			const member = new BudgetMember(shared, own, lease, BigInt(fallback), BigInt(timeout), BigInt(seed));
			for (const step of steps) {
				const now = BigInt(step.now);
				for (let time = 0; time < (step.times ?? 1); time++) {
					ACTIONS[step.do](member, step, now);
				}
				const { away, due_in: dueIn, unsent } = step;
				assert.deepEqual([member.isAway(now), member.hasUnsent()], [away, unsent]);
				assert.equal(member.timeout(), BigInt(step.timeout));
				assert.equal(member.dueIn(now), dueIn === null ? undefined : BigInt(dueIn));
			}
			const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
			const want = Object.entries(stats).map(([name, count]) => [camel(name), Number(count)]);
			assert.deepEqual({ ...member.stats() }, Object.fromEntries(want));
		});
	}
});
