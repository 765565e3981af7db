"""What `backoff verify` asks about every vector that the protocol of evaluators can express.

The evaluator of the reference answers. `tests/README.md` says what a line of the file is.
"""

import json
from itertools import chain

from evaluate import answer
from reference import fields, streams
from reference.numbers import MAX

from cases.not_requests import not_requests
from cases.notations import NOTATIONS

# Its delay is half the draw, rounded down (SPEC 10), so it shows all but the lowest bit.
HALF_THE_DRAW = "constant:base=9223372036854775807ns,jitter=full"
LATE = "a time of a request is at most 2^63 - 1"
PROTOCOL = "protocol"
# What each clause says, in order.
CLAUSES = {
    "2.1": "the draw of an index",
    "2.2": "each index has one draw",
    "3.1": "the stream of a seed",
    "3.2": "the stream of a seed and a key",
    "4.1": "a draw selects a value of a range",
    "5.2": "growth",
    "5.3": "the window: offset",
    "6.1": "the range of each jitter",
    "6.3": "jitter decorrelated",
    "6.4": "jitter slotted",
    "7.1": "the cap",
    "7.2": "the floor",
    "8.3": "jitter decorrelated needs growth exponential",
    "8.4": "errors of single fields",
    "8.5": "errors between fields",
    "9.2": "iterators",
    "11.2": "heads of policy strings",
    "11.3": "what pairs set and remove",
    "11.4": "the form of values",
    "11.5": "errors of reading, and where they are",
    "11.6": "errors of clause 8, and where they are",
    "11.8": "canonical form",
    "12.1": "presets of policies",
    "13.4": "decisions",
    "13.5": "decisions with a retry_after",
    "13.6": "cancellation, and steps after the end",
    "13.9": "decisions with a delay of the caller",
    "13.10": "the limit of an attempt",
    "14.1": "Retry-After in seconds, and values that give nothing",
    "14.2": "Retry-After as a date",
    "14.3": "dates with a year of two digits",
    "14.4": "the outcome of a status of HTTP",
    "14.5": "what the header fields of a response ask for",
    "15.1": "budget strings and their presets",
    "15.2": "errors of budgets",
    "15.3": "budgets: what each transition does",
    "15.5": "the texts of states of budgets",
    "15.6": "steps of states of budgets",
    "15.7": "exchanges of shared budgets",
    "16.2": "rows of a preview",
    "16.3": "previews of jitter decorrelated",
    "16.4": "where a preview ends",
    "16.5": "fitting",
    PROTOCOL: "which lines are requests (tests/README.md)",
}
ARGUMENTS = ["do", "now", "event", "outcome", "times", "text", "store_now", "stored"]


def line_of(request):
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode()


class Requests:
    """The requests of each case, by clause and id, and the vectors that have none."""

    def __init__(self, vectors):
        self.asked, self.unasked, self.vectors = {}, {}, vectors

    def ask(self, clause, layer, case, part="", **request):
        self.ask_line(clause, f"{layer}/{case['id']}", case["why"], line_of(request), part)

    def ask_line(self, clause, name, why, line, part=""):
        """The `part` is added to the id of the case. It tells its requests apart."""
        expected = answer(line).decode().rstrip()
        try:
            request = line.decode()
        except UnicodeDecodeError:
            request = list(line)
        self.asked.setdefault((clause, name, why), []).append((part, request, expected))

    def skip(self, clause, count, what, why):
        key = (clause, what, why)
        self.unasked[key] = self.unasked.get(key, 0) + count

    def skip_all(self, clause, layer, what, why):
        self.skip(clause, len(self.vectors[layer]), what, why)


def request_rows(vectors):
    """The lines of the file: each clause with its title and its cases, then the vectors without requests."""
    requests = Requests(vectors)
    for add in (delays, texts, policies, operations, responses, budgets, previews, protocol):
        add(requests, vectors)
    rows = {clause: [{"clause": clause, "title": title}] for clause, title in CLAUSES.items()}
    for (clause, name, why), asked in requests.asked.items():
        rows[clause].append({"clause": clause, "id": name, "why": why, "asked": asked})
    yield from chain(*rows.values())
    for clause, what, why in sorted(requests.unasked, key=lambda row: [int(part) for part in row[0].split(".")]):
        yield {"clause": clause, "count": requests.unasked[clause, what, why], "what": what, "why": why}


