"""Operations of which only the number of retries was stored, and refused retries (SPEC 13.7, 13.8)."""

from reference import operations, strings

WORD_MAX = 2**64 - 1
S = 10**9


def resumption_cases():
    """13.7 and 13.8: a decision of a resumed operation, and its refusal."""
    late = 100 * S
    for id, why, policy, retries, begun, deadline, now, outcome, retry_after in (
        ("first", "no retry so far", "full:base=1s,cap=8s", 0, 0, None, 0, "transient", None),
        ("fourth", "the delay of index 3", "full:base=1s,cap=8s", 3, 0, None, 0, "transient", None),
        ("throttled", "the throttled base", "aws-sdk-2026:max_retries=6", 4, 0, None, 0, "throttled", None),
        (
            "decorrelated",
            "random access to the chain",
            "decorrelated:base=100ms,cap=20s",
            5000,
            0,
            None,
            0,
            "timeout",
            None,
        ),
        ("asked", "the server asks to wait", "constant:base=1s", 2, 0, None, 0, "transient", 7 * S),
        ("last", "the last retry", "constant:base=1s,max_retries=3", 2, 0, None, 0, "transient", None),
        ("over", "no retry is left", "constant:base=1s,max_retries=3", 3, 0, None, 0, "transient", None),
        (
            "beyond",
            "more retries than the policy allows",
            "constant:base=1s,max_retries=3",
            99,
            0,
            None,
            0,
            "transient",
            None,
        ),
        ("most", "the largest count", "constant:base=1s", WORD_MAX, 0, None, 0, "transient", None),
        (
            "elapsed",
            "max_elapsed counts from the start",
            "constant:base=1s,max_elapsed=10s",
            2,
            late,
            None,
            late + 9 * S,
            "transient",
            None,
        ),
        (
            "elapsed-over",
            "max_elapsed has passed",
            "constant:base=1s,max_elapsed=10s",
            2,
            late,
            None,
            late + 9 * S + 1,
            "transient",
            None,
        ),
        ("deadline", "the wait would end after the deadline", "constant:base=1s", 2, 0, S, 1, "transient", None),
        ("success", "a success", "constant:base=1s", 2, 0, None, 0, "success", None),
        ("permanent", "a permanent failure", "constant:base=1s", 2, 0, None, 0, "permanent", None),
    ):
        operation = operations.Operation(strings.parse("policy", policy), 42, begun, deadline)
        operation.retries = retries
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
