"""What budgets have left, by what happened to them (SPEC 15.3).

Usage: levels.py ABI LIBRARY
"""

import random

from library import F, N, S, code, filled, main, ok, parsed, ref

TRANSIENT, THROTTLED, TIMEOUT = N.OUTCOME_TRANSIENT, N.OUTCOME_THROTTLED, N.OUTCOME_TIMEOUT
POLICY = parsed("policy", "immediate")
T = N.SECOND


class Watched:
    """A budget, and the operations on it."""

    def __init__(self, text):
        self.budget, self.operations = parsed("budget", text), []

    def begins(self, now=0):
        operation = S.operation()
        ok(F.operation_begin(ref(operation), ref(POLICY), 1, now, N.NO_TIME, ref(self.budget)))
        self.operations.append(operation)

    def ends(self, outcome, now=0):
        """An attempt of the last operation. Gives whether the operation waits for another."""
        decision, operation = S.decision(), ref(self.operations[-1])
        ok(F.operation_decide(operation, outcome, N.NO_TIME, now, ref(self.budget), ref(decision)))
        if decision.reason:
            self.operations.pop()
        return not decision.reason

    def level(self, now=0):
        """What is left and the most, in parts, and the parts of one. The call changes nothing."""
        before, level = bytes(self.budget), filled(S.budget_level)
        ok(F.budget_get_level(ref(self.budget), now, ref(level)))
        assert (bytes(self.budget), level.reserved) == (before, 0)
        return level.level, level.max, level.unit


def quota():
    watched = Watched("quota:max_tokens=20,cost=3,cost_throttled=4,cost_timeout=5")
    yield "full", watched.level(), (20, 20, 1)
    watched.begins()
    for outcome, left in [
        (TRANSIENT, 17),
        (THROTTLED, 13),
        (TIMEOUT, 8),
        (TIMEOUT, 3),
        (TRANSIENT, 0),
    ]:
        yield left, (watched.ends(outcome), watched.level()), (True, (left, 20, 1))
    yield "refused", (watched.ends(TRANSIENT), watched.level()), (False, (0, 20, 1))
    for left in [1, 2]:
        watched.begins()
        watched.ends(N.OUTCOME_SUCCESS)
        yield "successes", watched.level(), (left, 20, 1)


def throttle():
    """Fractions of a thousandth are dropped: a third is 333."""
    watched = Watched("throttle:max_tokens=4,ratio=1/3")
    yield "full", watched.level(), (4000, 4000, 1000)
    watched.begins()
    for left, waits in [(3000, True), (2000, False)]:
        yield left, (watched.ends(TRANSIENT), watched.level()), (waits, (left, 4000, 1000))
    for successes in range(1, 8):
        watched.begins()
        watched.ends(N.OUTCOME_SUCCESS)
        yield successes, watched.level(), (min(2000 + 333 * successes, 4000), 4000, 1000)


def ratio():
    watched = Watched("ratio:max_tokens=3,ratio=2/7")
    yield "full", watched.level(), (21, 21, 7)
    earned_and_spent = [(True, 14), (True, 9), (True, 4), (False, 6), (True, 1), (False, 3)]
    for operations, (granted, left) in enumerate(earned_and_spent):
        wanted = (granted, (left, 21, 7))
        watched.begins()
        waits = watched.ends(TRANSIENT)
        yield operations, (waits, watched.level()), wanted


