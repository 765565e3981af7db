"""The vectors that requests.jsonl lacks, except loops: errors with their messages, fields, streams, resumptions, methods
and stats.

Usage: vectors.py ABI LIBRARY
"""

import ctypes
import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from library import NUMBERS, F, N, S, code, filled, main, ok, parsed, printed, ref, u32, u64

VECTORS = Path(__file__).parents[2] / "tests/vectors"
FIELDS = {
    "policy": range(N.FIELD_GROWTH, N.FIELD_ELAPSED_FROM + 1),
    "budget": range(N.FIELD_BUDGET, N.FIELD_MIN_CONCURRENT + 1),
}


def cases(*layers):
    for layer in layers:
        file = json.loads((VECTORS / f"{layer}.json").read_text(encoding="utf-8"))
        assert len(file["cases"]) == file["count"]
        yield from file["cases"]


def number(group, name):
    return NUMBERS[f"{group}_{name}".upper()] if name else 0


def or_none(time):
    return N.NO_TIME if time is None else int(time)


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
        if isinstance(value, list):
            waits = (ctypes.c_uint64 * len(value))(*map(int, value))
            ok(F.params_set_waits(ref(params), waits, len(value)))
        elif "/" in value:
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


def refused(case, call, made, kind="none"):
    """A call that must fail fills in the error, which is its only argument, and writes nothing else."""
    wanted, error, before = case["error"], filled(S.error), bytes(made)
    found = wanted.get("found", "").encode()
    returned = call(ref(error))
    yield case["id"], (call(None), error.code, bytes(made)), (returned, returned, before)
    yield case["id"], code(returned), wanted["code"]
    yield case["id"], error.field, number("field", wanted["field"])
    yield case["id"], (error.value, error.limit), (int(wanted["value"]), int(wanted["limit"]))
    place = (number("text_kind", kind), int(wanted.get("at", 0)), len(found))
    yield case["id"], (error.text_kind, error.at, error.found_length), place
    rest = ctypes.sizeof(error) - S.error.found.offset
    yield case["id"], bytes(error)[S.error.found.offset :], found[:32].ljust(rest, b"\0")
    yield case["id"], printed(F.error_message, error), wanted["message"]


def errors():
    for case in cases("errors"):
        made, params = filled(S.policy), params_of(case["policy"])
        yield from refused(case, partial(F.policy_init, ref(made), ref(params)), made)
    for case in cases("text_errors"):
        of, text = case["of"], case["text"].encode()
        made = filled(getattr(S, of))
        parse = partial(getattr(F, f"{of}_parse"), ref(made), text, len(text))
        yield from refused(case, parse, made, of)
    for case in cases("fits"):
        made, policy = filled(S.policy), parsed("policy", case["policy"])
        asked = [ref(policy), int(case["attempts"]), int(case["total"]), ref(made)]
        fit = partial(getattr(F, f"policy_fit_{case['field']}"), *asked)
        if "error" in case:
            yield from refused(case, fit, made)
        else:
            error = filled(S.error)
            ok(fit(ref(error)))
            yield case["id"], printed(F.policy_print, made), case["canonical"]
            yield case["id"], bytes(error), bytes(S.error())


def fields_of(of, made):
    """What can be read of a policy or a budget, as params_of takes it."""
    get, get_ratio = getattr(F, f"{of}_get"), getattr(F, f"{of}_get_ratio")
    fields = {}
    for field in FIELDS[of]:
        name, value, terms = F.field_name(field).decode(), u64(), (u32(), u32())
        if get(ref(made), field, ref(value)) == N.OK:
            fields[name] = str(value.value)
        elif get_ratio(ref(made), field, *map(ref, terms)) == N.OK:
            fields[name] = "/".join(str(term.value) for term in terms)
    waits, count = (ctypes.c_uint64 * N.MAX_WAITS)(), u64()
    if of == "policy" and F.policy_get_waits(ref(made), waits, len(waits), ref(count)) == N.OK:
        fields["waits"] = list(map(str, waits[: count.value]))
    return fields


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
            is_kind = isinstance(value, str) and "/" not in value and not value.isdigit()
            yield name, found[field], str(number(field, value)) if is_kind else value
        for twice in ["max_retries", "max_attempts"]:
            again = made_of({key: value for key, value in found.items() if key != twice})
            yield name, again, case["canonical"]
        limit = u64()
        ok(F.policy_max_retries(ref(made), ref(limit)))
        yield name, str(limit.value), found["max_retries"]


