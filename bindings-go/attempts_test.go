package backoff_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// What a body may do that a function of Retry cannot.
func TestLoop(t *testing.T) {
	rows := []struct {
		name     string
		body     func(l *backoff.Loop, attempt uint64) bool // returns whether to continue
		attempts uint64
		want     error // the last error of a loop that was cancelled; nil after a success
		events   eventLog
	}{{
		"a body that reports nothing has succeeded", func(*backoff.Loop, uint64) bool { return true }, 1, nil, eventLog{
			"stop 1 success success 0s after 0s: <nil> <nil>",
		},
	}, {
		"a body that breaks and reports nothing has succeeded", func(*backoff.Loop, uint64) bool { return false }, 1, nil, eventLog{
			"stop 1 success success 0s after 0s: <nil> <nil>",
		},
	}, {
		"a break after a failure cancels", func(l *backoff.Loop, attempt uint64) bool { return !l.Report(errBusy) && attempt < 2 }, 2, errBusy, eventLog{
			"retry 1 transient none 1s after 0s: <nil> busy",
			"stop 2 none cancelled 0s after 1s: <nil> busy",
		},
	}, {
		"the last report wins", func(l *backoff.Loop, attempt uint64) bool {
			if l.Report(errWrong); attempt == 1 {
				l.ReportVerdict(backoff.OutcomeTimeout)
				return true
			}
			l.ReportVerdict(backoff.OutcomeTransient)
			return l.Report(nil)
		}, 2, nil, eventLog{
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
			for attempts = range loop.Attempts() {
				if !row.body(loop, attempts) {
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
			reason := backoff.StopSuccess
			if row.want != nil {
				reason = backoff.StopCancelled
			}
			checkEnd(t, loop.Err(), row.want, reason, row.attempts)
			checkCounted(t, &stats, row.attempts, reason)
			checkIdle(t, budget)
		})
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

// If the body recovers from the panic of a classification, the failure is permanent.
func TestLoopsWhoseClassificationPanics(t *testing.T) {
	var stats backoff.RetryStats
	var got eventLog
	loop := backoff.NewLoop(t.Context(), append(got.hooks(), backoff.WithStats(&stats), backoff.WithClock(new(fakeClock)), backoff.RetryIf(func(error) bool { panic("at the disco") }))...)
	for range loop.Attempts() {
		func() {
			defer func() { _ = recover() }()
			loop.Report(errBusy)
		}()
	}
	checkEnd(t, loop.Err(), errBusy, backoff.StopPermanent, 1)
	checkCounted(t, &stats, 1, backoff.StopPermanent)
	if want := (eventLog{"stop 1 permanent permanent 0s after 0s: <nil> busy"}); !slices.Equal(got, want) {
		t.Errorf("events %q", got)
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
