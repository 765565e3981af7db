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

// Invalid options are reported before any call, to the caller only.
func TestInvalidRetryOptions(t *testing.T) {
	type options = []backoff.RetryOption
	rows := []struct {
		options options
		want    string
	}{
		{options{nil}, "option is nil"},
		{options{backoff.WithPolicy(backoff.Policy{})}, "the zero Policy is not valid"},
		{options{backoff.WithPolicyString("full")}, "at 4: base is missing"},
		{options{backoff.WithKey(42, "\xff")}, `key "\xff" is not valid UTF-8`},
		{options{backoff.WithBudget(new(backoff.Budget))}, "the zero Budget is not valid"},
		{options{backoff.WithClock(nil)}, "argument of WithClock is nil"},
		{options{backoff.WithClock(&fakeClock{now: -1})}, "now -1ns is below 0s"},
		{options{backoff.RetryIf(nil)}, "argument of RetryIf is nil"},
		{options{backoff.RetryOn(errBusy, nil)}, "argument of RetryOn is nil"},
		{options{backoff.Classify(nil)}, "argument of Classify is nil"},
		{options{backoff.RetryResult[int](nil)}, "argument of RetryResult is nil"},
		{options{backoff.ClassifyResult[int](nil)}, "argument of ClassifyResult is nil"},
		{options{backoff.OnRetry(nil)}, "argument of OnRetry is nil"},
		{options{backoff.OnStop(nil)}, "argument of OnStop is nil"},
		{options{backoff.RetryResult(func(string) bool { return true })}, "RetryResult classifies string, but the function returns int"},
	}
	for _, row := range rows {
		called := false
		var got eventLog
		var stats backoff.RetryStats
		hooked := append(append(options{backoff.WithStats(&stats)}, got.hooks()...), row.options...)
		_, err := backoff.Retry(t.Context(), func() (int, error) { called = true; return 0, nil }, hooked...)
		if err == nil || err.Error() != row.want {
			t.Errorf("got %v, want %s", err, row.want)
		}
		if invalid := (*backoff.ArgumentError)(nil); errors.As(err, &invalid) && !errors.Is(err, invalid.Code) {
			t.Errorf("%v has no code", err)
		}
		if called || len(got) != 0 || stats.Counts().Operations != 0 {
			t.Errorf("%s: called %t, events %q", row.want, called, got)
		}
		want := row.want
		if strings.HasPrefix(want, "RetryResult classifies") {
			want = "RetryResult has no effect on a Loop: call Loop.ReportVerdict"
		}
		loop := backoff.NewLoop(t.Context(), hooked...)
		for attempt := range loop.Attempts() {
			t.Errorf("attempt %d, want %s", attempt, want)
		}
		if err := loop.Err(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if len(got) != 0 {
			t.Errorf("events %q", got)
		}
	}
	var none context.Context
	if err := backoff.Do(none, func() error { return nil }); err == nil || err.Error() != "ctx is nil" {
		t.Errorf("got %v", err)
	}
	if err := backoff.Do(t.Context(), nil); err == nil || err.Error() != "op is nil" {
		t.Errorf("got %v", err)
	}
	if _, err := backoff.Retry[int](t.Context(), nil); err == nil || err.Error() != "op is nil" {
		t.Errorf("got %v", err)
	}
	if err := backoff.DoContext(t.Context(), nil); err == nil || err.Error() != "op is nil" {
		t.Errorf("got %v", err)
	}
	if _, err := backoff.RetryContext[int](t.Context(), nil); err == nil || err.Error() != "op is nil" {
		t.Errorf("got %v", err)
	}
	if err := backoff.NewLoop(none, backoff.WithFallback(7)).Err(); err == nil || err.Error() != "ctx is nil" {
		t.Errorf("got %v", err)
	}
}

// Do has no result that RetryResult or ClassifyResult could classify.
func TestDoHasNoResult(t *testing.T) {
	for want, option := range map[string]backoff.RetryOption{
		"RetryResult classifies int, but Do has no result: use Retry":          backoff.RetryResult(func(int) bool { return false }),
		"ClassifyResult classifies struct {}, but Do has no result: use Retry": backoff.ClassifyResult(func(struct{}) backoff.Verdict { return nil }),
	} {
		err := backoff.Do(t.Context(), func() error { t.Error("called"); return nil }, option)
		if err == nil || err.Error() != want || !errors.Is(err, backoff.ErrWrongType) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	err := backoff.Do(t.Context(), func() error { return nil }, backoff.OnStop(func(event backoff.Event) {
		if event.Value != nil {
			t.Errorf("the value is %v", event.Value)
		}
	}))
	if err != nil {
		t.Error(err)
	}
}

// A classification that returns nil allows no retry: it is permanent for an error and a success for a
// result.
func TestNilVerdicts(t *testing.T) {
	none := func(error) backoff.Verdict { return nil }
	policy := backoff.WithPolicyString("constant:base=0s,max_retries=1")
	fails := func() error { return errBusy }
	checkEnd(t, backoff.Do(t.Context(), fails, policy, backoff.Classify(none)), errBusy, backoff.StopPermanent, 1)
	checkEnd(t, backoff.Do(t.Context(), fails, policy, backoff.Classify(none), backoff.RetryOn(errBusy)), errBusy, backoff.StopMaxRetries, 2)
	value, err := backoff.Retry(t.Context(), func() (int, error) { return 7, nil }, policy, backoff.ClassifyResult(func(int) backoff.Verdict { return nil }))
	if value != 7 || err != nil {
		t.Errorf("returned %d, %v", value, err)
	}
	loop := backoff.NewLoop(t.Context(), policy)
	for attempt := range loop.Attempts() {
		if attempt != 1 {
			t.Errorf("attempt %d", attempt)
		}
		loop.ReportVerdict(nil)
	}
	if err := loop.Err(); err != nil {
		t.Error(err)
	}
	if got := backoff.Mark(errBusy, nil); got != errBusy {
		t.Errorf("marked %v", got)
	}
}

// An unknown outcome ends the loop, which is cancelled and counted as cancelled, even if the caller
// cancels at the same moment (SPEC 18.6). The error contains the last error.
func TestUnknownOutcomesEndTheLoop(t *testing.T) {
	for _, row := range []struct {
		verdict backoff.Verdict
		err     error // of the last call
		want    string
	}{
		{backoff.Outcome(0), errWrong, "outcome 0 is unknown: wrong"},
		{backoff.Outcome(9), errWrong, "outcome 9 is unknown: wrong"},
		{backoff.OutcomeThrottled, backoff.Mark(errWrong, backoff.Outcome(0)), "outcome 0 is unknown: wrong"},
		{backoff.Outcome(0), nil, "outcome 0 is unknown"},
		{backoff.Outcome(9), nil, "outcome 9 is unknown"},
	} {
		for _, cancels := range []bool{true, false} {
			ctx, cancel := context.WithCancel(t.Context())
			budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
			var stats backoff.RetryStats
			var got eventLog
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
				backoff.WithPolicyString("constant:base=1s"), backoff.WithClock(new(fakeClock)), backoff.WithBudget(budget), backoff.WithStats(&stats))...)
			cancel()
			var invalid *backoff.ArgumentError
			if !errors.As(err, &invalid) || err.Error() != row.want || errors.Is(err, errWrong) != (row.err != nil) {
				t.Errorf("got %v, want %s", err, row.want)
			}
			if mark := backoff.Verdict(nil); errors.As(err, &mark) {
				t.Errorf("%v still has its mark", err)
			}
			if want := (eventLog{"retry 1 transient none 1s after 0s: 1 busy"}); !slices.Equal(got, want) {
				t.Errorf("events %q, want %q", got, want)
			}
			checkCounted(t, &stats, 2, backoff.StopCancelled)
			checkIdle(t, budget)
		}
	}
}

