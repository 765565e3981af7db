package backoffavast

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/avast/retry-go/v5"
	backoff "github.com/backoff-rs/backoff/bindings-go"
)

var errBusy = errors.New("busy")

// A clock is a timer that fires at once and records the delays.
type clock struct{ delays []time.Duration }

func (c *clock) After(delay time.Duration) <-chan time.Time {
	c.delays = append(c.delays, delay)
	fired := make(chan time.Time, 1)
	fired <- time.Time{}
	return fired
}

func TestRetrier(t *testing.T) {
	delays := []time.Duration{11399434, 83043876, 229309811}
	fails := slices.Repeat([]error{errBusy}, 5)
	for name, row := range map[string]struct {
		policy string
		errs   []error
		delays []time.Duration
	}{
		"max_retries":   {"full:base=100ms,max_retries=3", fails, delays},
		"no retries":    {"full:base=100ms,max_retries=0", fails, nil},
		"no limit":      {"full:base=100ms", []error{errBusy, errBusy, errBusy, nil}, delays},
		"permanent":     {"full:base=100ms", []error{errBusy, backoff.Permanent(errBusy)}, delays[:1]},
		"unrecoverable": {"full:base=100ms", []error{errBusy, retry.Unrecoverable(errBusy)}, delays[:1]},
		"a retry_after": {"full:base=100ms", []error{errBusy, backoff.RetryAfter(time.Minute, errBusy), nil}, []time.Duration{delays[0], time.Minute}},
	} {
		timer := new(clock)
		calls := 0
		options := append(fixed(t, row.policy).Options(), retry.WithTimer(timer), retry.LastErrorOnly(true))
		err := retry.New(options...).Do(func() error { calls++; return row.errs[calls-1] })
		if want := row.errs[len(row.delays)]; !errors.Is(err, want) && !errors.Is(want, err) || !slices.Equal(timer.delays, row.delays) || calls != len(row.delays)+1 {
			t.Errorf("%s: %d calls, delays %d, %v", name, calls, timer.delays, err)
		}
	}
}

func TestAttempts(t *testing.T) {
	for policy, want := range map[string]uint{
		"none:max_retries=0": 1, "none:max_retries=7": 8, "none": 0, "none:max_retries=4294967294": math.MaxUint32,
	} {
		if got := fixed(t, policy).Attempts(); got != want {
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
		"max_elapsed is unused: retry-go limits the time by itself":     func() (*Delays, error) { return New("full:base=1s,max_elapsed=1m") },
		"option is nil": func() (*Delays, error) { return New("default", nil) },
	} {
		if delays, err := create(); delays != nil || err == nil || err.Error() != want {
			t.Errorf("made %v, %v, want %s", delays, err, want)
		}
	}
}
