"""libbackoff.wasm: what vectors.py tests, and the delays and decisions of the vectors, which the evaluator of C is asked
about.

Usage: module_vectors.py ABI MODULE
"""

import ctypes

from library import F, N, S, main, ok, parsed, ref, u32, u64
from vectors import TESTS, cases, number, or_none, params_of, stream_of


def delays():
    for case in cases("samples", "growths", "jitters", "caps", "articles"):
        policy, first, wanted = S.policy(), case["first"], list(map(int, case["delays"]))
        ok(F.policy_init(ref(policy), ref(params_of(case["policy"])), None))
        stream, one, written = stream_of(case["seed"], case["key"]), u64(), u64()
        for index, (window, delay) in enumerate(zip(case["windows"], wanted, strict=True), first):
            ok(F.policy_window_ns(ref(policy), index, ref(one)))
            yield case["id"], one.value, int(window)
            ok(F.policy_delay_ns(ref(policy), stream, index, ref(one)))
            yield case["id"], one.value, delay
        all = (ctypes.c_uint64 * len(wanted))()
        ok(F.policy_fill_ns(ref(policy), stream, first, ref(all), len(wanted), ref(written)))
        yield case["id"], (written.value, list(all)), (len(wanted), wanted)


def decisions():
    for case in cases("decisions"):
        policy, operations = parsed("policy", case["policy"]), {}
        budget = case["budget"] and ref(parsed("budget", case["budget"]))
        stream = stream_of(case["seed"], case["key"])
        for step in case["steps"]:
            now = int(step["now"])
            if step["do"] == "begin":
                operation = operations[step["operation"]] = S.operation()
                given = [ref(policy), stream, now, or_none(step["deadline"]), budget]
                ok(F.operation_begin(ref(operation), *given))
                continue
            operation = operations[step["operation"]]
            if step["do"] == "limit":
                limit, index = u64(), u64()
                ok(F.operation_attempt_limit(ref(operation), now, ref(limit)))
                ok(F.operation_retry_index(ref(operation), now, ref(index)))
                wanted = (or_none(step["limit"]), step["index"])
                yield case["id"], (limit.value, index.value), wanted
                continue
            answer = step["answer"]
            stop = number("reason", answer.get("stop"))
            if step["do"] == "cancel":
                reason = u32()
                ok(F.operation_cancel(ref(operation), budget, ref(reason)))
                yield case["id"], reason.value, stop
                continue
            decision, retries = S.decision(), u64()
            given = [number("outcome", step["outcome"]), or_none(step["retry_after"]), now, budget]
            if step["retry_after"]:  # perhaps the number that stands for none in C
                given[1] = min(given[1], N.MAX_NS)
            if "own_delay" in step:
                given.insert(1, int(step["own_delay"]))
                ok(F.operation_decide_with_delay(ref(operation), *given, ref(decision)))
            else:
                ok(F.operation_decide(ref(operation), *given, ref(decision)))
            ok(F.operation_state(ref(operation), ref(retries), None, None))
            found = (decision.reason, decision.delay_ns, retries.value)
            delay = int(answer.get("wait", answer.get("delay")))
            yield case["id"], found, (stop, delay, step["retries"])


if __name__ == "__main__":
    main([*TESTS, delays, decisions])
