"""The member of a shared budget, step by step (SPEC 15.7)."""

import random

from reference import budgets
from reference.members import OUTCOMES, account_text, read_account
from reference.numbers import WORD_MAX

from cases.story import BEGAN, EPOCH, FAILED, SHARED, SUCCEEDED, Story, stories

MS = 10**6
S = 10**9
DAY = 86_400 * S
# The first wait of the first exchange.
FIRST_WAIT = Story("", "", "quota").begin().member.lost(0)


def exchange_cases():
    clauses = (events, requests, cancellations, beginnings, steps, clocks, leases, endings, lost_swaps, pauses, shares)
    more = (processes, first_exchanges, failures, away, lateness, damaged_texts, at_random)
    for clause in clauses + more:
        for story in clause():
            stats = {name: str(number) for name, number in story.member.stats().items()}
            yield story.case | {"stats": stats}


def events():
    """Rule 1."""
    yield from stories("""
events-KIND: every counted event, once and twice, in the steps of KIND
  KIND -> began failed*2 succeeded began succeeded:5*2 request exchange
other-events-quota: the other events count nothing
  quota -> attempt_over:5 operation_ended retry_requested began
other-events-ttl: the other events count nothing
  ttl -> attempt_over:5 operation_ended retry_requested began
other-events-local: the other events change nothing of the local state
  quota local=quota:max_tokens=5 -> retry_requested begin fail request request
held-others: only of a success counts what was held
  COSTS -> began:5 failed:9 exchange
held-each: each cost has its own count, sent in the order of the outcomes
  COSTS text="4 10" -> succeeded:9 succeeded:3 succeeded:5 succeeded exchange
held-same: a cost of several outcomes counts as the first of them
  quota text="4 10" -> succeeded:5 succeeded:5*2 exchange
held-same-late: a cost of the last two outcomes counts as throttled
  quota:cost=5,cost_throttled=7,cost_timeout=7 text="4 10" -> succeeded:7 exchange
held-same-apart: a cost of the first and the last outcome counts as the first of them
  quota:cost=5,cost_throttled=3,cost_timeout=5 text="4 10" -> succeeded:3 succeeded:5*2 exchange
held-unknown: what no outcome gives counts as nothing held
  COSTS text="4 10" -> succeeded:4 succeeded:WORD_MAX succeeded:1 exchange
held-throttle: no retry of throttle gives anything, so all of held counts as 0
  throttle -> succeeded:1 succeeded:5 began exchange
held-ratio: no retry of ratio gives anything, so all of held counts as 0
  ratio -> succeeded:1 succeeded:5 began exchange
held-rate: no retry of rate gives anything, so all of held counts as 0
  rate -> succeeded:1 succeeded:5 began exchange
held-ttl: no retry of ttl gives anything, so all of held counts as 0
  ttl -> succeeded:1 succeeded:5 began exchange
held-order: the order of the six counts, not of the notes
  COSTS text="0 97" -> failed succeeded:9 succeeded began request:timeout exchange
order-throttle: successes come before failures, also if they came after them, and are lost in a full budget
  throttle:max_tokens=10,ratio=1 -> failed*3 succeeded*3 exchange
order-throttle-low: below full, the same successes and failures cancel out
  throttle:ratio=1 text="9 6000" -> failed*3 succeeded*3 exchange
local-begins: the local state sees the operations that begin
  quota local=ratio:max_tokens=1,ratio=1 -> began request begin fail request request began request request
local-fails: the local state sees the failures
  quota local=throttle:max_tokens=4 -> begin fail request failed request failed request
local-refund: a retry of the local budget goes back to it, and earns one token of the shared one
  quota:max_tokens=20 local=quota:max_tokens=7,cost=7 text="5 10" -> begin fail request request succeeded:7:local
    request later:1s exchange
shared-refund: a retry of the shared budget goes back to it, and earns one token of the local one
  quota:max_tokens=20 local=quota:max_tokens=7,cost=5 text="5 10" -> begin fail request succeeded:5 request later:1s
    exchange
local-held-alike: what the local budget gave is not what the shared one gives, also if the numbers are equal
  quota:max_tokens=20 local=quota:max_tokens=10 text="5 10" -> begin fail request succeeded:5:local succeeded:5 request
    later:1s exchange
local-held-none: nothing held, of either budget, is one count
  quota local=quota text="5 10" -> succeeded:0:local succeeded exchange
local-rate: the local state has the times of the process, the shared one those of the store
  rate local=rate -> at:5s request exchange begin fail request later:500ms request
local-ttl: the slices of the local state are of the process's clock
  ttl local=ttl:min_per_second=0,ratio=1 -> began*2 begin fail request at:9s begin fail request request at:12s began
    begin fail request request
note-cap-here: counts above 100 while it is not
  throttle -> failed*99 failed failed began*101 succeeded*150 later:1s exchange
note-cap-away: counts above 100 while the store is away
  throttle -> begin fail failed*99 failed failed began*101 succeeded*150 later:1s exchange
note-caps-others: a note while the store is away caps every count, not only its own
  throttle timeout=1s -> failed*150 begin began*130 at:1s succeeded step stored
""")


