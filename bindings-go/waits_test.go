package backoff_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// The interface of github.com/cenkalti/backoff, versions 4 to 7.
type cenkalti interface {
	NextBackOff() time.Duration
	Reset()
}

var _ cenkalti = (*backoff.Waits)(nil)

func TestWaits(t *testing.T) {
	const second = time.Second
	stop := backoff.Stop
	rows := []struct {
		policy      string
		took        time.Duration // between two waits, beside the waits
		first, then []time.Duration
	}{
		{"constant:base=1s,max_retries=2", 0, []time.Duration{second, second, stop, stop}, []time.Duration{second, second, stop, stop}},
		{"constant:base=1s,max_retries=0", 0, []time.Duration{stop, stop}, []time.Duration{stop}},
		{"exponential:base=1s,max_elapsed=7s", 0, []time.Duration{second, 2 * second, 4 * second, stop, stop}, []time.Duration{second, 2 * second, 4 * second, stop}},
		{"exponential:base=1s,max_elapsed=7s", second, []time.Duration{second, 2 * second, stop}, []time.Duration{second, 2 * second, stop}},
		{"none", 0, []time.Duration{0, 0, 0}, []time.Duration{0, 0, 0}},
	}
	for _, row := range rows {
		clock := &fakeClock{now: 100 * second}
		waits, err := backoff.NewWaits(backoff.WithPolicyLine(row.policy), backoff.WithClock(clock))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range [][]time.Duration{row.first, row.then} {
			waits.Reset()
			var got []time.Duration
			for range want {
				wait := waits.NextBackOff()
				got = append(got, wait)
				clock.now += max(0, wait) + row.took
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: waits %v, want %v", row.policy, got, want)
			}
		}
	}
}

// The delays are those of an iterator that is reset after as many (SPEC 9.2): the numbers of the
// README.
func TestWaitsAreTheDelays(t *testing.T) {
	waits, err := backoff.NewWaits(backoff.WithKey(42, "job-1"), backoff.WithPolicyLine("full:base=100ms,cap=20s"))
	if err != nil {
		t.Fatal(err)
	}
	waits.Reset()
	var got []time.Duration
	for range 3 {
		got = append(got, waits.NextBackOff())
	}
	waits.Reset()
	got = append(got, waits.NextBackOff())
	if want := []time.Duration{11399434, 83043876, 229309811, 10435804}; !slices.Equal(got, want) {
		t.Errorf("waits %d, want %d", got, want)
	}
}

func TestWaitsThatAreNone(t *testing.T) {
	for _, waits := range []*backoff.Waits{nil, new(backoff.Waits)} {
		if waits.Reset(); waits.NextBackOff() != backoff.Stop {
			t.Error("no Waits wait")
		}
	}
	for _, option := range []backoff.RetryOption{
		backoff.WithBudget(parseBudget(t, "ratio")), backoff.WithHistory(new(backoff.History)), backoff.RetryIf(backoff.AnyError),
		backoff.RetryResult(func(int) bool { return true }), backoff.OnRetry(func(backoff.Event) {}), backoff.OnStop(func(backoff.Event) {}),
	} {
		var refused *backoff.ArgumentError
		if waits, err := backoff.NewWaits(option); !errors.As(err, &refused) || err.Error() != `option "of a loop" has no use in Waits` || waits != nil {
			t.Errorf("made %v, %v", waits, err)
		}
	}
	for _, option := range []backoff.RetryOption{nil, backoff.WithPolicy(backoff.Policy{}), backoff.WithClock(&fakeClock{now: -1})} {
		if waits, err := backoff.NewWaits(option); err == nil || waits != nil {
			t.Errorf("made %v, %v", waits, err)
		}
	}
}

func TestTicker(t *testing.T) {
	clock := new(fakeClock)
	waits, err := backoff.NewWaits(backoff.WithPolicyLine("exponential:base=1s,max_retries=3"), backoff.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	waits.NextBackOff() // which Reset forgets
	goroutines := runtime.NumGoroutine()
	ticker, err := backoff.NewTicker(t.Context(), waits)
	if err != nil {
		t.Fatal(err)
	}
	ticks := 0
	for range ticker.C {
		ticks++
	}
	if want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}; ticks != 4 || !slices.Equal(clock.sleeps, want) {
		t.Errorf("%d ticks after %v", ticks, clock.sleeps)
	}
	ticker.Stop()
	ticker.Stop()
	checkGoroutines(t, goroutines)
}

// counted are waits of anyone, in real time.
type counted struct{ wait time.Duration }