func TestAttemptWithAnUnknownOutcome(t *testing.T) {
	loop := backoff.NewLoop(t.Context())
	for range loop.Attempts() {
		loop.ReportVerdict(backoff.Outcome(0))
	}
	if err := loop.Err(); err == nil || err.Error() != "outcome 0 is unknown" {
		t.Errorf("ended with %v", err)
	}
}

// A loop that ends with an *ArgumentError after a call counts as cancelled and calls no hook, in every
// form (SPEC 18.6).
func TestLoopsThatFailDoNotCallOnStop(t *testing.T) {
	budget, clock := new(backoff.Budget), new(fakeClock)
	causes := map[backoff.Code]func() error{
		backoff.ErrUnknownOutcome: func() error { return backoff.Mark(errBusy, backoff.Outcome(9)) },
		backoff.ErrDamaged:        func() error { budget.Damage(); return errBusy },
		backoff.ErrNegative:       func() error { clock.now = -1; return errBusy },
	}
	for name, form := range formsOfLoops(t.Context()) {
		for code, op := range causes {
			budget, clock = parseBudget(t, "ratio"), new(fakeClock)
			var stats backoff.RetryStats
			var got eventLog
			err := form(op, append(got.hooks(), backoff.RetryIf(backoff.AnyError),
				backoff.WithBudget(budget), backoff.WithClock(clock), backoff.WithStats(&stats))...)
			if gaveUp := (*backoff.RetryError)(nil); !errors.Is(err, code) || !errors.Is(err, errBusy) || errors.As(err, &gaveUp) {
				t.Errorf("%s: ended with %v, want %v", name, err, code)
			}
			if len(got) != 0 {
				t.Errorf("%s, %v: events %q", name, code, got)
			}
			checkCounted(t, &stats, 1, backoff.StopCancelled)
		}
	}
}

// A goroutine that exits in a call, as t.FailNow does, cancels the operation.
func TestGoexit(t *testing.T) {
	budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
	var stats backoff.RetryStats
	calls := 0
	inParallel(1, func(int) {
		_ = backoff.Do(context.Background(), func() error {
			if calls++; calls == 2 {
				runtime.Goexit()
			}
			return backoff.Transient(errBusy)
		}, backoff.WithPolicyString("constant:base=0s"), backoff.WithBudget(budget), backoff.WithStats(&stats))
		t.Error("returned")
	})
	checkCounted(t, &stats, 2, backoff.StopCancelled)
	checkIdle(t, budget)
}

// The default clock has a monotonic reading and never goes back.
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
