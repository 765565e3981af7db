package backoff

import (
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A call of the core costs many times one delay, so delays are fetched ahead: few at first, because
// most operations succeed after few retries. Fetching has no side effects, so unused delays are dropped.
const (
	firstBatch = 8
	nextBatch  = 64
)

// A Backoff iterates over the delays of a policy: Policy.Delay of index 0, 1, 2, ... It ends after
// max_retries delays; without that limit after 2^32 (SPEC 9).
//
// It never sleeps and never reads a clock, so max_elapsed does not end it: an Operation knows all limits.
//
// It is for one goroutine at a time; use one Backoff and one stream per operation. A nil or zero Backoff
// has no delays.
type Backoff struct {
	policy  Policy
	stream  RandomStream
	end     uint64 // the index after the last delay
	first   uint64 // the index of ahead[0]
	taken   int    // of ahead
	fetched int    // of ahead
	ahead   [nextBatch]time.Duration
}

// New returns the delays of a policy on a stream, from index 0.
//
// Clients with the same policy and stream wait for identical times: use one key per client or job.
func New(policy Policy, stream RandomStream) *Backoff {
	return &Backoff{policy: policy, stream: stream, end: policy.MaxRetries()}
}

// Next returns the next delay and true, or 0 and false after max_retries delays, again and again until
// Reset. It does not allocate.
func (b *Backoff) Next() (time.Duration, bool) {
	if b == nil || b.taken >= b.fetched && !b.fetch() {
		return 0, false
	}
	delay := b.ahead[b.taken]
	b.taken++
	return delay, true
}

// All returns the remaining delays for range and consumes them as Next does: at most max_retries, or
// 2^32 if the policy has no such limit. After a break, Next returns the delay that would have followed.
func (b *Backoff) All() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for delay, ok := b.Next(); ok && yield(delay); {
			delay, ok = b.Next()
		}
	}
}

// Reset restarts at index 0, for use after a success: up to max_retries delays follow again. Delays do
// not repeat: the stream advances by the number of delays taken (SPEC 9.2).
func (b *Backoff) Reset() {
	b = orZero(b)
	b.stream = RandomStream{engine.Advance(b.stream.state, b.Index())}
	b.first, b.taken, b.fetched = 0, 0, 0
}

// Index returns the index of the next delay, which is the number of delays taken since the last Reset;
// at the end it is max_retries.
func (b *Backoff) Index() uint64 {
	b = orZero(b)
	return b.first + uint64(b.taken)
}

// Stream returns the stream of these delays. Reset changes it.
func (b *Backoff) Stream() RandomStream { return orZero(b).stream }

// String returns the policy and the index of the next delay, for logs.
func (b *Backoff) String() string {
	b = orZero(b)
	return fmt.Sprintf("%v at index %d", b.policy, b.Index())
}

// LogValue returns String, for slog.
func (b *Backoff) LogValue() slog.Value { return slog.StringValue(b.String()) }

// fetch fills ahead with the next delays and reports whether there are any.
func (b *Backoff) fetch() bool {
	first, batch := b.Index(), uint64(nextBatch)
	if first >= b.end {
		return false
	}
	if first == 0 {
		batch = firstBatch
	}
	fetched := b.policy.Fill(b.stream, uint32(first), b.ahead[:min(batch, b.end-first)])
	b.first, b.taken, b.fetched = first, 0, fetched
	return true
}
