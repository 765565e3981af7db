package backoff_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

var errShutdown = errors.New("shutting down")

// checkIdle checks that a budget of 1 concurrent retry grants it.
func checkIdle(t *testing.T, budget *backoff.Budget) {
	t.Helper()
	operation := beginOrFail(t, parsePolicy(t, "constant:base=1s"), backoff.WithBudget(budget))
	defer operation.Cancel()
	if decision, err := operation.Decide(backoff.OutcomeTransient, 0); err != nil || !decision.Wait {
		t.Error("the budget still counts a retry")
	}
}

// The deadline of a loop is that of its context. WithDeadline takes a time of Now, which could be
// mistaken for a span, so loops do not accept it.
func TestLoopsDoNotAcceptWithDeadline(t *testing.T) {
	if _, ok := any(backoff.WithDeadline(0)).(backoff.RetryOption); ok {
		t.Error("WithDeadline is a RetryOption")
	}
}

// A silent context is done although its channel is never closed.
type silent struct {
	context.Context
	done atomic.Bool
}

func (s *silent) Done() <-chan struct{} { return nil }

func (s *silent) Err() error {
	if s.done.Load() {
		return context.Canceled
	}
	return nil
}

func TestRetryChecksTheContextAfterAWait(t *testing.T) {
	ctx := &silent{Context: t.Context()}
	clock := &fakeClock{during: func() { ctx.done.Store(true) }}
	calls := 0
	err := backoff.Do(ctx, func() error { calls++; return errBusy }, backoff.RetryIf(backoff.AnyError), backoff.WithClock(clock))
	checkEnd(t, err, errBusy, backoff.StopCancelled, 1)
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// After a hook has cancelled the loop, no wait begins.
func TestNoWaitAfterACancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	clock := new(fakeClock)
	err := backoff.Do(ctx, func() error { return errBusy }, backoff.RetryIf(backoff.AnyError), backoff.WithClock(clock),
		backoff.OnRetry(func(backoff.Event) { cancel() }))
	checkEnd(t, err, errBusy, backoff.StopCancelled, 1)
	if len(clock.sleeps) != 0 {
		t.Errorf("slept %v", clock.sleeps)
	}
}
