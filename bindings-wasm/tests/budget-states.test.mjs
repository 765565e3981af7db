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

	test("bad arguments", () => {
		const [policy, stream] = [Policy.parse("default"), new RandomStream(1)];
		const resume = (...given) => Operation.resume(...given);
		assert.throws(() => resume(policy, stream, -1, { now: 0 }), /retries -1 is negative/);
		assert.throws(() => resume(policy, stream, 2n ** 64n, { now: 0 }), /retries 18446744073709551616 is above/);
		assert.throws(() => resume(policy, stream, 1.5, { now: 0 }), /retries 1.5 is not a whole number/);
		assert.throws(() => resume(policy, undefined, 1, { now: 0 }), /stream must be the RandomStream of the operation/);
		assert.throws(() => resume(policy, stream, 1), TypeError);
		const budget = Budget.parse("quota");
		assert.throws(() => resume(policy, stream, 1, { now: 0, budget }), /resumed holds nothing of a budget/);
	});
});

describe("misuse of a state", () => {
	const budget = Budget.parse("rate");
	const state = BudgetState.full(budget);
	for (const [what, act, message] of [
		["no budget", () => new BudgetState("rate"), /budget must be a Budget, got string/],
		["a number as a text", () => new BudgetState(budget, 5), /text must be a string, got number/],
		["no text", () => BudgetState.parse(budget), /text must be a string, got undefined/],
		["an empty text", () => BudgetState.parse(budget, ""), /^PolicyError: text "" is not a state of the budget rate$/],
		["a long text", () => BudgetState.parse(budget, `0 ${"1".repeat(5000)}`), /text "0 1{58}" is not a state/],
		["a text that is no ASCII", () => BudgetState.parse(budget, "0 é"), /is not a state/],
		["an unknown event", () => state.step("began", 0n), /event "began" is unknown; the events are operation_began,/],
		["an event by number", () => state.step(1, 0n), /event must be one of operation_began, .*, got number/],
		["no outcome", () => state.step("retry_requested", 0n), /outcome must be one of success, .*, got undefined/],
		["an unknown outcome", () => state.step("retry_requested", 0n, { outcome: "busy" }), /outcome "busy" is unknown/],
		[
			"a needless outcome",
			() => state.step("attempt_failed", 0n, { outcome: "timeout" }),
			/outcome belongs to the event/,
		],
		["an unknown option", () => state.step("attempt_over", 0n, { hold: 1 }), /hold is unknown; the options of a step/],
		["a negative time", () => state.step("attempt_over", -1n), /nowNs -1 is negative/],
		["a long time", () => state.step("attempt_over", 2n ** 64n), /nowNs 18446744073709551616 is above/],
		["no time", () => state.step("attempt_over"), /nowNs must be a whole number or a bigint, got undefined/],
		["held", () => state.step("attempt_over", 0n, { held: -1 }), /held -1 is negative/],
	]) {
		test(what, () => assert.throws(act, message));
	}

	test("a state is shown as its text", () => {
		assert.equal(JSON.stringify({ state }), `{"state":"${state.text}"}`);
		assert.deepEqual({ ...state }, { text: state.text, version: 0n });
		assert.deepEqual(JSON.parse(JSON.stringify(state.step("attempt_failed", 0n))), {
			state: state.text,
			granted: false,
			held: "0",
		});
	});

	test("a used budget gives its limits, not its state", async () => {
		const used = Budget.parse("quota:max_tokens=10,cost=5");
		new Operation(Policy.parse("none"), undefined, { now: 0, budget: used }).decide("transient", { now: 0 });
		assert.equal(BudgetState.full(used).text, "0 10");
	});
});