def requests():
    """Rule 2."""
    yield from stories("""
request-transient: one request after transient
  COSTS -> request exchange
unused-transient: an unused retry of transient is granted at once
  COSTS lease=3 -> request exchange request request:throttled request:timeout request request
request-throttled: one request after throttled
  COSTS -> request:throttled exchange
unused-throttled: an unused retry of throttled is granted at once
  COSTS lease=3 -> request:throttled exchange request:throttled request request:timeout request:throttled
    request:throttled
request-timeout: one request after timeout
  COSTS -> request:timeout exchange
unused-timeout: an unused retry of timeout is granted at once
  COSTS lease=3 -> request:timeout exchange request:timeout request request:throttled request:timeout request:timeout
unused-away: unused retries are granted while the store is away, then the local budget
  quota lease=3 -> request exchange begin fail request*2 request*2 request
unused-with-exchange: unused retries are granted while an exchange is under way
  quota lease=3 -> request exchange begin request step request request stored exchange
request-success: no retry may be requested
  quota lease=2 -> request exchange request:success begin fail request:success
request-permanent: no retry may be requested
  quota lease=2 -> request exchange request:permanent begin fail request:permanent
waits-unanswered: requests wait until the exchange has ended
  quota -> request*3 begin step request*2 stored exchange
request-local-refused: the local budget refuses
  quota local=ratio:max_tokens=1 -> begin fail request request:throttled request:timeout
request-local-costs: the local budget has costs of its own
  COSTS local=quota:max_tokens=9,cost_timeout=4 -> begin fail request:timeout request request
request-overdue: a store that answers too late is away before it fails
  quota timeout=1s -> request begin at:1s-1 request at:1s request:throttled fail request request
request-after-away: after the store was away requests wait again
  quota -> begin fail request later:1s-1 request later:1 request exchange
request-oldest: the oldest are granted; the newer ones wait for the next exchange
  quota:max_tokens=10 -> request*3 begin step request*2 stored exchange
request-takes-lease: a request that comes after the steps takes a lease of them
  quota lease=3 -> request begin step request*2 request stored exchange
request-other-outcome: a lease of another outcome is none
  COSTS lease=3 -> request begin step request:timeout stored exchange
""")


def cancellations():
    """Rule 2."""
    yield from stories("""
cancel-OUTCOME: cancelled before the exchange, which is then not due
  COSTS -> request:OUTCOME cancel:OUTCOME request:OUTCOME request:OUTCOME cancel:OUTCOME exchange
cancel-before-step: cancelled before the steps, so it is not asked
  quota -> request*2 begin cancel step stored
cancel-all: every request is cancelled before the steps
  quota -> request*2 begin cancel cancel step stored
cancel-granted: cancelled after the steps granted it: without a lease the grant is lost
  quota -> request*2 begin step cancel stored request
cancel-granted-lease: cancelled after the steps granted it: the grant is left for another
  quota lease=2 -> request*2 begin step cancel stored request request
cancel-most-left-1: of grants left over 15 become unused
  quota lease=1 -> request*20 begin step (cancel)*20 stored request*15 request
cancel-most-left-16: of grants left over 15 become unused
  quota lease=16 -> request*20 begin step (cancel)*20 stored request*15 request
cancel-most-left-17: of grants left over 16 become unused
  quota lease=17 -> request*20 begin step (cancel)*20 stored request*16 request
cancel-most-left-19: of grants left over 18 become unused
  quota lease=19 -> request*20 begin step (cancel)*20 stored request*18 request
cancel-refused: cancelled after the steps refused it: one less is refused
  quota:max_tokens=5 -> request*3 begin step cancel stored request
cancel-refused-all: all that were refused are cancelled; then one that was granted
  quota:max_tokens=5 -> request*2 begin step cancel cancel stored
cancel-newer: cancelled after the steps refused one: nobody is refused, and the one that waits is asked again
  quota:max_tokens=5 -> request*2 begin step request cancel stored exchange
cancel-grant-for-newer: the grant of a cancelled request goes to one that came later
  quota -> request begin step cancel request stored
cancel-between-swaps: cancelled after a lost swap: the next steps do not ask it
  quota:max_tokens=5 -> request*3 begin step lost cancel step stored
cancel-other: cancelled after one outcome, which changes nothing for the others
  COSTS text="0 4" -> request request:throttled request:timeout begin step cancel:throttled stored
""")


def beginnings():
    """Rule 3."""
    yield from stories("""
due-request: a waiting request, and nothing else, is due
  quota -> began request begin request step stored exchange
due-counts: 100 events are due, 99 are not
  throttle -> failed*50 began*49 succeeded exchange
due-old: one event is due after 30 s, not before, and the pause ends first
  throttle -> begin step lose:3 stored failed later:30s-1 began later:1 operation_ended exchange failed
due-old-again: the 30 s are those of the first event since the last exchange
  throttle -> failed later:29s exchange later:1s failed later:29s failed later:1s failed exchange
due-old-steps: events after the steps are younger than those that were sent
  throttle -> failed begin step later:500ms failed stored later:30s-1 began later:1 began exchange
due-old-away: old events are due again when the store is back
  throttle -> failed later:31s begin step fail began later:1s-1 began later:1 began exchange
due-old-failed: after a failure the time is that of the event that came since
  throttle -> failed later:31s begin step began fail later:1s began later:28s began later:1s began exchange
due-counts-each: the sum is of all six counts
  COSTS -> began*20 succeeded*20 succeeded:5*20 succeeded:3*20 succeeded:9*10 failed*9 failed
due-away: events are not due while the store is away, but after it
  throttle -> failed*100 begin fail later:1s-1 began later:1 began
due-under-way: nothing is due while an exchange is under way, also if it is too late
  throttle -> begin failed*100 request at:1s failed step stored later:1s failed
flush-empty: a flush with nothing to send changes nothing
  quota -> exchange store:"3 7" exchange
flush-KIND: a flush of one event
  KIND -> began failed succeeded exchange exchange
flush-away: a flush begins an exchange also while the store is away
  throttle -> failed begin fail later:1ms begin request step stored request
""")


