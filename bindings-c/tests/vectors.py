"""Writes the vectors of tests/vectors as a C header, so that the C tests need no JSON parser.

Usage: vectors.py FOLDER_OF_VECTORS HEADER

A row of each layer is a struct of vector_types.h.
"""

import json
import sys
from pathlib import Path

# The struct of the rows of each layer, which is also the name of its file.
LAYERS = {
    "draws": "draw",
    "streams": "stream",
    "samples": "sequence",
    "growths": "sequence",
    "jitters": "sequence",
    "caps": "sequence",
    "articles": "sequence",
    "resets": "reset",
    "errors": "error",
    "texts": "text",
    "text_errors": "text_error",
    "presets": "preset",
    "previews": "preview",
    "fits": "fit",
    "decisions": "decision",
    "resumptions": "resumption",
    "budget_states": "budget_state",
    "budget_state_texts": "budget_state_text",
    "exchanges": "exchange",
    "retry_after": "retry_after",
    "http_statuses": "http_status",
    "http_responses": "http_response",
    "http_methods": "http_method",
    "stats": "stats",
    "loops": "loop",
}
KINDS = {"growth", "jitter", "cap_on", "retry_after"}
NO_ERROR = "{NULL, 0, 0, 0, NULL}"


def row(struct: str, case: dict) -> list[str]:
    """The members of the struct of a case, after its id."""
    match struct:
        case "draw":
            return [u64(case["stream"]), u64(case["index"]), u64(case["draw"])]
        case "stream":
            return [u64(case["seed"]), key(case["key"]), u64(case["stream"])]
        case "sequence":
            numbers = [u64s(case["windows"]), u64s(case["delays"])]
            return [policy(case["policy"]), *stream(case), u64(case["first"]), *numbers]
        case "reset":
            runs = array("struct u64s", [u64s(run) for run in case["runs"]])
            asked = u64s(case["asked"])
            return [policy(case["policy"]), *stream(case), asked, runs, u64(case["stream"])]
        case "error":
            return [policy(case["policy"]), error(case["error"])]
        case "text":
            fields = policy(case.get("policy", {}))
            return [text_kind(case), text(case["text"]), quoted(case["canonical"]), fields]
        case "text_error":
            found = [u64(case["error"]["at"]), text(case["error"]["found"])]
            return [text_kind(case), text(case["text"]), *found, error(case["error"])]
        case "preset":
            texts = [text(case["preset"]), text(case["string"]), quoted(case["canonical"])]
            return [text_kind(case), *texts, u64s(case.get("windows", []))]
        case "preview":
            rows = array("backoff_preview_row", [preview_row(row) for row in case["rows"]])
            return [text(case["policy"]), u64(case["first"]), u64(case["count"]), rows]
        case "fit":
            fitted = [optional(quoted, case.get("canonical")), error(case.get("error"))]
            arguments = [field(case["field"]), u64(case["attempts"]), u64(case["total"])]
            return [text(case["policy"]), *arguments, *fitted]
        case "decision":
            steps = array("struct step", [step(each) for each in case["steps"]])
            budget = case["budget"]
            strings = [text(case["policy"]), flag(budget is not None), text(budget or "")]
            return [*strings, *stream(case), steps]
        case "resumption":
            numbers = [u64(case[name]) for name in ("stream", "retries", "begun")]
            answer, deadline, wait = case["answer"], case["deadline"], case["retry_after"]
            stop = answer.get("stop")
            return [
                text(case["policy"]),
                *numbers,
                u64(deadline) if deadline else "BACKOFF_NONE",
                u64(case["now"]),
                constant("OUTCOME", case["outcome"]),
                u64(wait) if wait else "BACKOFF_NONE",
                constant("REASON", stop) if stop else "0",
                u64(answer.get("wait", answer.get("delay"))),
                u64(case["retries_after"]),
                constant("REASON", case["refused"]),
                u64(case["retries_refused"]),
            ]
        case "budget_state":
            steps = array("struct state_step", [state_step(each) for each in case["steps"]])
            return [text(case["budget"]), optional(quoted, case["start"]), steps]
        case "budget_state_text":
            return [text(case["budget"]), text(case["text"]), flag(case["valid"])]
        case "exchange":
            steps = array("struct member_step", [member_step(each) for each in case["steps"]])
            numbers = [u64(case[name]) for name in ("lease", "fallback", "timeout", "seed")]
            stats = braced([u64(case["stats"][name]) for name in MEMBER_STATS])
            return [text(case["budget"]), text(case["local"]), *numbers, steps, stats]
        case "retry_after":
            wait = case["retry_after"]
            return [text(case["value"]), u64(case["now"]), flag(wait is not None), u64(wait or 0)]
        case "http_status":
            return [u64(case["status"]), constant("OUTCOME", case["outcome"])]
        case "http_response":
            wait = case["retry_after"]
            response = [u64(case["status"]), text(case["fields"]), u64(case["now"])]
            return [*response, flag(wait is not None), u64(wait or 0)]
        case "http_method":
            return [text(case["method"]), flag(case["idempotent"])]
        case "stats":
            return [records(case["records"]), records(case["more"]), quoted(case["text"])]
        case "loop":
            scripts = array("struct loop_script", [loop_script(each) for each in case["loops"]])
            strings = [text(case["policy"]), optional(quoted, case["budget"])]
            return [*strings, *stream(case), scripts, stats_counts(case["stats"])]
    raise ValueError(struct)