def stream_of(case):
    """The seed and the key of a request. A key that is not text becomes the seed that has its stream."""
    if case["key"] is None:
        return {"seed": case["seed"]}
    key = bytes.fromhex(case["key"])
    try:
        return {"seed": case["seed"], "key": key.decode()}
    except UnicodeDecodeError:
        return {"seed": str(streams.stream(int(case["seed"]), key))}


def delays(requests, vectors):
    for case in vectors["draws"]:
        requests.ask("2.1", "draws", case, policy=HALF_THE_DRAW, seed=case["stream"], index=case["index"])
    for case in vectors["streams"]:
        stream = stream_of(case)
        if (case["key"] is None) == ("key" in stream):
            requests.skip("3.2", 1, "streams", "a key of a request is text")
            continue
        requests.ask("3.1" if case["key"] is None else "3.2", "streams", case, policy=HALF_THE_DRAW, **stream)
    for layer in ("samples", "growths", "jitters", "caps", "articles"):
        for case in vectors[layer]:
            clause, policy, stream = of_delays(layer, case), string_of(case["policy"]), stream_of(case)
            for index in range(case["first"], case["first"] + len(case["delays"])):
                requests.ask(clause, layer, case, f"[{index}]", policy=policy, **stream, index=index)
            several = {"index": case["first"], "count": len(case["delays"])}
            for via in ("window", "at", "fill", *([] if case["first"] else ["next"])):
                ask_several(requests, clause, layer, case, via, **several)
    for case in vectors["resets"]:
        first, second, *_ = map(int, case["asked"])
        ask_several(requests, "9.2", "resets", case, "next", index=0, count=first)
        ask_several(requests, "9.2", "resets", case, "reset", index=first, count=second)


def ask_several(requests, clause, layer, case, via, **indices):
    """Asks for delays of a policy by its fields."""
    request = {"policy": case["policy"], **stream_of(case), "delays": {"via": via, **indices}}
    requests.ask(clause, layer, case, f".{via}", **request)


def string_of(policy):
    """The string that sets some fields."""
    units = {
        field: "" if field in fields.KINDS or field in fields.RATIOS or field in fields.COUNTS else "ns"
        for field in policy
    }
    pairs = (f"{field}={value}{units[field]}" for field, value in sorted(policy.items()) if field != "growth")
    return f"{policy.get('growth', '')}:{','.join(pairs)}".removesuffix(":")


def of_delays(layer, case):
    """The clause of a case of delays."""
    policy = case["policy"]
    jitter = policy.get("jitter", "none")
    if layer == "growths" or (layer == "articles" and jitter == "none"):
        return "5.3" if "offset" in policy and layer == "growths" else "5.2"
    if case["id"] == "draw-index-kept":
        return "2.2"
    by_layer = {"samples": "4.1", "caps": "7.2" if "floor" in policy else "7.1"}
    return by_layer.get(layer) or {"decorrelated": "6.3", "slotted": "6.4"}.get(jitter, "6.1")


def texts(requests, vectors):
    for case in vectors["texts"]:
        ask_text(requests, of_text(case), "texts", case, case["text"])
        lists = int(case["of"] == "policy")
        requests.skip("11.3", lists, "lists of fields", "the protocol answers canonical strings")
    for case in vectors["presets"]:
        for name in ("preset", "string"):
            clause = "12.1" if case["of"] == "policy" else "15.1"
            ask_text(requests, clause, "presets", case, case[name], f".{name}")
        requests.skip(
            "5.3", len(case.get("windows", [])), "windows", "the windows of these cases; others are asked for with via"
        )
    why = "the protocol answers with code and position"
    for case in vectors["text_errors"]:
        # An error of 11.5 has no limit.
        is_read = case["error"]["limit"] == "0" and case["error"]["code"] != "missing"
        clauses = {"policy": ("11.6", "11.5"), "budget": ("15.2", "15.1")}[case["of"]]
        ask_text(requests, clauses[is_read], "text_errors", case, case["text"])
        requests.skip("8.8", 1, "messages, fields, values and limits of errors in strings", why)


