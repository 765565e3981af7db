package backoff_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func TestAttempts(t *testing.T) {
	fails := func(a *backoff.Attempt) bool { return a.Failed(errBusy) }
	succeeds := func(a *backoff.Attempt) bool { return a.Failed(nil) }
	rows := []struct {
		name     string
		body     func(*backoff.Attempt) bool // returns whether to continue
		attempts uint64
		want     error
		reason   backoff.StopReason
		yields   bool // the loop yields the error
		events   eventLog
	}{{
		"a success ends the loop", func(a *backoff.Attempt) bool { return a.Number() < 3 && fails(a) || succeeds(a) }, 3, nil, backoff.StopSuccess, false, eventLog{
			"retry 1 transient none 1s after 0s: <nil> busy",
			"retry 2 transient none 1s after 1s: <nil> busy",
			"stop 3 success success 0s after 2s: <nil> <nil>",
		},
	}, {
		"a body that reports nothing has succeeded", func(*backoff.Attempt) bool { return true }, 1, nil, backoff.StopSuccess, false, eventLog{
			"stop 1 success success 0s after 0s: <nil> <nil>",
		},
	}, {
		"a body that breaks and reports nothing has succeeded", func(*backoff.Attempt) bool { return false }, 1, nil, backoff.StopSuccess, false, eventLog{
			"stop 1 success success 0s after 0s: <nil> <nil>",
		},
	}, {
		"failures are retried until max_retries", fails, 4, errBusy, backoff.StopMaxRetries, true, eventLog{
			"retry 1 transient none 1s after 0s: <nil> busy",
			"retry 2 transient none 1s after 1s: <nil> busy",
			"retry 3 transient none 1s after 2s: <nil> busy",
			"stop 4 transient max_retries 0s after 3s: <nil> busy",
		},
	}, {
		"a permanent failure is not retried", func(a *backoff.Attempt) bool { return a.Failed(backoff.Permanent(errWrong)) }, 1, errWrong, backoff.StopPermanent, true, eventLog{
			"stop 1 permanent permanent 0s after 0s: <nil> wrong",
		},
	}, {
		"a break after a failure cancels", func(a *backoff.Attempt) bool { return fails(a) && a.Number() < 2 }, 2, nil, backoff.StopCancelled, false, eventLog{
			"retry 1 transient none 1s after 0s: <nil> busy",
			"stop 2 none cancelled 0s after 1s: <nil> busy",
		},
	}, {
		"Ended can ask for a retry", func(a *backoff.Attempt) bool {
			if a.Number() == 1 {
				a.Ended(backoff.OutcomeThrottled.WithRetryAfter(9 * time.Second))
			}
			return true
		}, 2, nil, backoff.StopSuccess, false, eventLog{
			"retry 1 throttled none 9s after 0s: <nil> <nil>",
			"stop 2 success success 0s after 9s: <nil> <nil>",
		},
	}, {
		"the last report wins", func(a *backoff.Attempt) bool {
			if a.Failed(errWrong); a.Number() == 1 {
				a.Ended(backoff.OutcomeTimeout)
				return true
			}
			a.Ended(backoff.OutcomeTransient)
			return a.Failed(nil)
		}, 2, nil, backoff.StopSuccess, false, eventLog{
			"retry 1 timeout none 1s after 0s: <nil> <nil>",
			"stop 2 success success 0s after 1s: <nil> <nil>",
		},
	}}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
			var stats backoff.RetryStats
			var got eventLog
			var end error
			yields := false
			attempts := uint64(0)
			for attempt, err := range backoff.Attempts(t.Context(), append(got.hooks(), backoff.WithPolicyString("constant:base=1s,max_retries=3"),
				backoff.WithClock(new(fakeClock)), backoff.WithStats(&stats), backoff.WithBudget(budget), backoff.RetryIf(backoff.AnyError))...) {
				if err != nil {
					if attempt.Number() != 0 || attempt.Failed(nil) || !attempt.Failed(errBusy) {
						t.Error("the error comes with an attempt")
					}
					attempt.Ended(backoff.OutcomeTransient)
					end, yields = err, true
					continue
				}
				if attempts++; attempt.Number() != attempts {
					t.Errorf("attempt %d is number %d", attempts, attempt.Number())
				}
				if !row.body(attempt) {
					break
				}
			}
			if attempts != row.attempts || yields != row.yields {
				t.Errorf("%d attempts, yields the error: %t", attempts, yields)
			}
			if !slices.Equal(got, row.events) {
				t.Errorf("events %q, want %q", got, row.events)
			}
			if row.yields {
				checkEnd(t, end, row.want, row.reason, row.attempts)
			}
			checkCounted(t, &stats, row.attempts, row.reason)
			checkIdle(t, budget)
		})
	}
}

func TestAttemptsAreCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	attempts := 0
	for attempt, err := range backoff.Attempts(ctx) {
		if attempts++; attempt != nil || !errors.Is(err, context.Canceled) || !errors.Is(err, backoff.ErrCancelled) {
			t.Errorf("attempt %v, %v", attempt, err)
		}
	}
	ctx, cancel = context.WithCancel(t.Context())
	for attempt, err := range backoff.Attempts(ctx, backoff.WithPolicyString("constant:base=1h"), backoff.RetryIf(backoff.AnyError), backoff.OnRetry(func(backoff.Event) { cancel() })) {
		attempts++
		if err != nil {
			checkEnd(t, err, errBusy, backoff.StopCancelled, 1)
		} else {
			attempt.Failed(errBusy)
		}
	}
	if attempts != 3 {
		t.Errorf("the bodies ran %d times", attempts)
	}
}

// A body that panics cancels the loop, whatever it reported. An attempt that has ended ignores reports.
func TestAttemptsThatPanic(t *testing.T) {
	var stats backoff.RetryStats
	var got eventLog
	var first *backoff.Attempt
	func() {
		defer func() { _ = recover() }()
		for attempt, err := range backoff.Attempts(t.Context(), append(got.hooks(), backoff.WithStats(&stats), backoff.RetryIf(backoff.AnyError), backoff.WithClock(new(fakeClock)), backoff.WithPolicyString("constant:base=1s"))...) {
			if err != nil {
				t.Fatal(err)
			}
			attempt.Failed(errBusy)
			if first == nil {
				first = attempt
				continue
			}
			first.Failed(nil)
			first.Ended(backoff.OutcomePermanent)
			if first.Number() != 0 || attempt.Number() != 2 {
				t.Errorf("numbers %d and %d", first.Number(), attempt.Number())
			}
			panic("at the disco")
		}
	}()
	checkCounted(t, &stats, 2, backoff.StopCancelled)
	if want := (eventLog{"retry 1 transient none 1s after 0s: <nil> busy", "stop 2 none cancelled 0s after 1s: <nil> <nil>"}); !slices.Equal(got, want) {
		t.Errorf("events %q", got)
	}
}

// A classification that panics ends the loop without calling a hook (SPEC 18.6). If the body recovers,
// the failure is permanent.
func TestAttemptsWhoseClassificationPanics(t *testing.T) {
	for _, recovers := range []bool{false, true} {
		var stats backoff.RetryStats
		var got eventLog
		var end error
		func() {
			defer func() {
				if recovered := recover(); (recovered == nil) != recovers {
					t.Errorf("recovered %v", recovered)
				}
			}()
			for attempt, err := range backoff.Attempts(t.Context(), append(got.hooks(), backoff.WithStats(&stats), backoff.WithClock(new(fakeClock)), backoff.RetryIf(func(error) bool { panic("at the disco") }))...) {
				if end = err; err == nil {
					func() {
						if recovers {
							defer func() { _ = recover() }()
						}
						attempt.Failed(errBusy)
					}()
				}
			}
		}()
		if !recovers {
			checkCounted(t, &stats, 1, backoff.StopCancelled)
			if len(got) != 0 {
				t.Errorf("events %q", got)
			}
			continue
		}
		checkEnd(t, end, errBusy, backoff.StopPermanent, 1)
		checkCounted(t, &stats, 1, backoff.StopPermanent)
		if want := (eventLog{"stop 1 permanent permanent 0s after 0s: <nil> busy"}); !slices.Equal(got, want) {
			t.Errorf("events %q", got)
		}
	}
}

// Each range begins a new loop.
func TestAttemptsTwice(t *testing.T) {
	attempts := backoff.Attempts(t.Context(), backoff.WithPolicyString("none:max_retries=1"), backoff.RetryIf(backoff.AnyError))
	count := 0
	for range 2 {
		for attempt, err := range attempts {
			count++
			if !attempt.Failed(errBusy) || (attempt == nil) != (err != nil) {
				t.Errorf("attempt %v with %v", attempt, err)
			}
		}
	}
	if count != 6 {
		t.Errorf("the body ran %d times, want 2 attempts and an error, twice", count)
	}
}
