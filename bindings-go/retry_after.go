package backoff

import (
	"math"
	"math/bits"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// RetryAfter returns the hint of the value of HTTP's Retry-After header, and whether it is one:
// seconds, or a date, which is compared with now; a date that has passed is 0 (SPEC 14).
//
//	hint, ok := backoff.RetryAfter(response.Header.Get("Retry-After"), time.Now())
//
// It may be 292 years: a policy whose operations are given it is to have a hint_max.
//
// A now before 1970 counts as its beginning, and one after 2554 as the last that fits.
func RetryAfter(header string, now time.Time) (time.Duration, bool) {
	hint, ok := engine.RetryAfter(header, sinceEpoch(now))
	return time.Duration(hint), ok
}

// sinceEpoch returns the nanoseconds since 1970; those of time.Time end earlier.
func sinceEpoch(now time.Time) uint64 {
	seconds := now.Unix()
	if seconds < 0 {
		return 0
	}
	over, low := bits.Mul64(uint64(seconds), uint64(time.Second))
	ns, carry := bits.Add64(low, uint64(now.Nanosecond()), 0)
	if over+carry != 0 {
		return math.MaxUint64
	}
	return ns
}
