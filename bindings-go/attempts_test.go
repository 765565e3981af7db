package backoff_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func TestLoop(t *testing.T) {
	fails := func(l *backoff.Loop, _ uint64) bool { l.Report(errBusy); return true }
	rows := []struct {
		name     string
		body     func(l *backoff.Loop, attempt uint64) bool // returns whether to continue
		attempts uint64
		want     error
		reason   backoff.StopReason
		events   eventLog
	}{{
		"a success ends the loop", func(l *backoff.Loop, attempt uint64) bool {
			if attempt == 3 {
				return l.Report(nil)
			}
			return !l.Report(errBusy)
		}, 3, nil, backoff.StopSuccess, eventLog{
			"retry 1 transient none 1s after 0s: <nil> busy",
			"retry 2 transient none 1s after 1s: <nil> busy",
			"stop 3 success success 0s after 2s: <nil> <nil>",
		},
	}, {
		"a body that reports nothing has succeeded", func(*backoff.Loop, uint64) bool { return true }, 1, nil, backoff.StopSuccess, eventLog{
			"stop 1 success success 0s after 0s: <nil> <nil>",
		},
	}, {
		"a body that breaks and reports nothing has succeeded", func(*backoff.Loop, uint64) bool { return false }, 1, nil, backoff.StopSuccess, eventLog{
			"stop 1 success success 0s after 0s: <nil> <nil>",
		},
	}, {
		"failures are retried until max_retries", fails, 4, errBusy, backoff.StopMaxRetries, eventLog{
			"retry 1 transient none 1s after 0s: <nil> busy",
			"retry 2 transient none 1s after 1s: <nil> busy",
			"retry 3 transient none 1s after 2s: <nil> busy",
			"stop 4 transient max_retries 0s after 3s: <nil> busy",
		},
	}, {
		"a permanent failure is not retried", func(l *backoff.Loop, _ uint64) bool { return !l.Report(backoff.Permanent(errWrong)) }, 1, errWrong, backoff.StopPermanent, eventLog{
			"stop 1 permanent permanent 0s after 0s: <nil> wrong",
		},
	}, {
		"a break after a failure cancels", func(l *backoff.Loop, attempt uint64) bool { return !l.Report(errBusy) && attempt < 2 }, 2, errBusy, backoff.StopCancelled, eventLog{
			"retry 1 transient none 1s after 0s: <nil> busy",
			"stop 2 none cancelled 0s after 1s: <nil> busy",
		},
	}, {
		"a verdict can ask for a retry", func(l *backoff.Loop, attempt uint64) bool {
			if attempt == 1 {
				l.ReportVerdict(backoff.OutcomeThrottled.WithRetryAfter(9 * time.Second))
			}
			return true
		}, 2, nil, backoff.StopSuccess, eventLog{
			"retry 1 throttled none 9s after 0s: <nil> <nil>",
			"stop 2 success success 0s after 9s: <nil> <nil>",
		},
	}, {
		"the last report wins", func(l *backoff.Loop, attempt uint64) bool {
			if l.Report(errWrong); attempt == 1 {
				l.ReportVerdict(backoff.OutcomeTimeout)
				return true
			}
			l.ReportVerdict(backoff.OutcomeTransient)
			return l.Report(nil)
		}, 2, nil, backoff.StopSuccess, eventLog{
			"retry 1 timeout none 1s after 0s: <nil> <nil>",
			"stop 2 success success 0s after 1s: <nil> <nil>",
		},
	}}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
			var stats backoff.RetryStats
			var got eventLog
			attempts := uint64(0)
			loop := backoff.NewLoop(t.Context(), append(got.hooks(), backoff.WithPolicyString("constant:base=1s,max_retries=3"),
				backoff.WithClock(new(fakeClock)), backoff.WithStats(&stats), backoff.WithBudget(budget), backoff.RetryIf(backoff.AnyError))...)
			for attempt := range loop.Attempts() {
				if attempts++; attempt != attempts {
					t.Errorf("attempt %d is number %d", attempts, attempt)
				}
				if !row.body(loop, attempt) {
					break
				}
			}
			if attempts != row.attempts {
				t.Errorf("%d attempts", attempts)
			}
			for range loop.Attempts() {
				t.Error("a loop that has stopped makes an attempt")
			}
			if loop.Report(errWrong) || !loop.Report(nil) {
				t.Error("a report of no attempt")
			}
			loop.ReportVerdict(backoff.OutcomeTransient)
			if !slices.Equal(got, row.events) {
				t.Errorf("events %q, want %q", got, row.events)
			}
			if row.reason == backoff.StopSuccess {
				if err := loop.Err(); err != nil {
					t.Error(err)
				}
			} else {
				checkEnd(t, loop.Err(), row.want, row.reason, row.attempts)
			}
			checkCounted(t, &stats, row.attempts, row.reason)
			checkIdle(t, budget)
		})
	}
}

