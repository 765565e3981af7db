"""Clauses 13, 14, 15.3 and 17 of SPEC.md as a program."""

import reference as ref
from reference import MAX, sat

# 13 Decisions

OUTCOMES = ["success", "transient", "throttled", "timeout", "permanent"]
REASONS = [
    "success",
    "permanent",
    "max_retries",
    "max_elapsed",
    "deadline",
    "budget",
    "cancelled",
]


class Operation:  # 13.1
    def __init__(self, policy, stream, begun, deadline=None, budget=None):
        self.policy, self.stream = policy, stream
        self.begun, self.deadline = begun, deadline
        self.budget = budget or NoBudget()
        self.retries = 0
        self.reason = None  # for which it ended
        self.held = 0  # what the budget gave it (15.3)
        self.budget.operation_begins(begun)

    def outcome(self, outcome, now, retry_after=None):
        """13.4: ("wait", delay), or (a reason, the delay not begun)."""
        if self.reason:  # 13.6
            return self.reason, 0
        self.budget.attempt_is_over(self)
        if outcome == "success":
            self.budget.operation_succeeded(self)
            return self.end("success")
        if outcome == "permanent":
            return self.end("permanent")
        self.budget.attempt_failed()
        if self.retries >= self.policy["max_retries"]:
            return self.end("max_retries")
        d = self.delay(outcome, retry_after)
        if max(0, now - self.begun) + d > self.policy["max_elapsed"]:
            return self.end("max_elapsed", d)
        if self.deadline not in (None, 2**64 - 1) and now + d > self.deadline:
            return self.end("deadline", d)
        if not self.budget.grants(self, outcome, now):
            return self.end("budget", d)
        self.retries += 1
        return "wait", d

    def cancel(self):  # 13.6
        if self.reason:
            return self.reason, 0
        self.budget.attempt_is_over(self)
        return self.end("cancelled")

    def end(self, reason, d=0):
        self.reason = reason
        self.budget.operation_ended()
        return reason, d

    def delay(self, outcome, retry_after):  # step 6
        p, n = self.policy, self.retries
        if outcome == "throttled":
            p = p | {"base": p["throttled_base"]}
        d = ref.delay(p, self.stream, n)
        if retry_after is None:
            return d
        h = min(retry_after, p["retry_after_max"], sat(d + p["retry_after_max_extra"]))  # 13.5
        match p["retry_after"]:
            case "at_least":
                return max(d, h)
            case "exact":
                return h
            case "spread":
                return ref.sample(ref.draw(self.stream, n), h, sat(h + h // 2))


# 14 Retry-After

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
IMF_NAMES = [f"{day[:3]}," for day in DAYS]
RFC_850_NAMES = [f"{day}," for day in DAYS]
ASCTIME_NAMES = [day[:3] for day in DAYS]
MONTHS = {
    "Jan": 31,
    "Feb": 28,
    "Mar": 31,
    "Apr": 30,
    "May": 31,
    "Jun": 30,
    "Jul": 31,
    "Aug": 31,
    "Sep": 30,
    "Oct": 31,
    "Nov": 30,
    "Dec": 31,
}
SECOND = 10**9
DAY = 86_400 * SECOND
FIFTY_YEARS = 50 * 36525 * DAY // 100


LONGEST = 1024


def parse_retry_after(value, now):
    """14.1: The nanoseconds to wait, or None."""
    if len(value.encode()) > LONGEST:
        return None
    value = value.strip(" \t")
    if is_digits(value):
        # A number that is far too long is MAX, without a limit of Python's.
        return MAX if len(value.lstrip("0")) > 20 else sat(int(value) * SECOND)
    date = http_date(value, now)
    return None if date is None else sat(max(0, date - now))


def of_http_status(status):
    """14.4"""
    if 100 <= status <= 399:
        return "success"
    if status in (408, 504):
        return "timeout"
    if status in (425, 500, 502):
        return "transient"
    return "throttled" if status in (429, 503) else "permanent"


def is_digits(text):
    return text.isascii() and text.isdigit()


def http_date(value, now):
    """14.2: The nanoseconds from 1970 to a date, or None if it is none."""
    digits_of_year = 4
    match value.split(" "):
        case [name, day, month, year, clock, "GMT"] if name in IMF_NAMES:
            pass
        case [name, date, clock, "GMT"] if name in RFC_850_NAMES and date.count("-") == 2:
            day, month, year = date.split("-")
            digits_of_year = 2
        case [name, month, "", digit, clock, year] if name in ASCTIME_NAMES:
            day = f"0{digit}"
        case [name, month, day, clock, year] if name in ASCTIME_NAMES:
            pass
        case _:
            return None
    numbers = [day, *clock.split(":")]
    if month not in MONTHS or len(numbers) != 4:
        return None
    if not all(is_digits(part) and len(part) == 2 for part in numbers):
        return None
    if not (is_digits(year) and len(year) == digits_of_year):
        return None
    day, hour, minute, second = map(int, numbers)
    if hour > 23 or minute > 59 or second > 60:
        return None
    clock, year = ((hour * 60 + minute) * 60 + second) * SECOND, int(year)
    if digits_of_year == 2:  # 14.3
        year += year_of(now) // 100 * 100
        if days_from_1970(year, month, day) * DAY + clock > now + FIFTY_YEARS:
            year -= 100
    leap_day = month == "Feb" and is_leap(year)
    if not 1 <= day <= MONTHS[month] + leap_day:
        return None
    return days_from_1970(year, month, day) * DAY + clock


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_from_1970(year, month, day):
    """A day that the month does not have is one of the next month."""
    months = list(MONTHS)
    before = months[: months.index(month)]
    leap_day = "Feb" in before and is_leap(year)
    return new_year(year) + sum(MONTHS[month] for month in before) + leap_day + day - 1


def new_year(year):
    """The days from 1970 to the first of a year."""

    def days_before(year):
        """Of the years from 0 on, which was a leap year."""
        return 365 * year + (year + 3) // 4 - (year + 99) // 100 + (year + 399) // 400

    return days_before(year) - days_before(1970)


def year_of(now):
    year = 1970
    while new_year(year + 1) * DAY <= now:
        year += 1
    return year


# 15.3 Budgets: each event does what its column says, and nothing unless a kind says so.


class NoBudget:
    def operation_begins(self, now):
        pass

    def attempt_is_over(self, operation):
        pass

    def attempt_failed(self):
        pass

    def grants(self, operation, outcome, now):
        return True

    def operation_succeeded(self, operation):
        pass

    def operation_ended(self):
        pass


class Quota(NoBudget):
    def __init__(self, b):
        self.b = b
        self.level = b["max_tokens"]

    def grants(self, operation, outcome, now):
        b = self.b
        costs = {"throttled": b["cost_throttled"], "timeout": b["cost_timeout"]}
        c = costs.get(outcome, b["cost"])
        if self.level < c:
            return False
        self.level -= c
        operation.held = c
        return True

    def operation_succeeded(self, operation):
        self.level = min(self.b["max_tokens"], self.level + (operation.held or 1))


class Throttle(NoBudget):
    def __init__(self, b):
        self.full = self.level = 1000 * b["max_tokens"]
        self.n, self.d = b["ratio"]

    def attempt_failed(self):
        self.level = max(0, self.level - 1000)

    def grants(self, operation, outcome, now):
        return 2 * self.level > self.full

    def operation_succeeded(self, operation):
        self.level = min(self.full, self.level + 1000 * self.n // self.d)


class Ratio(NoBudget):
    def __init__(self, b):
        self.n, self.d = b["ratio"]
        self.full = self.level = self.d * b["max_tokens"]

    def operation_begins(self, now):
        self.level = min(self.full, self.level + self.n)

    def grants(self, operation, outcome, now):
        if self.level < self.d:
            return False
        self.level -= self.d
        return True


class Rate(NoBudget):
    def __init__(self, b):
        self.b = b
        self.full = self.level = b["per"] * b["max_tokens"]
        self.last = None

    def grants(self, operation, outcome, now):
        last = now if self.last is None else self.last
        self.last = max(last, now)
        self.level = min(self.full, self.level + (self.last - last) * self.b["max_tokens"])
        if self.level < self.b["per"]:
            return False
        self.level -= self.b["per"]
        return True


class Ttl(NoBudget):
    SLICES = 10

    def __init__(self, b):
        self.length = b["ttl"] // self.SLICES
        self.n, self.d = b["ratio"]
        self.reserve = b["min_per_second"] * b["ttl"] * self.d // SECOND
        self.levels = {}  # of the slices that are not 0, by their numbers
        self.latest = 0

    def slice_of(self, now):
        self.latest = max(self.latest, now // self.length)
        return self.latest

    def add(self, at, change):
        self.levels[at] = self.levels.get(at, 0) + change

    def operation_begins(self, now):
        self.add(self.slice_of(now), self.n)

    def grants(self, operation, outcome, now):
        at = self.slice_of(now)
        last = range(at - self.SLICES + 1, at + 1)
        if sum(self.levels.get(slice, 0) for slice in last) + self.reserve < self.d:
            return False
        self.add(at, -self.d)
        return True


class Concurrent(NoBudget):
    def __init__(self, b):
        self.b = b
        self.active = self.retrying = 0

    def operation_begins(self, now):
        self.active += 1

    def attempt_is_over(self, operation):
        if operation.held:
            operation.held = 0
            self.retrying = max(0, self.retrying - 1)

    def grants(self, operation, outcome, now):
        most = max(self.b["min_concurrent"], ref.scale(self.active, self.b["ratio"]))
        if self.retrying >= most:
            return False
        self.retrying += 1
        operation.held = 1
        return True

    def operation_ended(self):
        self.active = max(0, self.active - 1)


BUDGETS = {
    "quota": Quota,
    "throttle": Throttle,
    "ratio": Ratio,
    "rate": Rate,
    "ttl": Ttl,
    "concurrent": Concurrent,
}


def new_budget(b):
    return BUDGETS[b["budget"]](b)


# 17 Stats

BOUNDS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50]


class RetryStats:  # 17.1
    def __init__(self):
        self.made = [0] * (len(BOUNDS) + 1)
        self.retries = 0
        self.stops = dict.fromkeys(REASONS, 0)

    def add(self, attempts, reason):
        place = sum(attempts > bound for bound in BOUNDS)
        self.made[place] = word(self.made[place] + 1)
        self.retries = word(self.retries + max(attempts, 1) - 1)
        self.stops[reason] = word(self.stops[reason] + 1)

    def merge(self, other):
        self.made = [word(a + b) for a, b in zip(self.made, other.made, strict=True)]
        self.retries = word(self.retries + other.retries)
        self.stops = {reason: word(n + other.stops[reason]) for reason, n in self.stops.items()}

    def printed(self):  # 17.2
        operations = word(sum(self.made))
        lines = [
            "# HELP backoff_attempts Attempts of an operation.",
            "# TYPE backoff_attempts histogram",
            *(
                f'backoff_attempts_bucket{{le="{le}"}} {word(sum(self.made[: place + 1]))}'
                for place, le in enumerate([*BOUNDS, "+Inf"])
            ),
            f"backoff_attempts_sum {word(operations + self.retries)}",
            f"backoff_attempts_count {operations}",
            "# HELP backoff_retries_total Retries of all operations.",
            "# TYPE backoff_retries_total counter",
            f"backoff_retries_total {self.retries}",
            "# HELP backoff_stops_total Operations by the reason for which they stopped.",
            "# TYPE backoff_stops_total counter",
            *(f'backoff_stops_total{{reason="{reason}"}} {n}' for reason, n in self.stops.items()),
        ]
        return "".join(f"{line}\n" for line in lines)


def word(count):
    return min(count, 2**64 - 1)
