//go:build go1.25

package backoff_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// The test of docs/testing.md.
func TestOutageOfAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := backoff.Do(t.Context(), func() error { return backoff.Transient(errBusy) },
			backoff.WithPolicyString("constant:base=20m,max_retries=3"))
		if took := time.Since(began); !errors.Is(err, backoff.ErrMaxRetries) || took != time.Hour {
			t.Errorf("took %v: %v", took, err)
		}
	})
}

// Without a limit the loop begins the longest wait, although some time has passed.
func TestTheLongestWaitInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		time.AfterFunc(24*time.Hour, cancel)
		err := backoff.Do(ctx, func() error {
			time.Sleep(time.Hour)
			return backoff.RetryAfter(backoff.NoLimit, errBusy)
		}, backoff.WithPolicyString("full:base=1s,retry_after_max=none"))
		checkEnd(t, err, errBusy, backoff.StopCancelled, 1)
		if took := time.Since(begun); took != 24*time.Hour {
			t.Errorf("took %v", took)
		}
	})
}

// A bound context has a deadline and is never done.
type bound struct {
	context.Context
	deadline time.Time
}

func (b bound) Deadline() (time.Time, bool) { return b.deadline, true }

// A context without a channel cannot interrupt a wait, but may be done after it.
func TestWaitsWithoutAChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := &silent{Context: context.Background()}
		err := backoff.Do(ctx, func() error {
			time.AfterFunc(time.Millisecond, func() { ctx.done.Store(true) })
			return backoff.Transient(errBusy)
		}, backoff.WithPolicyString("constant:base=20ms,max_retries=9"))
		if checkEnd(t, err, errBusy, backoff.StopCancelled, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// A deadline that has passed allows no wait, also before the context says so and whatever the clock reads.
func TestADeadlineThatHasPassed(t *testing.T) {
	for _, since := range []time.Duration{0, time.Second} {
		err := backoff.Do(bound{t.Context(), time.Now().Add(-since)}, func() error { return backoff.Transient(errBusy) },
			backoff.WithClock(new(fakeClock)))
		checkEnd(t, err, errBusy, backoff.StopDeadline, 1)
	}
}

// A wait ends before the deadline of the context. At the deadline the context is done, and no call would follow.
func TestAWaitEndsBeforeTheDeadline(t *testing.T) {
	for after, want := range map[time.Duration]backoff.StopReason{
		4 * time.Second:   backoff.StopDeadline,
		4*time.Second + 1: backoff.StopMaxRetries,
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			err := backoff.Do(bound{t.Context(), time.Now().Add(after)}, func() error { calls++; return errBusy },
				backoff.WithPolicyString("constant:base=2s,max_retries=2"), backoff.RetryIf(backoff.AnyError))
			attempts := uint64(3)
			if want == backoff.StopDeadline {
				attempts = 2
			}
			checkEnd(t, err, errBusy, want, attempts)
			if ended := errors.Is(err, context.DeadlineExceeded); ended != (want == backoff.StopDeadline) {
				t.Errorf("the deadline is in %v: %t", err, ended)
			}
		})
	}
}
