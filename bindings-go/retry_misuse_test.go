package backoff_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// What is wrong with the options is told before any call and to nobody else.
func TestOptionsOfLoopsThatAreNone(t *testing.T) {
	type options = []backoff.RetryOption
	rows := []struct {
		options options
		want    string
	}{
		{options{nil}, "option <nil> gives nothing"},
		{options{backoff.WithPolicy(backoff.Policy{})}, "the zero Policy is no policy"},
		{options{backoff.WithPolicyLine("full")}, "at 4: base is missing"},
		{options{backoff.WithKey(42, "\xff")}, `key "\xff" is not valid UTF-8`},
		{options{backoff.WithBudget(new(backoff.Budget))}, "the zero Budget is no budget"},
		{options{backoff.WithClock(nil)}, "clock <nil> is missing"},
		{options{backoff.WithClock(&fakeClock{now: -1})}, "now -1ns is below 0s"},
		{options{backoff.RetryIf(nil)}, "RetryIf <nil> is missing"},
		{options{backoff.RetryOn(errBusy, nil)}, "RetryOn <nil> is missing"},
		{options{backoff.Classify(nil)}, "Classify <nil> is missing"},
		{options{backoff.RetryResult[int](nil)}, "RetryResult <nil> is missing"},
		{options{backoff.ClassifyResult[int](nil)}, "ClassifyResult <nil> is missing"},
		{options{backoff.OnRetry(nil)}, "OnRetry <nil> is missing"},
		{options{backoff.OnStop(nil)}, "OnStop <nil> is missing"},
		{options{backoff.RetryResult(func(string) bool { return true })}, `result "func(string) backoff.Verdict" is not the func(int) backoff.Verdict of the operation`},
	}
	for _, row := range rows {
		called := false
		var told told
		var history backoff.History
		hooked := append(append(options{backoff.WithHistory(&history)}, told.hooks()...), row.options...)
		_, err := backoff.Retry(t.Context(), func() (int, error) { called = true; return 0, nil }, hooked...)
		if err == nil || err.Error() != row.want {
			t.Errorf("got %v, want %s", err, row.want)
		}
		if called || len(told) != 0 || history.Counts().Operations != 0 {
			t.Errorf("%s: called %t, told %q", row.want, called, told)
		}
		for attempt, err := range backoff.Attempts(t.Context(), hooked...) {
			if attempt != nil || err == nil || err.Error() != row.want && !strings.HasPrefix(row.want, "result") {
				t.Errorf("an attempt with %v, want %s", err, row.want)
			}
		}
		if len(told) != 0 {
			t.Errorf("told %q", told)
		}
	}
	//lint:ignore SA1012 a nil context is what is tested
	if err := backoff.Do(nil, func() error { return nil }); err == nil || err.Error() != "ctx <nil> is missing" {
		t.Errorf("got %v", err)
	}
	if err := backoff.Do(t.Context(), nil); err == nil || err.Error() != "op <nil> is missing" {
		t.Errorf("got %v", err)
	}
	if _, err := backoff.Retry[int](t.Context(), nil); err == nil || err.Error() != "op <nil> is missing" {
		t.Errorf("got %v", err)
	}
}

// A verdict that is none ends the loop, which is cancelled and counted so, also if the caller gives
// up at the same moment (SPEC 18.6). The last error is not lost.
func TestVerdictsThatAreNone(t *testing.T) {
	for _, row := range []struct {
		verdict backoff.Verdict
		err     error // of the last call
		want    string
	}{
		{nil, errWrong, "outcome 0 is unknown: wrong"},
		{backoff.Outcome(9), errWrong, "outcome 9 is unknown: wrong"},
		{backoff.OutcomeThrottled, backoff.Mark(errWrong, nil), "outcome 0 is unknown: wrong"},
		{nil, nil, "outcome 0 is unknown"},
		{backoff.Outcome(9), nil, "outcome 9 is unknown"},
	} {
		for _, cancels := range []bool{true, false} {
			ctx, cancel := context.WithCancel(t.Context())
			budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
			var history backoff.History
			var got told
			calls := uint64(0)
			_, err := backoff.Retry(ctx, func() (uint64, error) {
				if calls++; calls == 1 {
					return calls, backoff.Transient(errBusy)
				}
				if cancels {
					cancel()
				}
				return calls, row.err
			}, append(got.hooks(),
				backoff.Classify(func(error) backoff.Verdict { return row.verdict }),
				backoff.ClassifyResult(func(uint64) backoff.Verdict { return row.verdict }),
				backoff.WithPolicyLine("constant:base=1s"), backoff.WithClock(new(fakeClock)), backoff.WithBudget(budget), backoff.WithHistory(&history))...)
			cancel()
			var refused *backoff.ArgumentError
			if !errors.As(err, &refused) || err.Error() != row.want || errors.Is(err, errWrong) != (row.err != nil) {
				t.Errorf("got %v, want %s", err, row.want)
			}
			if mark := backoff.Verdict(nil); errors.As(err, &mark) {
				t.Errorf("%v still has its mark", err)
			}
			if want := (told{"retry 1 transient none 1s after 0s: 1 busy"}); !slices.Equal(got, want) {
				t.Errorf("told %q, want %q", got, want)
			}
			checkCounted(t, &history, 2, backoff.StopCancelled)
			checkIdle(t, budget)
		}
	}
}

