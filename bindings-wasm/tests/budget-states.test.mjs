// States of budgets, resumed operations and refused retries: the vectors of all languages, on the installed package.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Budget, BudgetState, Operation, Policy, PolicyError, RandomStream } from "./installed.mjs";
import { nanoseconds, vectors } from "./vectors.mjs";

describe("budget_states", () => {
	for (const { id, budget, start, steps } of vectors("budget_states")) {
		test(id, () => {
			const parsed = Budget.parse(budget);
			let state = start === null ? BudgetState.full(parsed) : BudgetState.parse(parsed, start);
			for (const { event, outcome, held, now, granted, holds, state: text } of steps) {
				const given = { held: BigInt(held), ...(outcome !== null && { outcome }) };
				const step = state.step(event, BigInt(now), given);
				assert.deepEqual([step.granted, step.held], [granted ?? false, granted ? BigInt(holds) : 0n]);
				assert.equal(step.state.text, text);
				assert.equal(step.state.version, BigInt(text.split(" ")[0]));
				assert.equal(step.state === state, text === state.text);
				({ state } = step);
				assert.equal(BudgetState.parse(parsed, text).text, text);
			}
		});
	}
});

describe("budget_state_texts", () => {
	for (const { id, budget, text, valid } of vectors("budget_state_texts")) {
		test(id, () => {
			const parse = () => BudgetState.parse(Budget.parse(budget), text);
			if (valid) {
				assert.equal(`${parse()}`, text);
			} else {
				assert.throws(parse, (error) => error instanceof PolicyError && error.code === "not_a_state");
			}
		});
	}
});

describe("resumptions", () => {
	for (const each of vectors("resumptions")) {
		test(each.id, () => {
			const { policy, stream, retries, begun, deadline, now, outcome, retry_after: retryAfter, answer } = each;
			const operation = Operation.resume(Policy.parse(policy), new RandomStream(BigInt(stream)), BigInt(retries), {
				now: nanoseconds(begun),
				...(deadline !== null && { deadline: nanoseconds(deadline) }),
			});
			assert.equal(operation.retries, Number(retries));
			const given = { now: nanoseconds(now), ...(retryAfter !== null && { retryAfter: nanoseconds(retryAfter) }) };
			const { delayNs, reason } = operation.decide(outcome, given);
			const { wait, stop, delay = wait } = answer;
			assert.deepEqual([delayNs, reason], [BigInt(delay), stop]);
			assert.equal(operation.retries, Number(each.retries_after));
			assert.equal(operation.refuseRetry(), each.refused);
			assert.deepEqual([operation.retries, operation.reason], [Number(each.retries_refused), each.refused]);
		});
	}
});

describe("a state", () => {
	const state = BudgetState.full(Budget.parse("rate"));

	test("is shown as its text", () => {
		assert.equal(JSON.stringify({ state }), `{"state":"${state.text}"}`);
		assert.deepEqual({ ...state }, { text: state.text, version: 0n });
		assert.deepEqual(JSON.parse(JSON.stringify(state.step("attempt_failed", 0n))), {
			state: state.text,
			granted: false,
			held: "0",
		});
	});

	test("has the limits of a used budget, not its state", () => {
		const used = Budget.parse("quota:max_tokens=10,cost=5");
		new Operation(Policy.parse("none"), undefined, { now: 0, budget: used }).decide("transient", { now: 0 });
		assert.equal(BudgetState.full(used).text, "0 10");
	});
});
