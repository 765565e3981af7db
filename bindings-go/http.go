// HTTPVerdict: what the status and the header fields of a response say (SPEC 14).

package backoff

import (
	"math"
	"strings"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// maxHeader is the longest value of a header field that means something.
const maxHeader = 1024

// HTTPOutcome returns the outcome of an HTTP status (SPEC 14.4): OutcomeSuccess for 100 to 399,
// OutcomeThrottled for 429 and 503, OutcomeTimeout for 408 and 504, OutcomeTransient for 425, 500 and
// 502, and OutcomePermanent for every other number.
//
// It does not know whether the request is safe to retry: that is for the caller to decide.
func HTTPOutcome(status int) Outcome {
	if status < 0 || status > math.MaxUint16 {
		return OutcomePermanent
	}
	return Outcome(engine.HTTPOutcome(uint32(status)))
}

// HTTPVerdict returns the verdict on a response: the HTTPOutcome of its status, and the wait that its header
// asks for (SPEC 14.5). The first of these fields that has a wait counts: Retry-After-Ms in milliseconds, Retry-After,
// and with status 429 also RateLimit, RateLimit-Reset and X-RateLimit-Reset. RateLimit has the syntax of the draft
// draft-ietf-httpapi-ratelimit-headers-10, such as "default";r=0;t=7: the quota named default has 0 requests left for 7
// seconds. The older syntax limit=10, remaining=0, reset=7 gives nothing. If a field occurs twice, its first value counts,
// but all values of RateLimit do. Now is compared with dates and with times in seconds since 1970.
//
//	verdict := backoff.HTTPVerdict(response.StatusCode, response.Header, time.Now())
//
// The header has canonical keys, as an http.Header has.
func HTTPVerdict(status int, header map[string][]string, now time.Time) Verdict {
	var fields strings.Builder
	add := func(name, value string) {
		// A value that is too long gives nothing.
		line := len(name) + len(value) + 3
		if len(value) <= maxHeader && fields.Len()+line <= engine.FieldsRoom && !strings.Contains(value, "\n") {
			// A carriage return of the value stays one: that of the line is removed.
			fields.WriteString(name + ":" + value + "\r\n")
		}
	}
	for _, name := range []string{"Retry-After-Ms", "Retry-After", "Ratelimit-Reset", "X-Ratelimit-Reset"} {
		if values := header[name]; len(values) > 0 {
			add(name, values[0])
		}
	}
	for _, value := range header["Ratelimit"] {
		add("Ratelimit", value)
	}
	outcome := HTTPOutcome(status)
	if fields.Len() == 0 {
		return outcome
	}
	retryAfter, ok := engine.HTTPRetryAfter(uint32(status), fields.String(), shared.UnixNano(now))
	if !ok {
		return outcome
	}
	return outcome.WithRetryAfter(time.Duration(retryAfter))
}

// IsIdempotentMethod reports whether a request with this method may be repeated without asking anyone: GET, HEAD,
// OPTIONS, TRACE, PUT or DELETE (RFC 9110, 9.2.2; SPEC 14.6). Methods are case-sensitive.
func IsIdempotentMethod(method string) bool { return engine.IsIdempotentMethod(method) }

// ParseRetryAfter returns the wait that a Retry-After header asks for, as seconds, or as a date to compare with now. A
// number above 10^9 is a time in seconds since 1970, which some servers send. A time in the past is a wait of 0. If the
// value is a list, as of fields that were joined with commas, its first member counts. ParseRetryAfter reports false for
// any other value, and for a value above 1024 bytes (SPEC 14.1).
//
//	retryAfter, ok := backoff.ParseRetryAfter(response.Header.Get("Retry-After"), time.Now())
//
// The result may be as long as 292 years; a policy bounds it with retry_after_max, 1 hour by default.
//
// A now before 1970 counts as 1970, and one after 2554 as the last nanosecond that fits into 64 bits.
func ParseRetryAfter(header string, now time.Time) (time.Duration, bool) {
	retryAfter, ok := engine.ParseRetryAfter(header, shared.UnixNano(now))
	return time.Duration(retryAfter), ok
}
