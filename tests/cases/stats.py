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


def stats_label_cases():
    def case(id, why, prefix="backoff", labels=()):
        text = recorded(RECORDS).labelled(prefix, labels)
        records, labels = list(map(list, RECORDS)), list(map(list, labels))
        return {"id": id, "why": why, "records": records, "prefix": prefix, "labels": labels, "text": text}

    yield case("none", "without either the text is the same")
    yield case("prefix", "it takes the place of the first word", "shop_payments")
    yield case("prefix-colon", "the names of metrics may have colons", ":a:1")
    yield case("labels", "they are in front, in the order given", labels=[("zone", "b"), ("app", "a")])
    yield case("both", "a prefix and a label", "_", [("_", "")])
    yield case("escapes", "what a value cannot have", labels=[("a", 'b"c\\d\ne'), ("b", '\\"\n\n')])
    yield case("text", "what a value can have", labels=[("a", "ä{}=, \r\t☃"), ("B9", "0")])
    yield case(
        "almost", "names that only look as if they were taken", labels=[("Le", "1"), ("reasons", "2"), ("_a", "3")]
    )
    for number, prefix in enumerate(["", "1a", "a b", "a-b", "ä", "a\n", "{}"]):
        yield case(f"refused-prefix-{number}", f"{prefix!r} cannot begin a name", prefix)
    for number, name in enumerate(["", "1a", "a:b", "a b", "ä", "__a", "le", "reason", "a\n"]):
        yield case(f"refused-label-{number}", f"{name!r} is not the name of a label", labels=[("a", "b"), (name, "c")])
    yield case("refused-twice", "a name occurs once", labels=[("a", "b"), ("c", "d"), ("a", "e")])


RECORDS = [(1, "success", 1), (3, "max_retries", 2), (60, "budget", 1)]


def recorded(records):
    counts = stats.RetryStats()
    for attempts, reason, times in records:
        for _ in range(times):
            counts.record(attempts, reason)
    return counts
