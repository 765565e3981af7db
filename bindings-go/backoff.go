package backoff

import (
	"iter"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A cgo call costs many times one delay, so delays are fetched ahead: few at first, because most
// operations succeed after few retries. Fetching has no side effects, so unused delays are dropped.
const (
	firstBatch = 8
	nextBatch  = 64
)

// A Backoff iterates over the delays of a policy: Policy.Delay of index 0, 1, 2, ... (SPEC 9). It
// never sleeps and never reads a clock. It ignores the limits of the policy, max_retries and
// max_elapsed: the caller counts, or uses an Operation, which knows them.
//
// It is for one goroutine at a time; use one Backoff and one stream per operation. A nil or zero Backoff
// has no delays.
type Backoff struct {
	policy  Policy
	stream  RandomStream
	first   uint64 // the index of ahead[0]
	taken   int    // of ahead
	fetched int    // of ahead
	ahead   [nextBatch]time.Duration
}

// New returns the delays of a policy on a stream, from index 0.
//
// Clients with the same policy and stream wait for identical times: use one key per client or job.
func New(policy Policy, stream RandomStream) *Backoff {
	return &Backoff{policy: policy, stream: stream}
}

// Next returns the next delay and true, or 0 and false after index 2^32 - 1. It ignores the limits of
// the policy. It does not allocate.
func (b *Backoff) Next() (time.Duration, bool) {
	if b == nil || b.taken >= b.fetched && !b.fetch() {
		return 0, false
	}
	delay := b.ahead[b.taken]
	b.taken++
	return delay, true
}

// All returns the remaining delays for range and consumes them as Next does. It ignores the limits of
// the policy: break out of the loop. After a break, Next returns the delay that would have followed.
func (b *Backoff) All() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for delay, ok := b.Next(); ok && yield(delay); {
			delay, ok = b.Next()
		}
	}
}

// Reset restarts at index 0, for use after a success. Delays do not repeat: the stream advances by
// the number of delays taken (SPEC 9.2).
func (b *Backoff) Reset() {
	b = orZero(b)
	b.stream = RandomStream{engine.Advance(b.stream.state, b.Index())}
	b.first, b.taken, b.fetched = 0, 0, 0
}

// Index returns the index of the next delay, 0 to 2^32, which is the number of delays taken since
// the last Reset.
func (b *Backoff) Index() uint64 {
	b = orZero(b)
	return b.first + uint64(b.taken)
}

// Stream returns the stream of these delays. Reset changes it.
func (b *Backoff) Stream() RandomStream { return orZero(b).stream }

// fetch fills ahead with the next delays and reports whether there are any.
func (b *Backoff) fetch() bool {
	first, batch := b.Index(), b.ahead[:]
	if first >= 1<<32 {
		return false
	}
	if first == 0 {
		batch = b.ahead[:firstBatch]
	}
	fetched := b.policy.Fill(b.stream, uint32(first), batch)
	if fetched == 0 {
		return false
	}
	b.first, b.taken, b.fetched = first, 0, fetched
	return true
}