def steps():
    """Rules 4.2 and 4.3."""
    yield from stories("""
ask-KIND: a retry of KIND is requested after each outcome, in the order of the outcomes
  KIND clock=EPOCH -> request:timeout request:throttled request request:timeout began exchange request exchange
ask-mixed: each outcome has its cost
  COSTS text="7 31" -> request:timeout request request:throttled request:timeout request request:throttled exchange
ask-cheaper: what is refused to one outcome may be granted to a cheaper one
  COSTS text="7 4" -> request*2 request:throttled*2 request:timeout exchange
ask-some: the oldest of one outcome are granted, the others refused
  quota text="1 17" -> request*5 exchange
ask-after-events: the events come before the requests, and pay for one
  quota text="1 4" -> request succeeded exchange
ask-after-failures: failures that came after the request refuse it
  throttle text="1 6000" -> request failed exchange
text-other-member: the state is that of the store, not of the last exchange
  quota lease=2 -> request exchange store:"90 3" request request exchange
text-gone: a key that is gone is a full budget again
  quota:max_tokens=10 -> request*2 exchange store:none request exchange
version-wraps: after the last version comes 0
  quota text="WORD_MAX 100" -> request exchange
unchanged: a state that the steps do not change needs no swap
  quota:max_tokens=5 text="8 0" -> request exchange
unchanged-none: nothing stored, and nothing changed: nothing is stored
  throttle -> began succeeded request exchange
changed-back: the same level with another version is another state
  quota:cost=1 text="8 50" -> succeeded request exchange
rate-refused: a refused request changes the last time of rate
  rate:max_tokens=1 clock=EPOCH -> request*2 exchange later:1s request exchange later:59s request exchange
ttl-slices: requests and operations in the slices of the store's clock
  ttl:min_per_second=0,ratio=1 -> began*3 request exchange later:9s request exchange later:2s began request exchange
storm: 5,000 failures while an exchange is under way are all counted
  throttle -> failed request begin step failed*5000 stored request exchange request exchange
many-2000: a slow exchange: the events of its time go with the next one
  COSTS timeout=20s -> request begin at:1s began*2000 succeeded:3*40 failed*2000 step at:8s succeeded*2000 failed*2000
    request stored exchange
many-20000: a slow exchange: the events of its time go with the next one
  COSTS timeout=20s -> request begin at:1s began*20000 succeeded:3*400 failed*20000 step at:8s succeeded*20000
    failed*20000 request stored exchange
under-way-stored: events before the steps are sent by them, those after it are counted
  throttle -> begin failed step failed*2 began stored exchange
disagreement-outcome: the lease of each outcome is its own: the third request takes the unused one, and the store holds
  4 72
  quota:max_tokens=100,cost=5,cost_timeout=9 lease=2 -> request exchange request:timeout exchange request
disagreement-order: 3 tokens for two outcomes: both requests first, then one lease of the first outcome
  ratio:max_tokens=3,ratio=0 lease=3 -> request:throttled request exchange request request:throttled exchange
""")


def clocks():
    """Rule 4.1."""
    for name, ahead, what in [
        ("behind", -5 * S, "is before the store's clock"),
        ("same", 0, "is the store's clock"),
        ("59s", 59 * S, "is 59 s ahead, which clocks may differ"),
        ("60s", 60 * S, "is exactly 60 s ahead, which clocks may differ"),
        ("60s1", 60 * S + 1, "is more than 60 s ahead, and becomes the time"),
        ("day", DAY, "is a day ahead, and becomes the time"),
    ]:
        yield from stories(f"""
rate-{name}: the last time of rate {what}
  rate:max_tokens=2 text="6 0 {EPOCH + ahead}" clock=EPOCH -> request exchange later:30s request exchange
""")
    for name, ahead, what in [
        ("behind", -12 * S, "is long ago"),
        ("9s", -9 * S, "is the ninth before this one"),
        ("same", 0, "is that of the store's clock"),
        ("59s", 59 * S, "is 59 s ahead"),
        ("60s", 60 * S, "is exactly 60 s ahead"),
        ("61s", 61 * S, "is one more than 60 s ahead, and becomes that of the time"),
        ("day", DAY, "is a day ahead, and becomes that of the time"),
    ]:
        text = f"6 {(EPOCH + ahead) // S} 1 0 0 2 0 0 0 -1 0 0"
        yield from stories(f"""
ttl-{name}: the latest slice of ttl {what}
  ttl:min_per_second=0,ratio=1 text="{text}" clock=EPOCH -> began request*4 exchange later:30s request exchange
""")
    yield from stories(f"""
ttl-part-of-slice: slices are compared, not times: a slice that contains the time 60 s later stays
  ttl:ttl=60s,min_per_second=0,ratio=1 text="6 {(EPOCH + 60 * S) // (6 * S)} 1 1 1 1 1 1 1 1 1 1" clock=EPOCH -> request
    exchange
ttl-part-next: the slice after it does not
  ttl:ttl=60s text="6 {(EPOCH + 66 * S) // (6 * S)}{" 1" * 10}" clock=EPOCH -> request exchange
rate-version: a corrected time is one version, and the request another
  rate:max_tokens=2 text="18446744073709551614 70000000000 {EPOCH + DAY}" clock=EPOCH -> request exchange
rate-corrected-only: a flush stores the corrected time of rate
  rate text="WORD_MAX 5 {EPOCH + DAY}" clock=EPOCH -> exchange exchange
rate-last: a time before the last time of a clock is not ahead of it, of rate
  rate:max_tokens=2 text="6 0 {2**64 - 1 - 10 * S}" clock=WORD_MAX -> request exchange
ttl-last: a slice before the last one of a clock is not ahead of it, of ttl
  ttl:min_per_second=0,ratio=1 text="6 {(2**64 - 1) // S} 1 0 0 2 0 0 0 -1 0 0" clock=WORD_MAX -> request exchange
ttl-level: a level of ttl is no time
  ttl text="9 {EPOCH // S} MAX 0 0 0 0 0 0 0 0 0" clock=EPOCH -> exchange
ttl-corrected-only: a flush stores the corrected slices of ttl
  ttl text="9 WORD_MAX 0 0 0 0 0 0 0 0 0 7" clock=EPOCH -> exchange exchange
rate-back: the store's clock goes back by 10 s, by 61 s and by a day, of rate
  rate clock=EPOCH -> request exchange clock:-10s began request exchange clock:-61s began request exchange clock:-1d
    began request exchange later:1s request exchange
rate-zero: the store's clock is 0, of rate
  rate clock=0 -> request exchange request exchange
ttl-back: the store's clock goes back by 10 s, by 61 s and by a day, of ttl
  ttl clock=EPOCH -> request exchange clock:-10s began request exchange clock:-61s began request exchange clock:-1d
    began request exchange later:1s request exchange
ttl-zero: the store's clock is 0, of ttl
  ttl clock=0 -> request exchange request exchange
""")


