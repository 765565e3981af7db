package backofffailsafe

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/failsafe-go/failsafe-go"
)

var errBusy = errors.New("busy")

func TestRetryPolicy(t *testing.T) {
	delays := []time.Duration{113994, 830439, 2293098} // of the reference, with 1 ms
	fails := slices.Repeat([]error{errBusy}, 5)
	for name, row := range map[string]struct {
		policy string
		errs   []error
		delays []time.Duration
	}{
		"max_retries":   {"full:base=1ms,max_retries=3", fails, delays},
		"no retries":    {"full:base=1ms,max_retries=0", fails, nil},
		"no limit":      {"full:base=1ms", []error{errBusy, errBusy, errBusy, nil}, delays},
		"no delay":      {"none", []error{errBusy, errBusy, nil}, []time.Duration{0, 0}},
		"permanent":     {"full:base=1ms", []error{errBusy, backoff.Permanent(errBusy)}, delays[:1]},
		"a retry_after": {"full:base=1ms", []error{errBusy, backoff.RetryAfter(7*time.Millisecond, errBusy), nil}, []time.Duration{delays[0], 7 * time.Millisecond}},
	} {
		var scheduled []time.Duration
		policy := Builder[int](fixed(t, row.policy)).
			OnRetryScheduled(func(event failsafe.ExecutionScheduledEvent[int]) { scheduled = append(scheduled, event.Delay) }).
			Build()
		calls := 0
		_, err := failsafe.With(policy).Get(func() (int, error) { calls++; return 0, row.errs[calls-1] })
		if want := row.errs[len(row.delays)]; (err == nil) != (want == nil) || !slices.Equal(scheduled, row.delays) || calls != len(row.delays)+1 {
			t.Errorf("%s: %d calls, delays %d, %v", name, calls, scheduled, err)
		}
	}
}

func TestMaxRetries(t *testing.T) {
	for policy, want := range map[string]int{"none:max_retries=0": 0, "none:max_retries=7": 7, "none": -1, "none:max_retries=2147483647": math.MaxInt32} {
		if got := fixed(t, policy).MaxRetries(); got != want {
			t.Errorf("%s: %d, not %d", policy, got, want)
		}
	}
}

// fixed returns delays with the stream of the numbers of docs/programs.md.
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

func TestInvalidOptions(t *testing.T) {
	for want, create := range map[string]func() (*Delays, error){
		"at 11: base has no unit; the units are d, h, m, s, ms, us, ns": func() (*Delays, error) { return New("full:base=1") },
		"max_elapsed is unused: failsafe-go limits the time by itself":  func() (*Delays, error) { return New("full:base=1s,max_elapsed=1m") },
		"option is nil": func() (*Delays, error) { return New("default", nil) },
	} {
		if delays, err := create(); delays != nil || err == nil || err.Error() != want {
			t.Errorf("made %v, %v, want %s", delays, err, want)
		}
	}
}