// The body runs once for each attempt, whatever variables it declares: never for a loop that has stopped.
func TestBodiesOfLoops(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	anything := backoff.RetryIf(backoff.AnyError)
	for name, row := range map[string]struct {
		ctx    context.Context
		option backoff.RetryOption
		err    error
		bodies int
		reason error
	}{
		"max_attempts": {t.Context(), backoff.WithPolicyString("immediate:max_attempts=4"), errBusy, 4, backoff.ErrMaxRetries},
		"permanent":    {t.Context(), anything, backoff.Permanent(errWrong), 1, backoff.ErrPermanent},
		"cancelled":    {done, anything, errBusy, 0, backoff.ErrCancelled},
		"option":       {t.Context(), backoff.WithPolicyString("rato"), errBusy, 0, backoff.ErrUnknownHead},
	} {
		bodies := 0
		loop := backoff.NewLoop(row.ctx, anything, row.option)
		for range loop.Attempts() {
			bodies++
			loop.Report(row.err)
		}
		if err := loop.Err(); bodies != row.bodies || !errors.Is(err, row.reason) {
			t.Errorf("%s: %d bodies, %v", name, bodies, err)
		}
	}
}

func TestLoopsAreCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	loop := backoff.NewLoop(ctx)
	for range loop.Attempts() {
		t.Error("an attempt")
	}
	if err := loop.Err(); !errors.Is(err, context.Canceled) || !errors.Is(err, backoff.ErrCancelled) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	loop = backoff.NewLoop(ctx, backoff.WithPolicyString("constant:base=1h"), backoff.RetryIf(backoff.AnyError), backoff.OnRetry(func(backoff.Event) { cancel() }))
	for range loop.Attempts() {
		loop.Report(errBusy)
	}
	checkEnd(t, loop.Err(), errBusy, backoff.StopCancelled, 1)
}

// A body that panics cancels the loop, whatever it reported.
func TestLoopsThatPanic(t *testing.T) {
	var stats backoff.RetryStats
	var got eventLog
	loop := backoff.NewLoop(t.Context(), append(got.hooks(), backoff.WithStats(&stats), backoff.RetryIf(backoff.AnyError), backoff.WithClock(new(fakeClock)), backoff.WithPolicyString("constant:base=1s"))...)
	func() {
		defer func() { _ = recover() }()
		for attempt := range loop.Attempts() {
			loop.Report(errBusy)
			if attempt == 2 {
				panic("at the disco")
			}
		}
	}()
	checkCounted(t, &stats, 2, backoff.StopCancelled)
	if want := (eventLog{"retry 1 transient none 1s after 0s: <nil> busy", "stop 2 none cancelled 0s after 1s: <nil> <nil>"}); !slices.Equal(got, want) {
		t.Errorf("events %q", got)
	}
}

