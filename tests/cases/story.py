"""A case of exchanges.json, written step by step (SPEC 15.7)."""

import re
import shlex
from itertools import product

from reference import strings
from reference.members import OUTCOMES, Member
from reference.numbers import MAX, WORD_MAX

from cases.table import number, paragraphs

S = 10**9
CLOCK = 1_000 * S  # the store's clock when the process's is 0
EPOCH = 1_700_000_000 * S
SHARED = ["quota", "throttle", "ratio", "rate", "ttl"]
BEGAN, FAILED, SUCCEEDED = "operation_began", "attempt_failed", "operation_succeeded"
NOTED = {"began": BEGAN, "failed": FAILED, "succeeded": SUCCEEDED}
# A story that contains one of these words is a case for each value of the word.
EACH = {
    "FEW": [1, 2, 3],
    "KIND": SHARED,
    "OUTCOME": OUTCOMES,
    "SEED": [0, 1, WORD_MAX],
    "SEEDS": [0, 1, 2, WORD_MAX],
    "LOST": [1, 2, 4, 9],
    "TIMES": [1, 2, 3, 9],
    "PROCESSES": [1, 2, 3, 7, 1_000_000],
    "TIMEOUT": [S - 1, S, S + 1],
    "COSTS": ["quota:max_tokens=100,cost=5,cost_throttled=3,cost_timeout=9"],
    "ALIKE": [
        "began begin fail request request:timeout request began request failed request failed request succeeded "
        "request succeeded*5 request later:9s began*10 request request later:60s request"
    ],
    "EPOCH": [EPOCH],
    "WORD_MAX": [WORD_MAX],
    "MAX": [MAX],
}


def stories(table):
    """The stories of a table: `id: why`, and below it the budget, options and the steps."""
    for text in re.split(r"\n(?! )", table.strip()):
        each = [word for word in EACH if re.search(rf"\b{word}\b", text)]
        for values in product(*map(EACH.get, each)):
            told = text
            for word, value in zip(each, values, strict=True):
                told = re.sub(rf"\b{word}\b", str(value), told)
            yield from (story(*parts) for parts in paragraphs(told))


def story(id, why, first, steps):
    budget, *options = shlex.split(first)
    options = dict(option.split("=", 1) for option in options)
    options = {name: value if name in ("local", "text") else number(value) for name, value in options.items()}
    return Story(id, why, budget, **options).tell(steps)


class Story:
    """A case under construction: a process with its member, and the store."""

    def __init__(
        self,
        id,
        why,
        budget,
        local="ratio:max_tokens=2",
        lease=1,
        fallback=1,
        timeout=S,
        seed=42,
        text=None,
        clock=CLOCK,
    ):
        self.case = {
            "id": id,
            "why": why,
            "budget": budget,
            "local": local,
            "lease": lease,
            "fallback": str(fallback),
            "timeout": str(timeout),
            "seed": str(seed),
            "steps": [],
        }
        shared, alone = strings.parse("budget", budget), strings.parse("budget", local)
        self.member = Member(shared, alone, lease, fallback, timeout, seed)
        self.now, self.clock, self.text, self.after = 0, clock, text, text

    def record(self, do, **more):
        member, now = self.member, self.now
        due_in = member.due_in(now)
        self.case["steps"].append(
            {
                "do": do,
                "now": str(now),
                **more,
                "away": member.is_away(now),
                "due_in": None if due_in is None else str(due_in),
                "unsent": member.has_unsent(),
                "timeout": str(member.timeout),
            }
        )
        return self

    def at(self, now):
        self.now = now
        return self

    def later(self, time):
        return self.at(self.now + time)

    def store(self, text):
        """Another process has stored a state."""
        self.text = text
        return self

    def note(self, event, times=1, held=0, local=False):
        for _ in range(times):
            self.member.note(event, self.now, held, local)
        return self.record("note", event=event, held=str(held), local=local, **repeated(times))

    def request(self, outcome="transient", times=1):
        answers = [self.member.request(outcome, self.now) for _ in range(times)]
        assert len(set(answers)) == 1, "repeated requests have one answer"
        answer, held, local = answers[0]
        more = {"answer": answer, "held": str(held), "local": local}
        return self.record("request", outcome=outcome, **more, **repeated(times))

    def cancel(self, outcome="transient"):
        self.member.cancel(outcome)
        return self.record("cancel", outcome=outcome)

    def begin(self):
        self.member.begin(self.now)
        return self.record("begin")

    def step(self):
        store_now = self.clock + self.now
        self.after, changed, made = self.member.step(self.text, store_now)
        names = ["event", "outcome", "held", "count", "granted"]
        steps = [
            dict(zip(names, (event, outcome, *map(str, numbers)), strict=True)) for event, outcome, *numbers in made
        ]
        return self.record(
            "step", text=self.text, store_now=str(store_now), after=self.after, changed=changed, steps=steps
        )

    def stored(self):
        self.text = self.after
        granted, refused = self.member.stored(self.now)
        held = [self.member.gives(outcome) for outcome in OUTCOMES]
        return self.record("stored", granted=words(granted.values()), refused=words(refused.values()), held=words(held))

    def exchange(self, takes=0):
        return self.begin().step().later(takes).stored()

    def lost(self, wait=True):
        """A lost swap, and usually the wait after it; a test that expects the timeout fails the exchange."""
        answer = self.member.lost(self.now)
        self.record("lost", wait=None if answer is None else str(answer))
        if answer is None:
            return self.fail()
        return self.later(answer) if wait else self

    def lose(self, times):
        for _ in range(times):
            self.lost().step()
        return self

    def lose_all(self):
        """Swaps are lost until the exchange fails."""
        while self.member.exchange:
            self.lost()
            if self.member.exchange:
                self.step()

    def fail(self, stored=False):
        self.member.failed(self.now, stored)
        return self.record("failed", stored=stored)

    def late(self):
        self.member.late(self.now)
        return self.record("late")

    def tell(self, steps):
        """Steps such as `failed*2 request:timeout (begin step lost)*3 later:1s-1`."""
        steps = re.sub(r"\(([^()]*)\)\*(\d+)", lambda found: f"{found[1]} " * int(found[2]), steps)
        for word in shlex.split(steps):
            do, _, argument, times = re.fullmatch(r"([a-z_-]+)(:(.*?))?(?:\*(\d+))?", word).groups()
            times = int(times or 1)
            match do:
                case "request":
                    self.request(argument or "transient", times)
                case "cancel":
                    self.cancel(argument or "transient")
                case "store":
                    self.store({"none": None, "after": self.after}.get(argument, argument))
                case "clock":
                    self.clock += number(argument)
                case "fail":
                    self.fail(stored=argument == "stored")
                case "lost":
                    self.lost(wait=argument != "no-wait")
                case "begin" | "step" | "stored" | "late" | "lose-all":
                    getattr(self, do.replace("-", "_"))()
                case "at" | "later" | "exchange" | "lose":
                    getattr(self, do)(number((argument or "0").replace("due", str(self.member.due_in(self.now)))))
                case event:
                    held, _, local = (argument or "0").partition(":")
                    self.note(NOTED.get(event, event), times, number(held), local == "local")
        return self


def repeated(times):
    return {} if times == 1 else {"times": times}


def words(numbers):
    return list(map(str, numbers))