def leases():
    """Rules 4.4 and 5."""
    yield from stories("""
lease-FEW-KIND: a lease of FEW of KIND
  KIND lease=FEW clock=EPOCH -> began request*2 exchange request request:timeout exchange
lease-1000-KIND: a lease of 1000 of KIND
  KIND lease=1000 clock=EPOCH -> began request*2 exchange request*2
lease-all: the largest lease of a budget that has it, used up
  quota:max_tokens=1000000 lease=1000 -> request exchange request*999 request exchange
lease-refused: no lease if one of the requests was refused
  quota lease=3 text="2 7" -> request*2 exchange request exchange
lease-rest: the lease ends at the first refusal
  quota lease=5 text="2 17" -> request exchange request*2 request exchange
lease-none-asked: no lease of an outcome that nobody asked for
  COSTS lease=2 -> began exchange request:throttled exchange request:throttled
lease-each: the leases come after all requests, in the order of the outcomes
  COSTS lease=3 text="0 37" -> request:timeout request:throttled request exchange request request request:throttled
lease-one-refused: an outcome that was refused has no lease; another one has
  COSTS lease=2 text="0 14" -> request:timeout request:throttled request exchange request:throttled
lease-again: the next lease is whole again once nothing is unused
  quota lease=3 -> request exchange request*2 request exchange request*2 request
contended-KIND: a pause lets a request of KIND take more along
  KIND clock=EPOCH -> begin step lose:3 stored request exchange request request later:1s request:timeout exchange
    request
contended-16: after the request the account would grant 16 more: one is taken along
  quota:max_tokens=17,cost=1 timeout=3s -> begin step lose:5 stored request exchange request request
contended-15: after the request the account would grant 15 more: none
  quota:max_tokens=16,cost=1 timeout=3s -> begin step lose:5 stored request exchange request request
contended-47: after the request the account would grant 47 more: two
  quota:max_tokens=48,cost=1 timeout=3s -> begin step lose:5 stored request exchange request request
contended-10000: after the request the account would grant enough for all
  quota:max_tokens=10001,cost=1 timeout=3s -> begin step lose:5 stored request exchange request request
contended-lost-LOST: the pause after LOST lost swaps
  throttle timeout=3s -> begin step lose:LOST stored request exchange request request
contended-shrinks: a pause that shrinks lets a request take fewer along
  throttle timeout=3s -> begin step lose:3 stored (request:throttled exchange)*16
contended-lease-3: the larger of both
  throttle lease=3 timeout=3s -> begin step lose:3 stored request request:timeout exchange request request
contended-lease-12: the larger of both
  throttle lease=12 timeout=3s -> begin step lose:3 stored request request:timeout exchange request request
contended-lost: computed again after a lost swap, from what is left
  quota:max_tokens=60,cost=1 timeout=3s -> begin step lose:5 stored request begin step store:"7 40" lost step stored
    request request request
contended-none: without a pause nothing is taken along
  throttle -> begin step lost step stored exchange request exchange
lease-kept: what is unused stays through an exchange that does not ask for it
  COSTS lease=3 -> request exchange request:timeout failed exchange request*2 request
lease-late-requests: requests after the steps take the lease, and more of them wait
  quota lease=4 -> request*2 begin step request*5 stored exchange request
lease-lost: a lost swap gives no lease
  quota lease=3 -> request begin step lost store:"1 5" step stored request
""")


def endings():
    """Rule 5, and the time of an exchange."""
    yield from stories("""
timeout-less: an exchange that takes one ns less than the timeout
  quota lease=2 -> request exchange:1s-1 request request
timeout-exact: an exchange that takes the timeout is stored, and the store is away
  quota lease=2 -> request exchange:1s request request later:1s-1 request later:1 request
timeout-more: an exchange that takes longer
  quota -> request*2 exchange:5s request later:1s request
timeout-unchanged: an exchange without a swap may take too long as well
  quota text="0 0" -> request exchange:1s request later:1s request
timeout-waiting: those that still wait then are requested again, of the local budget
  quota:max_tokens=5 -> request*2 begin step request*2 later:1s stored request*2 later:1s request exchange
timeout-caps: an exchange that takes too long caps the counts of its time
  throttle -> failed*150 begin step failed*120 began*99 later:1s stored later:1s exchange
timeout-zero: with a timeout of 0 every exchange is too long
  quota timeout=0 -> exchange begin request step stored later:1s request begin step stored
timeout-one: with a timeout of 1 ns one that ends at once is not
  quota timeout=1 -> exchange request exchange request exchange:1
timeout-most: the longest timeout
  quota timeout=MAX -> at:1s request exchange:1d failed request begin lost step stored
""")


def lost_swaps():
    """Rule 6."""
    yield from stories(f"""
lost-once: a lost swap: the steps again, on what another process stored
  quota -> succeeded request begin step store:"1 4" lost step stored
lost-grants-less: after a lost swap fewer requests are granted
  quota:max_tokens=20 -> request*4 begin step store:"1 11" lost step stored
lost-grants-more: after a lost swap more requests are granted
  quota:max_tokens=20 text="0 5" -> request*4 begin step store:"1 16" lost step stored
lost-more-events: the steps after a lost swap have the events of its wait too
  throttle text="0 9000" -> failed*2 begin step failed succeeded lost began store:"1 8000" step failed stored exchange
lost-more-requests: the steps after a lost swap have the requests of its wait too
  COSTS lease=2 -> request begin step request:timeout lost request step stored
lost-other-exchange: the waits of the second exchange are those of another stream
  quota -> request begin step lose:3 stored request begin step lose:3 stored request begin step lose:2 stored
lost-seed-SEED: the waits of the seed SEED
  quota timeout=10s seed=SEED -> begin lose:9 stored request begin lose:2 stored
lost-counts-exchanges: an exchange that failed, and one without a swap, have numbers
  quota -> begin fail exchange request begin step lost step stored
lost-restarts: the waits of an exchange begin with index 0
  quota timeout=10s -> begin lose:6 stored begin lose:2 stored
lost-until-timeout: swaps are lost until the timeout: the exchange fails, and nothing is stored
  throttle timeout=50ms -> exchange failed*120 began request begin step lose-all request later:1s exchange
lost-ends-0: the wait would end at the timeout, so the exchange fails
  quota -> request begin step at:{S - FIRST_WAIT} lost request
lost-ends-1: the wait would end one ns before the timeout
  quota -> request begin step at:{S - FIRST_WAIT - 1} lost step stored
lost-after-timeout: the swap is lost after the timeout
  quota -> began request begin step later:2s lost request later:1s exchange
lost-then-unchanged: after a lost swap nothing is left to change
  quota text="0 9" -> request begin step store:"1 0" lost step stored
""")


