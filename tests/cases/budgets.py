"""Decisions with each kind of budget alone (SPEC 15.3)."""

from reference.numbers import WORD_MAX

BUDGETS = f"""
quota: two retries of 5, the third is refused
  none quota:max_tokens=14 -> begin fail*3
quota-exactly: a level equal to the cost is enough
  none quota:max_tokens=10 -> begin fail*3
quota-refund: a success refunds the cost of the last retry
  none quota:max_tokens=10 -> begin fail*2 success #1 begin fail*2
quota-refund-last: a success refunds the last cost, not the first and not the sum
  none quota:max_tokens=17,cost=4,cost_timeout=10,cost_throttled=3 -> begin fail timeout throttled success #1 begin fail
quota-one-back: a success without a retry adds one token
  none quota:max_tokens=6 -> begin fail*2 #1 begin fail #2 begin success #3 begin success #4 begin success #5 begin fail
    #6 begin success #7 begin fail*2
quota-full: the level never exceeds max_tokens
  none quota:max_tokens=5 -> begin success #1 begin success #2 begin fail*2
quota-full-success: successes do not save tokens above max_tokens
  none quota:max_tokens=5 -> begin success #1 begin success #2 begin success #3 begin success #4 begin success #5 begin
    success #6 begin fail*2
quota-full-refund: a refund does not save tokens above max_tokens
  none quota:max_tokens=6 -> begin fail #1 begin success #2 begin success #3 begin success #4 begin success #5 begin
    success #0 success #6 begin fail*2
quota-permanent: a permanent failure refunds nothing
  none quota:max_tokens=5 -> begin fail permanent #1 begin fail
quota-cancel: a cancellation refunds nothing
  none quota:max_tokens=5 -> begin fail cancel #1 begin fail
quota-aws: AWS 2026: cost 14, or 5 if throttled
  none aws-sdk-2026:max_tokens=38 -> begin fail throttled timeout throttled*2
quota-refused-then-cheaper: after a refusal, a cheaper retry of another operation is granted
  none quota:max_tokens=10,cost=10,cost_throttled=1 -> begin #1 begin #0 throttled fail #1 throttled
quota-refused-refund: a refused operation refunds nothing
  none quota:max_tokens=5 -> begin fail*2 success #1 begin fail
quota-delay-reported: a refusal reports the delay that will not be waited
  exponential:base=1s quota:max_tokens=5 -> begin fail*2
throttle: gRPC: no retries at half of the tokens and below
  none grpc-retry -> begin fail*5
throttle-half: exactly half is not enough
  none throttle:max_tokens=2 -> begin fail
throttle-odd: half of an odd number
  none throttle:max_tokens=3 -> begin fail*2
throttle-success: a success adds the ratio
  none throttle:max_tokens=4,ratio=0.5 -> begin fail*2 #1 begin success #2 begin success #3 begin success #4 begin fail
throttle-thousandths: each deposit is rounded down to thousandths of a token
  none throttle:max_tokens=3,ratio=0.1501 -> begin fail*2 #1 begin success #2 begin success #3 begin success #4 begin
    success #5 begin success #6 begin success #7 begin success #8 begin success #9 begin success #10 begin success #11
    begin #12 begin #11 fail #12 fail
throttle-two-thirds: a deposit of 2/3 is 666 thousandths
  none throttle:max_tokens=3,ratio=2/3 -> begin fail*2 #1 begin success #2 begin success #3 begin fail #4 begin success
    #5 begin fail
throttle-full: the level never exceeds max_tokens
  none throttle:max_tokens=3,ratio=1 -> begin success #1 begin fail*2
throttle-empty: the level never falls below 0
  none throttle:max_tokens=3,ratio=1 -> begin fail*2 #1 begin fail #2 begin fail #3 begin fail #4 begin success #5 begin
    success #6 begin success #7 begin fail*2
throttle-counts-all: a failure that max_retries stops counts
  constant:base=0s,max_retries=1 throttle:max_tokens=5 -> begin fail*2 #1 begin fail
throttle-counts-stopped: failures count, whatever stops the operation
  constant:base=1s,max_elapsed=1s throttle:max_tokens=4 -> begin fail:1s #1 begin fail:1s #2 begin:1s fail:1s
throttle-permanent: permanent failures and cancellations cost nothing
  none throttle:max_tokens=3 -> begin permanent #1 begin cancel #2 begin fail permanent #3 begin fail
ratio: ten tokens at first
  none sre -> begin fail*12
ratio-begins: five operations add one token
  none ratio:max_tokens=1,ratio=0.2 -> begin fail*2 #1 begin #2 begin #3 begin #4 begin #1 fail #5 begin #2 fail #3 fail
ratio-full: the level never exceeds max_tokens
  none ratio:max_tokens=2,ratio=1 -> begin #1 begin #2 begin #0 fail*3
ratio-third: three deposits of 1/3 make one token
  none ratio:max_tokens=1,ratio=1/3 -> begin fail #1 begin #2 begin #1 fail #3 begin #4 begin #3 fail #5 begin #6 begin
    #7 begin #5 fail
ratio-none: a ratio of 0 never refills
  none ratio:max_tokens=1,ratio=0 -> begin fail #1 begin fail
ratio-success: a success refunds nothing
  none ratio:max_tokens=1,ratio=0 -> begin fail success #1 begin fail
rate: full at first, then one token every 20 s
  none rate:max_tokens=3 -> begin:1s fail:1s,1s,1s #1 begin:1s fail:1s #0 fail:20s #2 begin:21s fail:21s-1 #3 begin:21s
    fail:21s #4 begin:21s fail:21s
rate-full: the level never exceeds max_tokens
  none rate:max_tokens=2,per=1s -> begin fail:0,100s,100s,100s
rate-begins: full at the first retry, at any time
  none rate:max_tokens=1,per=1d -> begin:{WORD_MAX} fail:{WORD_MAX},{WORD_MAX}
rate-long-pause: from the first possible time to the last
  none rate:max_tokens=100000,per=1d -> begin fail #1 begin fail:4611686018427387903 #2 begin:{WORD_MAX} fail:{WORD_MAX}
rate-wraps-signed: time * max_tokens is just above 2^63
  none rate:max_tokens=100000,per=1d -> begin fail #1 begin fail:92233720368548
rate-wraps: time * max_tokens is 2^64, which does not wrap to 0
  none rate:max_tokens=4,per=1d -> begin fail*5 #1 begin fail:4611686018427387904
rate-wraps-uneven: time * max_tokens is 2^64 + 2
  none rate:max_tokens=3,per=1d -> begin fail*4 #1 begin fail:6148914691236517206
rate-time-back: an earlier time does not refill, and its interval does not count twice
  none rate:max_tokens=2,per=2s -> begin:10s fail:10s,10s #1 begin:9s fail:9s #2 begin:11s fail:11s #3 begin:10s
    fail:10s #4 begin:11s fail:11s #5 begin:12s fail:12s
rate-refused-counts: a refused retry updates the latest time
  none rate:max_tokens=1,per=10s -> begin fail:0,4s #1 begin fail:9s #2 begin fail:2s #3 begin fail:10s
rate-uneven: fractions of a token are kept
  none rate:max_tokens=3,per=10ns -> begin fail:0,0,0,4 #1 begin fail:6 #2 begin fail:7,10 #3 begin fail:14 #4 begin
    fail:14
ttl-finagle: 20 retries are within the reserve of 100
  none finagle -> begin fail*20
ttl-reserve: the reserve allows ten retries in ten seconds
  none ttl:min_per_second=1,ratio=0 -> begin fail*11
ttl-deposits: five operations allow one retry
  none ttl:min_per_second=0 -> begin #1 begin #2 begin #3 begin #0 fail #4 begin #1 fail #2 fail #5 begin #6 begin #7
    begin #8 begin #9 begin #3 fail #4 fail
ttl-expiry: a deposit lasts for ten slices, including its own
  none ttl:ttl=1s,min_per_second=0,ratio=1 -> begin #1 begin #2 begin:99ms #0 fail #1 fail:999999999 #2 fail:1s
ttl-expiry-withdrawal: a withdrawal lasts for ten slices, including its own
  none ttl:ttl=1s,min_per_second=1,ratio=0 -> begin fail:50ms #1 begin fail:999ms #2 begin fail:1s #3 begin fail:1999ms
    #4 begin fail:2s
ttl-slices: slices begin at multiples of a tenth of the ttl
  none ttl:ttl=1s,min_per_second=0,ratio=1 -> begin:50ms #1 begin:99ms #2 begin:100ms #0 fail:1s #1 fail:1s #3
    begin:1100ms #2 fail:1100ms #3 fail:1100ms
ttl-odd: a tenth of the ttl is rounded down to a nanosecond
  none ttl:ttl=1000000009ns,min_per_second=0,ratio=1 -> begin:100ms fail:1100ms-1 #1 begin:2100ms-1 fail:3s
ttl-reserve-cut: a reserve with a fraction of a retry
  none ttl:ttl=1500ms,min_per_second=1,ratio=1/3 -> begin fail*2 #1 begin #2 begin #1 fail #3 begin #2 fail
ttl-reserve-parts: a reserve of 9/5 and a deposit of 1/5 allow 2 retries: nothing is rounded
  none ttl:ttl=1800ms,min_per_second=1,ratio=0.2 -> begin fail:1,2,3
ttl-negative: the level of a slice may be negative
  none ttl:ttl=1s,min_per_second=2,ratio=1/2 -> begin fail*3 #1 begin:500ms #2 begin:500ms #1 fail:500ms #2 fail:500ms
    #3 begin:1s fail:1s,1s,1s
ttl-time-back: an earlier time counts in the latest slice
  none ttl:ttl=1s,min_per_second=0,ratio=1 -> begin:5s #1 begin:2s #0 fail:5900ms #1 fail #2 begin fail:6800ms
ttl-refused-counts: a refused retry updates the latest slice
  none ttl:ttl=1s,min_per_second=0,ratio=1 -> begin fail:5s #1 begin #2 begin #1 fail:5900ms #2 fail:6s
ttl-late-write: a late deposit lasts as long as others of the latest slice
  none ttl:ttl=1s,min_per_second=0,ratio=1 -> begin:900ms #1 begin #0 fail:1899ms #1 fail:1899ms #2 begin:1900ms #3
    begin #2 fail:2899ms #3 fail:2900ms
ttl-gap: a long pause clears every slice
  none ttl:ttl=60s,min_per_second=0,ratio=1 -> begin #1 begin:1h fail:2h #2 begin:{WORD_MAX} fail:{WORD_MAX},{WORD_MAX}
ttl-steady: one retry in five operations, continuously
  none ttl:ttl=1s,min_per_second=0 -> begin #1 begin:200ms #2 begin:400ms #3 begin:600ms #4 begin:800ms #0 fail:900ms #5
    begin:1s #1 fail:1s #6 begin:1200ms #7 begin:1400ms #8 begin:1600ms #2 fail:1600ms #9 begin:1800ms #3 fail:1800ms
    #10 begin:2s #4 fail:2s
concurrent: three concurrent retries
  none envoy -> begin #1 begin #2 begin #3 begin #0 fail #1 fail #2 fail #3 fail
concurrent-same: the retries of one operation do not overlap
  none concurrent:min_concurrent=1 -> begin fail*6
concurrent-released: success, permanent failure and cancellation release a retry
  none concurrent:min_concurrent=1,ratio=0 -> begin #1 begin #0 fail success #1 fail permanent #2 begin #3 begin #4
    begin #2 fail #3 fail #2 cancel #4 fail
concurrent-refused: a refused operation holds nothing
  none concurrent:min_concurrent=0,ratio=0 -> begin fail cancel #1 begin fail
concurrent-released-once: an operation that has ended does not release twice
  none concurrent:min_concurrent=1,ratio=0 -> begin fail success #1 begin fail #0 success cancel #2 begin fail
concurrent-released-by-stop: a stop for another reason releases the retry
  constant:base=0s,max_retries=1 concurrent:min_concurrent=1,ratio=0 -> begin #1 begin #0 fail*2 #1 fail
concurrent-part: half of the active operations
  none concurrent:min_concurrent=0,ratio=1/2 -> begin fail #1 begin #2 begin #1 fail #3 begin #2 fail #4 begin #5 begin
    #4 fail #5 fail
concurrent-ended: ended operations are not active
  none concurrent:min_concurrent=0,ratio=1/2 -> begin #1 begin #2 begin #3 begin #0 success #1 permanent cancel #0
    cancel #2 cancel #3 fail #4 begin #5 begin #4 fail #5 fail
concurrent-all: every active operation may retry
  none concurrent:min_concurrent=0,ratio=1 -> begin #1 begin #0 fail #1 fail #0 fail #1 success #0 fail
"""
