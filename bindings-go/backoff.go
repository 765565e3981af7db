// Backoff: the delays of a policy, one after the other.

package backoff

import (
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Backoff iterates over the delays of a policy: Policy.Delay of index 0, 1, 2, ... It ends after
// max_retries delays; without that limit after 2^32 (SPEC 9).
//
// It never sleeps and never reads a clock, so max_elapsed does not end it: an Operation knows all limits.
//
// It is for one goroutine at a time; use one Backoff and one stream per operation. A nil or zero Backoff
// has no delays.
type Backoff struct{ core engine.Sequence }

// New returns the delays of a policy on a stream, from index 0.
//
// Clients with the same policy and stream wait for identical times: use one key per client or job.
func New(policy Policy, stream RandomStream) *Backoff {
	b := new(Backoff)
	b.core.Begin(policy.core(), stream.state)
	return b
}

// Next returns the next delay and true, or 0 and false after max_retries delays, again and again until
// Reset. It does not allocate.
func (b *Backoff) Next() (time.Duration, bool) {
	if b == nil {
		return 0, false
	}
	delay, ok := b.core.Next()
	return time.Duration(delay), ok
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
func (b *Backoff) Reset() { orZero(b).core.Reset() }

// Index returns the index of the next delay, which is the number of delays taken since the last Reset;
// at the end it is max_retries.
func (b *Backoff) Index() uint64 { return orZero(b).core.Index }

// Stream returns the stream of these delays. Reset changes it.
func (b *Backoff) Stream() RandomStream { return RandomStream{orZero(b).core.Stream()} }

// String returns the policy and the index of the next delay, for logs.
func (b *Backoff) String() string {
	b = orZero(b)
	return fmt.Sprintf("%v at index %d", Policy{b.core.Policy}, b.Index())
}

// LogValue returns String, for slog.
func (b *Backoff) LogValue() slog.Value { return slog.StringValue(b.String()) }
