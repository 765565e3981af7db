package backoff

import (
	"math"
	"math/bits"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// HTTPOutcome returns the outcome of an HTTP status (SPEC 14.4): OutcomeSuccess for 100 to 399,
// OutcomeThrottled for 429 and 503, OutcomeTimeout for 408 and 504, OutcomeTransient for 425, 500 and
// 502, and OutcomePermanent for every other number.
//
// It does not know whether the request is safe to repeat: that is for the caller to decide.
func HTTPOutcome(status int) Outcome {
	if status < 0 || status > math.MaxUint16 {
		return OutcomePermanent
	}
	return Outcome(engine.HTTPOutcome(uint32(status)))
}

// ParseRetryAfter returns the wait that a Retry-After header asks for, as seconds or as a date to
// compare with now. A date in the past is 0. It reports false for any other value, and for a value
// above 1024 bytes (SPEC 14).
//
//	retryAfter, ok := backoff.ParseRetryAfter(response.Header.Get("Retry-After"), time.Now())
//
// The result may be as long as 292 years; a policy bounds it with retry_after_max, 1 hour by default.
//
// A now before 1970 counts as 1970, and one after 2554 as the last nanosecond that fits into 64 bits.
func ParseRetryAfter(header string, now time.Time) (time.Duration, bool) {
	retryAfter, ok := engine.ParseRetryAfter(header, unixNano(now))
	return time.Duration(retryAfter), ok
}

// unixNano returns the nanoseconds since 1970. time.Time.UnixNano overflows in 2262.
func unixNano(now time.Time) uint64 {
	seconds := now.Unix()
	if seconds < 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(seconds), uint64(time.Second))
	ns, carry := bits.Add64(low, uint64(now.Nanosecond()), 0)
	if high+carry != 0 {
		return math.MaxUint64
	}
	return ns
}
