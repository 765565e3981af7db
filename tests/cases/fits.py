"""Policies that are fitted into a time (SPEC 16.5)."""

from reference import errors, preview, printing, strings
from reference.numbers import MAX, WORD_MAX

from cases.table import details, number, rows

TOTALS = f"0 1 2 100ms 300ms 700ms-1 700ms 700ms+1 1s 10s 60s 80s 1000s {MAX}"
PRESETS = "none default grpc-connect google-cloud ethernet sidekiq k8s-conflict aws-sdk-2026 celery azure-core-java"


def fit_cases():
    for field in ("base", "cap"):
        for total in map(number, TOTALS.split()):
            yield fit(f"{field}-full-{total}", "full:base=100ms,cap=20s", 4, total, f"four attempts within {total} ns")
        yield from fits(LIMITS.replace("FIELD", field))
        for preset in PRESETS.split():
            yield fit(f"{field}-{preset}", preset, 6, number("100s"), "this preset, six attempts within 100 s")
            yield fit(f"{field}-{preset}-5s", preset, 6, number("5s"), "this preset, six attempts within 5 s")
        yield from fits(POLICIES.replace("FIELD", field))
    yield from fits(BOUNDS)


def fits(table):
    for id, string, attempts_and_total, why in rows(table):
        yield fit(id, string, *map(number, attempts_and_total.split()), why)


def fit(id, string, attempts, total, why):
    field = id.split("-")[0]
    case = {"id": id, "why": why, "policy": string, "field": field, "attempts": attempts, "total": str(total)}
    policy = strings.parse("policy", string)
    try:
        return case | {"canonical": printing.printed("policy", preview.fit(policy, field, attempts, total))}
    except errors.PolicyError as refused:
        return case | {"error": details(refused)}


