package backoff_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

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

// No wait begins that would end after the deadline of the context.
func TestRetryStopsBeforeTheContextsDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	begun := time.Now()
	retry := func(ctx context.Context) error {
		return backoff.Do(ctx, func() error { return errBusy }, backoff.WithPolicyString("constant:base=2h"), backoff.RetryIf(backoff.AnyError))
	}
	err := retry(ctx)
	checkEnd(t, err, errBusy, backoff.StopDeadline, 1)
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("took %v", took)
	}
	passed, cancelPassed := context.WithDeadline(t.Context(), begun.Add(-time.Second))
	defer cancelPassed()
	err = retry(passed)
	checkEnd(t, err, nil, backoff.StopCancelled, 0)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
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

// The default clock never waits shorter than the delay, measured from the hook.
func TestRetryNeverWaitsShorter(t *testing.T) {
	var delay time.Duration
	var hooked time.Time
	waits := 0
	_ = backoff.Do(t.Context(), func() error {
		if waited := time.Since(hooked); waited < delay {
			t.Errorf("waited %v of %v", waited, delay)
		}
		waits++
		return errBusy
	}, backoff.WithPolicyString("full:base=2ms,cap=4ms,max_retries=40"), backoff.RetryIf(backoff.AnyError),
		backoff.OnRetry(func(e backoff.Event) { delay, hooked = e.Delay, time.Now() }))
	if waits != 41 {
		t.Errorf("%d calls", waits)
	}
}

// 1,000 loops are cancelled at random moments. Each ends promptly, is counted once and calls its stop
// hook once. No goroutine and no memory leaks.
func TestRetryIsCancelledAtAnyMoment(t *testing.T) {
	const loops = 1000
	budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1000000")
	one := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
	var stats backoff.RetryStats
	var stops, reasons atomic.Uint64
	// The first timers and goroutines of a program allocate memory that is kept.
	runAndCancel(t, budget, one, &stats, time.Millisecond, func(backoff.Event) {})
	goroutines, memory := runtime.NumGoroutine(), allocated()
	for i := range loops {
		events := uint64(0)
		runAndCancel(t, budget, one, &stats, rand.N(2*time.Millisecond), func(e backoff.Event) {
			events++
			reasons.Add(uint64(e.Reason))
		})
		if events != 1 {
			t.Fatalf("loop %d called its stop hook %d times", i, events)
		}
		stops.Add(events)
	}
	checkGoroutines(t, goroutines)
	if now := allocated(); now > memory+1<<20 {
		t.Errorf("%d bytes, %d before", now, memory)
	}
	if reasons.Load() != loops*uint64(backoff.StopCancelled) || stats.Counts().Stops[backoff.StopCancelled] != loops+1 || stats.Counts().Operations != loops+1 {
		t.Errorf("counted %+v", stats.Counts())
	}
	checkIdle(t, one)
}

// runAndCancel runs a loop whose calls fail, and cancels it after a time.
func runAndCancel(t *testing.T, budget, one *backoff.Budget, stats *backoff.RetryStats, then time.Duration, onStop func(backoff.Event)) {
	ctx, cancel := context.WithCancel(t.Context())
	var at atomic.Int64
	time.AfterFunc(then, func() {
		at.Store(int64(time.Since(start)))
		cancel()
	})
	// This loop holds the only retry of its budget when it is cancelled.
	hold := make(chan struct{})
	go func() {
		defer close(hold)
		err := backoff.Do(ctx, func() error { return errBusy }, backoff.WithPolicyString("constant:base=1h"), backoff.RetryIf(backoff.AnyError), backoff.WithBudget(one))
		if !errors.Is(err, backoff.ErrCancelled) {
			t.Errorf("ended with %v", err)
		}
	}()
	err := backoff.Do(ctx, func() error {
		if rand.IntN(2) == 0 {
			time.Sleep(rand.N(200 * time.Microsecond))
		}
		return errBusy
	}, backoff.WithPolicyString("full:base=1ms,cap=1ms"), backoff.RetryIf(backoff.AnyError), backoff.WithBudget(budget), backoff.WithStats(stats), backoff.OnStop(onStop))
	<-hold
	if late := time.Since(start) - time.Duration(at.Load()); late > time.Minute {
		t.Errorf("ended %v after the cancellation", late)
	}
	if !errors.Is(err, backoff.ErrCancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

var start = time.Now()

func allocated() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// checkGoroutines waits for goroutines that are about to end.
func checkGoroutines(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > want && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if got := runtime.NumGoroutine(); got > want {
		t.Errorf("%d goroutines, %d before", got, want)
	}
}