def pauses():
    """Rule 9. The budgets are too small to be contended for (rule 4.4)."""
    yield from stories("""
pause-TIMES: the pause after an exchange that lost TIMES swaps
  quota:max_tokens=50 timeout=3s -> request begin step lose:TIMES stored request later:due-1 request later:1 exchange
pause-longest: no pause is longer than a third of the timeout
  quota:max_tokens=50 timeout=1s+1 -> begin step lose:9 stored request exchange begin step lose:9 stored request
pause-short-timeout: a third of the timeout is less than a millisecond
  quota:max_tokens=50 timeout=2ms -> exchange begin step lost:no-wait step stored request
pause-grows: pauses grow with the swaps of several exchanges
  quota:max_tokens=50 timeout=10s -> (request begin step lose:2 stored)*4 request
pause-shrinks: an exchange that lost no swap leaves seven eighths
  quota:max_tokens=50 timeout=10s -> begin step lose:4 stored (request later:due exchange)*12 request
pause-forgets: the pause shrinks to nothing
  throttle timeout=10s -> begin step lost step stored (begin step stored)*130 request
pause-flush: a flush begins within the pause, which ends later then
  quota:max_tokens=50 timeout=3s -> begin step lose:5 stored later:1ms begin step stored request
pause-events: 100 events wait for the end of the pause, too
  throttle timeout=3s -> begin step lose:3 stored began*99 failed later:due exchange
pause-failed-0: after 0 lost swaps, an exchange that failed
  quota:max_tokens=50 timeout=3s -> begin step lose:3 stored begin step lose:0 fail later:1s request exchange request
pause-failed-2: after 2 lost swaps, an exchange that failed
  quota:max_tokens=50 timeout=3s -> begin step lose:3 stored begin step lose:2 fail later:1s request exchange request
pause-under-way: nothing is due while an exchange is under way
  quota:max_tokens=50 timeout=3s -> begin step lose:3 stored request begin request step stored
pause-seed-SEED: the pauses of the seed SEED
  quota:max_tokens=50 timeout=3s seed=SEED -> begin step lose:3 stored request begin step lose:1 stored request
pause-away: the pause ends while the store is away
  quota:max_tokens=50 -> begin step lose:4 stored begin fail later:1s request
""")


def shares():
    """Rules 1 and 2: the local budget decides for all processes, and this one gets its part."""
    yield from stories("""
share-PROCESSES: the store is away
  quota local=ratio:max_tokens=9 fallback=PROCESSES seed=6 -> begin fail (request)*12
share-seed-SEEDS: the seed says which
  quota local=ratio:max_tokens=4 fallback=3 seed=SEEDS -> begin fail (request)*7
share-local-quota-30: all processes do the same
  quota local=quota:max_tokens=30 fallback=4 -> ALIKE
share-local-quota-9: all processes do the same
  quota local=quota:max_tokens=9 fallback=4 -> ALIKE
share-local-throttle-12: all processes do the same
  quota local=throttle:max_tokens=12 fallback=4 -> ALIKE
share-local-ratio: all processes do the same
  quota local=ratio fallback=4 -> ALIKE
share-local-rate-8: all processes do the same
  quota local=rate:max_tokens=8 fallback=4 -> ALIKE
share-local-ttl: all processes do the same
  quota local=ttl fallback=4 -> ALIKE
share-many: the clock of a rate deals out its retries in turn
  quota local=rate:max_tokens=1,per=1s fallback=5 -> begin fail (request later:1s begin fail)*12
share-holds: what is refused holds nothing, and is spent
  ratio local=COSTS fallback=12 -> begin fail request request:timeout request:throttled request succeeded:5:local
    request request
share-later: grants are counted also of an earlier time
  quota lease=3 fallback=2 -> begin fail request request later:1s request exchange request begin fail request request
    request request
share-refuse: unused retries are granted, and no others
  quota lease=3 fallback=WORD_MAX -> request exchange begin fail request*2 request:timeout request succeeded:5
    later:1s request exchange
share-refuse-waiting: what waits is refused when the store goes away
  quota fallback=WORD_MAX -> request request:timeout begin step fail request request:timeout
share-counted-the-seventh-in-this-slice: the seventh in this slice
  quota local=ratio:max_tokens=30 fallback=0 text="0 500 | 16 6 2" -> began exchange begin fail (request)*15
share-counted-more-processes-in-the-slice-before: more processes in the slice before
  quota local=ratio:max_tokens=30 fallback=0 text="0 500 | 16 1 7" -> began exchange begin fail (request)*15
share-counted-the-number-of-the-last-slice: the number of the last slice
  quota local=ratio:max_tokens=30 fallback=0 text="0 500 | 15 7 9" -> began exchange begin fail (request)*15
share-counted-the-only-one-lately: the only one lately
  quota local=ratio:max_tokens=30 fallback=0 text="0 500 | 14 7 9" -> began exchange begin fail (request)*15
share-counted-the-only-one-of-a-text-without-numbers: the only one of a text without numbers
  quota local=ratio:max_tokens=30 fallback=0 text="0 500" -> began exchange begin fail (request)*15
share-unseen: nothing is known of other processes, so this one is the only one
  quota local=ratio fallback=0 -> begin fail request request
share-lost: a lost swap tells of the others, too
  quota local=ratio:max_tokens=9 fallback=0 -> begin step store:"1 499 | 16 2 0" lost step fail (request)*6 later:1s
    store:"1 499 | 16 1 1" exchange begin fail request request
""")


