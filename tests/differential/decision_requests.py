"""Random requests of the forms other than a delay, valid and invalid, the same for the same seed.

Usage: decision_requests.py SEED COUNT; `tests/README.md` describes a request.
"""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from differential import random_budgets, random_strings
from differential.faults import disguised, spoiled
from differential.string_requests import NOT_REQUESTS, encoded, seed, write
from reference import numbers, presets

MAX = numbers.MAX
MS, S = 10**6, 10**9
FAILURES = ["transient", "throttled", "timeout"]


def policy(rng):
    """A policy whose limits are reached within a few seconds, or any string."""
    if rng.random() < 0.1:
        return random_strings.text(rng)
    if rng.random() < 0.1:
        return rng.choice(list(presets.PRESETS["policy"]))
    heads = [f"{growth}:base={base}" for growth in GROWTHS for base in BASES]
    head = rng.choice(["constant:base=1s", "none:max_retries=9", *STEPS, *heads])
    pairs = [
        pair
        for often, pairs in LIMITS
        if rng.random() < often
        for pair in [rng.choice(pairs)]
        if pair.split("=")[0] not in head
        and not (pair[:10] == "throttled_" and head in STEPS)
        and not (pair[:10] == "max_attemp" and "max_retries" in head)
    ]
    rng.shuffle(pairs)
    return ",".join([head, *pairs])


GROWTHS = ["full", "equal", "decorrelated", "constant", "linear", "exponential", "polynomial"]
GROWTHS += ["fibonacci"]
STEPS = [f"steps:waits={waits}" for waits in ["1s", "100ms/1s/5s", "5s/1ms/0s", "1ms/2s/2s/10s"]]
BASES = ["1ms", "100ms", "1s", "10s"]
LIMITS = [
    (0.5, ["cap=20s", "cap=1h", "cap=30s", "cap=10s,cap_on=delay"]),
    (0.4, ["max_retries=0", "max_retries=1", "max_retries=2", "max_retries=3", "max_retries=9"]),
    (0.05, ["max_attempts=1", "max_attempts=3", "max_attempts=4294967297"]),
    (0.3, [f"max_elapsed={limit}" for limit in ["0s", "1s", "2s", "10s", "1m"]]),
    (0.03, [f"max_elapsed={MAX}ns", f"max_elapsed={MAX - 1}ns", "max_elapsed=none"]),
    (0.3, ["throttled_base=1s", "throttled_base=5s", "throttled_base=0s", "throttled_base=100ms"]),
    (0.3, ["retry_after=at_least", "retry_after=exact", "retry_after=spread"]),
    (0.3, [f"retry_after_max={limit}" for limit in ["5s", "none", "0s", "1s"]]),
    (0.2, ["retry_after_max_extra=2s", "retry_after_max_extra=0s", "retry_after_max_extra=1ns"]),
    (0.1, ["floor=1ms", "floor=500ms", "floor=1ns"]),
    (0.3, [f"attempt_timeout={limit}" for limit in ["1ns", "100ms", "1s", "1s", "30s", "1h"]]),
    (0.3, [f"reset_after={limit}" for limit in ["1ns", "500ms", "1s", "1s", "10s", "1h"]]),
    (0.03, [f"reset_after={MAX - 1}ns", f"attempt_timeout={MAX - 1}ns", "reset_after=none"]),
    (0.3, ["elapsed_from=begin", "elapsed_from=failure", "elapsed_from=failure"]),
]


def times(rng):
    """Times that advance by parts of slices, hit their boundaries, and sometimes go back."""
    now = rng.choice([0, 0, 0, S, rng.randrange(10**12), 10**18, rng.randrange(MAX)])
    if rng.random() < 0.03:
        now = MAX - rng.randrange(3 * S)
    now -= now % (100 * MS) if rng.random() < 0.5 else 0
    slices = rng.choice([100 * MS, 150 * MS, 300 * MS, S, 6 * S])
    while True:
        yield now
        pick = rng.random()
        if pick < 0.45:
            continue
        if pick < 0.8:
            now += slices * rng.choice([1, 1, 1, 2, 5, 9, 10, 11]) + rng.choice([0, 0, 0, 0, -1, 1])
        elif pick < 0.9:
            now += rng.choice([1, MS, S, 3 * S, 20 * S, rng.randrange(10 * S)])
        elif pick < 0.98:
            now -= rng.choice([1, MS, slices, S, rng.randrange(10 * S)])
        else:
            now += rng.choice([3600 * S, 86_400 * S, MAX])
        now = min(max(now, 0), MAX)


