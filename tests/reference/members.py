"""Clause 15.7: the member of a shared budget in one process."""

import copy
import re
from types import SimpleNamespace

from reference import delays, strings
from reference.budgets import BudgetState, is_state_text
from reference.fields import SECOND
from reference.numbers import WORD, WORD_MAX, draw, sample, scale
from reference.streams import stream

OUTCOMES = ["transient", "throttled", "timeout"]
COUNTED = [  # the six counts: an event, and the outcome after which the retry that it held was granted
    ("operation_began", None),
    ("operation_succeeded", None),
    *(("operation_succeeded", outcome) for outcome in OUTCOMES),
    ("attempt_failed", None),
]
AWAY = SECOND
# This many events begin an exchange. While the store is away, at most this many of each kind are kept.
MANY = 100
MAX_COUNT = 10**6  # of each count, of the processes, and of the requests that wait after an outcome
AHEAD = 60 * SECOND
OLD = 30 * SECOND
SLICE = 60 * SECOND
REFUSE = WORD_MAX  # the fallback
SHORTEST_PAUSE = SECOND // 1000
WAITS = strings.parse("policy", "full:base=1ms,cap=16ms")


class Member:
    def __init__(self, budget, local, lease, fallback, timeout, seed):
        self.budget, self.lease, self.configured_timeout, self.seed = budget, lease, timeout, seed
        self.local = BudgetState(local)
        self.fallback, self.local_grants = fallback, 0
        self.processes = 1
        self.failed_exchanges = self.lost_swaps = self.local_decisions = 0
        self.counted_in = None
        self.counts = [0] * len(COUNTED)
        self.noted = 0
        self.waiting = dict.fromkeys(OUTCOMES, 0)
        self.unused = dict.fromkeys(OUTCOMES, 0)
        self.away_until = 0
        self.pause = self.pause_ends = 0
        self.exchanges = 0
        self.exchange = None

    def gives(self, outcome):
        """What a granted retry of the shared budget gives."""
        return BudgetState(self.budget).step("retry_requested", 0, outcome)[1]

    def is_away(self, now):
        return now < self.away_until or self.is_overdue(now)

    @property
    def timeout(self):
        is_first = self.exchanges == 0 or (self.exchanges == 1 and self.exchange is not None)
        return max(self.configured_timeout, SECOND) if is_first else self.configured_timeout

    def stats(self):
        names = ["exchanges", "failed_exchanges", "lost_swaps", "local_decisions", "processes"]
        return {name: getattr(self, name) for name in names}

    def is_overdue(self, now):
        return self.exchange is not None and self.exchange.begun <= now - self.timeout

    @property
    def fleet(self):
        """The number of processes for which the local budget decides."""
        return {0: self.processes, REFUSE: 0}.get(self.fallback, self.fallback)

    def has_unsent(self):
        return any(self.counts) or self.exchange is not None

    def note(self, event, now, held=0, local=False):  # rule 1
        if event not in ("operation_began", "attempt_failed", "operation_succeeded"):
            return
        self.local.step(event, now, held=held if local else 0, times=self.fleet)
        if not any(self.counts):
            self.noted = now
        self.add(self.place(event, 0 if local else held), 1)
        if self.is_away(now):
            self.keep_many()

    def place(self, event, held):
        """The index of the count of an event."""
        outcomes = [outcome for outcome in OUTCOMES if held != 0 and self.gives(outcome) == held]
        with_held = event == "operation_succeeded" and outcomes
        return COUNTED.index((event, outcomes[0] if with_held else None))

    def add(self, place, times):
        self.counts[place] = min(self.counts[place] + times, MAX_COUNT)

    def keep_many(self):
        self.counts = [min(count, MANY) for count in self.counts]

    def request(self, outcome, now):
        """Rule 2: the answer, what the granted retry gives, and whether the local budget answered."""
        if outcome not in OUTCOMES:
            return "refused", 0, True
        if self.unused[outcome] > 0:
            self.unused[outcome] -= 1
            return "granted", self.gives(outcome), False
        if self.is_away(now):
            self.local_decisions += 1
            answer, before = ("refused", 0, True), self.local.text()
            for number in range(self.fleet):
                is_granted, holds = self.local.step("retry_requested", now, outcome)
                if not is_granted:
                    break
                if self.local.text() == before:  # it grants them all
                    self.local_grants += self.fleet - number
                    return "granted", holds, True
                if (self.seed + self.local_grants) % self.fleet == 0:
                    answer = "granted", holds, True
                self.local_grants += 1
            return answer
        if self.waiting[outcome] == MAX_COUNT:
            return "refused", 0, True
        self.waiting[outcome] += 1
        return "waits", 0, False

    def cancel(self, outcome):  # rule 2
        if self.waiting.get(outcome, 0) == 0:
            return
        self.waiting[outcome] -= 1
        exchange = self.exchange
        if exchange is not None and exchange.asked[outcome] > exchange.granted[outcome]:
            exchange.asked[outcome] -= 1

    def due_in(self, now):  # rule 3, without a flush
        is_old = any(self.counts) and now - self.noted >= OLD
        is_full = (sum(self.counts) >= MANY or is_old) and not self.is_away(now)
        if self.exchange is None and (any(self.waiting.values()) or is_full):
            return max(0, self.pause_ends - now)
        return None

    def begin(self, now):  # rule 3
        assert self.exchange is None
        self.exchanges += 1
        self.exchange = SimpleNamespace(
            begun=now,
            slice=self.counted_in,
            lost=0,
            sent=[0] * len(COUNTED),
            asked=dict.fromkeys(OUTCOMES, 0),
            granted=dict.fromkeys(OUTCOMES, 0),  # of those that were asked
            leased=dict.fromkeys(OUTCOMES, 0),
        )

    def step(self, text, store_now):
        """Rule 4: the text after the steps, whether it differs, and the steps. None if the text is no state."""
        account = read_account(self.budget, text)
        if account is None:
            return None, False, []
        loaded, slices = account
        state = BudgetState(self.budget, loaded)
        slices_after = self.count_processes(slices, store_now)
        correct_clock(state, store_now)
        exchange, steps = self.exchange, []

        def make(event, outcome, held, limit, until_refused=False):
            count = granted = 0
            while count < limit:
                count += 1
                is_granted, _ = state.step(event, store_now, outcome, held)
                granted += bool(is_granted)
                if until_refused and not is_granted:
                    break
            if count > 0:
                steps.append((event, outcome, held, count, granted))
            return granted

        for place, (event, outcome) in enumerate(COUNTED):
            exchange.sent[place] = min(exchange.sent[place] + self.counts[place], MAX_COUNT)
            self.counts[place] = 0
            make(event, None, self.gives(outcome) if outcome else 0, exchange.sent[place])
        for outcome in OUTCOMES:
            asked = exchange.asked[outcome] = self.waiting[outcome]
            exchange.granted[outcome] = make("retry_requested", outcome, 0, asked)
        for outcome in OUTCOMES:
            all_granted = 0 < exchange.asked[outcome] == exchange.granted[outcome]
            limit = (
                max(self.lease - 1, self.contended(state, outcome, store_now)) if all_granted else 0
            )
            assert limit == 0 or self.unused[outcome] == 0
            exchange.leased[outcome] = make(
                "retry_requested", outcome, 0, limit, until_refused=True
            )
        is_changed = (state.text(), slices_after) != (
            BudgetState(self.budget, loaded).text(),
            slices,
        )
        return account_text(state, slices_after), is_changed, steps

    def contended(self, state, outcome, store_now):
        """Rule 4.4: the retries that a request takes along because of the pause."""
        left = copy.deepcopy(state)
        granted = 0
        for _ in range(16 * min(self.pause // SHORTEST_PAUSE, 15)):
            granted += bool(left.step("retry_requested", store_now, outcome)[0])
        return granted // 16

    def count_processes(self, slices, store_now):
        """Rule 4.5: the slice, their number in it, and that of the slice before."""
        latest, count, before = slices
        current = store_now // SLICE
        if latest not in (current, current + 1):
            latest, count, before = current, 0, count if latest == current - 1 else 0
        if self.counted_in != latest or count == 0:
            count = min(count + 1, MAX_COUNT)
        self.exchange.slice = latest
        self.processes = max(count, before, 1)
        return latest, count, before

    def stored(self, now):
        """Rule 5: how many of the waiting requests are granted, and how many refused."""
        exchange, granted, refused = self.exchange, {}, {}
        self.counted_in = exchange.slice
        for outcome in OUTCOMES:
            self.unused[outcome] += exchange.granted[outcome] + exchange.leased[outcome]
            granted[outcome] = min(self.waiting[outcome], self.unused[outcome])
            self.waiting[outcome] -= granted[outcome]
            self.unused[outcome] -= granted[outcome]
            not_granted = max(0, exchange.asked[outcome] - exchange.granted[outcome])
            refused[outcome] = min(self.waiting[outcome], not_granted)
            self.waiting[outcome] -= refused[outcome]
            self.unused[outcome] = min(self.unused[outcome], max(self.lease, 16) - 1)
        is_overdue = self.is_overdue(now)
        self.end(now)
        if is_overdue:
            self.go_away(now)
        return granted, refused

    def lost(self, now):
        """Rule 6: the wait before the next load, or None if the exchange fails."""
        exchange = self.exchange
        wait = delays.delay(WAITS, self.stream(), exchange.lost)
        exchange.lost += 1
        self.lost_swaps += 1
        return wait if now + wait < exchange.begun + self.timeout else None

    def failed(self, now, may_be_stored):  # rule 7
        self.failed_exchanges += 1
        sent = self.exchange.sent
        if may_be_stored:
            self.counted_in = self.exchange.slice
        else:
            for place, times in enumerate(sent):
                self.add(place, times)
        self.end(now)
        self.go_away(now)

    def stream(self):
        return stream(self.seed, self.exchanges.to_bytes(8, "little"))

    def end(self, now):  # rule 9
        lost, self.exchange = self.exchange.lost, None
        if lost == 0:
            self.pause = scale(self.pause, (7, 8))
        else:
            self.pause = min(
                max(self.pause, SHORTEST_PAUSE) * 2**lost, self.configured_timeout // 3
            )
        more = self.pause // 2
        self.pause_ends = now + self.pause - more + sample(draw(self.stream(), 2**32 - 1), 0, more)

    def late(self, now):  # rule 8
        self.go_away(now)

    def go_away(self, now):
        """Rule 10. The caller requests the retries again that waited."""
        self.away_until = now + AWAY
        self.keep_many()
        self.waiting = dict.fromkeys(OUTCOMES, 0)
        if self.exchange is not None:
            self.exchange.asked = dict.fromkeys(OUTCOMES, 0)


def account_text(state, slices):
    return " ".join([state.text(), "|", *map(str, slices)])


def read_account(budget, text):
    """The text of the state (None for a full one), and the numbers of processes; None if the text is no account."""
    if text is None:
        return None, (0, 0, 0)
    state, separator, numbers = text.partition(" | ")
    if not is_state_text(budget, state):
        return None
    if not separator:
        return state, (0, 0, 0)
    if not re.fullmatch(r"(0|[1-9][0-9]*)( (0|[1-9][0-9]*)){2}", numbers, re.ASCII):
        return None
    slices = tuple(map(int, numbers.split(" ")))
    is_valid = slices[0] <= WORD_MAX and max(slices[1:]) <= MAX_COUNT
    return (state, slices) if is_valid else None


def correct_clock(state, now):
    """Rule 4.1: a state whose time is far ahead of the store's clock."""
    budget = state.budget
    match state.b["budget"]:
        case "rate" if budget.last is not None and budget.last > now + AHEAD:
            budget.last = now
        case "ttl" if budget.latest > (now + AHEAD) // budget.length:
            budget.latest, budget.levels = now // budget.length, {}
        case _:
            return
    state.version = (state.version + 1) % WORD
