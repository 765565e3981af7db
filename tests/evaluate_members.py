"""The steps of a member of a shared budget, as the evaluator of the reference reads and plays them (see README.md)."""

import wire
from reference import budgets, members, operations


def event_of(step):
    """The name of an event, and what the operation holds, which counts for two of them."""
    name, held = wire.name_of(step, "event", budgets.EVENTS), wire.word(step, "held", "0")
    return name, held if name in ("attempt_over", "operation_succeeded") else 0


def outcome_of(step):
    return wire.name_of(step, "outcome", operations.OUTCOMES)


def times_of(step):
    return range(wire.whole(step, "times", 100_000, 1, least=1))


class Player:
    """A member, and whether its exchange has made steps that could be stored.

    An action reads all of its step before it says whether it may come now.
    """

    ACTIONS = ("note", "request", "cancel", "begin", "step", "stored", "lost", "failed", "late")

    def __init__(self, member):
        self.member = member
        self.is_stepped = False

    def play(self, step):
        do, now = wire.name_of(step, "do", self.ACTIONS), wire.word(step, "now")
        answer = getattr(self, do)(step, now)
        if answer is NOT_NOW:
            return answer
        member = self.member
        return (answer or {}) | {
            "away": member.is_away(now),
            "due_in": wire.shown(member.due_in(now)),
            "unsent": member.has_unsent(),
            "timeout": str(member.timeout),
        }

    def note(self, step, now):
        (event, held), local = event_of(step), wire.boolean(step, "local", False)
        for _ in times_of(step):
            self.member.note(event, now, held, local)

    def request(self, step, now):
        outcome = outcome_of(step)
        for _ in times_of(step):
            answer, held, local = self.member.request(outcome, now)
        return {"answer": answer, "held": str(held), "local": local}

    def cancel(self, step, _):
        self.member.cancel(outcome_of(step))

    def begin(self, _, now):
        if self.member.exchange is not None:
            return NOT_NOW
        self.member.begin(now)
        return None

    def step(self, step, _):
        text, store_now = wire.string_or_none(step, "text"), wire.word(step, "store_now")
        if self.member.exchange is None:
            return NOT_NOW
        after, changed, steps = self.member.step(text, store_now)
        self.is_stepped = after is not None
        names = ["event", "outcome", "held", "count", "granted"]
        rows = [(event, outcome, *map(str, numbers)) for event, outcome, *numbers in steps]
        steps = [dict(zip(names, row, strict=True)) for row in rows]
        return {"after": after, "changed": changed, "steps": steps}

    def stored(self, _, now):
        if not self.is_stepped:
            return NOT_NOW
        granted, refused = self.member.stored(now)
        self.is_stepped = False
        held = map(self.member.gives, members.OUTCOMES)
        rows = {"granted": granted.values(), "refused": refused.values(), "held": held}
        return {name: list(map(str, row)) for name, row in rows.items()}

    def lost(self, _, now):
        if self.member.exchange is None:
            return NOT_NOW
        self.is_stepped = False
        return {"wait": wire.shown(self.member.lost(now))}

    def failed(self, step, now):
        stored = wire.boolean(step, "stored")
        if self.member.exchange is None:
            return NOT_NOW
        self.is_stepped = False
        self.member.failed(now, stored)
        return None

    def late(self, _, now):
        self.member.late(now)


NOT_NOW = {"error": "not_now"}