# Id, policy, attempts and total, why. The id begins with the field.
LIMITS = f"""
FIELD-attempts-one | full:base=100ms,cap=20s | 1 0 | one attempt never waits
FIELD-attempts-two | full:base=100ms,cap=20s | 2 1s | two attempts wait once
FIELD-attempts-zero | full:base=100ms,cap=20s | 0 1s | 0 attempts
FIELD-attempts-too-many | full:base=100ms,cap=20s | 65537 1s | 65537 attempts
FIELD-attempts-all-ones | full:base=100ms,cap=20s | 4294967295 1s | 2^32 - 1 attempts
FIELD-total-exact | constant:base=1s | 3 {MAX} | the total is not saturated
FIELD-base-most | constant:base=1s | 2 {MAX} | the largest base
FIELD-total-too-large | full:base=100ms,cap=20s | 4 {MAX + 1} | above the longest duration
FIELD-total-all-ones | full:base=100ms,cap=20s | 4 {WORD_MAX} | above the longest duration
FIELD-attempts-before-total | full:base=100ms,cap=20s | 0 {WORD_MAX} | attempts are checked before the total
"""
POLICIES = f"""
FIELD-steps | steps:waits=5s/5m/1s/30m,cap=1h | 8 10m | waits that rise and fall; steps have no base
FIELD-steps-two | steps:waits=5s/5m/1s/30m,cap=1h | 3 10m | fewer waits than entries, of which the last falls
FIELD-steps-three | steps:waits=5s/5m/1s/30m | 4 5m | fewer waits than entries
FIELD-steps-one | steps:waits=5s | 1 0 | one attempt never waits
FIELD-steps-jitter | steps:waits=5s/5m/1s,jitter=0.5,offset=2s | 100 2h | a hundred attempts
FIELD-steps-floor | steps:waits=5s,floor=2s | 4 5s | the floor does not fit
FIELD-equal | fibonacci:base=1s,cap=60s,jitter=equal | 8 40s | another jitter
FIELD-05 | fibonacci:base=1s,cap=60s,jitter=0.5 | 8 40s | another jitter
FIELD-additive | fibonacci:base=1s,cap=60s,jitter=additive,jitter_max=3s | 8 40s | another jitter
FIELD-slotted | fibonacci:base=1s,cap=60s,jitter=slotted,jitter_slot=700ms | 8 40s | another jitter
FIELD-decorrelated-window | exponential:base=1s,cap=60s,cap_on=window,jitter=decorrelated | 8 100s |
  max of a row follows from max of the row before
FIELD-proportional-window | exponential:base=1s,cap=60s,cap_on=window,jitter=0.3 | 8 100s | a range above the window
FIELD-decorrelated-delay | exponential:base=1s,cap=60s,cap_on=delay,jitter=decorrelated | 8 100s |
  max of a row follows from max of the row before
FIELD-proportional-delay | exponential:base=1s,cap=60s,cap_on=delay,jitter=0.3 | 8 100s | a range above the window
FIELD-decorrelated-restart | decorrelated:base=1us,cap=1ms | 4101 1s | 4100 delays: the chain restarts
FIELD-decorrelated-restart-second | decorrelated:base=1us,cap=1ms | 8201 2s |
  8200 delays: the chain restarts a second time
FIELD-decorrelated-two | decorrelated:base=1s,cap=60s | 3 20s | two delays, of which the second is longer
FIELD-linear-many | linear:base=1us,increment=1ns,cap=1ms | 4101 10ms | 4100 delays that no restart interrupts
FIELD-max_retries | constant:base=1s,max_retries=0,max_elapsed=0s | 5 20s | the policy's limits have no effect
FIELD-retry_after | full:base=1s,cap=20s,max_retries=4,max_elapsed=1h,retry_after=exact,retry_after_max=9s | 5 20s |
  the policy's other fields are kept
FIELD-jitter-zero | exponential:base=1s,cap=60s,jitter=0 | 5 20s | proportional jitter of 0 is kept
FIELD-offset | exponential:base=1s,offset=30s | 5 100s | the offset alone is too long
FIELD-floor | full:base=1s,floor=30s | 5 100s | the floor alone is too long
FIELD-saturates | constant:base={MAX}ns,floor={MAX}ns | 5 {MAX} | the smallest total exceeds 2^63
"""
BOUNDS = f"""
base-attempts-most | linear:base=1ns,increment=0s,cap=1000ns | 65536 30ms | 65536 attempts
cap-attempts-most | constant:base=1us | 65536 65534999 | 65536 attempts
base-least | exponential:base=1s,multiplier=1.01 | 3 201 | the multiplier needs a base of at least 100 ns
base-below-least | exponential:base=1s,multiplier=1.01 | 3 200 |
  200 ns are too short for two delays of 100 ns and 101 ns
base-multiplier-one | exponential:base=1s,multiplier=1 | 3 2 | a multiplier of 1 needs no minimum base
base-is-cap | constant:base=1s,cap=5s | 3 {MAX} | the base is at most the cap
base-no-range | constant:base=0s,cap=0s | 2 0 | the cap is below every candidate
base-one | constant:base=1ns,cap=1ns | 2 1 | the cap is the only candidate
base-no-range-to-grow | exponential:base=0s,multiplier=1.01,cap=99ns | 1 1s | the cap is below every base that grows
base-zero | exponential:base=0s,cap=5s | 4 7s | a policy with base 0
base-increment-follows | linear:base=1s | 4 60s | an increment that equals the base follows it
base-increment-given | linear:base=1s,increment=1s | 4 60s |
  an increment that is given and equals the base is not printed, so it follows
base-increment-stays | linear:base=1s,increment=2s | 4 60s | a value that differs from the base stays
base-increment-met | linear:base=1s,increment=10s | 4 60s | a value that the new base equals is not printed
base-throttled-follows | exponential:base=1s,cap=9s | 3 15s | a throttled base that equals the base follows it
base-throttled-given | exponential:base=1s,cap=9s,throttled_base=1s | 3 15s |
  a throttled base that is given and equals the base is not printed, so it follows
base-throttled-stays | exponential:base=1s,cap=9s,throttled_base=2s | 3 15s | a value that differs from the base stays
base-throttled-met | exponential:base=1s,cap=9s,throttled_base=5s | 3 14s |
  a value that the new base equals is not printed
base-additive-too-wide | constant:base=1s,jitter=additive,jitter_max=30s | 3 50s | jitter_max alone is too long
cap-least-base | exponential:base=3s | 5 12s | the cap is at least the base
cap-below-base | exponential:base=3s | 5 12s-1 | a total one nanosecond shorter does not fit
cap-least-offset | exponential:base=1s,offset=4s | 3 8s | the cap is at least the offset
cap-least-floor | full:base=1s,floor=4s | 3 8s | the cap is at least the floor
cap-least-throttled | exponential:base=1s,throttled_base=5s | 5 10s | the cap is at least the throttled base
cap-below-throttled | exponential:base=1s,throttled_base=5s | 5 13s-1 | a total one nanosecond shorter does not fit
cap-not-needed | exponential:base=1s,cap=5s | 5 15s | a policy that fits without a cap
cap-needed | exponential:base=1s,cap=5s | 5 15s-1 | a total one nanosecond shorter needs a cap
cap-zero | constant:base=0s | 5 0 | base and cap 0
"""
