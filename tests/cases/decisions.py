"""Decisions without budgets (SPEC 13), and how they work together with budgets (SPEC 15)."""

from reference.numbers import MAX, WORD_MAX

from cases import budgets, random_operations, retry_afters
from cases.scenario import scenarios


def decision_cases():
    parts = (
        *(
            scenarios(PLAIN),
            retry_afters.decisions(),
            scenarios(TIMES),
            scenarios(ATTEMPTS),
            scenarios(budgets.BUDGETS),
        ),
        *(spared(), scenarios(SHARED), random_operations.decisions()),
    )
    for part in parts:
        for scenario in part:
            yield scenario.case


def spared():
    for reason, policy, deadline in (
        ("max_retries", "constant:base=1s,max_retries=1", ""),
        ("max_elapsed", "constant:base=1s,max_elapsed=1s", ""),
        ("deadline", "constant:base=1s", ":0:1s"),
    ):
        for budget in SPARED.split():
            yield from scenarios(f"""
spared-{budget.split(":")[0]}-{reason}: nothing is spent on a retry that {reason} stops
  {policy} {budget} -> begin{deadline} fail:0,1 #1 begin fail #2 begin fail
""")


SPARED = """
quota:max_tokens=10 ratio:max_tokens=2,ratio=0 rate:max_tokens=2,per=1d ttl:ttl=1s,min_per_second=2,ratio=0
concurrent:min_concurrent=1,ratio=0
"""
# 13.4, without retry_afters, clocks and budgets.
PLAIN = """
success-at-once: one attempt
  default -> begin success:5
success-after-retries: two retries
  default -> begin fail:0,1s success:2s
permanent: a permanent failure is not retried
  default -> begin permanent
permanent-after-retry: a permanent failure ends an operation that was retried
  default -> begin fail permanent:1s
max_retries: three retries, but not a fourth
  default -> begin fail:0,1s,2s,3s
max_retries-zero: no retry
  constant:base=1s,max_retries=0 -> begin fail
max_attempts: max_attempts=1 allows no retry
  constant:base=1s,max_attempts=1 -> begin fail
success-at-the-limit: the last retry may succeed
  constant:base=1s,max_retries=1 -> begin fail success:1s
no-limit: without max_retries, retries do not end
  constant:base=1s -> begin
    fail:0,1s,2s,3s,4s,5s,6s,7s,8s,9s,10s,11s,12s,13s,14s,15s,16s,17s,18s,19s,20s,21s,22s,23s,24s,25s,26s,27s,28s,29s
kinds-of-failure: all three kinds of failure are retried
  none -> begin fail throttled timeout success
after-success: after success nothing changes
  default:max_retries=0 -> begin success:1,2 fail:3:1s permanent:4 cancel:5
after-permanent: after a permanent failure nothing changes
  default:max_retries=0 -> begin permanent:1 success:2 fail:3:1s permanent:4 cancel:5
after-transient: after max_retries nothing changes
  default:max_retries=0 -> begin fail:1 success:2 fail:3:1s permanent:4 cancel:5
cancel-at-once: cancelled before the first attempt is over
  default -> begin cancel cancel:1 success:2
cancel-while-waiting: cancelled during a wait
  default -> begin fail cancel:1 fail:2
stream: no key: the stream is the seed
  full:base=1s,cap=20s no-key -> begin fail*3
one-stream: two operations with one stream have the same delays
  full:base=1s,cap=20s -> begin #1 begin #0 fail*2 #1 fail*3 #0 fail
decorrelated: a retry_after does not change later delays of decorrelated jitter
  decorrelated:base=100ms,cap=20s -> begin fail*2 fail:0:30s fail
throttled_base: throttled failures use the throttled base
  exponential:base=50ms,cap=20s,throttled_base=1s -> begin fail throttled fail timeout throttled*2
throttled_base-aws: throttled failures use the same draw
  aws-sdk-2026:max_retries=6 -> begin #1 begin #0 fail*4 #1 throttled*4
throttled_base-default: the default throttled base is the base
  exponential:base=50ms -> begin throttled*2
throttled_base-zero: a throttled base of 0
  exponential:base=50ms,throttled_base=0s -> begin throttled*2 fail
throttled_base-decorrelated: the whole decorrelated chain grows from the throttled base
  decorrelated:base=50ms,cap=20s,throttled_base=1s -> begin fail*2 throttled*2
throttled_base-linear: the increment stays as it is
  linear:base=1s,increment=10ms,throttled_base=3s -> begin fail*2 throttled*2
throttled_base-linear-default: a default increment stays the base
  linear:base=1s,throttled_base=3s -> begin fail*2 throttled*2
throttled_base-constant: throttled_base with another growth
  constant:base=1s,throttled_base=3s -> begin fail*2 throttled*2
throttled_base-polynomial: throttled_base with another growth
  polynomial:base=1s,throttled_base=3s -> begin fail*2 throttled*2
throttled_base-fibonacci: throttled_base with another growth
  fibonacci:base=1s,throttled_base=3s -> begin fail*2 throttled*2
throttled_base-cap: the cap limits the throttled base's windows
  exponential:base=1s,cap=8s,throttled_base=4s -> begin throttled*3
"""
# 13.4, steps 8 and 9.
TIMES = f"""
max_elapsed-exactly: a wait that ends exactly at the limit
  constant:base=1s,max_elapsed=10s -> begin:100 fail:9s+100
deadline-exactly: a wait that ends exactly at the limit
  constant:base=1s -> begin:100:10s+100 fail:9s+100
max_elapsed-retry_after-exactly: a retry_after that ends exactly at the limit
  constant:base=1ms,max_elapsed=10s -> begin fail:9s:1s
deadline-retry_after-exactly: a retry_after that ends exactly at the limit
  constant:base=1ms,retry_after=exact -> begin:0:10s fail:9s:1s
max_elapsed-by-one: a wait that ends 1 ns after the limit
  constant:base=1s,max_elapsed=10s -> begin:100 fail:9000000101
deadline-by-one: a wait that ends 1 ns after the limit
  constant:base=1s -> begin:100:10s+100 fail:9000000101
max_elapsed-retry_after-by-one: a retry_after that ends 1 ns after the limit
  constant:base=1ms,max_elapsed=10s -> begin fail:9s+1:1s
deadline-retry_after-by-one: a retry_after that ends 1 ns after the limit
  constant:base=1ms,retry_after=exact -> begin:0:10s fail:9s+1:1s
max_elapsed-zero: max_elapsed=0s allows no wait above 0
  constant:base=1ns,max_elapsed=0s -> begin fail
max_elapsed-zero-wait-zero: max_elapsed=0s allows a wait of 0
  constant:base=0s,max_elapsed=0s -> begin fail:0,0,1
max_elapsed-time-back: a time before the start counts as the start
  constant:base=1s,max_elapsed=1s -> begin:50s fail:20s,0,50s+1
max_elapsed-time-back-too-long: a time before the start does not shorten the wait
  constant:base=2s,max_elapsed=1s -> begin:50s fail:20s
max_elapsed-cenkalti: no wait ends after 15 minutes
  cenkalti-v4 -> begin:1s fail:1s,300s,600s,890s,899s,901s
max_elapsed-longest: without max_elapsed a wait may begin later than the longest duration
  none -> begin fail:{MAX},{MAX}+1,{WORD_MAX}
max_elapsed-longest-wait: a wait that ends at the longest duration, and one that ends later
  constant:base=1ns -> begin:7 fail:{MAX}+6,{MAX}+7
max_elapsed-overflow: no limit: the sum exceeds 2^64
  constant:base={MAX}ns -> begin fail:0,1,{WORD_MAX}
max_elapsed-longest-set: the longest max_elapsed is no limit
  constant:base=1s,max_elapsed={MAX}ns -> begin fail:{MAX}-1s,{MAX}-1s+1,{WORD_MAX}
max_elapsed-none: no limit in place of a preset's
  cenkalti-v4:max_elapsed=none -> begin fail:901s,{MAX},{WORD_MAX}
max_elapsed-longest-limit-exactly: {MAX - 1} ns is a limit: a wait that ends exactly at it
  constant:base=1ns,max_elapsed={MAX - 1}ns -> begin fail:{MAX}-2
max_elapsed-longest-limit-by-one: {MAX - 1} ns is a limit: a wait that ends 1 ns after it
  constant:base=1ns,max_elapsed={MAX - 1}ns -> begin fail:{MAX}-1
max_elapsed-longest-limit-overflow: {MAX - 1} ns is a limit: the sum exceeds 2^63
  constant:base=1ns,max_elapsed={MAX - 1}ns -> begin fail:{WORD_MAX}
max_elapsed-longest-limit-wait: a wait one nanosecond above the limit, at the start
  constant:base={MAX}ns,max_elapsed={MAX - 1}ns -> begin fail
max_elapsed-none-deadline: without max_elapsed the deadline still stops a wait
  constant:base={MAX}ns -> begin:5:{WORD_MAX}-1 fail:{MAX},{MAX}+1
max_elapsed-none-retry_after: no limit stops the longest retry_after
  constant:base=1s,retry_after_max=none -> begin fail:1s:{MAX} fail:{WORD_MAX}:{WORD_MAX}
deadline-overflow: the sum exceeds 2^64
  constant:base={MAX}ns -> begin:{WORD_MAX}:{WORD_MAX}-1 fail:{WORD_MAX}
deadline-last-instant: 2^64 - 2 is the last possible deadline
  constant:base=1ns -> begin:{WORD_MAX}-2:{WORD_MAX}-1 fail:{WORD_MAX}-2,{WORD_MAX}-1
deadline-is-none: 2^64 - 1 is no deadline
  constant:base=1h -> begin:{WORD_MAX}-1:{WORD_MAX} fail:{WORD_MAX}-1,{WORD_MAX}
deadline-none-overflow: without a deadline a wait may end after 2^64
  constant:base=1h -> begin:{WORD_MAX} fail:{WORD_MAX}
deadline-past: a deadline before the start
  none -> begin:10:9 fail:10
deadline-now: a wait of 0 ends at the deadline
  none -> begin:10:10 fail:10,11
deadline-zero: 0 is a deadline, not a missing one
  none -> begin:0:0s fail:0,1
deadline-success: a success after the deadline is a success
  default -> begin:0:5 success:10
order-retries-elapsed: max_retries is checked before max_elapsed, and reports no delay
  constant:base=1s,max_retries=0,max_elapsed=0s -> begin:0:0s fail:5
order-elapsed-deadline: max_elapsed is checked before the deadline
  constant:base=1s,max_elapsed=0s -> begin:0:0s fail:5
order-permanent: a permanent failure is checked before all limits
  constant:base=1s,max_retries=0,max_elapsed=0s -> begin:0:0s permanent:5
throttled-elapsed: the delay of the throttled base exceeds max_elapsed
  constant:base=1s,throttled_base=9s,max_elapsed=5s -> begin fail throttled
"""
# 13.4, step 5, 13.9 and 13.10.
ATTEMPTS = f"""
reset_after-exactly: an attempt that ran exactly as long begins the count anew
  exponential:base=1s,reset_after=10s -> begin fail:0 fail:2s fail:5s fail:19s fail:31s
reset_after-by-one: one nanosecond less does not
  exponential:base=1s,reset_after=10s -> begin fail:0 fail:2s fail:5s fail:19s-1
reset_after-first: the first attempt counts from the beginning
  exponential:base=1s,reset_after=10s -> begin:5s fail:15s-1 #1 begin:5s fail:15s fail:20s
reset_after-first-elapsed: so it does for max_elapsed
  constant:base=1s,max_elapsed=1500ms,reset_after=10s -> begin:20s fail:21s
reset_after-max_retries: the retries count anew
  exponential:base=1s,max_retries=1,reset_after=10s -> begin fail:0 fail:11s fail:13s
reset_after-wait-late: a wait that was longer counts as part of the attempt
  exponential:base=1s,reset_after=10s -> begin fail:0 fail:12s
reset_after-stream: no draw repeats
  full:base=1s,cap=1m,reset_after=10s -> begin fail*3 fail:100s,100s,100s
reset_after-decorrelated: a chain begins anew
  decorrelated:base=1s,cap=1m,reset_after=1h -> begin fail*3 fail:2h,2h,2h
reset_after-elapsed: max_elapsed counts anew from the failure
  constant:base=1s,max_elapsed=5s,reset_after=10s -> begin fail:11s,14s,15s,16s,17s
reset_after-deadline: the deadline does not move
  constant:base=1s,reset_after=10s -> begin:0:11s fail:0,11s
reset_after-permanent: a permanent failure is one
  constant:base=1s,reset_after=10s -> begin fail:0 permanent:20s
reset_after-time-back: a clock that goes back
  exponential:base=1s,reset_after=10s -> begin:50s fail:50s,20s,40s
reset_after-longest: the longest limit
  exponential:base=1s,reset_after={MAX - 1}ns -> begin fail:0 fail:1s fail:{MAX}+5s
reset_after-late: a wait that ends after 2^64
  exponential:base=1h,reset_after=1s -> begin:{WORD_MAX} fail:{WORD_MAX},{WORD_MAX}
reset_after-throttled: throttled and timeout count, too
  exponential:base=1s,throttled_base=3s,reset_after=10s -> begin fail:0 throttled:20s fail:20s timeout:90s
reset_after-retry_after: a longer wait moves the beginning of the attempt
  exponential:base=1s,reset_after=10s -> begin fail:0:20s fail:29s fail:45s
reset_after-budget: the budget knows nothing of it
  exponential:base=1s,reset_after=10s quota:max_tokens=12 -> begin fail:0,20s,40s
elapsed_from: max_elapsed counts from the first failure
  constant:base=1s,max_elapsed=5s,elapsed_from=failure -> begin fail:1h fail:1h+4s fail:1h+5s
elapsed_from-throttled: any failure
  constant:base=1s,max_elapsed=5s,elapsed_from=failure -> begin throttled:1h fail:1h+4s+1
elapsed_from-begin: the default
  constant:base=1s,max_elapsed=5s,elapsed_from=begin -> begin fail:1h
elapsed_from-reset: anew after a long attempt
  constant:base=1s,max_elapsed=5s,elapsed_from=failure,reset_after=10s -> begin fail:0,20s,24s,26s
limit-none: without attempt_timeout there is no limit, whatever ends first
  default:max_elapsed=1s -> begin:0:5s limit:0,3s
limit: attempt_timeout, cut by max_elapsed and the deadline
  constant:base=1s,attempt_timeout=4s,max_elapsed=9s -> begin:100s:108s limit:100s,104s,105s,107s+1,108s,109s,110s,200s
limit-deadline: the deadline alone
  constant:base=1s,attempt_timeout=4s -> begin:0:6s limit:0,2s,2s+1,6s-1,6s,7s
limit-elapsed: max_elapsed alone
  constant:base=1s,attempt_timeout=4s,max_elapsed=6s -> begin:1s limit:1s,3s,3s+1,7s-1,7s,8s,0
limit-elapsed_from: max_elapsed does not end before the first failure
  constant:base=1s,attempt_timeout=4s,max_elapsed=6s,elapsed_from=failure -> begin limit:0,3s,1h fail:1h
    limit:1h+1s,1h+3s,1h+6s
limit-reset: after a long attempt
  constant:base=1s,attempt_timeout=1m,max_elapsed=20s,reset_after=10s -> begin limit:0 fail:0 limit:1s,12s fail:30s limit:31s
limit-late: the latest times
  constant:base=1s,attempt_timeout=4s,max_elapsed=9s -> begin:{WORD_MAX}-10s limit:{WORD_MAX}-10s,{WORD_MAX}
limit-late-alone: nothing else ends, however late it is
  constant:base=1s,attempt_timeout=4s -> begin limit:{MAX}-1s,{MAX}
limit-deadline-none: 2^64 - 1 is no deadline
  constant:base=1s,attempt_timeout=4s -> begin:{WORD_MAX}-1s:{WORD_MAX} limit:{WORD_MAX}-1s
limit-shortest: the shortest and the longest limit
  constant:base=1s,attempt_timeout=1ns -> begin limit:0
limit-longest: the longest limit
  constant:base=1s,attempt_timeout={MAX - 1}ns -> begin limit:0
own: the caller's delay in place of the policy's
  full:base=1s,cap=10s,floor=2s,max_retries=3 -> begin own:0:7s own:0:1h own:0:1ns own:0:5s
own-zero: a delay of 0
  default -> begin own:0:0s fail
own-longest: a delay above the longest duration
  constant:base=1s -> begin own:0:{WORD_MAX} fail
own-elapsed: limits of time count
  constant:base=1s,max_elapsed=5s -> begin:0:9s own:0:5s own:1s:4s own:1s:4s+1 #1 begin:0:3s own:0:3s own:0:4s
own-stopped: after the end nothing changes
  default:max_retries=0 -> begin own:0:1s own:0:2s
own-budget: a budget counts
  default quota:max_tokens=5 -> begin own:0:1s own:0:2s
own-reset_after: the attempt begins after the own delay
  exponential:base=1s,reset_after=10s -> begin own:0:1m fail:65s limit:68s,80s fail:80s
"""
# 15.3 beside the other limits, and operations beside each other.
SHARED = """
order-deadline-budget: the deadline is checked before the budget
  constant:base=1s quota:max_tokens=5 -> begin fail #1 begin:0:0s fail #2 begin fail
budget-retry_after: a refusal reports the retry_after's delay
  constant:base=1s concurrent:min_concurrent=0,ratio=0 -> begin fail:0:9s
budget-no-retry: an empty budget does not affect a success
  default concurrent:min_concurrent=0,ratio=0 -> begin success
shared-quota: three operations share a quota
  default quota:max_tokens=20 -> begin #1 begin:1 #2 begin:2 #0 fail:10 #1 fail:11 #2 fail:12 #0 fail:20 #1 fail:21 #2
    success:22 #3 begin:23 fail:24,25
shared-throttle: the failures of others close the throttle
  default grpc-retry -> begin #1 begin #2 begin #3 begin #0 fail:1 #1 fail:1 #2 fail:1 #3 fail:1 #0 fail:2 #1 fail:2 #2
    success:2 #3 success:3
"""
