package backoff

import (
	"math"
	"math/bits"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// HTTPOutcome returns the outcome of the status of an HTTP response (SPEC 14.4): OutcomeSuccess
// of 100 to 399, OutcomeThrottled of 429 and 503, OutcomeTimeout of 408 and 504, OutcomeTransient
// of 425, 500 and 502, and OutcomePermanent of any other number.
//
// Whether the request may be repeated at all is for the caller to say.
func HTTPOutcome(status int) Outcome {
	if status < 0 || status > math.MaxUint16 {
		return OutcomePermanent
	}
	return Outcome(engine.HTTPOutcome(uint32(status)))
}

// ParseRetryAfter returns the hint of the value of HTTP's Retry-After header, and whether it is one:
// seconds, or a date, which is compared with now; a date that has passed is 0 (SPEC 14).
//
//	hint, ok := backoff.ParseRetryAfter(response.Header.Get("Retry-After"), time.Now())
//
// It may be 292 years: a policy whose operations are given it is to have a hint_max.
//
// A now before 1970 counts as its beginning, and one after 2554 as the last that fits.
func ParseRetryAfter(header string, now time.Time) (time.Duration, bool) {
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
