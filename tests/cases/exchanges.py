"""The member of a shared budget, step by step (SPEC 15.7)."""

import random

from reference import budgets, strings
from reference.members import OUTCOMES, Member, account_text, read_account

MS = 10**6
S = 10**9
DAY = 86_400 * S
CLOCK = 1_000 * S  # the store's clock when the process's is 0
EPOCH = 1_700_000_000 * S
WORD_MAX = 2**64 - 1
SHARED = ["quota", "throttle", "ratio", "rate", "ttl"]
BEGAN, FAILED, SUCCEEDED = "operation_began", "attempt_failed", "operation_succeeded"
COSTS = "quota:max_tokens=100,cost=5,cost_throttled=3,cost_timeout=9"


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

    def requests(self, *outcomes):
        for outcome in outcomes:
            self.request(outcome)
        return self

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

    def fail(self, stored=False):
        self.member.failed(self.now, stored)
        return self.record("failed", stored=stored)

    def late(self):
        self.member.late(self.now)
        return self.record("late")


def repeated(times):
    return {} if times == 1 else {"times": times}


def words(numbers):
    return list(map(str, numbers))


def exchange_cases():
    clauses = (
        events(),
        requests(),
        cancellations(),
        beginnings(),
        steps(),
        clocks(),
        leases(),
        endings(),
        lost_swaps(),
        pauses(),
        shares(),
        processes(),
        first_exchanges(),
        failures(),
        away(),
        lateness(),
        damaged_texts(),
        at_random(),
    )
    for stories in clauses:
        for story in stories:
            stats = {name: str(number) for name, number in story.member.stats().items()}
            yield story.case | {"stats": stats}


