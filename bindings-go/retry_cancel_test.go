package backoff_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

var errShutdown = errors.New("shutting down")

// When a caller gives up, the loop stops at once or as soon as the call lets it (SPEC 18.5). The
// budget counts it no more, and each event comes once.
func TestRetryIsCancelled(t *testing.T) {
	rows := []struct {
		name   string
		cancel string // when
		err    error  // of each call
		calls  uint64
		sleeps int
		reason backoff.StopReason
		told   told
	}{
		{"before", "before", errBusy, 0, 0, backoff.StopCancelled, told{
			"stop 0 none cancelled 0s after 0s: <nil> <nil>",
		}},
		{"during a call that fails", "call", errBusy, 2, 1, backoff.StopCancelled, told{
			"retry 1 transient none 1s after 0s: 1 busy",
			"stop 2 none cancelled 0s after 1s: 2 busy",
		}},
		{"during a call that reports it", "call", context.Canceled, 2, 1, backoff.StopCancelled, told{
			"retry 1 transient none 1s after 0s: 1 context canceled",
			"stop 2 none cancelled 0s after 1s: 2 context canceled",
		}},
		{"during a call that succeeds all the same", "success", errBusy, 2, 1, backoff.StopSuccess, told{
			"retry 1 transient none 1s after 0s: 1 busy",
			"stop 2 success success 0s after 1s: 2 <nil>",
		}},
		{"in a hook", "hook", errBusy, 1, 0, backoff.StopCancelled, told{
			"retry 1 transient none 1s after 0s: 1 busy",
			"stop 1 none cancelled 0s after 0s: 1 busy",
		}},
		{"during a wait", "wait", errBusy, 1, 1, backoff.StopCancelled, told{
			"retry 1 transient none 1s after 0s: 1 busy",
			"stop 1 none cancelled 0s after 0s: 1 busy",
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			at := func(when string) {
				if when == row.cancel {
					cancel(errShutdown)
				}
			}
			budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
			clock := &fakeClock{during: func() { at("wait") }}
			var history backoff.History
			var got told
			calls := uint64(0)
			at("before")
			value, err := backoff.Retry(ctx, func() (uint64, error) {
				if calls++; calls == 2 {
					at("call")
					if row.cancel == "success" {
						at("success")
						return calls, nil
					}
				}
				return calls, row.err
			}, append(got.hooks(),
				backoff.OnRetry(func(backoff.Event) { at("hook") }),
				backoff.WithPolicyLine("constant:base=1s"), backoff.WithClock(clock), backoff.WithBudget(budget), backoff.WithHistory(&history),
				backoff.RetryIf(backoff.AnyError))...)
			if value != row.calls || calls != row.calls || len(clock.sleeps) != row.sleeps {
				t.Errorf("%d calls return %d, %d sleeps", calls, value, len(clock.sleeps))
			}
			if !slices.Equal(got, row.told) {
				t.Errorf("told %q, want %q", got, row.told)
			}
			var last error
			if row.calls > 0 {
				last = row.err
			}
			checkEnd(t, err, last, row.reason, row.calls)
			if row.reason == backoff.StopCancelled && (!errors.Is(err, context.Canceled) || !errors.Is(err, errShutdown)) {
				t.Errorf("%v tells neither the context's error nor its cause", err)
			}
			checkCounted(t, &history, row.calls, row.reason)
			checkIdle(t, budget)
		})
	}
}

// checkIdle looks whether a budget of 1 retry has one to grant.
func checkIdle(t *testing.T, budget *backoff.Budget) {
	t.Helper()
	operation := beginOrFail(t, parsePolicy(t, "constant:base=1s"), backoff.WithBudget(budget))
	defer operation.Cancel()
	if !operation.Decide(backoff.OutcomeTransient, 0).Wait {
		t.Error("the budget still counts a retry")
	}
}

