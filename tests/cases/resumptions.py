"""Operations of which only the number of retries was stored, and refused retries (SPEC 13.7, 13.8)."""

from reference import operations, strings
from reference.numbers import WORD_MAX

from cases.table import number, rows


def resumption_cases():
    """13.7 and 13.8: a decision of a resumed operation, and its refusal."""
    for id, policy, times, outcome, why, *retry_after in rows(RESUMPTIONS):
        retries, begun, deadline, now = (None if time == "-" else number(time) for time in times.split())
        retry_after = number(retry_after[0]) if retry_after else None
        operation = operations.Operation(strings.parse("policy", policy), 42, begun, deadline)
        operation.retries, operation.attempt_begun = retries, None
        what, delay = operation.outcome(outcome, now, retry_after)
        answer = {"wait": str(delay)} if what == "wait" else {"stop": what, "delay": str(delay)}
        after = operation.retries
        reason = operation.refuse()
        yield {
            "id": id,
            "why": why,
            "policy": policy,
            "stream": "42",
            "retries": str(retries),
            "begun": str(begun),
            "deadline": None if deadline is None else str(deadline),
            "now": str(now),
            "outcome": outcome,
            "retry_after": None if retry_after is None else str(retry_after),
            "answer": answer,
            "retries_after": str(after),
            "refused": reason,
            "retries_refused": str(operation.retries),
        }


# Id, policy, the retries and the beginning, the deadline and the time, outcome, why, and perhaps a retry_after.
RESUMPTIONS = f"""
first | full:base=1s,cap=8s | 0 0 - 0 | transient | no retry so far
fourth | full:base=1s,cap=8s | 3 0 - 0 | transient | the delay of index 3
throttled | aws-sdk-2026:max_retries=6 | 4 0 - 0 | throttled | the throttled base
decorrelated | decorrelated:base=100ms,cap=20s | 5000 0 - 0 | timeout | random access to the chain
asked | constant:base=1s | 2 0 - 0 | transient | the server asks to wait | 7s
last | constant:base=1s,max_retries=3 | 2 0 - 0 | transient | the last retry
over | constant:base=1s,max_retries=3 | 3 0 - 0 | transient | no retry is left
beyond | constant:base=1s,max_retries=3 | 99 0 - 0 | transient | more retries than the policy allows
most | constant:base=1s | {WORD_MAX} 0 - 0 | transient | the largest count
elapsed | constant:base=1s,max_elapsed=10s | 2 100s - 109s | transient | max_elapsed counts from the start
elapsed-over | constant:base=1s,max_elapsed=10s | 2 100s - 109s+1 | transient | max_elapsed has passed
deadline | constant:base=1s | 2 0 1s 1 | transient | the wait would end after the deadline
reset_after | exponential:base=1s,reset_after=1s | 3 0 - 1h | transient | nobody knows how long the attempt ran
elapsed_from | constant:base=1s,max_elapsed=10s,elapsed_from=failure | 0 0 - 1h | transient | the first failure
elapsed_from-later | constant:base=1s,max_elapsed=10s,elapsed_from=failure | 2 100s - 109s+1 | transient |
  the beginning is that of the first failure
success | constant:base=1s | 2 0 - 0 | success | a success
permanent | constant:base=1s | 2 0 - 0 | permanent | a permanent failure
"""