// What the body of a loop of Attempts tells may be none, too.
func TestAnAttemptThatEndedInNothing(t *testing.T) {
	var end error
	for attempt, err := range backoff.Attempts(t.Context()) {
		if end = err; err == nil {
			attempt.Ended(nil)
		}
	}
	if end == nil || end.Error() != "outcome 0 is unknown" {
		t.Errorf("ended with %v", end)
	}
}

// A panic goes on to the caller. The operation is cancelled and counted, and nobody is told more
// unless it was the call that panicked, which gives the loop up.
func TestPanics(t *testing.T) {
	panics := func(when bool) {
		if when {
			panic("at the disco")
		}
	}
	rows := map[string]struct {
		reason backoff.StopReason
		told   int
	}{
		"op":       {backoff.StopCancelled, 2},
		"classify": {backoff.StopCancelled, 1},
		"result":   {backoff.StopCancelled, 1},
		"retry":    {backoff.StopCancelled, 1}, // told to the hook before it
		"stop":     {backoff.StopSuccess, 2},
		"sleep":    {backoff.StopCancelled, 1},
	}
	for where, row := range rows {
		t.Run(where, func(t *testing.T) {
			budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
			var history backoff.History
			var got told
			calls := uint64(0)
			func() {
				defer func() {
					if recovered := recover(); recovered != "at the disco" {
						t.Errorf("recovered %v", recovered)
					}
				}()
				_, err := backoff.Retry(t.Context(), func() (uint64, error) {
					calls++
					panics(where == "op" && calls == 2)
					if calls == 1 || where == "classify" {
						return calls, errBusy
					}
					return calls, nil
				}, append(got.hooks(),
					backoff.Classify(func(error) backoff.Verdict {
						panics(where == "classify" && calls == 2)
						return backoff.OutcomeTransient
					}),
					backoff.RetryResult(func(uint64) bool { panics(where == "result"); return false }),
					backoff.OnRetry(func(backoff.Event) { panics(where == "retry") }),
					backoff.OnRetry(func(backoff.Event) {
						if where == "retry" {
							t.Error("a hook after the one that panics is called")
						}
					}),
					backoff.OnStop(func(backoff.Event) { panics(where == "stop") }),
					backoff.OnStop(func(backoff.Event) {
						if where != "op" {
							t.Error("a hook after the one that panics is called")
						}
					}),
					backoff.WithClock(&fakeClock{during: func() { panics(where == "sleep") }}),
					backoff.WithPolicyLine("constant:base=1s"), backoff.WithBudget(budget), backoff.WithHistory(&history))...)
				t.Errorf("returned %v", err)
			}()
			if len(got) != row.told {
				t.Errorf("told %q", got)
			}
			checkCounted(t, &history, calls, row.reason)
			checkIdle(t, budget)
		})
	}
}

// A goroutine that ends in a call, as a failed test does, ends the operation.
func TestGoexit(t *testing.T) {
	budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
	var history backoff.History
	calls := 0
	inParallel(1, func(int) {
		_ = backoff.Do(context.Background(), func() error {
			if calls++; calls == 2 {
				runtime.Goexit()
			}
			return backoff.Transient(errBusy)
		}, backoff.WithPolicyLine("constant:base=0s"), backoff.WithBudget(budget), backoff.WithHistory(&history))
		t.Error("returned")
	})
	checkCounted(t, &history, 2, backoff.StopCancelled)
	checkIdle(t, budget)
}

// The clock of loops is one for the process, has a monotonic reading and never goes back.
func TestNow(t *testing.T) {
	before := backoff.Now()
	time.Sleep(time.Millisecond)
	if since := backoff.Now() - before; before < 0 || since < time.Millisecond || since > time.Minute {
		t.Errorf("%v after %v", since, before)
	}
	if !strings.Contains(backoff.Origin().String(), " m=") {
		t.Errorf("the origin is %v", backoff.Origin())
	}
}