// A loop whose caller recovers from a panic has not succeeded, whatever panicked. The last failure is kept.
func TestErrAfterAPanic(t *testing.T) {
	bug := func(backoff.Event) { panic("a bug") }
	for name, row := range map[string]struct {
		option backoff.RetryOption
		report error // nil for none
		want   string
	}{
		"the body":             {backoff.RetryIf(backoff.AnyError), nil, "gave up after 1 attempt: cancelled: the loop ended with a panic"},
		"the body, reported":   {backoff.RetryIf(backoff.AnyError), errBusy, "gave up after 1 attempt: cancelled: the loop ended with a panic: busy"},
		"OnRetry":              {backoff.OnRetry(bug), backoff.Transient(errBusy), "gave up after 1 attempt: cancelled: the loop ended with a panic: busy"},
		"OnStop":               {backoff.OnStop(bug), errWrong, "gave up after 1 attempt: cancelled: the loop ended with a panic: wrong"},
		"OnStop for a success": {backoff.OnStop(bug), nil, "gave up after 1 attempt: cancelled: the loop ended with a panic"},
		"Classify":             {backoff.Classify(func(error) backoff.Verdict { panic("a bug") }), errBusy, "gave up after 1 attempt: cancelled: the loop ended with a panic: busy"},
	} {
		t.Run(name, func(t *testing.T) {
			loop := backoff.NewLoop(t.Context(), row.option, backoff.WithClock(new(fakeClock)))
			func() {
				defer func() {
					if recover() != "a bug" {
						t.Error("no panic")
					}
				}()
				for range loop.Attempts() {
					if row.report != nil {
						loop.Report(row.report)
					}
					if strings.HasPrefix(name, "the body") {
						panic("a bug")
					}
				}
			}()
			err := loop.Err()
			if err == nil || err.Error() != row.want || !errors.Is(err, backoff.ErrCancelled) {
				t.Errorf("failed with %v", err)
			}
			for range loop.Attempts() {
				t.Error("another attempt")
			}
		})
	}
}

// A classification that panics ends the loop without calling a hook (SPEC 18.6). If the body recovers,
// the failure is permanent.
func TestLoopsWhoseClassificationPanics(t *testing.T) {
	for _, recovers := range []bool{false, true} {
		var stats backoff.RetryStats
		var got eventLog
		loop := backoff.NewLoop(t.Context(), append(got.hooks(), backoff.WithStats(&stats), backoff.WithClock(new(fakeClock)), backoff.RetryIf(func(error) bool { panic("at the disco") }))...)
		func() {
			defer func() {
				if recovered := recover(); (recovered == nil) != recovers {
					t.Errorf("recovered %v", recovered)
				}
			}()
			for range loop.Attempts() {
				func() {
					if recovers {
						defer func() { _ = recover() }()
					}
					loop.Report(errBusy)
				}()
			}
		}()
		if !recovers {
			checkCounted(t, &stats, 1, backoff.StopCancelled)
			if len(got) != 0 {
				t.Errorf("events %q", got)
			}
			continue
		}
		checkEnd(t, loop.Err(), errBusy, backoff.StopPermanent, 1)
		checkCounted(t, &stats, 1, backoff.StopPermanent)
		if want := (eventLog{"stop 1 permanent permanent 0s after 0s: <nil> busy"}); !slices.Equal(got, want) {
			t.Errorf("events %q", got)
		}
	}
}

// A Loop that NewLoop did not make makes no attempt and says why.
func TestZeroLoop(t *testing.T) {
	for _, loop := range []*backoff.Loop{nil, new(backoff.Loop)} {
		for range loop.Attempts() {
			t.Error("an attempt")
		}
		loop.ReportVerdict(backoff.OutcomeTransient)
		if err := loop.Err(); loop.Report(errBusy) || !errors.Is(err, backoff.ErrMissing) || err.Error() != "loop was not made by NewLoop" {
			t.Error(err)
		}
	}
}
