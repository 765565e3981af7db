"""The vectors that requests.jsonl lacks, except loops: errors with their messages, fields, streams, resumptions, methods
and stats.

Usage: vectors.py HEADER LIBRARY
"""

import json
from pathlib import Path

from library import NUMBERS, F, N, S, code, filled, main, ok, parsed, printed, ref, u32, u64

VECTORS = Path(__file__).parents[2] / "tests/vectors"
POLICY_FIELDS = range(N.FIELD_GROWTH, N.FIELD_RETRY_AFTER_MAX_EXTRA + 1)
BUDGET_FIELDS = range(N.FIELD_BUDGET, N.FIELD_MIN_CONCURRENT + 1)


def cases(*layers):
    for layer in layers:
        file = json.loads((VECTORS / f"{layer}.json").read_text(encoding="utf-8"))
        assert len(file["cases"]) == file["count"]
        yield from file["cases"]


def number(group, name):
    return NUMBERS[f"{group}_{name}".upper()] if name else 0


def or_none(time):
    return N.NONE if time is None else int(time)


def stream_of(seed, key):
    if key is None:
        return int(seed)
    stream, key = u64(), bytes.fromhex(key)
    ok(F.stream_from_key(int(seed), key, len(key), ref(stream)))
    return stream.value


def params_of(fields):
    params = S.params()
    for name, value in fields.items():
        field = number("field", name)
        if "/" in value:
            ok(F.params_set_ratio(ref(params), field, *map(int, value.split("/"))))
        else:
            ok(
                F.params_set(
                    ref(params), field, int(value) if value.isdigit() else number(name, value)
                )
            )
    return params


def draws():
    for case in cases("draws"):
        stream, index, draw = int(case["stream"]), case["index"], int(case["draw"])
        yield case["id"], F.stream_draw(stream, index), draw
        yield case["id"], F.stream_draw(F.stream_advance(stream, index), 0), draw


def streams():
    for case in cases("streams"):
        yield case["id"], stream_of(case["seed"], case["key"]), int(case["stream"])


def resets():
    for case in cases("resets"):
        policy, iterator, index, stream = S.policy(), S.iter(), u64(), u64()
        ok(F.policy_init(ref(policy), ref(params_of(case["policy"])), None))
        ok(F.iter_init(ref(iterator), ref(policy), stream_of(case["seed"], case["key"])))
        for asked, run in zip(map(int, case["asked"]), case["runs"], strict=True):
            delays = [u64() for _ in range(asked)]
            codes = [code(F.iter_next_ns(ref(iterator), ref(delay))) for delay in delays]
            yield case["id"], codes, ["ok"] * len(run) + ["end"] * (asked - len(run))
            yield case["id"], [delay.value for delay in delays[: len(run)]], list(map(int, run))
            ok(F.iter_index(ref(iterator), ref(index), None))
            yield case["id"], index.value, len(run)
            ok(F.iter_reset(ref(iterator)))
        ok(F.iter_index(ref(iterator), ref(index), ref(stream)))
        yield case["id"], (index.value, stream.value), (0, int(case["stream"]))


def refused(call, wanted, made, kind="none", at="0", found=""):
    """What a call that must fail fills in, and that it writes nothing else. `call` takes the error."""
    error, before, found = filled(S.error), bytes(made), found.encode()
    returned = call(ref(error))
    assert call(None) == returned == error.code
    assert bytes(made) == before
    shown = [
        error.value,
        error.limit,
        error.text_kind,
        error.at,
        error.found_length,
        bytes(error)[44:],
    ]
    limits = [
        int(wanted["value"]),
        int(wanted["limit"]),
        number("text_kind", kind),
        int(at),
        len(found),
    ]
    yield code(returned), wanted["code"]
    yield error.field, number("field", wanted["field"])
    yield shown, [*limits, found[:32].ljust(36, b"\0")]
    yield printed(F.error_message, error, N.TEXT_SIZE), wanted["message"]


def errors():
    for case in cases("errors"):
        made, params = filled(S.policy), params_of(case["policy"])
        call = lambda error: F.policy_init(ref(made), ref(params), error)  # noqa: B023, E731
        for check in refused(call, case["error"], made):
            yield case["id"], *check
    for case in cases("text_errors"):
        made, text, parse = (
            filled(getattr(S, case["of"])),
            case["text"].encode(),
            getattr(F, f"{case['of']}_parse"),
        )
        call = lambda error: parse(ref(made), text, len(text), error)  # noqa: B023, E731
        place = [case["error"]["at"], case["error"]["found"]]
        for check in refused(call, case["error"], made, case["of"], *place):
            yield case["id"], *check
    for case in cases("fits"):
        made, policy, fit = (
            filled(S.policy),
            parsed("policy", case["policy"]),
            getattr(F, f"policy_fit_{case['field']}"),
        )
        asked = [int(case["attempts"]), int(case["total"]), ref(made)]
        call = lambda error: fit(ref(policy), *asked, error)  # noqa: B023, E731
        if "error" in case:
            for check in refused(call, case["error"], made):
                yield case["id"], *check
        else:
            error = filled(S.error)
            ok(call(ref(error)))
            yield (
                case["id"],
                (printed(F.policy_print, made), bytes(error)),
                (case["canonical"], bytes(S.error())),
            )