def valid_steps(rng):
    """Several operations, whose steps are interleaved."""
    clock = times(rng)
    running, begun, steps = [], 0, []
    limit = rng.choice([1, 2, 4, 8])
    shift = rng.choice([0, 0, 0, 1, 2**32 - 1])
    for _ in range(rng.choice([rng.randint(0, 3), 8, 8, 15, 15, 25, 40])):
        now = next(clock)
        if not running or (len(running) < limit and rng.random() < 0.35):
            operation = (shift + begun) % 2**32
            running.append(operation)
            begun += 1
            steps.append(begin(rng, operation, now))
            continue
        operation = rng.choice(running)
        step, ends = failure(rng, operation, now), False
        pick = rng.random()
        if pick < 0.12:
            step, ends = success(operation, now), True
        elif pick < 0.17:
            step, ends = outcome(operation, now, "permanent"), True
        elif pick < 0.22:
            step, ends = {"operation": operation, "do": "cancel", "now": str(now)}, True
        elif pick < 0.32:
            step = {"operation": operation, "do": "limit", "now": str(now)}
        steps.append(step)
        # An operation that has ended is sometimes used again.
        if ends and rng.random() < 0.8:
            running.remove(operation)
    return steps


def begin(rng, operation, now):
    step = {"operation": operation, "do": "begin", "now": str(now)}
    if rng.random() < 0.25:
        deadline = now + rng.choice([0, 1, S, 2 * S, 10 * S, 20 * S, 60 * S, -1, -S, MAX])
        step["deadline"] = str(min(max(deadline, 0), MAX - 1))
    elif rng.random() < 0.3:
        step["deadline"] = None
    return step


def outcome(operation, now, name):
    return {"operation": operation, "do": "outcome", "now": str(now), "outcome": name}


def success(operation, now):
    return outcome(operation, now, "success")


def failure(rng, operation, now):
    step = outcome(operation, now, rng.choice(FAILURES))
    if rng.random() < 0.25:
        waits = [0, 1, MS, S, S, 2 * S, 7 * S, 100 * S, MAX, MAX - 1, rng.randrange(10 * S)]
        step["retry_after"] = str(rng.choice(waits))
    elif rng.random() < 0.3:
        step["retry_after"] = None
    if rng.random() < 0.1:
        step["own_delay"] = rng.choice([None, "0", "1", str(S), str(3 * S), str(MAX)])
    return step


def steps(rng):
    """(name, value) of each member."""
    members = [("policy", policy(rng)), ("steps", valid_steps(rng))]
    if rng.random() < 0.85:
        members.append(("budget", random_budgets.text(rng)))
    elif rng.random() < 0.5:
        members.append(("budget", None))
    if rng.random() < 0.8:
        members.append(("seed", seed(rng)))
    if rng.random() < 0.5:
        random = f"job-{rng.randrange(10**9)}"
        members.append(("key", rng.choice([None, "", "job-1", "ä🚀", random])))
    return members


def preview(rng):
    first = rng.choice([0, 0, 0, 0, 0, 1, 2, 5, rng.randrange(100)])
    count = rng.choice([0, 1, 2, 3, 5, 10, 10, 10, 30, 100])
    if rng.random() < 0.01:
        first, count = rng.choice([(4090, 10), (10_000, 3), (4095, 2), (0, 1000)])
    text = policy(rng) if rng.random() < 0.4 else random_strings.text(rng)
    return [("policy", text), ("preview", {"first": first, "count": count})]


def fit(rng):
    text = policy(rng) if rng.random() < 0.5 else random_strings.text(rng)
    attempts = rng.choice([0, 1, 2, 3, 4, 4, 4, 5, 6, 8, rng.randint(2, 12)])
    if rng.random() < 0.06:
        # The reference adds up every delay, so policies of many attempts soon reach their cap.
        growths, jitters = ["constant", "exponential", "fibonacci"], ["none", "full", "0.2"]
        growth, jitter = rng.choice(growths), rng.choice(jitters)
        text = f"{growth}:base={rng.choice(BASES)},cap={rng.choice(['10s', '1h'])},jitter={jitter}"
        text = rng.choice([text, text, "decorrelated:base=1s,cap=20s", "default"])
        attempts = rng.choice([100, 4096, 4097, 4098, 65_535, 65_536, 65_537, 2**32 - 1])
        attempts = rng.choice([attempts, rng.randint(2, 65_536)])
    total = rng.choice([0, 1, MS, S, S, 3 * S, 10 * S, 60 * S, 3600 * S, 86_400 * S, MAX, MAX - 1])
    if rng.random() < 0.5:
        total = int(10 ** rng.uniform(0, 18.9))
    return [
        ("policy", text),
        ("fit", {"field": rng.choice(["base", "cap"]), "attempts": attempts, "total": str(total)}),
    ]