def processes():
    """Rules 4.5 and 5: the account counts the processes that exchange."""
    for name, text, what in [
        ("none", "", "the first in a new account"),
        ("state", "3 40", "the first in an account without numbers"),
        ("same", "3 40 | 100 4 9", "the next in the slice"),
        ("next", "3 40 | 99 4 9", "the first in the next slice, after the 4 of the last one"),
        ("later", "3 40 | 98 4 9", "the first after a slice without any"),
        ("ahead", "3 40 | 101 4 9", "the next of a slice that another clock has begun"),
        ("far", "3 40 | 102 4 9", "a slice that no clock can have begun is forgotten"),
        ("first", "3 40 | 0 4 9", "the slice 0 is long ago"),
        ("last", "3 40 | WORD_MAX 4 9", "the last slice is none that a clock has begun"),
        ("most", "3 40 | 100 1000000 1000000", "no more than a million are counted"),
    ]:
        text = text and f'text="{text}"'
        yield from stories(f"""
processes-{name}: {what}
  quota:max_tokens=50 fallback=0 {text} clock=6000s -> request exchange request exchange later:60s began exchange
""")
    yield from stories("""
processes-zero: the store's clock is in the slice 0
  quota fallback=0 clock=0 -> exchange exchange later:60s exchange
processes-again: counted once in each slice, and once more in a later one
  quota fallback=0 -> (later:20s exchange)*7 later:180s exchange
processes-back: the store's clock goes back by one slice, and by two
  quota fallback=0 -> exchange (clock:-60s exchange)*2 clock:-180s exchange store:"5 100 | 9 8 7" exchange
processes-gone: a key that is gone counts nobody, and this one again
  quota fallback=0 -> exchange store:none exchange exchange
processes-lost: after a lost swap this one is counted in what is there then
  quota fallback=0 -> begin step store:"1 9 | 16 3 0" lost step stored exchange begin step store:"1 9 | 17 5 2" lost
    step stored exchange
processes-failed-not: a count that was not stored is made again
  quota fallback=0 -> begin step fail later:1s exchange exchange
processes-unknown-made: a count of which nobody knows is not made again
  quota fallback=0 text="3 40 | 16 4 0" -> (begin step store:after fail:stored later:1s)*3 exchange later:60s exchange
processes-unknown-not: a count of which nobody knows is missing until the next slice, if it was not stored
  quota fallback=0 text="3 40 | 16 4 0" -> (begin step store:"3 40 | 16 4 0" fail:stored later:1s)*3 exchange later:60s
    exchange
processes-unknown-gone: an account that counts nobody does not count this one
  quota fallback=0 -> exchange store:"1 9 | 16 0 3" exchange exchange
processes-fallback: counted whatever the fallback is
  quota fallback=WORD_MAX -> exchange exchange
processes-only: a state that has not changed is stored with another count
  quota text="0 0" -> request exchange request exchange
""")
    for number, text in enumerate(
        [
            "3 40 |", "3 40 | ", "3 40 | 16", "3 40 | 16 1", "3 40 | 16 1 1 1", "3 40 | 16 1 1 ", "3 40  | 16 1 1",
            "3 40| 16 1 1", "3 40 |16 1 1", "3 40 |  16 1 1", "3 40 | 16 1 -1", "3 40 | 16 01 1", "3 40 | 16 1 x",
            "3 40 | 16 1000001 1", "3 40 | 16 1 1000001", f"3 40 | {WORD_MAX + 1} 1 1", "| 16 1 1", " | 16 1 1",
            "3 51 | 16 1 1", "3 40 | 16 1 1 | 16 1 1", "3 40 | 16 1 1\n", "3 40 | 16\t1 1", "3 40 | +16 1 1",
        ]
    ):  # fmt: skip
        story = Story(f"damaged-processes-{number}", "a text that is no account", "quota:max_tokens=50", text=text)
        yield story.tell("failed request begin step fail request")


def first_exchanges():
    """The timeout of the first exchange is at least 1 s, which a connection may take."""
    yield from stories("""
first-slow: the first exchange takes nearly a second; the next may not
  quota timeout=100ms -> request exchange:1s-1 request exchange:100ms-1 request exchange:100ms request
first-late: the first exchange takes a second
  quota timeout=100ms -> request begin later:100ms request step later:1s-100ms request stored request
first-events: the first exchange was one of events
  throttle timeout=100ms -> failed later:2s exchange:500ms request begin later:100ms request step stored
first-failed: the first exchange failed: the next has the timeout
  quota timeout=100ms -> request begin later:500ms fail later:1s request begin later:100ms request fail
first-lost: the first exchange loses swaps for longer than the timeout
  quota timeout=100ms -> request begin step lose-all request
first-pause: the pause is a part of the timeout, not of the second
  quota timeout=100ms -> request begin step lose:8 stored request
first-TIMEOUT: a timeout near a second
  quota timeout=TIMEOUT -> request begin later:1s-1 request later:1 request later:1 request
""")


