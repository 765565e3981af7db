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
    yield case("empty", "without operations every line is printed", [])
    yield case("one", "one attempt has no retry", [(1, "success", 1)])
    yield case("buckets", "both sides of every bound", every_bucket)
    yield case("reasons", "a different count for each reason", reasons)
    yield case("two-digits", "buckets are cumulative", [(3, "max_retries", 7), (9, "budget", 12)])
    yield case("none", "0 attempts count as one", [(0, "cancelled", 2), (2, "success", 1)])
    yield case("most", "the largest number of attempts", [(2**32 + 1, "max_retries", 2)])
    yield case("merged", "merging adds each count", every_bucket, reasons)
    yield case("merged-empty", "merged into empty stats", [], [(4, "deadline", 3)])
    yield case("merged-nothing", "merged with empty stats", [(4, "deadline", 3)], [])
    yield case("merged-same", "merged with equal stats", reasons, reasons)


def recorded(records):
    counts = stats.RetryStats()
    for attempts, reason, times in records:
        for _ in range(times):
            counts.record(attempts, reason)
    return counts