def resumptions():
    for case in cases("resumptions"):
        operation, decision, retries, reason = S.operation(), filled(S.decision), u64(), u32()
        begun = [int(case[name]) for name in ("stream", "retries", "begun")]
        policy = parsed("policy", case["policy"])
        ok(F.operation_resume(ref(operation), ref(policy), *begun, or_none(case["deadline"])))
        outcome, retry_after = number("outcome", case["outcome"]), or_none(case["retry_after"])
        asked = [outcome, retry_after, int(case["now"]), None]
        ok(F.operation_decide(ref(operation), *asked, ref(decision)))
        answer = case["answer"]
        delay = int(answer.get("wait", answer.get("delay")))
        wanted = S.decision(number("reason", answer.get("stop")), 0, delay)
        yield case["id"], bytes(decision), bytes(wanted)
        ok(F.operation_state(ref(operation), ref(retries), None, None))
        yield case["id"], retries.value, int(case["retries_after"])
        ok(F.operation_refuse_retry(ref(operation), None, ref(reason)))
        yield case["id"], reason.value, number("reason", case["refused"])
        attempts, reason = u64(), u32()
        ok(F.operation_state(ref(operation), ref(retries), ref(attempts), ref(reason)))
        refused = int(case["retries_refused"])
        wanted = (refused, min(refused + 1, N.NO_TIME), number("reason", case["refused"]))
        yield case["id"], (retries.value, attempts.value, reason.value), wanted


def methods():
    for case in cases("http_methods"):
        method = case["method"].encode()
        yield case["id"], F.is_idempotent_method(method, len(method)), case["idempotent"]


def counts_of(stats):
    """The counts as members, with the bounds and the counts of all buckets, and the stops by reason from 1."""
    counts, bound, count = filled(S.stats_counts), u64(), u64()
    ok(F.stats_read(ref(stats), ref(counts)))
    assert not any(counts.reserved)
    found = {name: getattr(counts, name) for name in ("operations", "attempts", "retries")}
    buckets = []
    while F.stats_bucket(ref(stats), len(buckets), ref(bound), ref(count)) == N.OK:
        buckets.append((bound.value, count.value))
    stops = []
    for reason in range(N.REASON_SUCCESS, N.REASON_CANCELLED + 1):
        ok(F.stats_stopped(ref(stats), reason, ref(count)))
        stops.append(count.value)
    bounds, buckets = map(list, zip(*buckets, strict=True))
    return SimpleNamespace(**found, bounds=bounds, buckets=buckets, stops=stops)


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
        sums = (counts.operations, counts.retries, counts.attempts)
        retries, attempts = min(retries, N.NO_TIME), min(operations + retries, N.NO_TIME)
        yield case["id"], sums, (operations, retries, attempts)
        yield case["id"], (sum(counts.buckets), counts.stops), (operations, stops)
        bounds = [1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50, 2**64 - 1]  # SPEC 17.1
        yield case["id"], counts.bounds, bounds


def labels_of_stats():
    codes = {
        "refused-prefix": "not_a_prefix",
        "refused-label": "not_a_label",
        "refused-twice": "not_a_label",
    }
    for case in cases("stats_labels"):
        recorded = S.stats()
        ok(F.stats_init(ref(recorded)))
        for attempts, reason, times in case["records"]:
            for _ in range(int(times)):
                ok(F.stats_record(ref(recorded), int(attempts), number("reason", reason)))
        prefix = case["prefix"].encode()
        found = labelled(
            recorded, prefix, [[text.encode() for text in pair] for pair in case["labels"]]
        )
        yield case["id"], found, case["text"] or codes[case["id"].rstrip("-0123456789")]


def labelled(stats, prefix, labels):
    """The text with a prefix and labels, or the code of the error."""
    pointers = [
        ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p) for pair in labels for text in pair
    ]
    rows = [
        (pointers[2 * at], len(name), pointers[2 * at + 1], len(value))
        for at, (name, value) in enumerate(labels)
    ]
    given, length = (S.label * len(rows))(*rows), u64()
    call = [ref(stats), prefix, len(prefix), given, len(rows)]
    if (failed := F.stats_print_with(*call, None, 0, ref(length))) != N.BUFFER_TOO_SMALL:
        return code(failed)
    buffer = ctypes.create_string_buffer(length.value + 1)
    assert F.stats_print_with(*call, buffer, len(buffer) - 1, None) == N.BUFFER_TOO_SMALL
    assert buffer.value == b""
    ok(F.stats_print_with(*call, buffer, len(buffer), None))
    return buffer.value.decode()


def labels_in_no_encoding():
    stats = S.stats()
    ok(F.stats_init(ref(stats)))
    yield "prefix", labelled(stats, b"a\xff", []), "not_a_prefix"
    yield "name", labelled(stats, b"a", [(b"a\xff", b"")]), "not_a_label"
    yield "value", labelled(stats, b"a", [(b"a", b""), (b"b", b"\xff")]), "not_a_label"
    yield "a value that is cut", labelled(stats, b"a", [(b"a", "ä".encode()[:1])]), "not_a_label"


TESTS = [draws, streams, resets, errors, fields, resumptions, methods, stats]
#: The module of WebAssembly has no structs with pointers.
NATIVE = [labels_of_stats, labels_in_no_encoding]

if __name__ == "__main__":
    main([*TESTS, *NATIVE])