def failures():
    """Rule 7."""
    for kind in SHARED:
        yield from stories(f"""
failed-not-{kind}: what was sent is counted again; what came later is counted
  {kind} clock=EPOCH -> began*2 failed succeeded:5 request begin step began failed succeeded:5 fail request later:1s
    exchange
failed-stored-{kind}: what was sent is forgotten; what came later is counted
  {kind} clock=EPOCH -> began*2 failed succeeded:5 request begin step began failed succeeded:5 fail:stored request
    later:1s exchange
""")
    yield from stories("""
failed-load: a load that failed: nothing was sent yet
  throttle -> failed*3 request begin failed fail request later:1s exchange
failed-all-counts: each of the six counts is counted again
  COSTS text="0 0" -> began succeeded*2 succeeded:5*3 succeeded:3*4 succeeded:9*5 failed*6 begin step fail later:1s
    exchange
failed-cap-not: up to 100 of each event: both together are kept
  throttle:max_tokens=1000 -> failed*70 began*180 begin step failed*60 succeeded*101 fail later:1s exchange
failed-lost-not: failed after a lost swap
  throttle -> failed begin step failed lost step began fail later:1s exchange
failed-cap-stored: up to 100 of each event: what came since is kept
  throttle:max_tokens=1000 -> failed*70 began*180 begin step failed*60 succeeded*101 fail:stored later:1s exchange
failed-lost-stored: failed after a lost swap
  throttle -> failed begin step failed lost step began fail:stored later:1s exchange
failed-lost-load: the load after a lost swap failed
  throttle -> failed*2 request begin step lost failed fail later:1s exchange
failed-twice: failures again and again lose nothing
  throttle -> failed*3 (begin step fail later:1s)*3 exchange
failed-grants: the grants of an exchange that failed are lost, those before it are not
  quota lease=3 -> request exchange request begin step fail:stored request request later:1s request exchange
failed-waiting: all that wait are requested again, of the local budget
  COSTS local=ratio:max_tokens=3 -> request:timeout request begin step request request:throttled fail request*2
    request:throttled request:timeout later:1s request exchange
failed-cancelled: nothing waits when the exchange fails
  quota -> request begin step cancel fail later:1s began
failed-overdue: the second is from the failure, not from the timeout
  quota -> request begin at:5s fail request at:6s-1 request at:6s request
""")


def away():
    """Rule 9."""
    yield from stories("""
away-second: away until exactly 1 s later
  quota local=ratio:max_tokens=10 -> at:3s begin fail began later:1s-1 request later:1 request exchange later:1 request
    exchange
away-again: away, back, and away again
  quota local=ratio:max_tokens=10 -> (request begin fail request later:1s)*3 request exchange
away-longer: a flush that fails while the store is away starts the second again
  quota -> begin fail later:500ms begin fail later:500ms request later:500ms request
away-flush-stored: a flush that is stored while the store is away does not end it
  quota -> begin fail later:500ms exchange request later:500ms request
away-counts: events are counted while the store is away, up to 100 of each
  COSTS -> begin fail began*250 succeeded*250 succeeded:5*250 succeeded:3*250 succeeded:9*250 failed*250 later:1s failed
    exchange
away-back-more: after it the counts grow above 100 again
  throttle:max_tokens=1000 -> begin fail failed*150 later:1s failed*50 exchange
away-due: exactly 100 kept events are due when the store is back
  throttle -> begin fail failed*150 later:1s-1 failed later:1 failed
""")


def lateness():
    """Rule 8."""
    yield from stories("""
late-stored-1: a late request; then the exchange is stored, with a lease of 1: the grant is for another
  quota lease=1 -> failed request begin step later:1s late request later:1ms stored request request later:1s request
late-stored-3: a late request; then the exchange is stored, with a lease of 3: the grant is for another
  quota lease=3 -> failed request begin step later:1s late request later:1ms stored request request later:1s request
late-clock-back: a time before the exchange began is not late, with a timeout of 0
  quota timeout=0 -> exchange at:5s begin at:5s-1 request at:5s request
late-failed-not: a late request; then the exchange is failed
  throttle -> failed request begin step later:1s late request began later:500ms fail later:500ms request later:500ms
    request exchange
late-failed-stored: a late request; then the exchange is failed
  throttle -> failed request begin step later:1s late request began later:500ms fail:stored later:500ms request
    later:500ms request exchange
late-lost: a late request; then the exchange is lost, and fails at once
  throttle -> failed request begin step later:1s late request lost later:1s exchange
late-caps: counts are capped, what was sent is not until it fails
  throttle:max_tokens=1000 -> failed*150 begin step failed*150 request later:1s late request fail later:1s exchange
late-caps-stored: counts are capped, what was sent is stored
  throttle:max_tokens=1000 -> failed*150 begin step failed*150 request later:1s late request stored later:1s exchange
late-before-begin: late before an exchange began
  quota -> request later:1s late request begin step stored later:1s request
late-before-step: late before the load answered: the steps do not ask
  quota lease=2 -> failed request begin later:1s late request step stored
late-second-exchange: late in an exchange that began later: it goes on, and is lost, loads again and is stored
  quota:max_tokens=20 lease=2 timeout=3s -> request begin step request at:2s stored begin step at:3s late request at:4s
    request lost store:"7 12" step stored request request
late-not-refused: what was asked by a late request is not refused to one that came later
  quota:max_tokens=5,cost=5 timeout=3s text="0 0" -> begin at:2s request step at:2s+1ms late request at:3s-1 request
    at:4s stored
late-newer-waits: back before the exchange ends: a new request takes the grant of the late one
  quota timeout=5s -> begin at:1s request step late request at:2s request request stored exchange
late-newer-not-refused: back before the exchange ends: new requests are not refused for late ones
  quota timeout=5s text="0 4" -> begin at:1s request*2 step late request*2 at:2s request*3 cancel stored exchange
late-all-outcomes: requests after every outcome are late
  COSTS local=ratio:max_tokens=3 -> request:timeout request:throttled request begin step later:1s late request:timeout
    request:throttled request stored
late-again: late twice: the second is from the last time
  quota local=ratio:max_tokens=9 timeout=500ms -> begin fail at:1s request at:1500ms late request at:2s late at:2500ms
    request at:3s request
""")