def step(each: dict) -> str:
    action = {"begin": "BEGIN", "outcome": "DECIDE", "cancel": "CANCEL"}[each["do"]]
    time = each.get("deadline") if action == "BEGIN" else each.get("retry_after")
    outcome, answer = each.get("outcome"), each.get("answer", {})
    stop = answer.get("stop")
    members = [
        u64(each["operation"]),
        action,
        u64(each["now"]),
        flag(time is not None),
        u64(time or 0),
        constant("OUTCOME", outcome) if outcome else "0",
        constant("REASON", stop) if stop else "0",
        u64(answer.get("wait", answer.get("delay", 0))),
        u64(each.get("retries", 0)),
    ]
    return braced(members)


def state_step(each: dict) -> str:
    members = [
        constant("BUDGET_EVENT", each["event"]),
        constant("OUTCOME", each["outcome"]) if each["outcome"] else "0",
        u64(each["held"]),
        u64(each["now"]),
        flag(each["granted"] is True),
        u64(each["holds"]),
        quoted(each["state"]),
    ]
    return braced(members)


def member_step(each: dict) -> str:
    """The members that an action has not are 0."""
    is_stored = each["do"] == "stored"
    steps = [exchange_step(one) for one in each.get("steps", [])]
    wait = each.get("wait")
    members = [
        f"MEMBER_{each['do']}".upper(),
        u64(each["now"]),
        u64(each.get("times", 1)),
        *[flag(each[name]) for name in ("away", "unsent")],
        "BACKOFF_NONE" if each["due_in"] is None else u64(each["due_in"]),
        u64(each["timeout"]),
        constant("BUDGET_EVENT", each["event"]) if "event" in each else "0",
        constant("OUTCOME", each["outcome"]) if each.get("outcome") else "0",
        u64(0 if is_stored else each.get("held", 0)),
        flag(each.get("local", False)),
        constant("REQUEST", each["answer"]) if "answer" in each else "0",
        optional(quoted, each.get("text")),
        u64(each.get("store_now", 0)),
        optional(quoted, each.get("after")),
        flag(each.get("changed", False)),
        array("backoff_exchange_step", steps),
        flag(each.get("stored", False)),
        braced([numbers(each.get(name) if is_stored else None) for name in ANSWERS]),
        flag(wait is not None),
        u64(wait or 0),
    ]
    return braced(members)


#: The members of backoff_shared_budget_stats.
MEMBER_STATS = ["exchanges", "failed_exchanges", "lost_swaps", "local_decisions", "processes"]

#: By transient, throttled and timeout.
ANSWERS = ["granted", "refused", "held"]


def numbers(three: list | None) -> str:
    return braced([u64(number) for number in three or [0, 0, 0]])


def exchange_step(one: dict) -> str:
    members = [
        constant("BUDGET_EVENT", one["event"]),
        constant("OUTCOME", one["outcome"]) if one["outcome"] else "0",
        *[u64(one[name]) for name in ("held", "count", "granted")],
    ]
    return braced(members)


def loop_script(each: dict) -> str:
    """Without what the loop cannot see: marks, and whether an attempt ended with a value."""
    members = [
        array("struct loop_call", [loop_call(call) for call in each["calls"]]),
        time_or_none(each["deadline"]),
        loop_point(each["cancel"]),
        loop_point(each["fail"]),
        array("uint64_t", [u64(wait) for wait in each["waits"]]),
        array("backoff_event", [loop_event(event) for event in each["events"]]),
    ]
    return braced(members)


def loop_call(call: dict) -> str:
    outcome = constant("OUTCOME", call["outcome"]) if call["outcome"] else "0"
    return braced([u64(call["takes"]), outcome, time_or_none(call["retry_after"])])


def loop_point(point: dict | None) -> str:
    if point is None:
        return "{LOOP_NOWHERE, 0, 0}"
    where = f"LOOP_{point['where']}".upper()
    return braced([where, u64(point["call"]), u64(point.get("after", 0))])


