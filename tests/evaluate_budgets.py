"""The forms of the evaluator about a budget that is kept elsewhere: its state, and the exchanges of a member."""

import wire
from reference import budgets, members, operations, parse_error, printing, strings


def with_budget(text, of, evaluate):
    """What a budget evaluates to, or the answer that its string does not parse."""
    try:
        budget = strings.parse("budget", text)
    except parse_error.ParseError as error:
        return {"error": error.code, "at": error.at, "of": of}
    return evaluate(budget)


def of_state(request):
    text, asked = wire.string(request, "budget"), wire.an_object(request["state"])
    start = wire.string_or_none(asked, "text")
    events = list(map(event_of, wire.a_list(asked, "events")))

    def evaluate(budget):
        if start is not None and not budgets.is_state_text(budget, start):
            return {"error": "not_a_state", "at": 0, "of": "text"}
        state, answers = budgets.BudgetState(budget, start), []
        for event in events:
            granted, holds = state.step(*event)
            answers.append({"granted": granted, "holds": str(holds), "state": state.text()})
        return {"budget": printing.printed("budget", budget), "answers": answers}

    return with_budget(text, "budget", evaluate)


def event_of(event):
    """The arguments of a step of a state."""
    name, held = named_of(event)
    now, outcome = wire.time(event, "now"), None
    if name == "retry_requested":
        outcome = wire.name_of(event, "outcome", operations.OUTCOMES)
    return name, now, outcome, held


def named_of(event):
    """The name of an event, and what the operation holds, which counts for two of them."""
    name, held = wire.name_of(event, "event", budgets.EVENTS), wire.word(event, "held", "0")
    return name, held if name in ("attempt_over", "operation_succeeded") else 0


def of_exchange(request):
    text, asked = wire.string(request, "budget"), wire.an_object(request["exchange"])
    local_text, lease = wire.string(asked, "local"), wire.whole(asked, "lease", 1000, least=1)
    fallback, timeout = wire.word(asked, "fallback"), wire.time(asked, "timeout")
    if members.MOST < fallback < members.REFUSE:
        raise wire.NotARequest
    seed, steps = wire.word(asked, "seed"), list(map(step_of, wire.a_list(asked, "steps")))

    def evaluate(budget):
        return with_budget(local_text, "local", lambda local: exchanged(budget, local))

    def exchanged(budget, local):
        if budget["budget"] == "concurrent":
            return {"error": "not_shared", "at": 0, "of": "budget"}
        player = Player(members.Member(budget, local, lease, fallback, timeout, seed))
        return {
            "budget": printing.printed("budget", budget),
            "local": printing.printed("budget", local),
            "answers": [player.play(*step) for step in steps],
            "stats": {name: str(count) for name, count in player.member.stats().items()},
        }

    return with_budget(text, "budget", evaluate)


def step_of(step):
    """The action, the time and the arguments of a step."""
    do, now = wire.name_of(step, "do", ACTIONS), wire.time(step, "now")
    return do, now, ACTIONS[do](step)


def note_of(step):
    return (*named_of(step), wire.boolean(step, "local", False), times_of(step))


def request_of(step):
    return *outcome_of(step), times_of(step)


def outcome_of(step):
    return (wire.name_of(step, "outcome", operations.OUTCOMES),)


def loaded_of(step):
    return wire.string_or_none(step, "text"), wire.time(step, "store_now")


def stored_of(step):
    return (wire.boolean(step, "stored"),)


def nothing_of(_):
    return ()


def times_of(step):
    return wire.whole(step, "times", 100_000, 1, least=1)


#: What each action needs.
ACTIONS = {
    "note": note_of,
    "request": request_of,
    "cancel": outcome_of,
    "begin": nothing_of,
    "step": loaded_of,
    "stored": nothing_of,
    "lost": nothing_of,
    "failed": stored_of,
    "late": nothing_of,
}


class Player:
    """A member, and whether its exchange has made steps that could be stored."""

    def __init__(self, member):
        self.member = member
        self.is_stepped = False

    def play(self, do, now, arguments):
        if not self.is_now(do):
            return {"error": "not_now"}
        answer = getattr(self, do)(now, *arguments)
        member, due_in = self.member, self.member.due_in(now)
        return answer | {
            "away": member.is_away(now),
            "due_in": text_of(due_in),
            "unsent": member.has_unsent(),
            "timeout": str(member.timeout),
        }

    def is_now(self, do):
        """Whether the action may come now: one exchange at a time, and its end after its steps."""
        if do == "begin":
            return self.member.exchange is None
        if do == "stored":
            return self.is_stepped
        return do not in ("step", "lost", "failed") or self.member.exchange is not None

    def note(self, now, event, held, local, times):
        for _ in range(times):
            self.member.note(event, now, held, local)
        return {}

    def request(self, now, outcome, times):
        for _ in range(times):
            answer, held, local = self.member.request(outcome, now)
        return {"answer": answer, "held": str(held), "local": local}

    def cancel(self, _, outcome):
        self.member.cancel(outcome)
        return {}

    def begin(self, now):
        self.member.begin(now)
        return {}

    def step(self, _, text, store_now):
        after, changed, steps = self.member.step(text, store_now)
        self.is_stepped = after is not None
        names = ["event", "outcome", "held", "count", "granted"]
        rows = [(event, outcome, *map(str, numbers)) for event, outcome, *numbers in steps]
        steps = [dict(zip(names, row, strict=True)) for row in rows]
        return {"after": after, "changed": changed, "steps": steps}

    def stored(self, now):
        granted, refused = self.member.stored(now)
        self.is_stepped = False
        held = map(self.member.gives, members.OUTCOMES)
        rows = {"granted": granted.values(), "refused": refused.values(), "held": held}
        return {name: list(map(str, row)) for name, row in rows.items()}

    def lost(self, now):
        self.is_stepped = False
        return {"wait": text_of(self.member.lost(now))}

    def failed(self, now, stored):
        self.is_stepped = False
        self.member.failed(now, stored)
        return {}

    def late(self, now):
        self.member.late(now)
        return {}


def text_of(number):
    return None if number is None else str(number)
