package backoff

import (
	"iter"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A call into the core costs many times one delay, so delays are fetched ahead: few at first,
// because most operations succeed after few retries. Random access makes it safe: what was
// fetched and not taken never happened.
const (
	firstBatch = 8
	nextBatch  = 64
)

// A Backoff gives the delays of a policy one after another: Policy.Delay of index 0, 1, 2, ...
// (SPEC 9). It never sleeps and never reads a clock.
//
// It is not for use by two goroutines at once; give each its own, with a stream of its own.
// The zero Backoff, and nil, has no delays.
type Backoff struct {
	policy  Policy
	stream  Stream
	first   uint64 // the index of ahead[0]
	taken   int    // of ahead
	fetched int    // of ahead
	ahead   [nextBatch]time.Duration
}

// New returns the delays of a policy on a stream, from index 0.
//
// Everyone with the same policy and stream waits the same: give each client or job a key of
// its own.
func New(policy Policy, stream Stream) *Backoff {
	return &Backoff{policy: policy, stream: stream}
}

// Next returns the next delay and true, or 0 and false after index 2^32 - 1. It does not
// allocate.
func (b *Backoff) Next() (time.Duration, bool) {
	if b == nil || b.taken >= b.fetched && !b.fetch() {
		return 0, false
	}
	delay := b.ahead[b.taken]
	b.taken++
	return delay, true
}

// All returns the delays that are left, for range: each is taken as Next takes it. After a
// break the next delay is the one that would have come.
func (b *Backoff) All() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		for delay, ok := b.Next(); ok && yield(delay); {
			delay, ok = b.Next()
		}
	}
}

// Reset starts again at index 0, after a success. It never repeats itself: the stream moves on
// by the delays taken (SPEC 9.2).
func (b *Backoff) Reset() {
	b = orZero(b)
	b.stream = Stream{engine.Advance(b.stream.state, b.Index())}
	b.first, b.taken, b.fetched = 0, 0, 0
}

// Index returns the index of the next delay, 0 to 2^32: how many were taken since the last
// reset.
func (b *Backoff) Index() uint64 {
	b = orZero(b)
	return b.first + uint64(b.taken)
}

// Stream returns the stream of these delays; Reset changes it.
func (b *Backoff) Stream() Stream { return orZero(b).stream }

// fetch fills ahead with the delays that follow, and reports whether there are any.
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