def loop_event(event: dict) -> str:
    members = [u64(event[name]) for name in ("attempts", "delay", "elapsed")]
    for name in ("outcome", "reason"):
        members.append(constant(name, event[name]) if event[name] else "0")
    return braced(members)


def stats_counts(stats: dict) -> str:
    stops = [f"[{constant('REASON', why)} - 1] = {u64(n)}" for why, n in stats["stops"].items()]
    counts = [f".{name} = {u64(stats[name])}" for name in ("operations", "attempts")]
    return braced([*counts, f".stops = {braced(stops)}"])


def time_or_none(time: str | None) -> str:
    return "BACKOFF_NONE" if time is None else u64(time)


def policy(fields: dict) -> str:
    return braced([array("struct field_vector", [field_value(*each) for each in fields.items()])])


def field_value(name: str, value: str) -> str:
    if "/" in value:
        numerator, denominator = value.split("/")
        return braced([field(name), "1", "0", u64(numerator), u64(denominator)])
    if name in KINDS and not value.isdigit():
        return braced([field(name), "0", constant(name, value), "0", "0"])
    return braced([field(name), "0", u64(value), "0", "0"])


def error(members: dict | None) -> str:
    if members is None:
        return NO_ERROR
    name = members["field"]
    numbers = [field(name) if name else "0", u64(members["value"]), u64(members["limit"])]
    return braced([quoted(members["code"]), *numbers, quoted(members["message"])])


def stream(case: dict) -> list[str]:
    return [u64(case["seed"]), key(case["key"])]


def key(hexadecimal: str | None) -> str:
    if hexadecimal is None:
        return "{0, 0, NULL}"
    data = bytes.fromhex(hexadecimal)
    numbers = ", ".join(f"{byte:#04x}" for byte in data)
    return braced(
        ["1", str(len(data)), f"(const unsigned char[]){{{numbers}}}" if data else "NULL"]
    )


def preview_row(numbers: dict) -> str:
    names = ["min", "mean", "max", "total_min", "total_mean", "total_max"]
    return braced([u64(numbers[name]) for name in names])


def records(rows: list) -> str:
    members = [
        [u64(attempts), constant("REASON", why), u64(times)] for attempts, why, times in rows
    ]
    return braced([array("struct record", [braced(each) for each in members])])


def text_kind(case: dict) -> str:
    return constant("TEXT_KIND", case["of"])


def field(name: str) -> str:
    return constant("FIELD", name)


def constant(group: str, name: str) -> str:
    return f"BACKOFF_{group}_{name}".upper()


def u64s(numbers: list) -> str:
    return braced([array("uint64_t", [u64(number) for number in numbers])])


def array(element: str, rows: list[str]) -> str:
    """The length of an array and the array: two members."""
    return f"{len(rows)}, (const {element}[]){braced(rows)}" if rows else "0, NULL"


def text(string: str) -> str:
    """A text of any bytes, with its length."""
    return braced([str(len(string.encode())), quoted(string)])


def quoted(string: str) -> str:
    """A C literal. Other bytes are octal escapes, which have at most three digits."""
    plain = set(map(chr, range(0x20, 0x7F))) - set('"\\?')
    decoded = string.encode().decode("latin-1")
    return '"' + "".join(c if c in plain else f"\\{ord(c):03o}" for c in decoded) + '"'


def optional(write, value) -> str:
    return "NULL" if value is None else write(value)


def u64(number: int | str) -> str:
    return f"{int(number)}u"


def flag(holds: bool) -> str:
    return str(int(holds))


def braced(members: list[str]) -> str:
    return "{" + ", ".join(members) + "}"


def header(folder: Path) -> str:
    lines = ["#ifndef BACKOFF_VECTORS_H", "#define BACKOFF_VECTORS_H", '#include "vector_types.h"']
    for layer, struct in LAYERS.items():
        file = json.loads((folder / f"{layer}.json").read_text(encoding="utf-8"))
        lines += [
            f"#define {layer.upper()}_COUNT {file['count']}",
            f"static const struct {struct}_vector {layer}[] = {{",
            *(f"  {braced([quoted(case['id']), *row(struct, case)])}," for case in file["cases"]),
            "};",
        ]
    return "\n".join([*lines, "#endif", ""])


if __name__ == "__main__":
    folder, target = map(Path, sys.argv[1:])
    # curl_requests.py plays the requests.
    found = {file.stem for file in folder.glob("*.json")} - {"http_requests"}
    if found != set(LAYERS):
        sys.exit(f"layers without C tests, or without a file: {sorted(found ^ set(LAYERS))}")
    target.write_text(header(folder), encoding="ascii")
