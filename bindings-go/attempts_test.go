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

// A Loop ends with its first range, whatever happens to its context later.
func TestASecondRange(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got eventLog
	loop := backoff.NewLoop(ctx, append(got.hooks(), backoff.WithClock(new(fakeClock)))...)
	for range 2 {
		for range loop.Attempts() {
		}
		cancel()
	}
	if want := (eventLog{"stop 1 success success 0s after 0s: <nil> <nil>"}); !slices.Equal(got, want) || loop.Err() != nil {
		t.Errorf("events %q, %v", got, loop.Err())
	}
}

// Between attempts a loop has no attempt: a report is ignored, and the context is that of the loop. An attempt that
// reports nothing has no failure of the attempt before.
func TestALoopBetweenAttempts(t *testing.T) {
	var loop *backoff.Loop
	asked := 0
	between := func(backoff.Event) {
		if loop.Report(errWrong) || loop.Context() != t.Context() {
			t.Error("a hook is in an attempt")
		}
		loop.ReportVerdict(backoff.OutcomeTransient)
	}
	var last backoff.Event
	loop = backoff.NewLoop(t.Context(), backoff.WithClock(new(fakeClock)), backoff.OnRetry(between),
		backoff.RetryIf(func(error) bool { asked++; return true }), backoff.OnStop(func(event backoff.Event) { last = event }))
	if loop.Context() != t.Context() {
		t.Error("a loop that has not begun has another context")
	}
	for number := range loop.Attempts() {
		attempt, ok := backoff.AttemptFromContext(loop.Context())
		if want := map[uint64]error{2: errBusy}[number]; !ok || attempt.Number != number || attempt.LastErr != want {
			t.Errorf("%v, %t", attempt, ok)
		}
		if number == 1 {
			loop.Report(errBusy)
		}
	}
	if asked != 1 || last.Attempts != 2 || last.Err != nil || last.Reason != backoff.StopSuccess {
		t.Errorf("classified %d times, %+v", asked, last)
	}
	for _, loop := range []*backoff.Loop{nil, new(backoff.Loop)} {
		if loop.Context() != context.Background() {
			t.Errorf("%v is no context of its own", loop.Context())
		}
	}
}

// A body that panics cancels the loop, also after a report, and the error has the time until then.
func TestABodyThatPanics(t *testing.T) {
	for name, report := range map[string]error{"nothing": nil, "Transient": backoff.Transient(errBusy), "Permanent": backoff.Permanent(errBusy)} {
		clock := new(fakeClock)
		var got eventLog
		loop := backoff.NewLoop(t.Context(), append(got.hooks(), backoff.WithClock(clock))...)
		recovered, _ := panicking(func() error {
			for range loop.Attempts() {
				if report != nil {
					loop.Report(report)
				}
				clock.now += 3 * time.Second
				panic(errWrong)
			}
			return nil
		})
		if want := (eventLog{"stop 1 none cancelled 0s after 3s: <nil> <nil>"}); recovered != errWrong || !slices.Equal(got, want) {
			t.Errorf("recovered %v, events %q, want %q", recovered, got, want)
		}
		var gaveUp *backoff.RetryError
		if !errors.As(loop.Err(), &gaveUp) || gaveUp.Elapsed != 3*time.Second {
			t.Errorf("%#v", loop.Err())
		}
		if verdict := backoff.VerdictOf(loop.Err()); (verdict == backoff.OutcomePermanent) != (name == "Permanent") {
			t.Errorf("after %s an enclosing loop finds %v", name, verdict)
		}
	}
}
