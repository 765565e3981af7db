"""Histories (SPEC 17)."""

import reference_decisions as decisions


def stats_cases():
    def history(id, why, records, more=()):
        whole, second = recorded(records), recorded(more)
        whole.merge(second)
        records, more = list(map(list, records)), list(map(list, more))
        return {"id": id, "why": why, "records": records, "more": more, "text": whole.printed()}

    every_bucket = [
        (attempts, "success", 1) for bound in decisions.BOUNDS for attempts in (bound, bound + 1)
    ]
    reasons = [(2, reason, n) for n, reason in enumerate(decisions.REASONS, 1)]
    yield history("empty", "no operation: every line is there all the same", [])
    yield history("one", "one attempt is no retry", [(1, "success", 1)])
    yield history("buckets", "both sides of every bucket's end", every_bucket)
    yield history("reasons", "each reason another number of times", reasons)
    yield history(
        "two-digits", "counts add up over the buckets", [(3, "max_retries", 7), (9, "budget", 12)]
    )
    yield history("none", "0 attempts count as one", [(0, "cancelled", 2), (2, "success", 1)])
    yield history("most", "the most attempts there are", [(2**32 + 1, "max_retries", 2)])
    yield history("merged", "each count is added", every_bucket, reasons)
    yield history("merged-empty", "into nothing", [], [(4, "deadline", 3)])
    yield history("merged-nothing", "nothing into it", [(4, "deadline", 3)], [])
    yield history("merged-same", "twice the same", reasons, reasons)


def recorded(records):
    history = decisions.RetryStats()
    for attempts, reason, times in records:
        for _ in range(times):
            history.add(attempts, reason)
    return history
