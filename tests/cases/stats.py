"""Stats (SPEC 17)."""

from reference import operations, stats


def stats_cases():
    def case(id, why, records, more=()):
        whole, second = recorded(records), recorded(more)
        whole.merge(second)
        records, more = list(map(list, records)), list(map(list, more))
        return {"id": id, "why": why, "records": records, "more": more, "text": whole.prometheus()}

    every_bucket = [(attempts, "success", 1) for bound in stats.BOUNDS for attempts in (bound, bound + 1)]
    reasons = [(2, reason, n) for n, reason in enumerate(operations.REASONS, 1)]
    yield case("empty", "no operation: every line is there all the same", [])
    yield case("one", "one attempt is no retry", [(1, "success", 1)])
    yield case("buckets", "both sides of every bucket's end", every_bucket)
    yield case("reasons", "each reason another number of times", reasons)
    yield case("two-digits", "counts add up over the buckets", [(3, "max_retries", 7), (9, "budget", 12)])
    yield case("none", "0 attempts count as one", [(0, "cancelled", 2), (2, "success", 1)])
    yield case("most", "the most attempts there are", [(2**32 + 1, "max_retries", 2)])
    yield case("merged", "each count is added", every_bucket, reasons)
    yield case("merged-empty", "into nothing", [], [(4, "deadline", 3)])
    yield case("merged-nothing", "nothing into it", [(4, "deadline", 3)], [])
    yield case("merged-same", "twice the same", reasons, reasons)


def recorded(records):
    counts = stats.RetryStats()
    for attempts, reason, times in records:
        for _ in range(times):
            counts.record(attempts, reason)
    return counts