def ask_text(requests, clause, layer, case, text, part=""):
    # A delay is the form that every evaluator has first.
    request = {"policy": text} if case["of"] == "policy" else {"policy": "none", "budget": text, "steps": []}
    requests.ask(clause, layer, case, part, **request)


def of_text(case):
    """The clause of a string that is valid."""
    if case["of"] == "budget":
        return "15.1"
    # The heads with pairs test what the pairs remove.
    if case["id"].startswith(("head-preset-", "none-", "retry_after_max", "jitter-ratio")):
        return "11.3"
    if case["id"].startswith("head-"):
        return "11.2"
    return "11.4" if case["id"].startswith(("unit-", "duration-", "ratio-", "count-")) else "11.8"


def policies(requests, vectors):
    requests.skip_all("8.7", "ratios", "floats", "the protocol passes ratios as text")
    for case in vectors["errors"]:
        requests.skip("8.8", 1, "messages of errors", "the protocol answers without them")
        clause, policy = of_error(case), string_of(case["policy"])
        # Some fields have no string, or one with another error.
        if json.loads(answer(line_of({"policy": policy}))).get("error") == case["error"]["code"]:
            requests.ask(clause, "errors", case, policy=policy)
        delays = {"via": "at", "index": 0, "count": 1}
        requests.ask(clause, "errors", case, ".fields", policy=case["policy"], delays=delays)


def of_error(case):
    """The clause of a policy that is not valid."""
    error = case["error"]
    relations = ("cap_below_base", "offset_above_cap", "floor_above_cap", "growth_stalls")
    is_above_cap = error["code"] == "too_large" and error["limit"] == case["policy"].get("cap")
    if error["code"] in relations or (is_above_cap and error["field"] == "throttled_base"):
        return "8.5"
    return "8.3" if error["code"] == "not_exponential" else "8.4"


def operations(requests, vectors):
    for case in vectors["decisions"]:
        steps = [step_of(step) for step in case["steps"]]
        budget = {} if case["budget"] is None else {"budget": case["budget"]}
        request = {"policy": case["policy"]} | budget | stream_of(case) | {"steps": steps}
        requests.ask(of_decisions(case), "decisions", case, **request)
    requests.skip_all("14.6", "http_methods", "methods of HTTP", "the protocol has no methods")
    requests.skip_all("19.1", "http_requests", "requests of HTTP clients", "the protocol sends no requests")
    requests.skip_all("18.2", "loops", "loops", "the protocol calls no function")
    requests.skip_all("18.8", "defaults", "defaults of programs", "the protocol has no loops")
    requests.skip_all("13.7", "resumptions", "resumptions", "the protocol resumes no operation")
    requests.skip_all("15.9", "budget_levels", "levels of budgets", "the protocol has no levels")
    requests.skip_all("17.2", "stats", "stats", "the protocol has no stats")
    requests.skip_all("17.3", "stats_labels", "labels of stats", "the protocol has no stats")


def step_of(step):
    members = ("operation", "do", "now", "deadline", "outcome", "retry_after", "own_delay")
    asked = {name: step[name] for name in members if step.get(name) is not None}
    # A longer retry_after acts as MAX, because its bound `retry_after_max` is at most that (SPEC 13.5), and so does a
    # longer own delay (13.9).
    for name in {"retry_after", "own_delay"} & asked.keys():
        asked[name] = str(min(int(asked[name]), MAX))
    return asked


def of_decisions(case):
    """The clause of operations."""
    if any("own_delay" in step for step in case["steps"]):
        return "13.9"
    if any(step["do"] == "limit" for step in case["steps"]):
        return "13.10"
    if case["budget"] is not None:
        return "15.3"
    if any(step.get("retry_after") is not None for step in case["steps"]):
        return "13.5"
    return "13.6" if any(step["do"] == "cancel" for step in case["steps"]) else "13.4"


