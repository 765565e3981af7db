"""Random requests about responses, states of budgets and exchanges of shared ones, valid and invalid, the same for the
same seed.

Usage: member_requests.py SEED COUNT; `tests/README.md` describes a request.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from cases import budget_states, exchanges
from cases.exchanges import WORD_MAX, other_state
from cases.story import FAILED, SHARED, SUCCEEDED
from differential import random_budgets, random_strings
from differential.decision_requests import date
from differential.faults import disguised, spoiled
from differential.string_requests import NOT_REQUESTS, encoded, seed, write
from evaluate_members import Player
from reference import budgets, members, operations, parse_error, retry_after, strings
from reference.numbers import MAX

MS, S, DAY = 10**6, 10**9, 86_400 * 10**9
NOWS = [0, 0, 1, 1_700_000_000 * S, MAX]
RETRIED = members.OUTCOMES
# Objects that repeat a member are tuples of their members (see `encoded`).


def budget(rng, kind=None):
    """Mostly valid, and often so small that it refuses."""
    pick = rng.random()
    if pick < 0.5:
        draw = budget_states if kind == "concurrent" else exchanges
        return draw.random_budget(rng, kind or rng.choice(SHARED))
    if pick > 0.95 and kind is None:
        return random_budgets.text(rng)
    return random_budgets.budget(rng, kind)


def parsed(text):
    try:
        return strings.parse("budget", text)
    except parse_error.ParseError:
        return None


def damaged(rng, text):
    """A text that is mostly no state, or one at a limit."""
    pick = rng.random()
    if pick < 0.1:
        short = ["", " ", "x", "1 2 3 4", "0 0", "0 0 0", "\0", "|", " | "]
        return rng.choice([*short, "0" * 5000, "1 " * 3000, "é", text + "\n"])
    parts = text.split(" ")
    at = rng.randrange(len(parts))
    if pick < 0.6:
        parts[at] = rng.choice(NUMBERS)
    elif pick < 0.7:
        parts.insert(at, rng.choice(["", "0", "1", "|", "-1"]))
    elif pick < 0.8:
        del parts[at]
    else:
        where = rng.randrange(len(text) + 1)
        some = rng.choice([*random_strings.STRANGE, *"0123456789 -+.|"])
        return text[:where] + some + text[where + rng.choice([0, 1]) :]
    return " ".join(parts)


NUMBERS = ["0", "1", "-1", "00", "-0", "01", "+1", "1.0", "1e3", "", "x", "|", "1000000", "1000001"]
NUMBERS += [str(s * (2**p + more)) for s in (1, -1) for p in (63, 64) for more in (-1, 0, 1)]


# Responses


def response(rng):
    while True:
        now = rng.choice([*NOWS, rng.randrange(MAX), rng.randrange(2 * 10**18)])
        status = rng.choice([429, 429, 429, 503, 200, 0, 65_535, rng.randrange(600)])
        lines = [field(rng, now) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5]))]
        if rng.random() < 0.05 and lines:
            # A long value. Some clients bound what they keep, so there is one.
            name, _, value = lines[0].partition(":")
            fill = rng.choice(" 0") * (rng.choice([1023, 1024, 1025, 1500]) - len(value))
            lines[0] = f"{name}:{fill}{value}"
        fields = "".join(line + rng.choice(["\n", "\r\n"]) for line in lines)
        fields = fields.removesuffix("\n") if rng.random() < 0.3 else fields
        wait = retry_after.http_retry_after(status, fields, now)
        # Languages with the wait as a double do not know the nanosecond of a long one.
        if wait is None or wait < 2**53 or wait % MS == 0 or wait == MAX:
            return [("response", {"status": status, "fields": fields, "now": str(now)})]


def field(rng, now):
    name = rng.choice(["Retry-After"] * 4 + ["retry-after-ms"] * 2 + ["RateLimit"] * 3 + RESETS)
    value = {
        "Retry-After": seconds_or_date,
        "retry-after-ms": milliseconds,
        "RateLimit": quotas,
    }.get(name, seconds)(rng, now)
    name = rng.choice([name, name, name.lower(), name.upper(), name.title()])
    if rng.random() < 0.1:
        value += rng.choice([",", ", ", ",,", ", 5", " 5", ";", " ,1"])
    if rng.random() < 0.08:
        at = rng.randrange(len(value) + 1)
        value = value[:at] + rng.choice([*FIELD_CHARACTERS, ""]) + value[at + rng.choice([0, 1]) :]
    if rng.random() < 0.03:
        name = rng.choice(WRONG_NAMES)
    colon = ":" if rng.random() < 0.98 else rng.choice(["", " :", "::", "="])
    begin = name + colon + rng.choice(["", " ", " ", "\t", "  "])
    return begin + value + rng.choice(["", "", " ", "\t "])


WRONG_NAMES = ["", "Retry-Afte", "X-Retry-After", " Retry-After", "Retry-After "]
WRONG_NAMES += ["Retry\u2010After", "RateLimit\u0131"]
RESETS = ["RateLimit-Reset", "X-RateLimit-Reset"]
# No control characters: clients treat them in many ways.
FIELD_CHARACTERS = [*'0123456789 ,;=.:-+"\\\tTZ', "é", "٣", "🚀"]


def seconds(rng, now):
    later = now // S + rng.choice([0, 1, 60, 3600, -5])
    numbers = [0, 1, 7, 120, 10**9, 10**9 + 1, later, later, 2**63, 10**19, 10**40]
    number = rng.choice([*numbers, rng.randrange(10**6)])
    return rng.choice(["", "", "", "00"]) + str(max(0, number))


def seconds_or_date(rng, now):
    return seconds(rng, now) if rng.random() < 0.6 else date(rng, now)


def milliseconds(rng, _):
    wholes = [0, 1, 250, 1500, 9_223_372_036_854, 9_223_372_036_855, 2**64, 10**30]
    whole = rng.choice([*wholes, rng.randrange(10**7)])
    parts = ["", "", ".0", ".5", ".", ".000001", ".0000009", ".123456", ".1234569"]
    part = rng.choice([*parts, "." + "9" * 50, ".x", ".1.2"])
    return f"{whole}{part}"


def quotas(rng, now):
    return rng.choice([",", ", "]).join(quota(rng, now) for _ in range(rng.choice([1, 1, 2, 3])))


def quota(rng, now):
    item = rng.choice(['"default"', "default", '"a,b;c"', '"a\\"b"', '"', ""])
    left = rng.choice(["r=0", "r=0", "r=00", "r=5", "r=", "r", "r=0;r=1", "R=0"])
    time = rng.choice([f"t={seconds(rng, now)}", "t=7", "t=-1", 't="7"', "t", "t=1;t=9", ""])
    parameters = [left, time, *rng.choice([[], ["q=9"], ["x"], ['pk=";"']])]
    rng.shuffle(parameters)
    return item + "".join(rng.choice([";", "; ", " ;"]) + parameter for parameter in parameters)


# States of budgets


def state(rng):
    text = budget(rng, rng.choice([*random_budgets.KINDS, None]))
    valid = parsed(text)
    current, now = valid and budgets.BudgetState(valid), rng.choice([*NOWS, rng.randrange(10**12)])
    start, events, held = None, [], [0]
    before = rng.choice([0, 0, rng.randrange(20)])
    for number in range(before + rng.choice([0, 1, 10, 10, 20, 40])):
        if number == before and before and valid:
            # A state that was stored.
            start, events = current.text(), []
        now = min(max(0, now + rng.choice([0, 0, 1, MS, S // 10, S, 3 * S, 10 * S, -S, -1])), MAX)
        event, given = an_event(rng, held)
        events.append(given | {"now": str(now)})
        if valid:
            _, holds = current.step(event, now, given.get("outcome"), int(given.get("held", 0)))
            held.append(holds)
    if rng.random() < 0.2:
        start = damaged(rng, start or (current.text() if valid else "0 0"))
    members = {"events": events} | ({} if start is None and rng.random() < 0.5 else {"text": start})
    return [("budget", text), ("state", members)]


def an_event(rng, held):
    event = rng.choices(budgets.EVENTS, [4, 2, 2, 10, 2, 1])[0]
    given = {"event": event}
    if event == "retry_requested":
        given["outcome"] = rng.choice([*RETRIED * 5, "success", "permanent"])
    elif event in ("attempt_over", "operation_succeeded"):
        given["held"] = str(rng.choice([*held[-4:], rng.choice([0, 1, 7, 10**6, WORD_MAX])]))
    return event, given


# Exchanges


class Story:
    """The steps of a process with its member, and the store, which others use as well."""

    def __init__(self, rng, asked, shared, local):
        numbers = (int(asked[name]) for name in ("lease", "fallback", "timeout", "seed"))
        self.rng, self.member = rng, members.Member(shared, local, *numbers)
        self.player = Player(self.member)
        self.now = rng.choice([0, 0, 0, S, rng.randrange(10**15)])
        self.clock = rng.choice([1000 * S, exchanges.EPOCH])
        self.text = self.after = None
        self.held = [(0, False)]
        self.steps = []

    def tell(self, length):
        """What a process does, and some that none does, which is not now."""
        rng, member = self.rng, self.member
        while len(self.steps) < length:
            steps = [0] * 5 + [1, MS, 10 * MS, S // 5, S // 2, S] * 2 + [30 * S, -MS, -S]
            self.now = min(max(self.now + rng.choice(steps), 0), MAX - 2 * DAY)
            change = rng.choice([0] * 30 + [-S, S, 30 * S, -70 * S, -DAY, DAY])
            self.clock = max(200 * S, self.clock + change)
            is_exchanging, is_stepped = member.exchange is not None, self.player.is_stepped
            waits = any(member.waiting.values())
            often = {
                "note": 4,
                "request": 5,
                "cancel": 0.1 + 2 * waits,
                "late": 0.05 + (1 + 3 * member.is_away(self.now)) * waits,
                "begin": 0.1 if is_exchanging else 6 if member.due_in(self.now) == 0 else 1,
                "step": 0.1 + 6 * is_exchanging * (1 if not is_stepped else 0.02),
                "stored": 0.1 + 4 * is_stepped,
                "lost": 0.1 + 3 * is_stepped + 0.1 * is_exchanging,
                "failed": 0.1 + 0.7 * is_exchanging,
            }
            do = rng.choices(list(often), often.values())[0]
            getattr(self, do, self.play)(do)
        return self.steps

    def play(self, do, **arguments):
        step = {"do": do, "now": str(self.now), **arguments}
        self.steps.append(step)
        return self.player.play(step)

    def repeated(self, limit):
        times = self.rng.choice([1] * 12 + [2, 2, 3, limit])
        return {"times": times} if times > 1 or self.rng.random() < 0.05 else {}

    def note(self, do):
        rng, event = self.rng, self.rng.choice([*members_events(), SUCCEEDED, SUCCEEDED])
        other = (rng.choice([1, 7, WORD_MAX]), rng.random() < 0.5)
        held, local = rng.choice([*self.held[-6:], other])
        has_none = event != SUCCEEDED or rng.random() < 0.1
        given = {} if has_none else {"held": str(held), "local": local}
        self.play(do, event=event, **given, **self.repeated(rng.choice([60, 99, 130])))

    def request(self, do):
        unused = [outcome for outcome in RETRIED if self.member.unused[outcome]]
        outcome = self.rng.choice((unused or RETRIED) * 8 + operations.OUTCOMES)
        answer = self.play(do, outcome=outcome, **self.repeated(5))
        if answer["answer"] == "granted":
            self.held.append((int(answer["held"]), answer["local"]))

    def cancel(self, do):
        waiting = [outcome for outcome in RETRIED if self.member.waiting[outcome]]
        self.play(do, outcome=self.rng.choice((waiting or RETRIED) * 8 + operations.OUTCOMES))

    def step(self, do):
        rng, text = self.rng, self.text
        if rng.random() < 0.06:
            text = damaged(rng, text or "1 5 | 0 0 0")
            # A store that another program wrote to.
            self.text = text if rng.random() < 0.3 and self.reads(text) else self.text
        given = {} if text is None and rng.random() < 0.5 else {"text": text}
        answer = self.play(do, **given, store_now=str(min(self.clock + self.now, MAX)))
        self.after = answer.get("after") or self.after

    def reads(self, text):
        return members.read_account(self.member.budget, text) is not None

    def stored(self, do):
        if "error" not in self.play(do):
            self.text = self.after

    def lost(self, do):
        self.play(do)
        if self.rng.random() < 0.8:
            self.text = other_state(self.rng, self, self.member)

    def failed(self, do):
        stored = self.rng.random() < 0.4
        self.play(do, stored=stored)
        if stored and self.player.is_stepped and self.rng.random() < 0.5:
            self.text = self.after


def members_events():
    return [FAILED, *budgets.EVENTS] * 2


def configured(rng):
    return {
        "local": budget(rng, rng.choice([*random_budgets.KINDS, *SHARED, None])),
        "lease": rng.choice([1, 1, 2, 3, 5, 5, 20, 1000]),
        "fallback": str(rng.choice([0, 0, 0, 1, 1, 2, 3, 1000, WORD_MAX])),
        "timeout": str(rng.choice([1, 20 * MS, S // 2, S // 2, S, 3 * S, 3 * S, 60 * S, MAX])),
        "seed": seed(rng),
    }


def exchange(rng):
    text, asked = budget(rng, rng.choice([*SHARED * 8, "concurrent", None])), configured(rng)
    shared, local = parsed(text), parsed(asked["local"])
    asked["steps"] = []
    if shared and local and shared["budget"] != "concurrent":
        asked["steps"] = Story(rng, asked, shared, local).tell(rng.choice([0, 20, 40, 40, 60, 100]))
    return [("budget", text), ("exchange", asked)]


def line(rng):
    chance = rng.random()
    if chance < 0.003:
        return rng.choice(NOT_REQUESTS)
    members = rng.choices([response, state, exchange], [3, 2, 4])[0](rng)
    if chance < 0.1:
        members = spoiled(rng, members)
    if rng.random() < 0.05:
        members = disguised(rng, members)
    if rng.random() < 0.5:
        rng.shuffle(members)
    return encoded(rng, members)


if __name__ == "__main__":
    write(line)
