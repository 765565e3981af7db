"""Policies of published articles, and iterators that are reset (SPEC 9)."""

from reference import policies, streams
from reference.sequences import Iterator

from cases.sequences import sequences
from cases.table import dump, policy, rows


def article_cases():
    return sequences(ARTICLES)


def reset_cases():
    for id, string, asked, why, *seed in rows(RESETS):
        fields, asked = policy(string), list(map(int, asked.split()))
        seed, key = (int(seed[0]), None) if seed else (42, b"job-1")
        iterator = Iterator(policies.policy(fields), streams.stream(seed, key))
        runs = []
        for count in asked:
            runs.append([str(delay) for delay in iterator.take(count)])
            iterator.reset()
        yield {
            "id": id,
            "why": why,
            "policy": dump(fields),
            "seed": str(seed),
            "key": None if key is None else key.hex(),
            "asked": asked,
            "runs": runs,
            "stream": str(iterator.stream),
        }


ARTICLES = """
go-full | exponential:base=1s,jitter=full,cap=10s | Go port: full jitter, base 1000 ms, cap 10000 ms | 5
go-equal | exponential:base=1s,jitter=equal,cap=10s | Go port: equal jitter, base 1000 ms, cap 10000 ms | 5
go-decorrelated | exponential:base=1s,jitter=decorrelated,cap_on=delay,cap=10s |
  Go port: decorrelated jitter, base 1000 ms, cap 10000 ms | 5
js-exponential | exponential:base=10ms,cap=100ms | JavaScript port: no jitter, base 10 ms, cap 100 ms
js-full | exponential:base=10ms,jitter=full,cap=100ms | JavaScript port: full jitter, base 10 ms, cap 100 ms
js-equal | exponential:base=10ms,jitter=equal,cap=100ms | JavaScript port: equal jitter, base 10 ms, cap 100 ms
js-decorrelated | exponential:base=10ms,jitter=decorrelated,cap_on=delay,cap=100ms |
  JavaScript port: decorrelated jitter, base 10 ms, cap 100 ms
ts-full | exponential:base=100ms,cap=10s,jitter=full |
  TypeScript port: retryWithFullJitter, base 100 ms, cap 10000 ms, 6 attempts | 5
ts-fixed | constant:base=100ms | TypeScript article: fixed delay of 100 ms | 5
ts-aws-sdk | exponential:base=1s,cap=20s,cap_on=delay,jitter=full |
  TypeScript article: AWS SDK, min(20 s, U(0,1) * 2^attempt) | 8
google-cloud-32 | exponential:base=1s,cap=32s,cap_on=delay,jitter=additive,jitter_max=1s |
  Google Cloud: min(2^n + random ms, 32 s) | 8
google-cloud-64 | exponential:base=1s,cap=64s,cap_on=delay,jitter=additive,jitter_max=1s |
  Google Cloud: min(2^n + random ms, 64 s) | 8
ethernet | exponential:base=102400,cap=52428800,jitter=slotted,jitter_slot=51200 |
  Ethernet: r slots of 51.2 us, r in 0..2^min(n,10)-1, 16 attempts | 15
cenkalti-v4 | exponential:base=500ms,multiplier=3/2,cap=60s,jitter=proportional,jitter_below=1/2,jitter_above=1/2 |
  cenkalti/backoff v4: 500 ms, factor 0.5, multiplier 1.5, 60 s
cenkalti-v4-windows | exponential:base=500ms,multiplier=3/2,cap=60s |
  cenkalti/backoff v4: its table of intervals, before the random factor
aws-general-reference | exponential:base=100ms | AWS general reference: no jitter, 2^retries * 100 ms
aws-blog-simulator | exponential:base=10ms,cap=2s,jitter=full |
  AWS blog's simulator: full jitter, 5 ms * 2^n from n = 1, cap 2000 ms
"""
# Id, policy, how many delays each run asks for, why, and perhaps a seed without a key.
RESETS = """
full | exponential:base=100ms,cap=20s,jitter=full | 3 3 3 | a reset never repeats a draw
at-once | exponential:base=100ms,cap=20s,jitter=full | 0 2 0 0 2 | a reset before the first delay changes nothing
prefetched | exponential:base=100ms,cap=20s,jitter=full | 1 65 1 |
  draws that were prefetched and not returned do not count
decorrelated | exponential:base=100ms,cap=20s,jitter=decorrelated | 5 5 | the previous delay is forgotten
fibonacci | fibonacci:base=1s,jitter=equal | 6 6 | the growth restarts
none | exponential:base=1s | 4 2 | every index consumes one draw, also without jitter
seed-wraps | exponential:base=100ms,cap=20s,jitter=full | 2 2 | the stream wraps | 18446744073709551615
end | exponential:base=100ms,cap=20s,jitter=full,max_retries=3 | 3 5 3 |
  the iterator ends after max_retries delays, and again after a reset
end-inside | exponential:base=100ms,cap=20s,jitter=full,max_retries=3 | 2 3 4 1 9 |
  resets before the end, at the end and after it
end-zero | constant:base=1s,max_retries=0 | 1 0 2 | no delay, and a reset that advances nothing
end-one | fibonacci:base=1s,jitter=equal,max_retries=1 | 2 1 3 | one delay
end-max_attempts | exponential:base=1s,jitter=full,max_attempts=3 | 3 2 5 | 3 attempts have 2 waits
end-max_attempts-one | constant:base=1s,max_attempts=1 | 1 1 | 1 attempt has no wait
end-max_elapsed | constant:base=1s,jitter=full,max_elapsed=1 | 4 4 | max_elapsed does not end an iterator
end-max_elapsed-zero | constant:base=1s,jitter=full,max_retries=2,max_elapsed=0 | 3 3 |
  max_retries ends it, whatever max_elapsed is
end-decorrelated | exponential:base=100ms,cap=20s,jitter=decorrelated,max_retries=4 | 6 4 5 |
  the end of a chain, and a new one from the base
end-prefetched | exponential:base=100ms,cap=20s,jitter=full,max_retries=65 | 64 66 65 |
  the end is beyond the draws that are prefetched at once
end-none | exponential:base=1s,max_retries=4294967296 | 5 2 | 2^32 retries are no limit
"""