def responses(requests, vectors):
    for case in vectors["http_statuses"]:
        response = {"status": case["status"], "fields": "", "now": "0"}
        requests.ask("14.4", "http_statuses", case, response=response)
    for case in vectors["http_responses"]:
        wait = int(case["retry_after"] or 0)
        is_rounded = wait >= 2**53 and wait % 10**6 and wait != MAX
        if is_rounded or int(case["now"]) > MAX:
            requests.skip("14.5", 1, "header fields", f"{LATE}, and a long wait may be rounded")
            continue
        response = {name: case[name] for name in ("status", "fields", "now")}
        requests.ask("14.5", "http_responses", case, response=response)
    for case in vectors["retry_after"]:
        is_date = case["id"].startswith(("imf", "rfc850", "asctime", "date-", "iso"))
        clause = "14.3" if case["id"].startswith("century-") else "14.2" if is_date else "14.1"
        if int(case["now"]) > MAX:
            requests.skip(clause, 1, "values of Retry-After", LATE)
            continue
        requests.ask(clause, "retry_after", case, retry_after={name: case[name] for name in ("value", "now")})


def budgets(requests, vectors):
    for case in vectors["budget_state_texts"]:
        state = {"text": case["text"], "events": []}
        requests.ask("15.5", "budget_state_texts", case, budget=case["budget"], state=state)
    for case in vectors["budget_states"]:
        members = ("event", "now", "outcome", "held")
        events = [{name: step[name] for name in members if step[name] is not None} for step in case["steps"]]
        state = {"text": case["start"], "events": events}
        requests.ask("15.6", "budget_states", case, budget=case["budget"], state=state)
    for case in vectors["exchanges"]:
        exchange = {name: case[name] for name in ("local", "lease", "fallback", "timeout", "seed")}
        exchange["steps"] = [arguments_of(step) for step in case["steps"]]
        requests.ask("15.7", "exchanges", case, budget=case["budget"], exchange=exchange)


def arguments_of(step):
    """What an action needs. The rest is what it answers."""
    arguments = [*ARGUMENTS, *(["held", "local"] if step["do"] == "note" else [])]
    return {name: value for name, value in step.items() if name in arguments}


def previews(requests, vectors):
    for case in vectors["previews"]:
        is_decorrelated = "decorrelated" in case["policy"]
        clause = "16.4" if case["id"].startswith(("max_", "count")) else "16.3" if is_decorrelated else "16.2"
        preview = {name: case[name] for name in ("first", "count")}
        if preview["first"] > 10_000 or preview["count"] > 1000:
            requests.skip(clause, 1, "previews", "a request asks for rows up to 11000")
            continue
        requests.ask(clause, "previews", case, policy=case["policy"], preview=preview)
    for case in vectors["fits"]:
        if "error" in case:
            requests.skip("16.5", 1, "messages of fits", "the protocol answers without them")
        fit = {name: case[name] for name in ("field", "attempts", "total")}
        if fit["attempts"] >= 2**32 or int(fit["total"]) > MAX:
            requests.skip("16.5", 1, "fits", LATE)
            continue
        requests.ask("16.5", "fits", case, policy=case["policy"], fit=fit)


def protocol(requests, _):
    """Requests in an unusual notation, and lines that are none.

    A request follows each of these, so that an evaluator which drops lines is found where it drops one. The very last line
    of the first run is a request, and has no line feed.
    """
    for number, (why, line) in enumerate(not_requests(), 1):
        assert json.loads(answer(line)) == {"error": "not_a_request", "at": 0}, line
        name = f"protocol/not-a-request-{number}"
        requests.ask_line(PROTOCOL, name, why, line)
        # No jitter: the delay is the base.
        requests.ask_line(PROTOCOL, name, why, line_of({"policy": f"constant:base={number}ns"}), "-after")
    for number, (why, line) in enumerate(NOTATIONS.items(), 1):
        requests.ask_line(PROTOCOL, f"protocol/request-{number}", why, line.encode())
    why = (
        "the command runs a second time, on one request that ends in a line feed, and must give one answer: a line feed "
        "at the end of the input does not start another line"
    )
    requests.ask_line(PROTOCOL, "protocol/last-line-feed", why, line_of({"policy": "constant:base=1s"}) + b"\n")