func (c counted) NextBackOff() time.Duration { return c.wait }
func (counted) Reset()                       {}

func TestTickersEnd(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for name, end := range map[string]func(*backoff.Ticker, context.CancelFunc){
		"by Stop, in a wait":        func(ticker *backoff.Ticker, _ context.CancelFunc) { <-ticker.C; ticker.Stop() },
		"by Stop, before a tick":    func(ticker *backoff.Ticker, _ context.CancelFunc) { ticker.Stop() },
		"by the context, in a wait": func(ticker *backoff.Ticker, cancel context.CancelFunc) { <-ticker.C; cancel() },
		"by the context, in a tick": func(_ *backoff.Ticker, cancel context.CancelFunc) { cancel() },
	} {
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			ticker, err := backoff.NewTicker(ctx, counted{time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			end(ticker, cancel)
			// A tick that was offered when the context ended may still be taken.
			_, open := <-ticker.C
			if open {
				_, open = <-ticker.C
			}
			if open {
				t.Fatalf("%s: C is open", name)
			}
			ticker.Stop()
			cancel()
		}
	}
	checkGoroutines(t, goroutines)
	// Stop has no such race.
	for range 100 {
		ticker, err := backoff.NewTicker(t.Context(), counted{0})
		if err != nil {
			t.Fatal(err)
		}
		ticker.Stop()
		select {
		case _, open := <-ticker.C:
			if open {
				t.Fatal("a tick after Stop")
			}
		default:
			t.Fatal("C is open after Stop")
		}
	}
	if ticker, err := backoff.NewTicker(t.Context(), (*backoff.Waits)(nil)); err != nil {
		t.Error(err)
	} else if _, open := <-ticker.C; !open {
		t.Error("no first tick")
	} else if _, open := <-ticker.C; open {
		t.Error("a second tick of no waits")
	}
}

func TestTickersThatAreNone(t *testing.T) {
	for _, ticker := range []*backoff.Ticker{nil, new(backoff.Ticker)} {
		ticker.Stop()
	}
}

// slow waits take their time to say how long to wait.
type slow struct {
	asked chan struct{}
	said  atomic.Bool
}

func (s *slow) NextBackOff() time.Duration {
	close(s.asked)
	time.Sleep(5 * time.Millisecond)
	s.said.Store(true)
	return time.Hour
}

func (*slow) Reset() {}

func TestStopWaitsForTheTicker(t *testing.T) {
	waits := &slow{asked: make(chan struct{})}
	ticker, err := backoff.NewTicker(t.Context(), waits)
	if err != nil {
		t.Fatal(err)
	}
	<-ticker.C
	<-waits.asked
	ticker.Stop()
	if !waits.said.Load() {
		t.Error("the waits are still asked after Stop")
	}
}

// A foreign context is watched by a goroutine of the context that is made of it.
type foreign struct {
	context.Context
	done chan struct{}
}

func (f foreign) Done() <-chan struct{} { return f.done }

// A ticker whose waits have ended leaves nothing, also if nobody calls Stop.
func TestATickerThatEndsLeavesNothing(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for range 10 {
		ticker, err := backoff.NewTicker(foreign{t.Context(), make(chan struct{})}, counted{backoff.Stop})
		if err != nil {
			t.Fatal(err)
		}
		for range ticker.C {
		}
	}
	checkGoroutines(t, goroutines)
}

func TestTickersOfNothing(t *testing.T) {
	//lint:ignore SA1012 a nil context is what is tested
	if ticker, err := backoff.NewTicker(nil, counted{}); ticker != nil || err == nil || err.Error() != "ctx <nil> is missing" {
		t.Errorf("made %v, %v", ticker, err)
	}
	if ticker, err := backoff.NewTicker(t.Context(), nil); ticker != nil || err == nil || err.Error() != "waits <nil> is missing" {
		t.Errorf("made %v, %v", ticker, err)
	}
}

func TestATickerNeverWaitsShorter(t *testing.T) {
	ticker, err := backoff.NewTicker(t.Context(), counted{3 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer ticker.Stop()
	<-ticker.C
	for range 10 {
		begun := time.Now()
		if tick, took := <-ticker.C, time.Since(begun); took < 2*time.Millisecond || tick.Before(begun) {
			t.Errorf("a tick of %v after %v", tick, took)
		}
	}
}

// checkGoroutines waits for goroutines to end that are about to.
func checkGoroutines(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > want && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if got := runtime.NumGoroutine(); got > want {
		t.Errorf("%d goroutines, %d before", got, want)
	}
}
