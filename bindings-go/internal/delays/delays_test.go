package delays_test

import (
	"errors"
	"math"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/delays"
)

func delaysOf(t *testing.T, policy string, options ...delays.Option) *delays.Delays {
	t.Helper()
	d, err := delays.New(policy, "the library", options...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// fixed returns delays with the stream of the numbers of docs/programs.md.
func fixed(t *testing.T, policy string) *delays.Delays {
	t.Helper()
	stream, err := backoff.StreamFromKey(42, "job-1")
	if err != nil {
		t.Fatal(err)
	}
	return delaysOf(t, policy, delays.WithStream(stream))
}

// The numbers of docs/programs.md, also after the last retry that the policy allows.
func TestDelays(t *testing.T) {
	for _, policy := range []string{"full:base=100ms,cap=20s", "full:base=100ms,cap=20s,max_retries=1"} {
		d := fixed(t, policy)
		for i, want := range []time.Duration{11399434, 83043876, 229309811} {
			for _, verdict := range []backoff.Verdict{backoff.OutcomeTransient, backoff.OutcomePermanent, backoff.Outcome(9), nil} {
				if got := d.After(i, verdict); got != want {
					t.Errorf("%s: delay %d is %d, not %d", policy, i, got, want)
				}
			}
		}
		if got := d.After(-1, backoff.OutcomeTransient); got != 11399434 {
			t.Errorf("delay -1 is %v", got)
		}
	}
	d := fixed(t, "full:base=100ms,cap=20s,throttled_base=200ms,retry_after_max=1m")
	for verdict, want := range map[backoff.Verdict]time.Duration{
		backoff.OutcomeThrottled.WithRetryAfter(time.Second): time.Second,
		backoff.OutcomeTransient.WithRetryAfter(time.Hour):   time.Minute,
		backoff.OutcomeTransient.WithRetryAfter(0):           83043876,
	} {
		if got := d.After(1, verdict); got != want {
			t.Errorf("%v: %v, not %v", verdict, got, want)
		}
	}
}

// Two callers do not wait for identical times, and neither do two processes.
func TestEachDelayHasItsStream(t *testing.T) {
	seen := make(map[time.Duration]bool)
	for range 2 {
		d := delaysOf(t, "full:base=1h")
		for range 100 {
			seen[d.After(0, backoff.OutcomeTransient)] = true
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d different delays", len(seen))
	}
}

// The delay of a far index costs no more than that of a near one, and a wrong number of retries is one at an end.
func TestFarRetries(t *testing.T) {
	d := fixed(t, "constant:base=1s,max_retries=2000000000,retry_after_max=1m")
	for retries, want := range map[int]time.Duration{1 << 30: time.Minute, math.MaxInt: time.Second, math.MinInt: time.Minute} {
		if got := d.After(retries, backoff.OutcomeTransient.WithRetryAfter(time.Hour)); got != want {
			t.Errorf("%d: %v, not %v", retries, got, want)
		}
	}
}

// What a queue retries without a mark, and what a function says of an error.
func TestVerdict(t *testing.T) {
	busy := errors.New("busy")
	says := func(verdict backoff.Verdict) func(error) backoff.Verdict {
		return func(error) backoff.Verdict { return verdict }
	}
	for i, row := range []struct {
		err      error
		classify func(error) backoff.Verdict
		want     backoff.Verdict
	}{
		{busy, nil, backoff.OutcomeTransient},
		{busy, says(nil), backoff.OutcomeTransient},
		{busy, says(backoff.OutcomeThrottled), backoff.OutcomeThrottled},
		{busy, says(backoff.OutcomeSuccess), backoff.OutcomePermanent},
		{backoff.Permanent(busy), says(backoff.OutcomeTransient), backoff.OutcomePermanent},
	} {
		if got := delays.Verdict(row.err, row.classify); got != row.want {
			t.Errorf("row %d: %v, not %v", i, got, row.want)
		}
	}
}

// An adapter refuses what its library cannot keep.
func TestUnusedFields(t *testing.T) {
	for pair, want := range map[string]string{
		"max_elapsed=1m":     "max_elapsed is unused: the library limits the time by itself",
		"attempt_timeout=1s": "attempt_timeout is unused: the library makes the attempts",
		"reset_after=1m":     "reset_after is unused: the library does not say how long an attempt ran",
	} {
		if _, err := delays.New("default:"+pair, "the library"); !errors.Is(err, backoff.ErrUnused) || err.Error() != want {
			t.Errorf("%s: %v, want %s", pair, err, want)
		}
	}
}
