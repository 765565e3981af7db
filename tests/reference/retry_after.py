"""Clause 14: the Retry-After header, and the status, the headers and the methods of HTTP."""

from fractions import Fraction

from reference.fields import DAY, SECOND
from reference.numbers import MAX, sat

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
IMF_NAMES = [f"{day[:3]}," for day in DAYS]
RFC_850_NAMES = [f"{day}," for day in DAYS]
ASCTIME_NAMES = [day[:3] for day in DAYS]
MONTH_NAMES = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MONTHS = dict(zip(MONTH_NAMES, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], strict=True))
FIFTY_YEARS = 50 * 36525 * DAY // 100


MAX_LENGTH = 1024
MAX_SECONDS = 10**9


def parse_retry_after(value, now):
    """14.1: The nanoseconds to wait, or None."""
    if len(value.encode()) > MAX_LENGTH:
        return None
    parts = value.split(",")
    for read in (",".join(parts[:1]), ",".join(parts[:2])):
        read = read.strip(" \t")
        wait = of_seconds(read, now)
        if wait is None and (date := http_date(read, now)) is not None:
            wait = sat(max(0, date - now))
        if wait is not None:
            return wait
    return None


def of_seconds(value, now):
    """14.1: Seconds, or None."""
    if not is_digits(value):
        return None
    # int() limits the number of digits, so longer numbers are not converted.
    n = int(value.lstrip("0")[:30] or "0")
    return n * SECOND if n <= MAX_SECONDS else sat(max(0, n * SECOND - now))


def of_http_status(status):
    """14.4"""
    if 100 <= status <= 399:
        return "success"
    if status in (408, 504):
        return "timeout"
    if status in (425, 500, 502):
        return "transient"
    return "throttled" if status in (429, 503) else "permanent"


def http_retry_after(status, fields, now):
    """14.5: The nanoseconds to wait, or None."""
    values = {}
    for line in fields.split("\n"):
        name, colon, value = line.removesuffix("\r").partition(":")
        # Only ASCII letters have a second case: "K" (U+212A) is no k.
        if colon and name.isascii():
            fits = len(value.encode()) <= MAX_LENGTH
            values.setdefault(name.lower(), []).append(value if fits else "")

    def first(name):
        return values.get(name, [""])[0]

    def item(name):
        return first(name).partition(",")[0].strip(" \t")

    waits = [of_milliseconds(item("retry-after-ms")), parse_retry_after(first("retry-after"), now)]
    if status == 429:
        quotas = [of_quotas(value, now) for value in values.get("ratelimit", [])]
        waits.append(max((time for time in quotas if time is not None), default=None))
        waits += [of_seconds(item(name), now) for name in ("ratelimit-reset", "x-ratelimit-reset")]
    return next((wait for wait in waits if wait is not None), None)


def of_quotas(value, now):
    """14.7: The longest time of the quotas that are used up, or None."""
    times = []
    for member in split_unquoted(value, ","):
        _, *parameters = split_unquoted(member, ";")
        named = dict(
            parameter.strip(" \t").split("=", 1) for parameter in parameters if "=" in parameter
        )
        left, time = named.get("r", ""), of_seconds(named.get("t", ""), now)
        if is_digits(left) and int(left) == 0 and time is not None:
            times.append(time)
    return max(times, default=None)


def split_unquoted(text, separator):
    parts, quoted, escaped = [""], False, False
    for character in text:
        if character == separator and not quoted:
            parts.append("")
            continue
        parts[-1] += character
        if escaped:
            escaped = False
        elif quoted and character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
    return parts


def of_milliseconds(value):
    whole, point, fraction = value.partition(".")
    if not is_digits(whole) or (point and not is_digits(fraction)):
        return None
    if len(whole.lstrip("0")) > 20:
        return MAX
    return sat(int(Fraction(f"{whole}.{fraction}0") * SECOND / 1000))


PROXY_STATUSES = dict.fromkeys((520, 521, 523), "transient") | {
    522: "timeout",
    524: "timeout",
    529: "throttled",
}


def is_idempotent(method):
    """14.6"""
    return method in ("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE")


def is_digits(text):
    return text.isascii() and text.isdigit()


def http_date(value, now):
    """14.2: The nanoseconds from 1970 to a date, or None."""
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
    months = list(MONTHS)
    before = months[: months.index(month)]
    leap_day = "Feb" in before and is_leap(year)
    return new_year(year) + sum(MONTHS[month] for month in before) + leap_day + day - 1


def new_year(year):
    """The days from 1970 to the first day of a year."""

    def days_before(year):
        """The days from the first day of year 0, a leap year."""
        return 365 * year + (year + 3) // 4 - (year + 99) // 100 + (year + 399) // 400

    return days_before(year) - days_before(1970)


def year_of(now):
    year = 1970
    while new_year(year + 1) * DAY <= now:
        year += 1
    return year