def events():
    """Rule 1."""
    for kind in SHARED:
        story = Story(f"events-{kind}", f"every counted event, once and twice, in the steps of {kind}", kind)
        story.note(BEGAN).note(FAILED, 2).note(SUCCEEDED).note(BEGAN)
        yield story.note(SUCCEEDED, 2, held=5).request().exchange()
    for kind in ("quota", "ttl"):
        story = Story(f"other-events-{kind}", "the other events count nothing", kind)
        yield story.note("attempt_over", held=5).note("operation_ended").note("retry_requested").note(BEGAN)
    story = Story("held-each", "each cost has its own count, sent in the order of the outcomes", COSTS, text="4 10")
    story.note(SUCCEEDED, held=9).note(SUCCEEDED, held=3).note(SUCCEEDED, held=5).note(SUCCEEDED)
    yield story.exchange()
    story = Story("held-same", "a cost of several outcomes counts as the first of them", "quota", text="4 10")
    yield story.note(SUCCEEDED, held=5).note(SUCCEEDED, 2, held=5).exchange()
    story = Story(
        "held-same-late",
        "a cost of the last two outcomes counts as throttled",
        "quota:cost=5,cost_throttled=7,cost_timeout=7",
        text="4 10",
    )
    yield story.note(SUCCEEDED, held=7).exchange()
    story = Story(
        "held-same-apart",
        "a cost of the first and the last outcome counts as the first of them",
        "quota:cost=5,cost_throttled=3,cost_timeout=5",
        text="4 10",
    )
    yield story.note(SUCCEEDED, held=3).note(SUCCEEDED, 2, held=5).exchange()
    story = Story("held-unknown", "what no outcome gives counts as nothing held", COSTS, text="4 10")
    yield story.note(SUCCEEDED, held=4).note(SUCCEEDED, held=WORD_MAX).note(SUCCEEDED, held=1).exchange()
    for kind in SHARED[1:]:
        story = Story(f"held-{kind}", f"no retry of {kind} gives anything, so all of held counts as 0", kind)
        yield story.note(SUCCEEDED, held=1).note(SUCCEEDED, held=5).note(BEGAN).exchange()
    story = Story("held-order", "the order of the six counts, not of the notes", COSTS, text="0 97")
    story.note(FAILED).note(SUCCEEDED, held=9).note(SUCCEEDED).note(BEGAN)
    yield story.request("timeout").exchange()
    story = Story(
        "order-throttle",
        "successes come before failures, also if they came after them, and are lost in a full budget",
        "throttle:max_tokens=10,ratio=1",
    )
    yield story.note(FAILED, 3).note(SUCCEEDED, 3).exchange()
    story = Story(
        "order-throttle-low",
        "below full, the same successes and failures cancel out",
        "throttle:ratio=1",
        text="9 6000",
    )
    yield story.note(FAILED, 3).note(SUCCEEDED, 3).exchange()
    story = Story(
        "local-begins", "the local state sees the operations that begin", "quota", "ratio:max_tokens=1,ratio=1"
    )
    story.note(BEGAN).request().begin().fail().request()
    yield story.request().note(BEGAN).request().request()
    story = Story("local-fails", "the local state sees the failures", "quota", "throttle:max_tokens=4")
    yield story.begin().fail().request().note(FAILED).request().note(FAILED).request()
    story = Story(
        "local-refund",
        "a retry of the local budget goes back to it, and earns one token of the shared one",
        "quota:max_tokens=20",
        "quota:max_tokens=7,cost=7",
        text="5 10",
    )
    story.begin().fail().request().request().note(SUCCEEDED, held=7, local=True).request()
    yield story.later(S).exchange()
    story = Story(
        "shared-refund",
        "a retry of the shared budget goes back to it, and earns one token of the local one",
        "quota:max_tokens=20",
        "quota:max_tokens=7,cost=5",
        text="5 10",
    )
    story.begin().fail().requests("transient").note(SUCCEEDED, held=5).request()
    yield story.later(S).exchange()
    story = Story(
        "local-held-alike",
        "what the local budget gave is not what the shared one gives, also if the numbers are equal",
        "quota:max_tokens=20",
        "quota:max_tokens=10",
        text="5 10",
    )
    story.begin().fail().request().note(SUCCEEDED, held=5, local=True).note(SUCCEEDED, held=5)
    yield story.request().later(S).exchange()
    story = Story("local-held-none", "nothing held, of either budget, is one count", "quota", "quota", text="5 10")
    yield story.note(SUCCEEDED, local=True).note(SUCCEEDED).exchange()
    story = Story(
        "local-rate", "the local state has the times of the process, the shared one those of the store", "rate", "rate"
    )
    yield story.at(5 * S).request().exchange().begin().fail().request().later(S // 2).request()
    story = Story(
        "local-ttl", "the slices of the local state are of the process's clock", "ttl", "ttl:min_per_second=0,ratio=1"
    )
    story.note(BEGAN, 2).begin().fail().request().at(9 * S).begin().fail().request()
    yield story.request().at(12 * S).note(BEGAN).begin().fail().request().request()
    for gone in (False, True):
        name, when = ("away", "while the store is away") if gone else ("here", "while it is not")
        story = Story(f"note-cap-{name}", f"counts above 100 {when}", "throttle")
        if gone:
            story.begin().fail()
        story.note(FAILED, 99).note(FAILED).note(FAILED).note(BEGAN, 101).note(SUCCEEDED, 150)
        yield story.later(S).exchange()
    story = Story(
        "note-caps-others", "a note while the store is away caps every count, not only its own", "throttle", timeout=S
    )
    yield story.note(FAILED, 150).begin().note(BEGAN, 130).at(S).note(SUCCEEDED).step().stored()


def requests():
    """Rule 2."""
    for outcome in OUTCOMES:
        story = Story(f"request-{outcome}", f"one request after {outcome}", COSTS)
        yield story.request(outcome).exchange()
        story = Story(f"unused-{outcome}", f"an unused retry of {outcome} is granted at once", COSTS, lease=3)
        others = [other for other in OUTCOMES if other != outcome]
        yield story.request(outcome).exchange().request(outcome).requests(*others).request(outcome).request(outcome)
    story = Story(
        "unused-away", "unused retries are granted while the store is away, then the local budget", "quota", lease=3
    )
    yield story.request().exchange().begin().fail().request(times=2).request(times=2).request()
    story = Story("unused-with-exchange", "unused retries are granted while an exchange is under way", "quota", lease=3)
    yield story.request().exchange().begin().request().step().request().request().stored().exchange()
    for outcome in ("success", "permanent"):
        story = Story(f"request-{outcome}", "no retry may be requested", "quota", lease=2)
        yield story.request().exchange().request(outcome).begin().fail().request(outcome)
    story = Story("waits-unanswered", "requests wait until the exchange has ended", "quota")
    yield story.request(times=3).begin().step().request(times=2).stored().exchange()
    story = Story("request-local-refused", "the local budget refuses", "quota", "ratio:max_tokens=1")
    yield story.begin().fail().request().request("throttled").request("timeout")
    story = Story(
        "request-local-costs", "the local budget has costs of its own", COSTS, "quota:max_tokens=9,cost_timeout=4"
    )
    yield story.begin().fail().requests("timeout", "transient", "transient")
    story = Story("request-overdue", "a store that answers too late is away before it fails", "quota", timeout=S)
    story.request().begin().at(S - 1).request().at(S).request("throttled")
    yield story.fail().requests("transient", "transient")
    story = Story("request-after-away", "after the store was away requests wait again", "quota")
    story.begin().fail().request().later(S - 1).request()
    yield story.later(1).request().exchange()
    story = Story(
        "request-oldest", "the oldest are granted; the newer ones wait for the next exchange", "quota:max_tokens=10"
    )
    yield story.request(times=3).begin().step().request(times=2).stored().exchange()
    story = Story("request-takes-lease", "a request that comes after the steps takes a lease of them", "quota", lease=3)
    yield story.request().begin().step().request(times=2).request().stored().exchange()
    story = Story("request-other-outcome", "a lease of another outcome is none", COSTS, lease=3)
    yield story.request().begin().step().request("timeout").stored().exchange()


def cancellations():
    """Rule 2."""
    for outcome in OUTCOMES:
        story = Story(f"cancel-{outcome}", "cancelled before the exchange, which is then not due", COSTS)
        yield story.request(outcome).cancel(outcome).request(outcome).request(outcome).cancel(outcome).exchange()
    story = Story("cancel-before-step", "cancelled before the steps, so it is not asked", "quota")
    yield story.request(times=2).begin().cancel().step().stored()
    story = Story("cancel-all", "every request is cancelled before the steps", "quota")
    yield story.request(times=2).begin().cancel().cancel().step().stored()
    story = Story("cancel-granted", "cancelled after the steps granted it: without a lease the grant is lost", "quota")
    yield story.request(times=2).begin().step().cancel().stored().request()
    story = Story(
        "cancel-granted-lease", "cancelled after the steps granted it: the grant is left for another", "quota", lease=2
    )
    yield story.request(times=2).begin().step().cancel().stored().request().request()
    for lease, limit in ((1, 15), (16, 15), (17, 16), (19, 18)):
        story = Story(f"cancel-most-left-{lease}", f"of grants left over {limit} become unused", "quota", lease=lease)
        story.request(times=20).begin().step()
        for _ in range(20):
            story.cancel()
        yield story.stored().request(times=limit).request()
    story = Story("cancel-refused", "cancelled after the steps refused it: one less is refused", "quota:max_tokens=5")
    yield story.request(times=3).begin().step().cancel().stored().request()
    story = Story(
        "cancel-refused-all", "all that were refused are cancelled; then one that was granted", "quota:max_tokens=5"
    )
    yield story.request(times=2).begin().step().cancel().cancel().stored()
    story = Story(
        "cancel-newer",
        "cancelled after the steps refused one: nobody is refused, and the one that waits is asked again",
        "quota:max_tokens=5",
    )
    yield story.request(times=2).begin().step().request().cancel().stored().exchange()
    story = Story("cancel-grant-for-newer", "the grant of a cancelled request goes to one that came later", "quota")
    yield story.request().begin().step().cancel().request().stored()
    story = Story(
        "cancel-between-swaps", "cancelled after a lost swap: the next steps do not ask it", "quota:max_tokens=5"
    )
    yield story.request(times=3).begin().step().lost().cancel().step().stored()
    story = Story(
        "cancel-other", "cancelled after one outcome, which changes nothing for the others", COSTS, text="0 4"
    )
    yield story.requests("transient", "throttled", "timeout").begin().step().cancel("throttled").stored()


def beginnings():
    """Rule 3."""
    story = Story("due-request", "a waiting request, and nothing else, is due", "quota")
    yield story.note(BEGAN).request().begin().request().step().stored().exchange()
    story = Story("due-counts", "100 events are due, 99 are not", "throttle")
    yield story.note(FAILED, 50).note(BEGAN, 49).note(SUCCEEDED).exchange()
    story = Story("due-old", "one event is due after 30 s, not before, and the pause ends first", "throttle")
    story.begin().step().lose(3).stored().note(FAILED).later(30 * S - 1).note(BEGAN).later(1)
    yield story.record("note", event="operation_ended", held="0", local=False).exchange().note(FAILED)
    story = Story("due-old-again", "the 30 s are those of the first event since the last exchange", "throttle")
    story.note(FAILED).later(29 * S).exchange().later(S).note(FAILED).later(29 * S).note(FAILED).later(S)
    yield story.note(FAILED).exchange()
    story = Story("due-old-steps", "events after the steps are younger than those that were sent", "throttle")
    story.note(FAILED).begin().step().later(S // 2).note(FAILED).stored().later(30 * S - 1).note(BEGAN)
    yield story.later(1).note(BEGAN).exchange()
    story = Story("due-old-away", "old events are due again when the store is back", "throttle")
    story.note(FAILED).later(31 * S).begin().step().fail().note(BEGAN).later(S - 1).note(BEGAN).later(1).note(BEGAN)
    yield story.exchange()
    story = Story("due-old-failed", "after a failure the time is that of the event that came since", "throttle")
    story.note(FAILED).later(31 * S).begin().step().note(BEGAN).fail().later(S).note(BEGAN).later(28 * S).note(BEGAN)
    yield story.later(S).note(BEGAN).exchange()
    story = Story("due-counts-each", "the sum is of all six counts", COSTS)
    story.note(BEGAN, 20).note(SUCCEEDED, 20).note(SUCCEEDED, 20, held=5).note(SUCCEEDED, 20, held=3)
    yield story.note(SUCCEEDED, 10, held=9).note(FAILED, 9).note(FAILED)
    story = Story("due-away", "events are not due while the store is away, but after it", "throttle")
    yield story.note(FAILED, 100).begin().fail().later(S - 1).note(BEGAN).later(1).note(BEGAN)
    story = Story("due-under-way", "nothing is due while an exchange is under way, also if it is too late", "throttle")
    yield story.begin().note(FAILED, 100).request().at(S).note(FAILED).step().stored().later(S).note(FAILED)
    story = Story("flush-empty", "a flush with nothing to send changes nothing", "quota")
    yield story.exchange().store("3 7").exchange()
    for kind in SHARED:
        story = Story(f"flush-{kind}", "a flush of one event", kind)
        yield story.note(BEGAN).note(FAILED).note(SUCCEEDED).exchange().exchange()
    story = Story("flush-away", "a flush begins an exchange also while the store is away", "throttle")
    yield story.note(FAILED).begin().fail().later(MS).begin().request().step().stored().request()


def steps():
    """Rules 4.2 and 4.3."""
    for kind in SHARED:
        story = Story(f"ask-{kind}", f"every outcome is asked of {kind}, in their order", kind, clock=EPOCH)
        yield story.requests("timeout", "throttled", "transient", "timeout").note(BEGAN).exchange().request().exchange()
    story = Story("ask-mixed", "each outcome has its cost", COSTS, text="7 31")
    yield story.requests("timeout", "transient", "throttled", "timeout", "transient", "throttled").exchange()
    story = Story("ask-cheaper", "what is refused to one outcome may be granted to a cheaper one", COSTS, text="7 4")
    yield story.request("transient", 2).request("throttled", 2).request("timeout").exchange()
    story = Story("ask-some", "the oldest of one outcome are granted, the others refused", "quota", text="1 17")
    yield story.request(times=5).exchange()
    story = Story("ask-after-events", "the events come before the requests, and pay for one", "quota", text="1 4")
    yield story.request().note(SUCCEEDED).exchange()
    story = Story("ask-after-failures", "failures that came after the request refuse it", "throttle", text="1 6000")
    yield story.request().note(FAILED).exchange()
    story = Story("text-other-member", "the state is that of the store, not of the last exchange", "quota", lease=2)
    yield story.request().exchange().store("90 3").request().request().exchange()
    story = Story("text-gone", "a key that is gone is a full budget again", "quota:max_tokens=10")
    yield story.request(times=2).exchange().store(None).request().exchange()
    story = Story("version-wraps", "after the last version comes 0", "quota", text=f"{WORD_MAX} 100")
    yield story.request().exchange()
    story = Story("unchanged", "a state that the steps do not change needs no swap", "quota:max_tokens=5", text="8 0")
    yield story.request().exchange()
    story = Story("unchanged-none", "nothing stored, and nothing changed: nothing is stored", "throttle")
    yield story.note(BEGAN).note(SUCCEEDED).request().exchange()
    story = Story("changed-back", "the same level with another version is another state", "quota:cost=1", text="8 50")
    yield story.note(SUCCEEDED).request().exchange()
    story = Story("rate-refused", "a refused request changes the last time of rate", "rate:max_tokens=1", clock=EPOCH)
    yield story.request(times=2).exchange().later(S).request().exchange().later(59 * S).request().exchange()
    story = Story(
        "ttl-slices", "requests and operations in the slices of the store's clock", "ttl:min_per_second=0,ratio=1"
    )
    story.note(BEGAN, 3).request().exchange().later(9 * S).request().exchange()
    yield story.later(2 * S).note(BEGAN).request().exchange()
    story = Story("storm", "5,000 failures while an exchange is under way are all counted", "throttle")
    story.note(FAILED).request().begin().step().note(FAILED, 5000)
    yield story.stored().request().exchange().request().exchange()
    for many in (2_000, 20_000):
        story = Story(
            f"many-{many}", "a slow exchange: the events of its time go with the next one", COSTS, timeout=20 * S
        )
        story.request().begin().at(S).note(BEGAN, many).note(SUCCEEDED, many // 50, held=3).note(FAILED, many)
        yield story.step().at(8 * S).note(SUCCEEDED, many).note(FAILED, many).request().stored().exchange()
    story = Story(
        "under-way-stored", "events before the steps are sent by them, those after it are counted", "throttle"
    )
    yield story.begin().note(FAILED).step().note(FAILED, 2).note(BEGAN).stored().exchange()
    story = Story(
        "disagreement-outcome",
        "the lease of each outcome is its own: the third request takes the unused one, and the store holds 4 72",
        "quota:max_tokens=100,cost=5,cost_timeout=9",
        lease=2,
    )
    yield story.request().exchange().request("timeout").exchange().request("transient")
    story = Story(
        "disagreement-order",
        "3 tokens for two outcomes: both requests first, then one lease of the first outcome",
        "ratio:max_tokens=3,ratio=0",
        lease=3,
    )
    yield story.requests("throttled", "transient").exchange().requests("transient", "throttled").exchange()


def clocks():
    """Rule 4.1."""
    for name, ahead, what in [
        ("behind", -5 * S, "is before the store's clock"),
        ("same", 0, "is the store's clock"),
        ("59s", 59 * S, "is 59 s ahead, which clocks may differ"),
        ("60s", 60 * S, "is exactly 60 s ahead, which clocks may differ"),
        ("60s1", 60 * S + 1, "is more than 60 s ahead, and becomes the time"),
        ("day", DAY, "is a day ahead, and becomes the time"),
    ]:
        text = f"6 0 {EPOCH + ahead}"
        story = Story(f"rate-{name}", f"the last time of rate {what}", "rate:max_tokens=2", text=text, clock=EPOCH)
        yield story.request().exchange().later(30 * S).request().exchange()
    for name, ahead, what in [
        ("behind", -12 * S, "is long ago"),
        ("9s", -9 * S, "is the ninth before this one"),
        ("same", 0, "is that of the store's clock"),
        ("59s", 59 * S, "is 59 s ahead"),
        ("60s", 60 * S, "is exactly 60 s ahead"),
        ("61s", 61 * S, "is one more than 60 s ahead, and becomes that of the time"),
        ("day", DAY, "is a day ahead, and becomes that of the time"),
    ]:
        text = f"6 {(EPOCH + ahead) // S} 1 0 0 2 0 0 0 -1 0 0"
        story = Story(
            f"ttl-{name}", f"the latest slice of ttl {what}", "ttl:min_per_second=0,ratio=1", text=text, clock=EPOCH
        )
        yield story.note(BEGAN).request(times=4).exchange().later(30 * S).request().exchange()
    story = Story(
        "ttl-part-of-slice",
        "slices are compared, not times: a slice that contains the time 60 s later stays",
        "ttl:ttl=60s,min_per_second=0,ratio=1",
        text=f"6 {(EPOCH + 60 * S) // (6 * S)} 1 1 1 1 1 1 1 1 1 1",
        clock=EPOCH,
    )
    yield story.request().exchange()
    story = Story(
        "ttl-part-next",
        "the slice after it does not",
        "ttl:ttl=60s",
        text=f"6 {(EPOCH + 66 * S) // (6 * S)}{' 1' * 10}",
        clock=EPOCH,
    )
    yield story.request().exchange()
    story = Story(
        "rate-version",
        "a corrected time is one version, and the request another",
        "rate:max_tokens=2",
        text=f"{WORD_MAX - 1} 70000000000 {EPOCH + DAY}",
        clock=EPOCH,
    )
    yield story.request().exchange()
    story = Story(
        "rate-corrected-only",
        "a flush stores the corrected time of rate",
        "rate",
        text=f"{WORD_MAX} 5 {EPOCH + DAY}",
        clock=EPOCH,
    )
    yield story.exchange().exchange()
    story = Story(
        "ttl-corrected-only",
        "a flush stores the corrected slices of ttl",
        "ttl",
        text=f"9 {WORD_MAX} 0 0 0 0 0 0 0 0 0 7",
        clock=EPOCH,
    )
    yield story.exchange().exchange()
    for kind in ("rate", "ttl"):
        story = Story(
            f"{kind}-back", f"the store's clock goes back by 10 s, by 61 s and by a day, of {kind}", kind, clock=EPOCH
        )
        story.request().exchange()
        for back in (10 * S, 61 * S, DAY):
            story.clock -= back
            story.note(BEGAN).request().exchange()
        yield story.later(S).request().exchange()
        story = Story(f"{kind}-zero", f"the store's clock is 0, of {kind}", kind, clock=0)
        yield story.request().exchange().request().exchange()


def leases():
    """Rules 4.4 and 5."""
    for lease in (1, 2, 3, 1000):
        for kind in SHARED:
            story = Story(f"lease-{lease}-{kind}", f"a lease of {lease} of {kind}", kind, lease=lease, clock=EPOCH)
            story.note(BEGAN).request(times=2).exchange()
            yield story.request().request("timeout").exchange() if lease < 1000 else story.request(times=2)
    story = Story(
        "lease-all", "the largest lease of a budget that has it, used up", "quota:max_tokens=1000000", lease=1000
    )
    yield story.request().exchange().request(times=999).request().exchange()
    story = Story("lease-refused", "no lease if one of the requests was refused", "quota", lease=3, text="2 7")
    yield story.request(times=2).exchange().request().exchange()
    story = Story("lease-rest", "the lease ends at the first refusal", "quota", lease=5, text="2 17")
    yield story.request().exchange().request(times=2).request().exchange()
    story = Story("lease-none-asked", "no lease of an outcome that nobody asked for", COSTS, lease=2)
    yield story.note(BEGAN).exchange().request("throttled").exchange().request("throttled")
    story = Story(
        "lease-each", "the leases come after all requests, in the order of the outcomes", COSTS, lease=3, text="0 37"
    )
    yield story.requests("timeout", "throttled", "transient").exchange().requests("transient", "transient", "throttled")
    story = Story(
        "lease-one-refused", "an outcome that was refused has no lease; another one has", COSTS, lease=2, text="0 14"
    )
    yield story.requests("timeout", "throttled", "transient").exchange().request("throttled")
    story = Story("lease-again", "the next lease is whole again once nothing is unused", "quota", lease=3)
    yield story.request().exchange().request(times=2).request().exchange().request(times=2).request()
    for kind in SHARED:
        story = Story(f"contended-{kind}", f"a pause lets a request of {kind} take more along", kind, clock=EPOCH)
        story.begin().step().lose(3).stored().request().exchange()
        yield story.requests("transient", "transient").later(S).request("timeout").exchange().request()
    for tokens, what in [
        (16, "16 more: one is taken along"),
        (15, "15 more: none"),
        (47, "47 more: two"),
        (10_000, "enough for all"),
    ]:
        budget = f"quota:max_tokens={tokens + 1},cost=1"
        story = Story(f"contended-{tokens}", f"after the request the account would grant {what}", budget, timeout=3 * S)
        yield story.begin().step().lose(5).stored().request().exchange().requests("transient", "transient")
    for lost in (1, 2, 4, 9):
        story = Story(f"contended-lost-{lost}", f"the pause after {lost} lost swaps", "throttle", timeout=3 * S)
        yield story.begin().step().lose(lost).stored().request().exchange().request().request()
    story = Story(
        "contended-shrinks", "a pause that shrinks lets a request take fewer along", "throttle", timeout=3 * S
    )
    story.begin().step().lose(3).stored()
    for _ in range(16):
        story.request("throttled").exchange()
    yield story
    for lease in (3, 12):
        story = Story(f"contended-lease-{lease}", "the larger of both", "throttle", lease=lease, timeout=3 * S)
        yield (
            story.begin()
            .step()
            .lose(3)
            .stored()
            .requests("transient", "timeout")
            .exchange()
            .requests("transient", "transient")
        )
    story = Story(
        "contended-lost",
        "computed again after a lost swap, from what is left",
        "quota:max_tokens=60,cost=1",
        timeout=3 * S,
    )
    story.begin().step().lose(5).stored().request().begin().step().store("7 40").lost().step()
    yield story.stored().requests("transient", "transient", "transient")
    story = Story("contended-none", "without a pause nothing is taken along", "throttle")
    yield story.begin().step().lost().step().stored().exchange().request().exchange()
    story = Story("lease-kept", "what is unused stays through an exchange that does not ask for it", COSTS, lease=3)
    yield story.request().exchange().request("timeout").note(FAILED).exchange().request(times=2).request()
    story = Story(
        "lease-late-requests", "requests after the steps take the lease, and more of them wait", "quota", lease=4
    )
    yield story.request(times=2).begin().step().request(times=5).stored().exchange().request()
    story = Story("lease-lost", "a lost swap gives no lease", "quota", lease=3)
    yield story.request().begin().step().lost().store("1 5").step().stored().request()


def endings():
    """Rule 5, and the time of an exchange."""
    story = Story("timeout-less", "an exchange that takes one ns less than the timeout", "quota", lease=2)
    yield story.request().exchange(S - 1).request().request()
    story = Story(
        "timeout-exact", "an exchange that takes the timeout is stored, and the store is away", "quota", lease=2
    )
    yield story.request().exchange(S).request().request().later(S - 1).request().later(1).request()
    story = Story("timeout-more", "an exchange that takes longer", "quota")
    yield story.request(times=2).exchange(5 * S).request().later(S).request()
    story = Story("timeout-unchanged", "an exchange without a swap may take too long as well", "quota", text="0 0")
    yield story.request().exchange(S).request().later(S).request()
    story = Story(
        "timeout-waiting", "those that still wait then are requested again, of the local budget", "quota:max_tokens=5"
    )
    story.request(times=2).begin().step().request(times=2).later(S).stored()
    yield story.request(times=2).later(S).request().exchange()
    story = Story("timeout-caps", "an exchange that takes too long caps the counts of its time", "throttle")
    yield story.note(FAILED, 150).begin().step().note(FAILED, 120).note(BEGAN, 99).later(S).stored().later(S).exchange()
    story = Story("timeout-zero", "with a timeout of 0 every exchange is too long", "quota", timeout=0)
    yield story.exchange().begin().request().step().stored().later(S).request().begin().step().stored()
    story = Story("timeout-one", "with a timeout of 1 ns one that ends at once is not", "quota", timeout=1)
    yield story.exchange().request().exchange().request().exchange(1)
    story = Story("timeout-most", "the longest timeout", "quota", timeout=2**63 - 1)
    yield story.at(S).request().exchange(DAY).note(FAILED).request().begin().lost().step().stored()


def lost_swaps():
    """Rule 6."""
    story = Story("lost-once", "a lost swap: the steps again, on what another process stored", "quota")
    yield story.note(SUCCEEDED).request().begin().step().store("1 4").lost().step().stored()
    story = Story("lost-grants-less", "after a lost swap fewer requests are granted", "quota:max_tokens=20")
    yield story.request(times=4).begin().step().store("1 11").lost().step().stored()
    story = Story("lost-grants-more", "after a lost swap more requests are granted", "quota:max_tokens=20", text="0 5")
    yield story.request(times=4).begin().step().store("1 16").lost().step().stored()
    story = Story(
        "lost-more-events", "the steps after a lost swap have the events of its wait too", "throttle", text="0 9000"
    )
    story.note(FAILED, 2).begin().step().note(FAILED).note(SUCCEEDED).lost().note(BEGAN)
    yield story.store("1 8000").step().note(FAILED).stored().exchange()
    story = Story("lost-more-requests", "the steps after a lost swap have the requests of its wait too", COSTS, lease=2)
    yield story.request().begin().step().request("timeout").lost().request().step().stored()
    story = Story("lost-other-exchange", "the waits of the second exchange are those of another stream", "quota")
    story.request().begin().step().lose(3).stored()
    yield story.request().begin().step().lose(3).stored().request().begin().step().lose(2).stored()
    for seed in (0, 1, WORD_MAX):
        story = Story(f"lost-seed-{seed}", f"the waits of the seed {seed}", "quota", seed=seed, timeout=10 * S)
        yield story.begin().lose(9).stored().request().begin().lose(2).stored()
    story = Story("lost-counts-exchanges", "an exchange that failed, and one without a swap, have numbers", "quota")
    yield story.begin().fail().exchange().request().begin().step().lost().step().stored()
    story = Story("lost-restarts", "the waits of an exchange begin with index 0", "quota", timeout=10 * S)
    yield story.begin().lose(6).stored().begin().lose(2).stored()
    story = Story(
        "lost-until-timeout",
        "swaps are lost until the timeout: the exchange fails, and nothing is stored",
        "throttle",
        timeout=50 * MS,
    )
    story.exchange().note(FAILED, 120).note(BEGAN).request().begin().step()
    while story.member.exchange:
        story.lost()
        if story.member.exchange:
            story.step()
    yield story.request().later(S).exchange()
    for less, what in ((0, "at the timeout, so the exchange fails"), (1, "one ns before the timeout")):
        wait = lost_wait(42)
        story = Story(f"lost-ends-{less}", f"the wait would end {what}", "quota")
        story.request().begin().step().at(S - wait - less).lost()
        yield story.step().stored() if less else story.request()
    story = Story("lost-after-timeout", "the swap is lost after the timeout", "quota")
    yield story.note(BEGAN).request().begin().step().later(2 * S).lost().request().later(S).exchange()
    story = Story("lost-then-unchanged", "after a lost swap nothing is left to change", "quota", text="0 9")
    yield story.request().begin().step().store("1 0").lost().step().stored()


def pauses():
    """Rule 9. The budgets are too small to be contended for (rule 4.4)."""
    for times in (1, 2, 3, 9):
        story = Story(
            f"pause-{times}",
            f"the pause after an exchange that lost {times} swaps",
            "quota:max_tokens=50",
            timeout=3 * S,
        )
        story.request().begin().step().lose(times).stored().request()
        yield story.later(story.member.due_in(story.now) - 1).request().later(1).exchange()
    story = Story(
        "pause-longest", "no pause is longer than a third of the timeout", "quota:max_tokens=50", timeout=S + 1
    )
    yield story.begin().step().lose(9).stored().request().exchange().begin().step().lose(9).stored().request()
    story = Story(
        "pause-short-timeout",
        "a third of the timeout is less than a millisecond",
        "quota:max_tokens=50",
        timeout=2 * MS,
    )
    yield story.exchange().begin().step().lost(wait=False).step().stored().request()
    story = Story(
        "pause-grows", "pauses grow with the swaps of several exchanges", "quota:max_tokens=50", timeout=10 * S
    )
    for _ in range(4):
        story.request().begin().step().lose(2).stored()
    yield story.request()
    story = Story(
        "pause-shrinks", "an exchange that lost no swap leaves seven eighths", "quota:max_tokens=50", timeout=10 * S
    )
    story.begin().step().lose(4).stored()
    for _ in range(12):
        story.request()
        story.later(story.member.due_in(story.now)).exchange()
    yield story.request()
    story = Story("pause-forgets", "the pause shrinks to nothing", "throttle", timeout=10 * S)
    story.begin().step().lost().step().stored()
    for _ in range(130):
        story.begin().step().stored()
    yield story.request()
    story = Story(
        "pause-flush", "a flush begins within the pause, which ends later then", "quota:max_tokens=50", timeout=3 * S
    )
    yield story.begin().step().lose(5).stored().later(MS).begin().step().stored().request()
    story = Story("pause-events", "100 events wait for the end of the pause, too", "throttle", timeout=3 * S)
    story.begin().step().lose(3).stored().note(BEGAN, 99).note(FAILED)
    yield story.later(story.member.due_in(story.now)).exchange()
    for lost in (0, 2):
        story = Story(
            f"pause-failed-{lost}",
            f"after {lost} lost swaps, an exchange that failed",
            "quota:max_tokens=50",
            timeout=3 * S,
        )
        story.begin().step().lose(3).stored().begin().step().lose(lost).fail().later(S).request().exchange()
        yield story.request()
    story = Story(
        "pause-under-way", "nothing is due while an exchange is under way", "quota:max_tokens=50", timeout=3 * S
    )
    yield story.begin().step().lose(3).stored().request().begin().request().step().stored()
    for seed in (0, 1, WORD_MAX):
        story = Story(
            f"pause-seed-{seed}", f"the pauses of the seed {seed}", "quota:max_tokens=50", seed=seed, timeout=3 * S
        )
        yield story.begin().step().lose(3).stored().request().begin().step().lose(1).stored().request()
    story = Story("pause-away", "the pause ends while the store is away", "quota:max_tokens=50")
    yield story.begin().step().lose(4).stored().begin().fail().later(S).request()


def shares():
    """Rules 1 and 2: the local budget decides for all processes, and this one gets its part."""
    for processes in (1, 2, 3, 7, 1_000_000):
        story = Story(
            f"share-{processes}", "the store is away", "quota", "ratio:max_tokens=9", fallback=processes, seed=6
        )
        story.begin().fail()
        for _ in range(12):
            story.request()
        yield story
    for seed in (0, 1, 2, WORD_MAX):
        story = Story(f"share-seed-{seed}", "the seed says which", "quota", "ratio:max_tokens=4", fallback=3, seed=seed)
        story.begin().fail()
        for _ in range(7):
            story.request()
        yield story
    for local in (
        "quota:max_tokens=30",
        "quota:max_tokens=9",
        "throttle:max_tokens=12",
        "ratio",
        "rate:max_tokens=8",
        "ttl",
    ):
        story = Story(
            f"share-local-{local}".replace(":max_tokens=", "-"), "all processes do the same", "quota", local, 1, 4
        )
        story.note(BEGAN).begin().fail().requests("transient", "timeout", "transient").note(BEGAN).request()
        story.note(FAILED).request().note(FAILED).request().note(SUCCEEDED).request().note(SUCCEEDED, 5).request()
        yield story.later(9 * S).note(BEGAN, 10).requests("transient", "transient").later(60 * S).request()
    story = Story(
        "share-many", "the clock of a rate deals out its retries in turn", "quota", "rate:max_tokens=1,per=1s", 1, 5
    )
    story.begin().fail()
    for _ in range(12):
        story.request().later(S).begin().fail()
    yield story
    story = Story("share-holds", "what is refused holds nothing, and is spent", "ratio", COSTS, fallback=12)
    story.begin().fail().requests("transient", "timeout", "throttled", "transient")
    yield story.note(SUCCEEDED, held=5, local=True).requests("transient", "transient")
    story = Story("share-later", "grants are counted also of an earlier time", "quota", fallback=2, lease=3)
    story.begin().fail().request().request().later(S).request().exchange().request().begin().fail()
    yield story.request().request().request().request()

    story = Story("share-refuse", "unused retries are granted, and no others", "quota", fallback=WORD_MAX, lease=3)
    story.request().exchange().begin().fail().request(times=2).request("timeout").request()
    yield story.note(SUCCEEDED, held=5).later(S).request().exchange()
    story = Story("share-refuse-waiting", "what waits is refused when the store goes away", "quota", fallback=WORD_MAX)
    yield story.requests("transient", "timeout").begin().step().fail().requests("transient", "timeout")
    for text, what in [
        ("0 500 | 16 6 2", "the seventh in this slice"),
        ("0 500 | 16 1 7", "more processes in the slice before"),
        ("0 500 | 15 7 9", "the number of the last slice"),
        ("0 500 | 14 7 9", "the only one lately"),
        ("0 500", "the only one of a text without numbers"),
    ]:
        story = Story(f"share-counted-{what}".replace(" ", "-"), what, "quota", "ratio:max_tokens=30", 1, 0, text=text)
        story.note(BEGAN).exchange().begin().fail()
        for _ in range(15):
            story.request()
        yield story
    story = Story(
        "share-unseen", "nothing is known of other processes, so this one is the only one", "quota", "ratio", fallback=0
    )
    yield story.begin().fail().request().request()
    story = Story("share-lost", "a lost swap tells of the others, too", "quota", "ratio:max_tokens=9", fallback=0)
    story.begin().step().store("1 499 | 16 2 0").lost().step().fail()
    for _ in range(6):
        story.request()
    yield story.later(S).store("1 499 | 16 1 1").exchange().begin().fail().requests("transient", "transient")


def processes():
    """Rules 4.5 and 5: the account counts the processes that exchange."""
    SLICE = 60 * S
    for name, text, what in [
        ("none", None, "the first in a new account"),
        ("state", "3 40", "the first in an account without numbers"),
        ("same", "3 40 | 100 4 9", "the next in the slice"),
        ("next", "3 40 | 99 4 9", "the first in the next slice, after the 4 of the last one"),
        ("later", "3 40 | 98 4 9", "the first after a slice without any"),
        ("ahead", "3 40 | 101 4 9", "the next of a slice that another clock has begun"),
        ("far", "3 40 | 102 4 9", "a slice that no clock can have begun is forgotten"),
        ("first", "3 40 | 0 4 9", "the slice 0 is long ago"),
        ("last", f"3 40 | {WORD_MAX} 4 9", "the last slice is none that a clock has begun"),
        ("most", "3 40 | 100 1000000 1000000", "no more than a million are counted"),
    ]:
        story = Story(f"processes-{name}", what, "quota:max_tokens=50", fallback=0, text=text, clock=100 * SLICE)
        yield story.request().exchange().request().exchange().later(SLICE).note(BEGAN).exchange()
    story = Story("processes-zero", "the store's clock is in the slice 0", "quota", fallback=0, clock=0)
    yield story.exchange().exchange().later(SLICE).exchange()
    story = Story("processes-again", "counted once in each slice, and once more in a later one", "quota", fallback=0)
    for _ in range(7):
        story.later(SLICE // 3).exchange()
    yield story.later(3 * SLICE).exchange()
    story = Story("processes-back", "the store's clock goes back by one slice, and by two", "quota", fallback=0)
    story.exchange()
    for back in (SLICE, SLICE, 3 * SLICE):
        story.clock -= back
        story.exchange()
    yield story.store("5 100 | 9 8 7").exchange()
    story = Story("processes-gone", "a key that is gone counts nobody, and this one again", "quota", fallback=0)
    yield story.exchange().store(None).exchange().exchange()
    story = Story("processes-lost", "after a lost swap this one is counted in what is there then", "quota", fallback=0)
    story.begin().step().store("1 9 | 16 3 0").lost().step().stored().exchange()
    yield story.begin().step().store("1 9 | 17 5 2").lost().step().stored().exchange()
    story = Story("processes-failed-not", "a count that was not stored is made again", "quota", fallback=0)
    yield story.begin().step().fail().later(S).exchange().exchange()
    for made, what in ((True, "not made again"), (False, "missing until the next slice, if it was not stored")):
        name = f"processes-unknown-{'made' if made else 'not'}"
        story = Story(name, f"a count of which nobody knows is {what}", "quota", fallback=0, text="3 40 | 16 4 0")
        for _ in range(3):
            story.begin().step().store(story.after if made else "3 40 | 16 4 0").fail(stored=True).later(S)
        yield story.exchange().later(SLICE).exchange()
    story = Story(
        "processes-unknown-gone", "an account that counts nobody does not count this one", "quota", fallback=0
    )
    yield story.exchange().store("1 9 | 16 0 3").exchange().exchange()
    story = Story("processes-fallback", "counted whatever the fallback is", "quota", fallback=WORD_MAX)
    yield story.exchange().exchange()
    story = Story("processes-only", "a state that has not changed is stored with another count", "quota", text="0 0")
    yield story.request().exchange().request().exchange()
    for number, text in enumerate(
        [
            "3 40 |", "3 40 | ", "3 40 | 16", "3 40 | 16 1", "3 40 | 16 1 1 1", "3 40 | 16 1 1 ", "3 40  | 16 1 1",
            "3 40| 16 1 1", "3 40 |16 1 1", "3 40 |  16 1 1", "3 40 | 16 1 -1", "3 40 | 16 01 1", "3 40 | 16 1 x",
            "3 40 | 16 1000001 1", "3 40 | 16 1 1000001", f"3 40 | {WORD_MAX + 1} 1 1", "| 16 1 1", " | 16 1 1",
            "3 51 | 16 1 1", "3 40 | 16 1 1 | 16 1 1", "3 40 | 16 1 1\n", "3 40 | 16\t1 1", "3 40 | +16 1 1",
        ]
    ):  # fmt: skip
        story = Story(f"damaged-processes-{number}", "a text that is no account", "quota:max_tokens=50", text=text)
        yield story.note(FAILED).request().begin().step().fail().request()


def first_exchanges():
    """The timeout of the first exchange is at least 1 s, which a connection may take."""
    short = S // 10
    story = Story("first-slow", "the first exchange takes nearly a second; the next may not", "quota", timeout=short)
    yield story.request().exchange(S - 1).request().exchange(short - 1).request().exchange(short).request()
    story = Story("first-late", "the first exchange takes a second", "quota", timeout=short)
    yield story.request().begin().later(short).request().step().later(S - short).request().stored().request()
    story = Story("first-events", "the first exchange was one of events", "throttle", timeout=short)
    yield story.note(FAILED).later(2 * S).exchange(S // 2).request().begin().later(short).request().step().stored()
    story = Story("first-failed", "the first exchange failed: the next has the timeout", "quota", timeout=short)
    yield story.request().begin().later(S // 2).fail().later(S).request().begin().later(short).request().fail()
    story = Story("first-lost", "the first exchange loses swaps for longer than the timeout", "quota", timeout=short)
    story.request().begin().step()
    while story.member.exchange:
        story.lost()
        if story.member.exchange:
            story.step()
    yield story.request()
    story = Story("first-pause", "the pause is a part of the timeout, not of the second", "quota", timeout=short)
    yield story.request().begin().step().lose(8).stored().request()
    for timeout in (S - 1, S, S + 1):
        story = Story(f"first-{timeout}", "a timeout near a second", "quota", timeout=timeout)
        yield story.request().begin().later(S - 1).request().later(1).request().later(1).request()


def lost_wait(seed):
    """The first wait of the first exchange."""
    quota = strings.parse("budget", "quota")
    member = Member(quota, quota, 1, 1, S, seed)
    member.begin(0)
    return member.lost(0)


def failures():
    """Rule 7."""
    for kind in SHARED:
        for stored in (False, True):
            name, what = ("stored", "is forgotten") if stored else ("not", "is counted again")
            story = Story(
                f"failed-{name}-{kind}", f"what was sent {what}; what came later is counted", kind, clock=EPOCH
            )
            story.note(BEGAN, 2).note(FAILED).note(SUCCEEDED, held=5).request().begin().step()
            story.note(BEGAN).note(FAILED).note(SUCCEEDED, held=5).fail(stored).request()
            yield story.later(S).exchange()
    story = Story("failed-load", "a load that failed: nothing was sent yet", "throttle")
    yield story.note(FAILED, 3).request().begin().note(FAILED).fail().request().later(S).exchange()
    story = Story("failed-all-counts", "each of the six counts is counted again", COSTS, text="0 0")
    story.note(BEGAN).note(SUCCEEDED, 2).note(SUCCEEDED, 3, held=5).note(SUCCEEDED, 4, held=3)
    yield story.note(SUCCEEDED, 5, held=9).note(FAILED, 6).begin().step().fail().later(S).exchange()
    for stored in (False, True):
        name, what = ("stored", "what came since is kept") if stored else ("not", "both together are kept")
        story = Story(f"failed-cap-{name}", f"up to 100 of each event: {what}", "throttle:max_tokens=1000")
        story.note(FAILED, 70).note(BEGAN, 180).begin().step().note(FAILED, 60).note(SUCCEEDED, 101)
        yield story.fail(stored).later(S).exchange()
        story = Story(f"failed-lost-{name}", "failed after a lost swap", "throttle")
        yield story.note(FAILED).begin().step().note(FAILED).lost().step().note(BEGAN).fail(stored).later(S).exchange()
    story = Story("failed-lost-load", "the load after a lost swap failed", "throttle")
    yield story.note(FAILED, 2).request().begin().step().lost().note(FAILED).fail().later(S).exchange()
    story = Story("failed-twice", "failures again and again lose nothing", "throttle")
    story.note(FAILED, 3)
    for _ in range(3):
        story.begin().step().fail().later(S)
    yield story.exchange()
    story = Story(
        "failed-grants", "the grants of an exchange that failed are lost, those before it are not", "quota", lease=3
    )
    story.request().exchange().request().begin().step().fail(stored=True)
    yield story.request().request().later(S).request().exchange()
    story = Story(
        "failed-waiting", "all that wait are requested again, of the local budget", COSTS, "ratio:max_tokens=3"
    )
    story.requests("timeout", "transient").begin().step().requests("transient", "throttled").fail()
    yield story.request("transient", 2).requests("throttled", "timeout").later(S).request().exchange()
    story = Story("failed-cancelled", "nothing waits when the exchange fails", "quota")
    yield story.request().begin().step().cancel().fail().later(S).note(BEGAN)
    story = Story("failed-overdue", "the second is from the failure, not from the timeout", "quota")
    yield story.request().begin().at(5 * S).fail().request().at(6 * S - 1).request().at(6 * S).request()


def away():
    """Rule 9."""
    story = Story("away-second", "away until exactly 1 s later", "quota", "ratio:max_tokens=10")
    story.at(3 * S).begin().fail().note(BEGAN).later(S - 1).request()
    yield story.later(1).request().exchange().later(1).request().exchange()
    story = Story("away-again", "away, back, and away again", "quota", "ratio:max_tokens=10")
    for _ in range(3):
        story.request().begin().fail().request().later(S)
    yield story.request().exchange()
    story = Story("away-longer", "a flush that fails while the store is away starts the second again", "quota")
    yield story.begin().fail().later(S // 2).begin().fail().later(S // 2).request().later(S // 2).request()
    story = Story("away-flush-stored", "a flush that is stored while the store is away does not end it", "quota")
    yield story.begin().fail().later(S // 2).exchange().request().later(S // 2).request()
    story = Story("away-counts", "events are counted while the store is away, up to 100 of each", COSTS)
    story.begin().fail().note(BEGAN, 250).note(SUCCEEDED, 250).note(SUCCEEDED, 250, held=5)
    story.note(SUCCEEDED, 250, held=3).note(SUCCEEDED, 250, held=9).note(FAILED, 250)
    yield story.later(S).note(FAILED).exchange()
    story = Story("away-back-more", "after it the counts grow above 100 again", "throttle:max_tokens=1000")
    yield story.begin().fail().note(FAILED, 150).later(S).note(FAILED, 50).exchange()
    story = Story("away-due", "exactly 100 kept events are due when the store is back", "throttle")
    yield story.begin().fail().note(FAILED, 150).later(S - 1).note(FAILED).later(1).note(FAILED)


def lateness():
    """Rule 8."""
    late = "a late request; then the exchange is"
    for lease in (1, 3):
        story = Story(
            f"late-stored-{lease}",
            f"{late} stored, with a lease of {lease}: the grant is for another",
            "quota",
            lease=lease,
        )
        story.note(FAILED).request().begin().step().later(S).late().request()
        yield story.later(MS).stored().request().request().later(S).request()
    story = Story(
        "late-clock-back", "a time before the exchange began is not late, with a timeout of 0", "quota", timeout=0
    )
    yield story.exchange().at(5 * S).begin().at(5 * S - 1).request().at(5 * S).request()
    for stored in (False, True):
        story = Story(f"late-failed-{'stored' if stored else 'not'}", f"{late} failed", "throttle")
        story.note(FAILED).request().begin().step().later(S).late().request().note(BEGAN)
        yield story.later(S // 2).fail(stored).later(S // 2).request().later(S // 2).request().exchange()
    story = Story("late-lost", f"{late} lost, and fails at once", "throttle")
    yield story.note(FAILED).request().begin().step().later(S).late().request().lost().later(S).exchange()
    story = Story("late-caps", "counts are capped, what was sent is not until it fails", "throttle:max_tokens=1000")
    story.note(FAILED, 150).begin().step().note(FAILED, 150).request().later(S).late().request()
    yield story.fail().later(S).exchange()
    story = Story("late-caps-stored", "counts are capped, what was sent is stored", "throttle:max_tokens=1000")
    story.note(FAILED, 150).begin().step().note(FAILED, 150).request().later(S).late().request()
    yield story.stored().later(S).exchange()
    story = Story("late-before-begin", "late before an exchange began", "quota")
    yield story.request().later(S).late().request().begin().step().stored().later(S).request()
    story = Story("late-before-step", "late before the load answered: the steps do not ask", "quota", lease=2)
    yield story.note(FAILED).request().begin().later(S).late().request().step().stored()
    story = Story(
        "late-second-exchange",
        "late in an exchange that began later: it goes on, and is lost, loads again and is stored",
        "quota:max_tokens=20",
        timeout=3 * S,
        lease=2,
    )
    story.request().begin().step().request().at(2 * S).stored().begin().step().at(3 * S).late().request()
    story.at(4 * S).request().lost().store("7 12").step().stored()
    yield story.request().request()
    story = Story(
        "late-not-refused",
        "what was asked by a late request is not refused to one that came later",
        "quota:max_tokens=5,cost=5",
        timeout=3 * S,
        text="0 0",
    )
    story.begin().at(2 * S).request().step().at(2 * S + MS).late().request()
    yield story.at(3 * S - 1).request().at(4 * S).stored()
    story = Story(
        "late-newer-waits",
        "back before the exchange ends: a new request takes the grant of the late one",
        "quota",
        timeout=5 * S,
    )
    story.begin().at(S).request().step().late().request().at(2 * S).request().request()
    yield story.stored().exchange()
    story = Story(
        "late-newer-not-refused",
        "back before the exchange ends: new requests are not refused for late ones",
        "quota",
        timeout=5 * S,
        text="0 4",
    )
    story.begin().at(S).request(times=2).step().late().request(times=2).at(2 * S).request(times=3)
    yield story.cancel().stored().exchange()
    story = Story("late-all-outcomes", "requests after every outcome are late", COSTS, "ratio:max_tokens=3")
    story.requests("timeout", "throttled", "transient").begin().step().later(S).late()
    yield story.requests("timeout", "throttled", "transient").stored()
    story = Story(
        "late-again", "late twice: the second is from the last time", "quota", "ratio:max_tokens=9", timeout=S // 2
    )
    story.begin().fail().at(S).request().at(3 * S // 2).late().request()
    yield story.at(2 * S).late().at(5 * S // 2).request().at(3 * S).request()


def damaged_texts():
    """Rule 7: a text that is no state of this budget."""
    texts = {
        "quota": ["", "0", "0 501", "0 1 2", "00 1", "0 -1", "a b", "0 1 ", f"{WORD_MAX + 1} 1"],
        "throttle": ["0 10001", "{}"],
        "ratio": ["0 101", "0 0x1"],
        "rate": ["0 3600000000001 0", "0 0", f"0 0 {WORD_MAX + 1}"],
        "ttl": ["0 0 0 0 0 0 0 0 0 0 0", f"0 0 {2**63} 0 0 0 0 0 0 0 0 0", "0 0 -0 0 0 0 0 0 0 0 0 0"],
    }
    for kind, of_kind in texts.items():
        for number, text in enumerate(of_kind):
            story = Story(f"damaged-{kind}-{number}", "a text that is no state of this budget", kind, text=text)
            yield story.note(FAILED).request().begin().step().fail().request()
    story = Story(
        "damaged-other-budget",
        "the state of another kind of budget, and of a larger one",
        "quota:max_tokens=10",
        text="4 0 7",
    )
    story.note(SUCCEEDED, held=5).request().begin().step().fail().request()
    yield (
        story.later(S)
        .store("4 11")
        .request()
        .begin()
        .step()
        .fail()
        .request()
        .later(S)
        .store("4 5")
        .request()
        .exchange()
    )
    story = Story(
        "damaged-after-lost", "a text that is no state after a lost swap: what was sent is counted again", "throttle"
    )
    yield (
        story.note(FAILED, 2)
        .request()
        .begin()
        .step()
        .note(FAILED)
        .store("x")
        .lost()
        .step()
        .fail()
        .later(S)
        .store("1 9000")
        .exchange()
    )


def at_random():
    rng = random.Random(20_267)
    for number in range(40):
        kind = SHARED[number % 5]
        story = Story(
            f"random-{number}",
            f"random steps of a member of {kind}",
            random_budget(rng, kind),
            random_budget(rng, rng.choice(SHARED)),
            rng.choice([1, 2, 3, 5]),
            rng.choice([0, 0, 1, 2, 3, WORD_MAX]),
            rng.choice([20 * MS, S // 2, 3 * S]),
            rng.getrandbits(64),
            clock=EPOCH,
        )
        tell(rng, story, rng.choice([20, 20, 20, 25, 60]))
        yield story


def tell(rng, story, length):
    """Random steps; the runs of a real process, and some that only a slow one has."""
    member = story.member
    held = [(0, False)]
    stepped = False
    while len(story.case["steps"]) < length:
        story.later(rng.choice([0, 0, 0, 0, 1, MS, 10 * MS, S // 5, S // 2, S]))
        story.clock += rng.choice([0] * 30 + [-S, S, 30 * S, -70 * S, -DAY, DAY])
        waiting = [outcome for outcome in OUTCOMES if member.waiting[outcome]]
        choices = {
            "note": 4,
            "request": 4,
            "cancel": 2 * bool(waiting),
            "late": (1 + 3 * member.is_away(story.now)) * bool(waiting),
        }
        if member.exchange is None:
            choices["begin"] = 6 if member.due_in(story.now) == 0 else 0.4
            stepped = False
        elif not stepped:
            again = member.exchange.lost > 0
            choices |= {"step": 2, "cancel": 8 * bool(waiting), "fail": 2} if again else {"step": 5, "fail": 1}
        else:
            choices |= {"stored": 4, "lost": 4, "fail": 1}
        before = dict(member.waiting)
        match rng.choices(list(choices), choices.values())[0]:
            case "note":
                event = rng.choice([BEGAN, FAILED, SUCCEEDED, SUCCEEDED])
                times = rng.choice([1, 1, 1, 2, 2, 60])
                of, local = rng.choice([*held, (7, False)]) if event == SUCCEEDED else (0, False)
                story.note(event, times, of, local)
            case "request":
                unused = [outcome for outcome in OUTCOMES if member.unused[outcome]]
                story.request(rng.choice(unused or OUTCOMES))
                step = story.case["steps"][-1]
                if step["answer"] == "granted":
                    held.append((int(step["held"]), step["local"]))
            case "cancel":
                story.cancel(rng.choice(waiting))
            case "begin":
                story.begin()
            case "step":
                if rng.random() < 0.04:
                    story.store(rng.choice(["", "1 2 3 4", "x"])).step().fail().store(None)
                    request_again(story, before)
                else:
                    story.step()
                    stepped = True
            case "stored":
                story.stored()
                answers = story.case["steps"][-1]
                for at, outcome in enumerate(OUTCOMES):
                    before[outcome] -= int(answers["granted"][at]) + int(answers["refused"][at])
                request_again(story, before)
            case "lost":
                story.store(other_state(rng, story, member)).lost()
                request_again(story, before)
                stepped = False
            case "fail" | "late" as what:
                if what == "late":
                    story.late()
                else:
                    stored = stepped and rng.random() < 0.5
                    if stored and rng.random() < 0.5:
                        story.store(story.after)
                    story.fail(stored)
                request_again(story, before)


def request_again(story, waited):
    """After the store went away, the requests that waited."""
    for outcome in OUTCOMES:
        for _ in range(waited[outcome] - story.member.waiting[outcome]):
            story.request(outcome)


def other_state(rng, story, member):
    """What another process has stored."""
    text, processes = read_account(member.budget, story.text)
    state = budgets.BudgetState(member.budget, text)
    store_now = story.clock + story.now
    for _ in range(rng.randint(1, 6)):
        event = rng.choice([BEGAN, FAILED, "retry_requested", "retry_requested", SUCCEEDED])
        state.step(event, store_now, rng.choice(OUTCOMES))
    if rng.random() < 0.3:
        processes = (store_now // (60 * S) - rng.choice([0, 0, 1, 2]), rng.randint(1, 4), rng.randint(0, 4))
    return account_text(state, processes)


def random_budget(rng, kind):
    limit = rng.randint(10, 40)
    costs = rng.choice(["cost=2", "cost=1,cost_throttled=3", "cost=2,cost_throttled=1,cost_timeout=4"])
    return {
        "quota": f"quota:max_tokens={limit},{costs}",
        "throttle": f"throttle:max_tokens={limit},ratio=0.{rng.randint(1, 9)}",
        "ratio": f"ratio:max_tokens={rng.randint(2, 9)},ratio=0.{rng.randint(1, 9)}",
        "rate": f"rate:max_tokens={rng.randint(2, 9)},per={rng.randint(1, 9)}s",
        "ttl": f"ttl:ttl={rng.randint(1, 60)}s,min_per_second={rng.choice([0, 1])},ratio={rng.randint(1, 3)}/3",
    }[kind]