// No wait is begun that would end after the deadline of the context.
func TestRetryEndsWithTheDeadlineOfItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	begun := time.Now()
	retry := func(ctx context.Context, options ...backoff.RetryOption) error {
		return backoff.Do(ctx, func() error { return errBusy }, append(options, backoff.WithPolicyLine("constant:base=2h"), backoff.RetryIf(backoff.AnyError))...)
	}
	err := retry(ctx)
	checkEnd(t, err, errBusy, backoff.StopDeadline, 1)
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(begun); took > 10*time.Second {
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

// A loop's deadline is its context's: that of an operation is a time of Now, which one may take for
// a span.
func TestWithDeadlineIsNoOptionOfLoops(t *testing.T) {
	if _, ok := any(backoff.WithDeadline(0)).(backoff.RetryOption); ok {
		t.Error("WithDeadline is an option of loops")
	}
}

// A context may be done although its channel was never closed.
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

func TestRetryAsksTheContextAfterAWait(t *testing.T) {
	ctx := &silent{Context: t.Context()}
	clock := &fakeClock{during: func() { ctx.done.Store(true) }}
	calls := 0
	err := backoff.Do(ctx, func() error { calls++; return errBusy }, backoff.RetryIf(backoff.AnyError), backoff.WithClock(clock))
	checkEnd(t, err, errBusy, backoff.StopCancelled, 1)
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// A late context has passed its deadline and does not know yet.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now().Add(-time.Hour), true }

func TestRetryBeyondTheDeadlineOfItsContext(t *testing.T) {
	err := backoff.Do(late{t.Context()}, func() error { return errBusy },
		backoff.WithPolicyLine("constant:base=1ns,max_retries=1"), backoff.RetryIf(backoff.AnyError), backoff.WithClock(new(fakeClock)))
	checkEnd(t, err, errBusy, backoff.StopDeadline, 1)
}

// The real clock: never shorter than asked, from the hook on.
func TestRetryNeverWaitsShorter(t *testing.T) {
	var asked time.Duration
	var hooked time.Time
	waits := 0
	_ = backoff.Do(t.Context(), func() error {
		if waited := time.Since(hooked); waited < asked {
			t.Errorf("waited %v of %v", waited, asked)
		}
		waits++
		return errBusy
	}, backoff.WithPolicyLine("full:base=2ms,cap=4ms,max_retries=40"), backoff.RetryIf(backoff.AnyError),
		backoff.OnRetry(func(e backoff.Event) { asked, hooked = e.Delay, time.Now() }))
	if waits != 41 {
		t.Errorf("%d calls", waits)
	}
}

// 1,000 loops are cancelled at random moments. Every one ends promptly and is counted and told
// once; nothing of them is left.
func TestRetryIsCancelledAtAnyMoment(t *testing.T) {
	const loops = 1000
	budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1000000")
	one := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
	var history backoff.History
	var stops, reasons atomic.Uint64
	// The first timers and goroutines of a program allocate what stays.
	cancelled(t, budget, one, &history, time.Millisecond, func(backoff.Event) {})
	goroutines, memory := runtime.NumGoroutine(), allocated()
	for i := range loops {
		told := uint64(0)
		cancelled(t, budget, one, &history, rand.N(2*time.Millisecond), func(e backoff.Event) {
			told++
			reasons.Add(uint64(e.Reason))
		})
		if told != 1 {
			t.Fatalf("loop %d was told %d times that it stopped", i, told)
		}
		stops.Add(told)
	}
	checkGoroutines(t, goroutines)
	if now := allocated(); now > memory+1<<20 {
		t.Errorf("%d bytes, %d before", now, memory)
	}
	if reasons.Load() != loops*uint64(backoff.StopCancelled) || history.Counts().Stops[backoff.StopCancelled] != loops+1 || history.Counts().Operations != loops+1 {
		t.Errorf("counted %+v", history.Counts())
	}
	checkIdle(t, one)
}

// cancelled makes a loop that fails fast and slowly and waits up to 1 ms, and cancels it then.
func cancelled(t *testing.T, budget, one *backoff.Budget, history *backoff.History, then time.Duration, onStop func(backoff.Event)) {
	ctx, cancel := context.WithCancel(t.Context())
	var at atomic.Int64
	time.AfterFunc(then, func() {
		at.Store(int64(time.Since(start)))
		cancel()
	})
	// One that holds a retry of the budget of 1 when it is cancelled.
	hold := make(chan struct{})
	go func() {
		defer close(hold)
		err := backoff.Do(ctx, func() error { return errBusy }, backoff.WithPolicyLine("constant:base=1h"), backoff.RetryIf(backoff.AnyError), backoff.WithBudget(one))
		if !errors.Is(err, backoff.StopCancelled) {
			t.Errorf("ended with %v", err)
		}
	}()
	err := backoff.Do(ctx, func() error {
		if rand.IntN(2) == 0 {
			time.Sleep(rand.N(200 * time.Microsecond))
		}
		return errBusy
	}, backoff.WithPolicyLine("full:base=1ms,cap=1ms"), backoff.RetryIf(backoff.AnyError), backoff.WithBudget(budget), backoff.WithHistory(history), backoff.OnStop(onStop))
	<-hold
	if late := time.Since(start) - time.Duration(at.Load()); late > 2*time.Second {
		t.Errorf("ended %v after it was cancelled", late)
	}
	if !errors.Is(err, backoff.StopCancelled) || !errors.Is(err, context.Canceled) {
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
