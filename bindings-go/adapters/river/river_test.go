package backoffriver

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/riverqueue/river/rivertype"
)

// What River cannot honour is refused, and the error says what to do.
func TestUnusedFields(t *testing.T) {
	for policy, want := range map[string]string{
		"default:attempt_timeout=1m":                  "attempt_timeout 1m0s is unused: River makes the attempts; set JobTimeout of river.Config or Timeout of the worker",
		"default:reset_after=10m":                     "reset_after 10m0s is unused: River counts the attempts of a job and never begins anew; leave it out",
		"default:max_elapsed=1h,elapsed_from=failure": "elapsed_from failure is unused: max_elapsed counts from the first attempt; leave it out",
	} {
		if _, err := New(policy, 42); !errors.Is(err, backoff.ErrUnused) || err.Error() != want {
			t.Errorf("%s: %v", policy, err)
		}
	}
}

// Delays that River does not ask for, because another middleware or a handler of errors decided, vanish with the row.
func TestNoDelayIsLeftBehind(t *testing.T) {
	retries, err := New("full:base=1h,max_retries=3", 42)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		job := &rivertype.JobRow{Attempt: 1}
		_ = retries.Work(t.Context(), job, func(context.Context) error { return errors.New("busy") })
		retries.NextRetry(job)
	}
	left := func() (count int) {
		retries.delays.Range(func(any, any) bool { count++; return true })
		return count
	}
	for end := time.Now().Add(time.Minute); left() > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if left() > 0 {
		t.Errorf("%d delays are left", left())
	}
}
