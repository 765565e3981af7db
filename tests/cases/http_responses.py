"""Retry-After and the status of HTTP responses (SPEC 14)."""

from reference import retry_after

S = 10**9
DATE = 784_111_777 * S  # of the examples of RFC 9110
WORD_MAX = 2**64 - 1


def retry_after_cases():
    for id, why, value, now in (
        ("zero", "no wait", "0", 0),
        ("seconds", "digits are seconds, at any time", "120", DATE),
        ("zeros", "leading zeros", "000120", 0),
        ("spaces", "spaces and tabs at the ends", " \t 120\t ", 0),
        ("longest", "the largest number of seconds that fits", "9223372036", 0),
        ("longest-more", "one second more saturates", "9223372037", 0),
        ("seconds-64", "2^64 seconds", "18446744073709551616", 0),
        ("seconds-long", "more digits than any integer type holds", "9" * 400, 0),
        ("zeros-long", "more leading zeros than any integer type has digits", "0" * 400 + "7", 0),
        ("empty", "an empty value", "", 0),
        ("blank", "only spaces and a tab", " \t ", 0),
        ("minus", "signs are not allowed", "-1", 0),
        ("minus-zero", "a sign is not allowed with 0", "-0", 0),
        ("plus", "signs are not allowed", "+1", 0),
        ("decimal", "decimals are not allowed", "1.5", 0),
        ("exponent", "exponents are not allowed", "1e3", 0),
        ("unit", "units are not allowed", "120s", 0),
        ("inside", "a space inside", "1 20", 0),
        ("line-feed", "a line feed is not removed", "120\n", 0),
        ("no-break", "a no-break space is not removed", "\u00a0120", 0),
        ("arabic", "digits of another script are not digits", "١٢٠", 0),
        ("superscript", "superscripts are not digits", "1²", 0),
        ("word", "a word", "soon", 0),
        ("two", "two values", "120, 240", 0),
        ("imf", "the first example of RFC 9110", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("rfc850", "the second example of RFC 9110", "Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ("asctime", "the third example of RFC 9110", "Sun Nov  6 08:49:37 1994", 0),
        ("asctime-two-digits", "a day of two digits", "Sun Nov 13 08:49:37 1994", 0),
        ("asctime-zero", "a day of two digits that begins with 0", "Sun Nov 06 08:49:37 1994", 0),
        ("date-spaces", "spaces and tabs at the ends", "\t Sun, 06 Nov 1994 08:49:37 GMT ", 0),
        ("date-now", "a date equal to now", "Sun, 06 Nov 1994 08:49:37 GMT", DATE),
        ("date-next", "a date one nanosecond ahead", "Sun, 06 Nov 1994 08:49:37 GMT", DATE - 1),
        ("date-past", "a date one nanosecond ago", "Sun, 06 Nov 1994 08:49:37 GMT", DATE + 1),
        ("date-long-past", "a date before 1970", "Wed, 31 Dec 1969 23:59:59 GMT", 0),
        ("date-1970", "the first second of 1970", "Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("date-1970-one", "the second second of 1970", "Thu, 01 Jan 1970 00:00:01 GMT", 0),
        ("date-first", "the first day of year 0000", "Sat, 01 Jan 0000 00:00:00 GMT", 0),
        ("date-last", "the last second of year 9999", "Fri, 31 Dec 9999 23:59:59 GMT", 0),
        ("date-longest", "the last second that fits in 2^63 ns", "Fri, 11 Apr 2262 23:47:16 GMT", 0),
        ("date-longest-more", "one second more saturates", "Fri, 11 Apr 2262 23:47:17 GMT", 0),
        (
            "date-beyond-64",
            "a date above 2^64 ns, seen from the last possible time",
            "Fri, 01 Jan 2560 00:00:00 GMT",
            WORD_MAX,
        ),
        ("date-other-day", "the day of the week need not match", "Mon, 06 Nov 1994 08:49:37 GMT", 0),
        ("rfc850-other-day", "the day of the week need not match", "Wednesday, 06-Nov-94 08:49:37 GMT", 0),
        ("asctime-other-day", "the day of the week need not match", "Sat Nov  6 08:49:37 1994", 0),
        ("date-leap", "2000 is a leap year", "Tue, 29 Feb 2000 00:00:00 GMT", 0),
        ("date-leap-1996", "1996 is a leap year", "Thu, 29 Feb 1996 12:00:00 GMT", 0),
        ("date-no-leap", "1995 is not a leap year", "Wed, 29 Feb 1995 00:00:00 GMT", 0),
        ("date-no-leap-2100", "2100 is not a leap year", "Mon, 29 Feb 2100 00:00:00 GMT", 0),
        ("date-after-leap", "the day after 29 February", "Wed, 01 Mar 2000 00:00:00 GMT", 0),
        ("date-day-zero", "day 0 does not exist", "Sun, 00 Nov 1994 08:49:37 GMT", 0),
        ("date-day-31", "31 November does not exist", "Sun, 31 Nov 1994 08:49:37 GMT", 0),
        ("date-day-32", "32 December does not exist", "Sun, 32 Dec 1994 08:49:37 GMT", 0),
        ("date-hour-23", "hour 23", "Sun, 06 Nov 1994 23:59:59 GMT", 0),
        ("date-hour-24", "hour 24 does not exist", "Sun, 06 Nov 1994 24:00:00 GMT", 0),
        ("date-minute-60", "minute 60 does not exist", "Sun, 06 Nov 1994 08:60:37 GMT", 0),
        ("date-second-60", "second 60 is the next minute", "Sun, 06 Nov 1994 08:49:60 GMT", 0),
        ("date-second-60-year", "second 60 may begin the next year", "Sat, 31 Dec 1994 23:59:60 GMT", 0),
        ("date-second-61", "second 61 does not exist", "Sun, 06 Nov 1994 08:49:61 GMT", 0),
        ("date-lower", "names are case-sensitive", "sun, 06 nov 1994 08:49:37 gmt", 0),
        ("date-month-upper", "names are case-sensitive", "Sun, 06 NOV 1994 08:49:37 GMT", 0),
        ("date-month-long", "long names of months are not allowed", "Sun, 06 November 1994 08:49:37 GMT", 0),
        ("date-no-month", "an unknown month", "Sun, 06 Abc 1994 08:49:37 GMT", 0),
        ("date-month-number", "a number is not a month", "Sun, 06 11 1994 08:49:37 GMT", 0),
        ("date-utc", "UTC is not allowed", "Sun, 06 Nov 1994 08:49:37 UTC", 0),
        ("date-offset", "an offset is not allowed", "Sun, 06 Nov 1994 08:49:37 +0000", 0),
        ("date-no-zone", "GMT is required", "Sun, 06 Nov 1994 08:49:37", 0),
        ("date-no-day", "the day of the week is required", "06 Nov 1994 08:49:37 GMT", 0),
        ("date-no-such-day", "an unknown day of the week", "Day, 06 Nov 1994 08:49:37 GMT", 0),
        ("date-long-day", "the other form's name of the day", "Sunday, 06 Nov 1994 08:49:37 GMT", 0),
        ("rfc850-short-day", "the other form's name of the day", "Sun, 06-Nov-94 08:49:37 GMT", 0),
        ("asctime-long-day", "the other form's name of the day", "Sunday Nov  6 08:49:37 1994", 0),
        ("date-no-comma", "the comma is required", "Sun 06 Nov 1994 08:49:37 GMT", 0),
        ("asctime-comma", "the asctime form has no comma", "Sun, Nov  6 08:49:37 1994", 0),
        ("asctime-zone", "the asctime form has no zone", "Sun Nov  6 08:49:37 1994 GMT", 0),
        ("asctime-one-space", "a day of one digit needs two spaces", "Sun Nov 6 08:49:37 1994", 0),
        ("asctime-three-spaces", "a day of one digit with three spaces", "Sun Nov   6 08:49:37 1994", 0),
        ("asctime-space-two-digits", "a day of two digits with two spaces", "Sun Nov  16 08:49:37 1994", 0),
        ("date-one-digit", "a day of one digit is not allowed", "Sun, 6 Nov 1994 08:49:37 GMT", 0),
        ("date-space-digit", "a space and one digit is not allowed", "Sun,  6 Nov 1994 08:49:37 GMT", 0),
        ("date-two-spaces", "two spaces are not allowed", "Sun, 06 Nov 1994  08:49:37 GMT", 0),
        ("date-tab", "a tab is not allowed", "Sun,\t06 Nov 1994 08:49:37 GMT", 0),
        ("date-short-time", "seconds are required", "Sun, 06 Nov 1994 08:49 GMT", 0),
        ("date-one-digit-hour", "an hour of one digit is not allowed", "Sun, 06 Nov 1994 8:49:37 GMT", 0),
        ("date-fraction", "fractions of a second are not allowed", "Sun, 06 Nov 1994 08:49:37.5 GMT", 0),
        ("date-year-two", "a year of two digits is not allowed", "Sun, 06 Nov 94 08:49:37 GMT", 0),
        ("date-year-five", "a year of five digits is not allowed", "Sun, 06 Nov 19940 08:49:37 GMT", 0),
        ("rfc850-year-four", "a year of four digits is not allowed", "Sunday, 06-Nov-1994 08:49:37 GMT", 0),
        ("rfc850-spaces", "hyphens are required", "Sunday, 06 Nov 94 08:49:37 GMT", 0),
        ("date-hyphens", "hyphens are not allowed", "Sun, 06-Nov-1994 08:49:37 GMT", 0),
        ("date-arabic", "digits of another script are not digits", "Sun, ٠٦ Nov 1994 08:49:37 GMT", 0),
        ("date-plus", "a sign is not a digit", "Sun, +6 Nov 1994 08:49:37 GMT", 0),
        ("date-more", "text after the date", "Sun, 06 Nov 1994 08:49:37 GMT.", 0),
        ("iso", "ISO 8601 is not allowed", "1994-11-06T08:49:37Z", 0),
        ("bytes-1024", "the longest value that is read", "0" * 1023 + "7", 0),
        ("bytes-1025", "1025 bytes are too long", "0" * 1024 + "7", 0),
        ("bytes-1024-spaces", "spaces count towards the 1024 bytes", " " * 1023 + "7", 0),
        ("bytes-1025-spaces", "the length is checked before spaces are removed", " " * 1024 + "7", 0),
        ("bytes-1025-spaces-after", "spaces and tabs at the end count, too", "7" + "\t" * 1024, 0),
        ("bytes-1024-date", "a date of 1024 bytes", "Sun, 06 Nov 1994 08:49:37 GMT" + " " * 995, 0),
        ("bytes-1025-date", "a date of 1025 bytes", "Sun, 06 Nov 1994 08:49:37 GMT" + " " * 996, 0),
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
        ("fifty-more", "one nanosecond more than 50 years: 100 years earlier", noon_2074, in_2024 - 1),
        ("last-century", "94 is 1994", "Sunday, 06-Nov-94 08:49:37 GMT", in_2024),
        ("in-1970", "94 is 1994 in 1970, too", "Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ("in-1970-earlier", "00 is 1900 in 1970", "Sunday, 06-Nov-00 08:49:37 GMT", 0),
        (
            "in-1999",
            "00 is 1900 on the last day of 1999",
            "Saturday, 01-Jan-00 00:00:00 GMT",
            946_684_799 * S,
        ),
        ("in-2000", "01 is 2001 on the first day of 2000", "Saturday, 01-Jan-01 00:00:00 GMT", 946_684_800 * S),
        ("leap", "96 is 1996, a leap year", "Friday, 29-Feb-96 00:00:00 GMT", in_2024),
        ("leap-2000", "2000 is a leap year", "Tuesday, 29-Feb-00 00:00:00 GMT", in_2024),
        ("no-leap-1900", "1900 is not a leap year", "Tuesday, 29-Feb-00 00:00:00 GMT", 915_148_800 * S),
        ("no-leap-2100", "2100 is not a leap year", "Monday, 29-Feb-00 00:00:00 GMT", 4_102_444_800 * S),
        ("leap-2104", "2104 is a leap year", "Friday, 29-Feb-04 00:00:00 GMT", 4_102_444_800 * S),
        ("no-leap", "2025 is not a leap year", "Saturday, 29-Feb-25 00:00:00 GMT", in_2024),
        ("second-60", "second 60 is more than 50 years ahead", "Wednesday, 04-Oct-74 11:59:60 GMT", in_2024),
        ("last-now", "the last possible time, in 2554", "Friday, 01-Jan-60 00:00:00 GMT", WORD_MAX),
        ("last-now-past", "99 is 2599 at the last possible time", "Friday, 01-Jan-99 00:00:00 GMT", WORD_MAX),
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
        ("common statuses", (101, 200, 201, 204, 206, 301, 304, 308)),
        ("client errors", (400, 401, 403, 404, 409, 410, 412, 413, 422, 426, 428, 431, 451)),
        ("no answer in time", (408, 504)),
        ("neighbours of these statuses", (407, 505)),
        ("transient server errors", (425, 500, 502)),
        ("neighbours of these statuses", (424, 499, 501)),
        ("overload", (429, 503)),
        ("neighbours of these statuses", (430,)),
        ("above every status", (507, 511, 599, 600, 999, 65535)),
    ):
        for status in statuses:
            outcome = retry_after.of_http_status(status)
            yield {"id": str(status), "why": why, "status": status, "outcome": outcome}


DATE_TEXT = "Sun, 06 Nov 1994 08:49:37 GMT"


def http_response_cases():
    """The header fields of responses (SPEC 14.5)."""
    both = "retry-after-ms: 1500\nRetry-After: 2\nRateLimit-Reset: 3"
    for id, why, status, fields, now in (
        ("nothing", "no field at all", 503, "", 0),
        ("others", "no field that counts", 503, "Content-Type: text/plain\nX-Retry-After: 7", 0),
        ("seconds", "Retry-After in seconds", 503, "Retry-After: 120", 0),
        ("date", "Retry-After as a date", 503, f"Retry-After: {DATE_TEXT}", DATE - S),
        ("date-past", "a date in the past", 503, f"Retry-After: {DATE_TEXT}", DATE + S),
        ("crlf", "lines as HTTP/1.1 sends them", 503, "Date: now\r\nRetry-After: 7\r\n\r\n", 0),
        ("case", "the case of a name says nothing", 503, "rEtRy-aFtEr: 7", 0),
        ("kelvin", "a Kelvin sign has no case", 429, "RateLimit-Reset\u212a: 1\nRetry-After: 2", 0),
        ("twice", "the first of two lines", 503, "Retry-After: 7\nretry-after: 8", 0),
        ("twice-invalid", "the first of two lines, which is invalid", 503, "Retry-After: soon\nRetry-After: 8", 0),
        ("no-colon", "a line without a colon", 503, "Retry-After\nRetry-After: 8", 0),
        ("no-space", "a value that touches the colon", 503, "Retry-After:8", 0),
        ("space-before", "a name does not end with a space", 503, "Retry-After : 8", 0),
        ("any-status", "the status does not matter", 200, "Retry-After: 8", 0),
        ("ms", "milliseconds", 429, "retry-after-ms: 1500", 0),
        ("ms-zero", "no wait", 429, "retry-after-ms: 0", 0),
        ("ms-spaces", "spaces and tabs at the ends", 429, "retry-after-ms: \t 7 \t", 0),
        ("ms-first", "milliseconds before seconds", 429, both, 0),
        ("ms-decimals", "a fraction down to nanoseconds", 503, "retry-after-ms: 1234.567891", 0),
        ("ms-more-decimals", "a fraction below nanoseconds is dropped", 503, "retry-after-ms: 0.0000019", 0),
        ("ms-long-fraction", "a fraction with many digits", 503, "retry-after-ms: 1." + "9" * 400, 0),
        ("ms-longest", "the longest number that fits", 503, "retry-after-ms: 9223372036854.775807", 0),
        ("ms-longest-more", "one nanosecond more saturates", 503, "retry-after-ms: 9223372036854.775808", 0),
        ("ms-64", "2^64 ms", 503, "retry-after-ms: 18446744073709551616", 0),
        ("ms-long", "more digits than any integer type holds", 503, "retry-after-ms: " + "9" * 400, 0),
        ("ms-minus", "a sign is not allowed", 503, "retry-after-ms: -1\nRetry-After: 2", 0),
        ("ms-point", "a point needs digits after it", 503, "retry-after-ms: 1.\nRetry-After: 2", 0),
        ("ms-point-first", "a point needs digits before it", 503, "retry-after-ms: .5\nRetry-After: 2", 0),
        ("ms-two-points", "two points", 503, "retry-after-ms: 1.2.3\nRetry-After: 2", 0),
        ("ms-exponent", "exponents are not allowed", 503, "retry-after-ms: 1e3\nRetry-After: 2", 0),
        ("ms-empty", "an empty value", 503, "retry-after-ms:\nRetry-After: 2", 0),
        ("ms-date", "a date is not a number of milliseconds", 503, f"retry-after-ms: {DATE_TEXT}\nRetry-After: 2", 0),
        ("ms-1024", "1024 bytes", 503, "retry-after-ms:" + "0" * 1023 + "7", 0),
        ("ms-1025", "1025 bytes", 503, "retry-after-ms:" + "0" * 1024 + "7\nRetry-After: 2", 0),
        ("reset", "RateLimit-Reset after 429", 429, "RateLimit-Reset: 30", 0),
        ("reset-spaces", "spaces and tabs at the ends", 429, "ratelimit-reset:\t30 ", 0),
        ("reset-503", "RateLimit-Reset after another status", 503, "RateLimit-Reset: 30", 0),
        ("reset-200", "RateLimit-Reset after a success", 200, "RateLimit-Reset: 30", 0),
        ("reset-second", "Retry-After before RateLimit-Reset", 429, "RateLimit-Reset: 30\nRetry-After: 2", 0),
        ("reset-third", "RateLimit-Reset after two invalid fields", 429,
         "RateLimit-Reset: 30\nRetry-After: soon\nretry-after-ms: soon", 0),
        ("reset-date", "RateLimit-Reset is no date", 429, f"RateLimit-Reset: {DATE_TEXT}", 0),
        ("reset-decimal", "RateLimit-Reset has no decimals", 429, "RateLimit-Reset: 1.5", 0),
        ("reset-longest", "RateLimit-Reset saturates", 429, "RateLimit-Reset: 9223372037", 0),
        ("reset-x", "names of other vendors do not count", 429, "X-RateLimit-Reset: 30", 0),
    ):  # fmt: skip
        wait = retry_after.http_retry_after(status, fields, now)
        yield {
            "id": id,
            "why": why,
            "status": status,
            "fields": fields,
            "now": str(now),
            "retry_after": None if wait is None else str(wait),
        }


def http_method_cases():
    """Methods of requests (SPEC 14.6)."""
    for why, methods in (
        ("idempotent methods", ("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE")),
        ("other methods", ("POST", "PATCH", "CONNECT", "QUERY", "LOCK", "PROPFIND")),
        ("methods are case-sensitive", ("get", "Put")),
        ("texts that are not methods", ("", " GET", "GET ", "GETS", "GE", "GET\n")),
    ):
        for position, method in enumerate(methods):
            id = method.strip().lower() or "empty"
            yield {
                "id": f"{why.replace(' ', '-')}-{position}-{id}",
                "why": why,
                "method": method,
                "idempotent": retry_after.is_idempotent(method),
            }