def damaged_texts():
    """Rule 7: a text that is no state of this budget."""
    texts = {
        "quota": ["", "0", "0 501", "0 1 2", "00 1", "0 -1", "a b", "0 1 ", f"{WORD_MAX + 1} 1"],
        "throttle": ["0 10001", "{}"],
        "ratio": ["0 101", "0 0x1"],
        "rate": ["0 3600000000001 0", "0 0", f"0 0 {WORD_MAX + 1}"],
        "ttl": ["0 0 0 0 0 0 0 0 0 0 0", f"0 0 {2**63} 0 0 0 0 0 0 0 0 0", "0 0 -0 0 0 0 0 0 0 0 0 0"],
    }
    for kind, of_kind in texts.items():
        for number, text in enumerate(of_kind):
            story = Story(f"damaged-{kind}-{number}", "a text that is no state of this budget", kind, text=text)
            yield story.tell("failed request begin step fail request")
    yield from stories("""
damaged-other-budget: the state of another kind of budget, and of a larger one
  quota:max_tokens=10 text="4 0 7" -> succeeded:5 request begin step fail request later:1s store:"4 11" request begin
    step fail request later:1s store:"4 5" request exchange
damaged-after-lost: a text that is no state after a lost swap: what was sent is counted again
  throttle -> failed*2 request begin step failed store:x lost step fail later:1s store:"1 9000" exchange
""")


def at_random():
    rng = random.Random(20_267)
    for number in range(40):
        kind = SHARED[number % 5]
        story = Story(
            f"random-{number}",
            f"random steps of a member of {kind}",
            random_budget(rng, kind),
            random_budget(rng, rng.choice(SHARED)),
            rng.choice([1, 2, 3, 5]),
            rng.choice([0, 0, 1, 2, 3, WORD_MAX]),
            rng.choice([20 * MS, S // 2, 3 * S]),
            rng.getrandbits(64),
            clock=EPOCH,
        )
        tell(rng, story, rng.choice([20, 20, 20, 25, 60]))
        yield story


def tell(rng, story, length):
    """Random steps; the runs of a real process, and some that only a slow one has."""
    member = story.member
    held = [(0, False)]
    stepped = False
    while len(story.case["steps"]) < length:
        story.later(rng.choice([0, 0, 0, 0, 1, MS, 10 * MS, S // 5, S // 2, S]))
        story.clock += rng.choice([0] * 30 + [-S, S, 30 * S, -70 * S, -DAY, DAY])
        waiting = [outcome for outcome in OUTCOMES if member.waiting[outcome]]
        choices = {
            "note": 4,
            "request": 4,
            "cancel": 2 * bool(waiting),
            "late": (1 + 3 * member.is_away(story.now)) * bool(waiting),
        }
        if member.exchange is None:
            choices["begin"] = 6 if member.due_in(story.now) == 0 else 0.4
            stepped = False
        elif not stepped:
            again = member.exchange.lost > 0
            choices |= {"step": 2, "cancel": 8 * bool(waiting), "fail": 2} if again else {"step": 5, "fail": 1}
        else:
            choices |= {"stored": 4, "lost": 4, "fail": 1}
        before = dict(member.waiting)
        match rng.choices(list(choices), choices.values())[0]:
            case "note":
                event = rng.choice([BEGAN, FAILED, SUCCEEDED, SUCCEEDED])
                times = rng.choice([1, 1, 1, 2, 2, 60])
                of, local = rng.choice([*held, (7, False)]) if event == SUCCEEDED else (0, False)
                story.note(event, times, of, local)
            case "request":
                unused = [outcome for outcome in OUTCOMES if member.unused[outcome]]
                story.request(rng.choice(unused or OUTCOMES))
                step = story.case["steps"][-1]
                if step["answer"] == "granted":
                    held.append((int(step["held"]), step["local"]))
            case "cancel":
                story.cancel(rng.choice(waiting))
            case "begin":
                story.begin()
            case "step":
                if rng.random() < 0.04:
                    story.store(rng.choice(["", "1 2 3 4", "x"])).step().fail().store(None)
                    request_again(story, before)
                else:
                    story.step()
                    stepped = True
            case "stored":
                story.stored()
                answers = story.case["steps"][-1]
                for at, outcome in enumerate(OUTCOMES):
                    before[outcome] -= int(answers["granted"][at]) + int(answers["refused"][at])
                request_again(story, before)
            case "lost":
                story.store(other_state(rng, story, member)).lost()
                request_again(story, before)
                stepped = False
            case "fail" | "late" as what:
                if what == "late":
                    story.late()
                else:
                    stored = stepped and rng.random() < 0.5
                    if stored and rng.random() < 0.5:
                        story.store(story.after)
                    story.fail(stored)
                request_again(story, before)


def request_again(story, waited):
    """After the store went away, the requests that waited."""
    for outcome in OUTCOMES:
        for _ in range(waited[outcome] - story.member.waiting[outcome]):
            story.request(outcome)


def other_state(rng, story, member):
    """What another process has stored."""
    text, processes = read_account(member.budget, story.text)
    state = budgets.BudgetState(member.budget, text)
    store_now = story.clock + story.now
    for _ in range(rng.randint(1, 6)):
        event = rng.choice([BEGAN, FAILED, "retry_requested", "retry_requested", SUCCEEDED])
        state.step(event, store_now, rng.choice(OUTCOMES))
    if rng.random() < 0.3:
        processes = (store_now // (60 * S) - rng.choice([0, 0, 1, 2]), rng.randint(1, 4), rng.randint(0, 4))
    return account_text(state, processes)


def random_budget(rng, kind):
    limit = rng.randint(10, 40)
    costs = rng.choice(["cost=2", "cost=1,cost_throttled=3", "cost=2,cost_throttled=1,cost_timeout=4"])
    return {
        "quota": f"quota:max_tokens={limit},{costs}",
        "throttle": f"throttle:max_tokens={limit},ratio=0.{rng.randint(1, 9)}",
        "ratio": f"ratio:max_tokens={rng.randint(2, 9)},ratio=0.{rng.randint(1, 9)}",
        "rate": f"rate:max_tokens={rng.randint(2, 9)},per={rng.randint(1, 9)}s",
        "ttl": f"ttl:ttl={rng.randint(1, 60)}s,min_per_second={rng.choice([0, 1])},ratio={rng.randint(1, 3)}/3",
    }[kind]