def read(of, made, field):
    """The value of a field, as a string for params_of, or None."""
    value, numerator, denominator = u64(), u32(), u32()
    is_ratio = (
        getattr(F, f"{of}_get_ratio")(ref(made), field, ref(numerator), ref(denominator)) == N.OK
    )
    if is_ratio:
        return f"{numerator.value}/{denominator.value}"
    return (
        str(value.value) if getattr(F, f"{of}_get")(ref(made), field, ref(value)) == N.OK else None
    )


def fields_of(of, made):
    fields = {
        F.field_name(field).decode(): read(of, made, field)
        for field in (POLICY_FIELDS if of == "policy" else BUDGET_FIELDS)
    }
    return {name: value for name, value in fields.items() if value is not None}


def made_of(fields):
    policy = S.policy()
    ok(F.policy_init(ref(policy), ref(params_of(fields)), None))
    return printed(F.policy_print, policy)


def fields():
    """What is read is what was set, and makes an equal policy or budget."""
    for case in cases("texts", "presets"):
        of, name = case["of"], case["id"]
        made = parsed(of, case.get("text", case.get("preset")))
        found = fields_of(of, made)
        if of == "budget":
            kind = F.kind_name(N.FIELD_BUDGET, int(found.pop("budget"))).decode()
            units = {"per": "ns", "ttl": "ns"}
            keys = ",".join(f"{key}={value}{units.get(key, '')}" for key, value in found.items())
            again = printed(F.budget_print, parsed("budget", f"{kind}:{keys}" if keys else kind))
            yield name, again, case["canonical"]
            continue
        for field, value in case.get("policy", {}).items():
            is_kind = "/" not in value and not value.isdigit()
            yield name, found[field], str(number(field, value)) if is_kind else value
        for twice in ["max_retries", "max_attempts"]:
            yield (
                name,
                made_of({key: value for key, value in found.items() if key != twice}),
                case["canonical"],
            )
        limit = u64()
        ok(F.policy_max_retries(ref(made), ref(limit)))
        yield name, str(limit.value), found["max_retries"]


def resumptions():
    for case in cases("resumptions"):
        operation, decision, retries, reason = S.operation(), S.decision(), u64(), u32()
        begun = [int(case[name]) for name in ("stream", "retries", "begun")]
        policy = parsed("policy", case["policy"])
        ok(F.operation_resume(ref(operation), ref(policy), *begun, or_none(case["deadline"])))
        asked = [
            number("outcome", case["outcome"]),
            or_none(case["retry_after"]),
            int(case["now"]),
            None,
        ]
        ok(F.operation_decide(ref(operation), *asked, ref(decision)))
        answer = case["answer"]
        wanted = (
            number("reason", answer.get("stop")),
            0,
            int(answer.get("wait", answer.get("delay"))),
        )
        yield case["id"], (decision.reason, decision.reserved, decision.delay_ns), wanted
        ok(F.operation_state(ref(operation), ref(retries), None, None))
        yield case["id"], retries.value, int(case["retries_after"])
        ok(F.operation_refuse_retry(ref(operation), None, ref(reason)))
        yield case["id"], reason.value, number("reason", case["refused"])
        attempts, reason = u64(), u32()
        ok(F.operation_state(ref(operation), ref(retries), ref(attempts), ref(reason)))
        refused = int(case["retries_refused"])
        wanted = (refused, min(refused + 1, N.NONE), number("reason", case["refused"]))
        yield case["id"], (retries.value, attempts.value, reason.value), wanted


def methods():
    for case in cases("http_methods"):
        method = case["method"].encode()
        yield case["id"], F.is_idempotent_method(method, len(method)), case["idempotent"]


def counts_of(stats):
    counts = S.stats_counts()
    ok(F.stats_read(ref(stats), ref(counts)))
    return counts


def stats():
    for case in cases("stats"):
        both = [S.stats(), S.stats()]
        operations, retries, stops = 0, 0, [0] * 7
        for recorded, rows in zip(both, [case["records"], case["more"]], strict=True):
            ok(F.stats_init(ref(recorded)))
            for attempts, reason, times in rows:
                for _ in range(int(times)):
                    ok(F.stats_record(ref(recorded), int(attempts), number("reason", reason)))
                operations += int(times)
                retries += max(int(attempts) - 1, 0) * int(times)
                stops[number("reason", reason) - 1] += int(times)
        ok(F.stats_merge(*map(ref, both)))
        yield case["id"], printed(F.stats_print, both[0]), case["text"]
        counts = counts_of(both[0])
        found = [
            counts.operations,
            sum(counts.buckets),
            counts.retries,
            counts.attempts,
            list(counts.stops),
        ]
        retries, attempts = min(retries, N.NONE), min(operations + retries, N.NONE)
        yield case["id"], found, [operations, operations, retries, attempts, stops]
        yield case["id"], list(counts.bounds), [1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50]  # SPEC 17.1


if __name__ == "__main__":
    main([draws, streams, resets, errors, fields, resumptions, methods, stats])
