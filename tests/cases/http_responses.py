"""Retry-After and the status of HTTP responses (SPEC 14)."""

from reference import retry_after

S = 10**9
DATE = 784_111_777 * S  # of the examples of RFC 9110
WORD_MAX = 2**64 - 1


def retry_after_cases():
    for id, why, value, now in (
        ("zero", "at once", "0", 0),
        ("seconds", "digits alone are seconds, whatever the time is", "120", DATE),
        ("zeros", "zeros in front", "000120", 0),
        ("spaces", "spaces and tabs at the ends", " \t 120\t ", 0),
        ("longest", "the most seconds that fit", "9223372036", 0),
        ("longest-more", "one more", "9223372037", 0),
        ("seconds-64", "2^64 seconds", "18446744073709551616", 0),
        ("seconds-long", "more digits than any integer has", "9" * 400, 0),
        ("zeros-long", "more zeros than any integer has digits", "0" * 400 + "7", 0),
        ("empty", "nothing", "", 0),
        ("blank", "spaces alone", " \t ", 0),
        ("minus", "no sign", "-1", 0),
        ("minus-zero", "not even of 0", "-0", 0),
        ("plus", "no sign", "+1", 0),
        ("decimal", "no dot", "1.5", 0),
        ("exponent", "no exponent", "1e3", 0),
        ("unit", "no unit", "120s", 0),
        ("inside", "a space inside", "1 20", 0),
        ("line-feed", "a line feed is no space", "120\n", 0),
        ("no-break", "nor is a no-break space", "\u00a0120", 0),
        ("arabic", "digits of another script are none", "١٢٠", 0),
        ("superscript", "nor are superscripts", "1²", 0),
        ("word", "a word", "soon", 0),
        ("two", "two values", "120, 240", 0),
        ("imf", "RFC 9110's first example", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("rfc850", "its second", "Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ("asctime", "its third", "Sun Nov  6 08:49:37 1994", 0),
        ("asctime-two-digits", "a day of two digits", "Sun Nov 13 08:49:37 1994", 0),
        ("asctime-zero", "which may begin with 0", "Sun Nov 06 08:49:37 1994", 0),
        ("date-spaces", "spaces and tabs at the ends", "\t Sun, 06 Nov 1994 08:49:37 GMT ", 0),
        ("date-now", "now", "Sun, 06 Nov 1994 08:49:37 GMT", DATE),
        ("date-next", "in a nanosecond", "Sun, 06 Nov 1994 08:49:37 GMT", DATE - 1),
        ("date-past", "a nanosecond ago", "Sun, 06 Nov 1994 08:49:37 GMT", DATE + 1),
        ("date-long-past", "before 1970", "Wed, 31 Dec 1969 23:59:59 GMT", 0),
        ("date-1970", "1970 itself", "Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("date-1970-one", "and a second", "Thu, 01 Jan 1970 00:00:01 GMT", 0),
        ("date-first", "the first year", "Sat, 01 Jan 0000 00:00:00 GMT", 0),
        ("date-last", "the last year", "Fri, 31 Dec 9999 23:59:59 GMT", 0),
        ("date-longest", "the last second that fits", "Fri, 11 Apr 2262 23:47:16 GMT", 0),
        ("date-longest-more", "one more", "Fri, 11 Apr 2262 23:47:17 GMT", 0),
        ("date-beyond-64", "a date beyond 64 bits, from near it", "Fri, 01 Jan 2560 00:00:00 GMT", WORD_MAX),
        ("date-other-day", "any name of a day", "Mon, 06 Nov 1994 08:49:37 GMT", 0),
        ("rfc850-other-day", "any name of a day", "Wednesday, 06-Nov-94 08:49:37 GMT", 0),
        ("asctime-other-day", "any name of a day", "Sat Nov  6 08:49:37 1994", 0),
        ("date-leap", "2000 is a leap year", "Tue, 29 Feb 2000 00:00:00 GMT", 0),
        ("date-leap-1996", "1996 too", "Thu, 29 Feb 1996 12:00:00 GMT", 0),
        ("date-no-leap", "1995 is not", "Wed, 29 Feb 1995 00:00:00 GMT", 0),
        ("date-no-leap-2100", "nor is 2100", "Mon, 29 Feb 2100 00:00:00 GMT", 0),
        ("date-after-leap", "the day after it", "Wed, 01 Mar 2000 00:00:00 GMT", 0),
        ("date-day-zero", "no day 0", "Sun, 00 Nov 1994 08:49:37 GMT", 0),
        ("date-day-31", "no 31 November", "Sun, 31 Nov 1994 08:49:37 GMT", 0),
        ("date-day-32", "no 32 December", "Sun, 32 Dec 1994 08:49:37 GMT", 0),
        ("date-hour-23", "the last hour", "Sun, 06 Nov 1994 23:59:59 GMT", 0),
        ("date-hour-24", "is not 24", "Sun, 06 Nov 1994 24:00:00 GMT", 0),
        ("date-minute-60", "no minute 60", "Sun, 06 Nov 1994 08:60:37 GMT", 0),
        ("date-second-60", "second 60 is the next minute", "Sun, 06 Nov 1994 08:49:60 GMT", 0),
        ("date-second-60-year", "or the next year", "Sat, 31 Dec 1994 23:59:60 GMT", 0),
        ("date-second-61", "no second 61", "Sun, 06 Nov 1994 08:49:61 GMT", 0),
        ("date-lower", "exact to the letter", "sun, 06 nov 1994 08:49:37 gmt", 0),
        ("date-month-upper", "exact to the letter", "Sun, 06 NOV 1994 08:49:37 GMT", 0),
        ("date-month-long", "months are short", "Sun, 06 November 1994 08:49:37 GMT", 0),
        ("date-no-month", "no month", "Sun, 06 Abc 1994 08:49:37 GMT", 0),
        ("date-month-number", "no number of a month", "Sun, 06 11 1994 08:49:37 GMT", 0),
        ("date-utc", "GMT and nothing else", "Sun, 06 Nov 1994 08:49:37 UTC", 0),
        ("date-offset", "no offset", "Sun, 06 Nov 1994 08:49:37 +0000", 0),
        ("date-no-zone", "GMT is needed", "Sun, 06 Nov 1994 08:49:37", 0),
        ("date-no-day", "the day of the week is needed", "06 Nov 1994 08:49:37 GMT", 0),
        ("date-no-such-day", "and is one", "Day, 06 Nov 1994 08:49:37 GMT", 0),
        ("date-long-day", "of the form's length", "Sunday, 06 Nov 1994 08:49:37 GMT", 0),
        ("rfc850-short-day", "of the form's length", "Sun, 06-Nov-94 08:49:37 GMT", 0),
        ("asctime-long-day", "of the form's length", "Sunday Nov  6 08:49:37 1994", 0),
        ("date-no-comma", "the comma is needed", "Sun 06 Nov 1994 08:49:37 GMT", 0),
        ("asctime-comma", "and is not, here", "Sun, Nov  6 08:49:37 1994", 0),
        ("asctime-zone", "nor is a zone", "Sun Nov  6 08:49:37 1994 GMT", 0),
        ("asctime-one-space", "a day of one digit has two spaces", "Sun Nov 6 08:49:37 1994", 0),
        ("asctime-three-spaces", "and not three", "Sun Nov   6 08:49:37 1994", 0),
        ("asctime-space-two-digits", "nor has one of two digits", "Sun Nov  16 08:49:37 1994", 0),
        ("date-one-digit", "two digits of the day", "Sun, 6 Nov 1994 08:49:37 GMT", 0),
        ("date-space-digit", "not a space and one", "Sun,  6 Nov 1994 08:49:37 GMT", 0),
        ("date-two-spaces", "one space between", "Sun, 06 Nov 1994  08:49:37 GMT", 0),
        ("date-tab", "no tab between", "Sun,\t06 Nov 1994 08:49:37 GMT", 0),
        ("date-short-time", "seconds are needed", "Sun, 06 Nov 1994 08:49 GMT", 0),
        ("date-one-digit-hour", "two digits of the hour", "Sun, 06 Nov 1994 8:49:37 GMT", 0),
        ("date-fraction", "no parts of a second", "Sun, 06 Nov 1994 08:49:37.5 GMT", 0),
        ("date-year-two", "four digits of the year", "Sun, 06 Nov 94 08:49:37 GMT", 0),
        ("date-year-five", "and no fifth", "Sun, 06 Nov 19940 08:49:37 GMT", 0),
        ("rfc850-year-four", "two digits of the year", "Sunday, 06-Nov-1994 08:49:37 GMT", 0),
        ("rfc850-spaces", "hyphens between", "Sunday, 06 Nov 94 08:49:37 GMT", 0),
        ("date-hyphens", "and none here", "Sun, 06-Nov-1994 08:49:37 GMT", 0),
        ("date-arabic", "digits of another script are none", "Sun, ٠٦ Nov 1994 08:49:37 GMT", 0),
        ("date-plus", "a sign is no digit", "Sun, +6 Nov 1994 08:49:37 GMT", 0),
        ("date-more", "something after it", "Sun, 06 Nov 1994 08:49:37 GMT.", 0),
        ("iso", "no ISO 8601", "1994-11-06T08:49:37Z", 0),
        ("bytes-1024", "the longest value that is read", "0" * 1023 + "7", 0),
        ("bytes-1025", "one byte more", "0" * 1024 + "7", 0),
        ("bytes-1024-spaces", "spaces count", " " * 1023 + "7", 0),
        ("bytes-1025-spaces", "before they are removed", " " * 1024 + "7", 0),
        ("bytes-1025-spaces-after", "at either end", "7" + "\t" * 1024, 0),
        ("bytes-1024-date", "a date", "Sun, 06 Nov 1994 08:49:37 GMT" + " " * 995, 0),
        ("bytes-1025-date", "of one byte more", "Sun, 06 Nov 1994 08:49:37 GMT" + " " * 996, 0),
    ):
        yield header(id, why, value, now)

    # 14.3. Day 20000 is 4 October 2024.
    in_2024 = 20_000 * 86_400 * S
    fifty_years = 18_262 * 86_400 * S + 43_200 * S
    noon_2074 = "Wednesday, 04-Oct-74 12:00:00 GMT"
    for id, why, value, now in (
        ("past", "24 years ago", "Sunday, 01-Oct-00 00:00:00 GMT", in_2024),
        ("soon", "in ten seconds", "Friday, 04-Oct-24 00:00:10 GMT", in_2024),
        ("future", "in 49 years", "Monday, 02-Oct-73 00:00:00 GMT", in_2024),
        ("fifty", "in exactly 50 years", noon_2074, in_2024),
        ("fifty-more", "a nanosecond more is 100 years earlier", noon_2074, in_2024 - 1),
        ("last-century", "94 is 1994", "Sunday, 06-Nov-94 08:49:37 GMT", in_2024),
        ("in-1970", "94 is 1994 in 1970 too", "Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ("in-1970-earlier", "00 is 1900 in 1970", "Sunday, 06-Nov-00 08:49:37 GMT", 0),
        (
            "in-1999",
            "00 is 1900 on the last day of 1999: the century of now",
            "Saturday, 01-Jan-00 00:00:00 GMT",
            946_684_799 * S,
        ),
        ("in-2000", "01 is 2001 on the first day of 2000", "Saturday, 01-Jan-01 00:00:00 GMT", 946_684_800 * S),
        ("leap", "29 February of the year that it finally is", "Friday, 29-Feb-96 00:00:00 GMT", in_2024),
        ("leap-2000", "2000 is a leap year", "Tuesday, 29-Feb-00 00:00:00 GMT", in_2024),
        ("no-leap-1900", "1900 is not", "Tuesday, 29-Feb-00 00:00:00 GMT", 915_148_800 * S),
        ("no-leap-2100", "nor is 2100", "Monday, 29-Feb-00 00:00:00 GMT", 4_102_444_800 * S),
        ("leap-2104", "2104 is one", "Friday, 29-Feb-04 00:00:00 GMT", 4_102_444_800 * S),
        ("no-leap", "2025 is not", "Saturday, 29-Feb-25 00:00:00 GMT", in_2024),
        ("second-60", "the leap second is after 50 years", "Wednesday, 04-Oct-74 11:59:60 GMT", in_2024),
        ("last-now", "the last instant there is, in 2554", "Friday, 01-Jan-60 00:00:00 GMT", WORD_MAX),
        ("last-now-past", "and 99 is 2599 then", "Friday, 01-Jan-99 00:00:00 GMT", WORD_MAX),
    ):
        yield header(f"century-{id}", why, value, now)
    assert in_2024 + fifty_years == retry_after.http_date(noon_2074, in_2024)


def header(id, why, value, now):
    wait = retry_after.parse_retry_after(value, now)
    return {"id": id, "why": why, "value": value, "now": str(now), "retry_after": None if wait is None else str(wait)}


def http_status_cases():
    """Both ends of every row of the table, and what stands beside them."""
    for why, statuses in (
        ("below every status", (0, 1, 99)),
        ("both ends of the successes", (100, 399)),
        ("what servers answer", (101, 200, 201, 204, 206, 301, 304, 308)),
        ("the client's mistakes", (400, 401, 403, 404, 409, 410, 412, 413, 422, 426, 428, 431, 451)),
        ("no answer in time", (408, 504)),
        ("beside them", (407, 505)),
        ("may pass", (425, 500, 502)),
        ("beside them", (424, 499, 501)),
        ("too much to do", (429, 503)),
        ("beside them", (430,)),
        ("above every status", (507, 511, 599, 600, 999, 65535)),
    ):
        for status in statuses:
            outcome = retry_after.of_http_status(status)
            yield {"id": str(status), "why": why, "status": status, "outcome": outcome}
