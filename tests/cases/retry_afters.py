"""Decisions with a retry_after (SPEC 13.5)."""

from reference import fields
from reference.numbers import MAX, WORD_MAX

from cases.scenario import scenarios


def decisions():
    for mode in fields.KINDS["retry_after"]:
        yield from scenarios(MODES.replace("MODE", mode))
    yield from scenarios(RETRY_AFTERS)


MODES = f"""
retry_after-MODE: a retry_after that is shorter and longer than the delay, and 0
  full:base=1s,cap=20s,retry_after=MODE -> begin fail:0:1 throttled:0:30s timeout:0:0s fail:0:3s+1 fail
retry_after-MODE-max: a retry_after below, at and above retry_after_max
  constant:base=1s,retry_after=MODE,retry_after_max=5s -> begin fail:0:5s-1 fail:0:5s fail:0:5s+1 fail:0:{WORD_MAX}
retry_after-MODE-extra: retry_after_max_extra is added to the delay
  exponential:base=1s,retry_after=MODE,retry_after_max_extra=5s -> begin fail:0:6s-1 fail:0:7s fail:0:9s+1
    fail:0:{WORD_MAX}
retry_after-MODE-longest: a retry_after near and above 2^63
  constant:base=1s,retry_after=MODE,retry_after_max=none -> begin fail:0:9223372035854775806 fail:0:{MAX}
    fail:0:{MAX}+1 fail:0:{WORD_MAX}
retry_after-MODE-extra-saturates: the sum of delay and retry_after_max_extra saturates
  constant:base=9223372036854775000ns,retry_after=MODE,retry_after_max=none,retry_after_max_extra=1h -> begin
    fail:0:{WORD_MAX}
retry_after-MODE-bounds-zero: limits of 0
  constant:base=1s,retry_after=MODE,retry_after_max=0s,retry_after_max_extra=0s -> begin fail:0:{MAX} fail:0:0s
retry_after-MODE-default: a retry_after below, at and above the default limit of 1 h
  constant:base=1s,retry_after=MODE -> begin fail:0:3600s-1 fail:0:1h fail:0:3600s+1 fail:0:{WORD_MAX}
retry_after-MODE-default-extra: both limits apply: 1 h, and the delay plus retry_after_max_extra
  linear:base=30m,retry_after=MODE,retry_after_max_extra=29m -> begin fail:0:2h fail:0:2h fail:0:3600s-1
retry_after-MODE-default-delay: a delay above the default limit
  constant:base=2h,retry_after=MODE -> begin fail:0:3h fail:0:1800s
retry_after-MODE-none: retry_after_max=none lifts the limit
  constant:base=1s,retry_after=MODE,retry_after_max=none -> begin fail:0:3600s+1 fail:0:1000h
retry_after-MODE-none-extra: retry_after_max_extra still applies without retry_after_max
  constant:base=1s,retry_after=MODE,retry_after_max=none,retry_after_max_extra=2h -> begin fail:0:3h
"""
RETRY_AFTERS = f"""
retry_after-default-grpc: the default limit applies to a preset
  grpc-retry -> begin fail:0:3600s+1
retry_after-default-max_elapsed: max_elapsed uses the limited retry_after
  constant:base=1s,max_elapsed=1h -> begin fail:0:{WORD_MAX} fail:1:{WORD_MAX}
retry_after-extra-zero: the retry_after is at most the delay
  constant:base=1s,retry_after=exact,retry_after_max_extra=0s -> begin fail:0:2s fail:0:999999999
retry_after-aws: AWS: between the delay and 5 s above it
  aws-sdk-2026:max_retries=5 -> begin throttled:0:1ms throttled:0:2s throttled:0:60s
retry_after-grpc: gRPC's pushback is exact
  grpc-retry -> begin fail:0:7s fail:0:0s fail fail:0:1
retry_after-spread-small: spread over half of the smallest values is rounded down
  constant:base=1s,retry_after=spread -> begin fail:0:1 fail:0:2 fail:0:3 fail:0:2
retry_after-above-cap: a cap does not limit a retry_after
  constant:base=1s,cap=2s,cap_on=delay -> begin fail:0:9s
retry_after-throttled: retry_after_max_extra is added to the delay of the throttled base
  constant:base=1s,throttled_base=4s,retry_after=exact,retry_after_max_extra=1s -> begin throttled:0:9s fail:0:9s
retry_after-not-too-late: max_retries is checked before a retry_after is used
  constant:base=1s,max_retries=0 -> begin fail:0:9s
"""