# Retry-After

FORMS = (
    ["%a, %d %b %Y %H:%M:%S GMT"] * 3 + ["%A, %d-%b-%y %H:%M:%S GMT"] * 2 + ["%a %b %e %H:%M:%S %Y"]
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def retry_after(rng):
    now = rng.choice([0, 1, 1_700_000_000 * S, MAX, rng.randrange(MAX), rng.randrange(2 * 10**18)])
    pick = rng.random()
    if pick < 0.25:
        edges = [0, 1, 120, 9_223_372_036, 9_223_372_037, 2**63, 2**64, 10**19, 10**40]
        value = rng.choice(["", "", "0", "00000"])
        value += str(rng.choice([*edges, rng.randrange(10**6)]))
    else:
        value = date(rng, now)
    if pick > 0.8 or pick < 0.04:
        value = edited(rng, value)
    if rng.random() < 0.15:
        before = rng.choice([" ", "\t", " \t "]) * rng.choice([0, 1, 3])
        value = before + value + rng.choice([" ", "\t\t", ""])
    if rng.random() < 0.02:
        value = rng.choice([" ", "0"]) * (rng.choice([1023, 1024, 1025, 5000]) - len(value)) + value
    return [("retry_after", {"value": value, "now": str(now)})]


def date(rng, now):
    today = EPOCH + timedelta(microseconds=now // 1000)
    ahead = rng.choice([0, 1, 60, 3600, 86_400 * 400, rng.randrange(2**33), rng.randrange(2**36)])
    try:
        moment = today + rng.choice([1, 1, 1, -1]) * timedelta(seconds=ahead)
    except OverflowError:
        moment = today
    if rng.random() < 0.1:
        first = moment.replace(month=rng.choice([2, 3]), day=1)
        moment = first - timedelta(days=rng.choice([0, 1]))
    # strftime pads years below 1000 on some platforms only, and %e is not everywhere.
    form = rng.choice(FORMS).replace("%Y", f"{moment.year:04}").replace("%e", f"{moment.day:2}")
    value = moment.strftime(form)
    if rng.random() < 0.2:
        old, new = rng.choice(
            [
                (f"{moment.day:02} ", rng.choice(["00 ", "29 ", "30 ", "31 ", "32 "])),
                (moment.strftime("%H:"), rng.choice(["24:", "23:", "00:"])),
                (moment.strftime(":%M:"), rng.choice([":60:", ":59:"])),
                (moment.strftime(":%S"), rng.choice([":60", ":61", ":59"])),
                (moment.strftime("%b"), rng.choice(["Feb", "Feb", "Sep", "JAN", "may", "Sept"])),
                (f"{moment.year:04}", rng.choice(["0000", "9999", "1900", "2000", "2100", "1996"])),
                (moment.strftime("%a"), rng.choice(["Mon", "Sun", "mon", "Xyz"])),
            ]
        )
        value = value.replace(old, new, 1)
    return value


def edited(rng, value):
    at = rng.randrange(len(value) + 1)
    some = rng.choice([*random_strings.STRANGE, *"0123456789 :-,.GMTJan", "+1", "-", "GMT", "UTC"])
    return value[:at] + rng.choice(["", some, some]) + value[at + rng.choice([0, 0, 1, 2]) :]


def line(rng):
    chance = rng.random()
    if chance < 0.01:
        return rng.choice(NOT_REQUESTS)
    members = rng.choices([steps, preview, fit, retry_after], [55, 12, 12, 15])[0](rng)
    if chance < 0.14:
        members = spoiled(rng, members)
    if rng.random() < 0.06:
        members = disguised(rng, members)
    if rng.random() < 0.5:
        rng.shuffle(members)
    text = encoded(rng, members)
    if rng.random() < 0.01:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", *"{}[]:,x"]) + text[at:] * rng.choice([0, 1])
    return text


if __name__ == "__main__":
    write(line)
