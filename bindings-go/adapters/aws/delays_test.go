package backoffaws

import (
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// fixed returns delays with the stream of the README's numbers.
func fixed(t *testing.T, policy string) *Delays {
	t.Helper()
	stream, err := backoff.StreamFromKey(42, "job-1")
	if err != nil {
		t.Fatal(err)
	}
	delays, err := New(policy, WithStream(stream))
	if err != nil {
		t.Fatal(err)
	}
	return delays
}

// The numbers of the README, also after the last retry that the policy allows.
func TestDelays(t *testing.T) {
	for _, policy := range []string{"full:base=100ms,cap=20s", "full:base=100ms,cap=20s,max_retries=1"} {
		delays := fixed(t, policy)
		for i, want := range []time.Duration{11399434, 83043876, 229309811} {
			for _, verdict := range []backoff.Verdict{backoff.OutcomeTransient, backoff.OutcomePermanent, backoff.Outcome(9), nil} {
				if got := delays.after(i, verdict); got != want {
					t.Errorf("%s: delay %d is %d, not %d", policy, i, got, want)
				}
			}
		}
		if got := delays.after(-1, backoff.OutcomeTransient); got != 11399434 {
			t.Errorf("delay -1 is %v", got)
		}
	}
	delays := fixed(t, "full:base=100ms,cap=20s,throttled_base=200ms,retry_after_max=1m")
	for verdict, want := range map[backoff.Verdict]time.Duration{
		backoff.OutcomeThrottled.WithRetryAfter(time.Second): time.Second,
		backoff.OutcomeTransient.WithRetryAfter(time.Hour):   time.Minute,
		backoff.OutcomeTransient.WithRetryAfter(0):           83043876,
	} {
		if got := delays.after(1, verdict); got != want {
			t.Errorf("%v: %v, not %v", verdict, got, want)
		}
	}
}

// Two callers do not wait for identical times, and neither do two processes.
func TestEachDelayHasItsStream(t *testing.T) {
	seen := make(map[time.Duration]bool)
	for range 2 {
		delays, err := New("full:base=1h")
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			seen[delays.after(0, backoff.OutcomeTransient)] = true
		}
	}
	if len(seen) != 200 {
		t.Errorf("%d different delays", len(seen))
	}
}

func TestInvalidOptions(t *testing.T) {
	for want, create := range map[string]func() (*Delays, error){
		"at 11: base has no unit; the units are d, h, m, s, ms, us, ns":  func() (*Delays, error) { return New("full:base=1") },
		"max_elapsed is unused: aws-sdk-go-v2 limits the time by itself": func() (*Delays, error) { return New("full:base=1s,max_elapsed=1m") },
		"option is nil": func() (*Delays, error) { return New("default", nil) },
	} {
		if delays, err := create(); delays != nil || err == nil || err.Error() != want {
			t.Errorf("made %v, %v, want %s", delays, err, want)
		}
	}
}
