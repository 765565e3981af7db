package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func TestFallback(t *testing.T) {
	fail := func(err error) func() (int, error) { return func() (int, error) { return 1, err } }
	asked := error(nil)
	instead := backoff.WithFallbackFunc(func(err error) (int, error) { asked = err; return 8, errClosed })
	done, cancel := context.WithCancel(t.Context())
	cancel()
	unknown := backoff.Classify(func(error) backoff.Verdict { return backoff.Outcome(9) })
	for name, row := range map[string]struct {
		ctx      context.Context
		op       func() (int, error)
		options  []backoff.RetryOption
		value    int
		want     error // what errors.Is finds
		isGiveUp bool
	}{
		"a success":             {t.Context(), fail(nil), []backoff.RetryOption{backoff.WithFallback(7)}, 1, nil, false},
		"all retries":           {t.Context(), fail(backoff.Transient(errBusy)), []backoff.RetryOption{backoff.WithFallback(7)}, 7, nil, false},
		"a permanent failure":   {t.Context(), fail(errBusy), []backoff.RetryOption{backoff.WithFallback(7)}, 7, nil, false},
		"a value":               {t.Context(), fail(nil), []backoff.RetryOption{backoff.WithFallback(7), backoff.RetryResult(func(int) bool { return true })}, 7, nil, false},
		"a function":            {t.Context(), fail(errBusy), []backoff.RetryOption{backoff.WithFallback(7), instead}, 8, errClosed, false},
		"the last one counts":   {t.Context(), fail(errBusy), []backoff.RetryOption{instead, backoff.WithFallback(7)}, 7, nil, false},
		"a cancellation":        {done, fail(nil), []backoff.RetryOption{backoff.WithFallback(7)}, 0, context.Canceled, true},
		"a mistake of the loop": {t.Context(), fail(errBusy), []backoff.RetryOption{backoff.WithFallback(7), unknown}, 1, backoff.ErrUnknownOutcome, false},
	} {
		reasons := []backoff.StopReason{}
		options := append(row.options, backoff.WithDelays(0), backoff.OnStop(func(e backoff.Event) { reasons = append(reasons, e.Reason) }))
		value, err := backoff.Retry(row.ctx, row.op, options...)
		var gaveUp *backoff.RetryError
		if value != row.value || !errors.Is(err, row.want) || errors.As(err, &gaveUp) != row.isGiveUp {
			t.Errorf("%s: %d, %v, want %d, %v", name, value, err, row.value, row.want)
		}
		if name != "a mistake of the loop" && (len(reasons) != 1 || (reasons[0] == backoff.StopSuccess) != (name == "a success")) {
			t.Errorf("%s: the hook got %v", name, reasons)
		}
	}
	if !errors.Is(asked, backoff.ErrPermanent) || !errors.Is(asked, errBusy) {
		t.Errorf("the function got %v", asked)
	}
}

func TestFallbacksOfTheWrongType(t *testing.T) {
	succeed := func() (int, error) { return 1, nil }
	_, err := backoff.Retry(t.Context(), succeed, backoff.WithFallback("7"))
	checkArgument(t, err, backoff.ErrWrongType, "WithFallback", "WithFallback returns string, but the function returns int")
	err = backoff.Do(t.Context(), func() error { return nil }, backoff.WithFallback(7))
	checkArgument(t, err, backoff.ErrWrongType, "WithFallback", "WithFallback returns int, but Do has no result: use Retry")
	_, err = backoff.Retry(t.Context(), func() (error, error) { return nil, nil }, backoff.WithFallback(backoff.ErrNegative))
	checkArgument(t, err, backoff.ErrWrongType, "WithFallback", "WithFallback returns backoff.Code, but the function returns error: write WithFallback[error](...)")
	_, err = backoff.Retry(t.Context(), succeed, backoff.WithFallbackFunc[int](nil))
	checkArgument(t, err, backoff.ErrMissing, "argument of WithFallbackFunc", "argument of WithFallbackFunc is nil")
	err = backoff.NewLoop(t.Context(), backoff.WithFallback(7)).Err()
	checkArgument(t, err, backoff.ErrUnused, "WithFallback", "WithFallback has no effect on a Loop, which has no result")
}

type numbered int

func (n numbered) Error() string { return fmt.Sprint("number ", int(n)) }

func TestAllErrors(t *testing.T) {
	calls := 0
	fail := func() error {
		calls++
		return backoff.Transient(numbered(calls))
	}
	policy := backoff.WithPolicyString("immediate:max_retries=2")
	err := backoff.Do(t.Context(), fail, policy, backoff.WithAllErrors())
	var gaveUp *backoff.RetryError
	if !errors.As(err, &gaveUp) || !slices.Equal(gaveUp.Errors, []error{numbered(1), numbered(2), numbered(3)}) || gaveUp.Err != numbered(3) {
		t.Errorf("%#v", err)
	}
	if !errors.Is(err, numbered(1)) || errors.Is(err, numbered(4)) || err.Error() != "gave up after 3 attempts: max_retries: number 3" {
		t.Error(err)
	}
	var first numbered
	if !errors.As(err, &first) || first != 3 {
		t.Errorf("errors.As finds %d first, want the last one", first)
	}
	err = backoff.Do(t.Context(), fail, policy)
	if !errors.As(err, &gaveUp) || gaveUp.Errors != nil || errors.Is(err, numbered(4)) || !errors.Is(err, numbered(6)) {
		t.Errorf("%#v", err)
	}
	calls = 0
	err = backoff.Do(t.Context(), fail, backoff.WithPolicyString("immediate:max_retries=149"), backoff.WithAllErrors())
	if !errors.As(err, &gaveUp) || len(gaveUp.Errors) != 100 || gaveUp.Errors[0] != numbered(51) || gaveUp.Errors[99] != numbered(150) {
		t.Errorf("%d errors of 150", len(gaveUp.Errors))
	}
}

// A loop whose retries are off makes its first call, and asks no budget.
func TestRetriesThatAreOff(t *testing.T) {
	budget, calls := parseBudget(t, "quota:max_tokens=5,cost=5"), 0
	before := budget.String()
	var stats backoff.RetryStats
	err := backoff.Do(t.Context(), func() error { calls++; return backoff.Transient(errBusy) }, backoff.WithBudget(budget),
		backoff.WithDelays(time.Hour), backoff.WithStats(&stats), backoff.WithEnabled(false))
	checkEnd(t, err, errBusy, backoff.StopMaxRetries, 1)
	checkCounted(t, &stats, 1, backoff.StopMaxRetries)
	operation := beginOrFail(t, parsePolicy(t, "constant:base=1s"), backoff.WithBudget(budget))
	if decision, err := operation.Decide(backoff.OutcomeTransient, time.Hour); !decision.Wait || err != nil || calls != 1 {
		t.Errorf("%d calls; %+v, %v: the budget %s has lost tokens", calls, decision, err, before)
	}
	err = backoff.Do(t.Context(), func() error { return backoff.Permanent(errBusy) }, backoff.WithEnabled(false))
	checkEnd(t, err, errBusy, backoff.StopPermanent, 1)
}