def rate():
    """Two tokens a second. The time fills a budget, and a time before the last request adds nothing."""
    watched = Watched("rate:max_tokens=2,per=1s")
    yield "full", watched.level(N.NO_TIME), (2 * T, 2 * T, T)
    watched.begins(5 * T)
    yield "spent", [watched.ends(TRANSIENT, 5 * T) for _ in range(3)], [True, True, False]
    for now, left in [
        (0, 0),
        (5 * T, 0),
        (5 * T + 1, 2),
        (5 * T + T // 4, T // 2),
        (6 * T, 2 * T),
        (N.NO_TIME, 2 * T),
    ]:
        yield now, watched.level(now), (left, 2 * T, T)


def ttl():
    """A reserve of 10 in fifths. What a slice of a second has earned or spent lasts ten."""
    watched = Watched("ttl:ttl=10s,min_per_second=1,ratio=2/5")
    yield "full", watched.level(), (50, 50, 5)
    watched.begins(0)
    watched.begins(3 * T)
    yield "spent", watched.ends(TRANSIENT, 4 * T), True
    for now, left in [
        (0, 49),
        (4 * T, 49),
        (10 * T - 1, 49),
        (10 * T, 47),
        (13 * T, 45),
        (14 * T, 50),
        (N.NO_TIME, 50),
    ]:
        yield now, watched.level(now), (left, 50, 5)
    watched = Watched("ttl:ttl=10s,min_per_second=0,ratio=1")
    yield "without a reserve", watched.level(), (0, 0, 1)


def concurrent():
    watched = Watched("concurrent:min_concurrent=1,ratio=0.5")
    yield "full", watched.level(), (1, 1, 1)
    for active in range(1, 6):
        watched.begins()
        slots = max(1, active // 2)
        yield active, watched.level(), (slots, slots, 1)
    yield "a retry", (watched.ends(TRANSIENT), watched.level()), (True, (1, 2, 1))
    watched.operations.insert(0, watched.operations.pop())
    yield "another", (watched.ends(TRANSIENT), watched.level()), (True, (0, 2, 1))
    # Fewer are active, and both retries go on.
    watched.operations.insert(0, watched.operations.pop())
    for active in [4, 3, 2]:
        watched.ends(N.OUTCOME_PERMANENT)
        slots = max(1, active // 2)
        yield active, watched.level(), (max(slots - 2, 0), slots, 1)


def shared():
    """What a store holds, with and without the processes; nothing is a full budget."""
    member, budget = S.budget_member(), parsed("budget", "rate:max_tokens=2,per=1s")
    ok(F.budget_member_init(ref(member), ref(budget), ref(budget), 1, 0, 0, 0))
    for text, now, wanted in [
        (None, 0, 2 * T),
        (b"7 5 3000000000 | 28333333 2 1", 3 * T, 5),
        (b"7 5 3000000000", 3 * T + 1, 7),
        (b"7 5 3000000000", 9 * T, 2 * T),
    ]:
        before, level = bytes(member), filled(S.budget_level)
        length = len(text or b"")
        ok(F.budget_member_get_level(ref(member), text, length, now, ref(level)))
        left = (level.level, level.max, level.unit, level.reserved)
        yield text, (left, bytes(member)), ((wanted, 2 * T, T, 0), before)


def damaged():
    """Any words: the code, or a level that has parts. calls.py has what a damaged lock gives."""
    # Not 1, which as a lock is held, and waited for.
    numbers, words = random.Random(1), [0, 2, 7, 2**32, 2**63, 2**64 - 1]
    codes = set()
    for text in ["quota", "throttle", "ratio", "rate", "ttl", "concurrent"]:
        for _ in range(500):
            budget, level = parsed("budget", text), filled(S.budget_level)
            for _ in range(numbers.randint(1, 8)):
                budget.opaque[numbers.randrange(1, len(budget.opaque))] = numbers.choice(words)
            before = bytes(budget)
            found = code(F.budget_get_level(ref(budget), numbers.choice(words), ref(level)))
            codes.add(found)
            yield text, bytes(budget), before
            yield (
                text,
                (level.unit > 0, bytes(level) == bytes(filled(S.budget_level))),
                (True, found != "ok"),
            )
    yield "codes", codes, {"ok", "damaged"}


if __name__ == "__main__":
    main([quota, throttle, ratio, rate, ttl, concurrent, shared, damaged])
