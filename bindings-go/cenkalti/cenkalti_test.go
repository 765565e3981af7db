package cenkalti_test

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/cenkalti"
)

// The interface BackOff of github.com/cenkalti/backoff, versions 4 to 7.
var _ interface {
	NextBackOff() time.Duration
	Reset()
} = (*cenkalti.Waits)(nil)

// A fakeClock advances at once in every sleep, and records the sleeps.
type fakeClock struct {
	now    time.Duration
	sleeps []time.Duration
}

func (c *fakeClock) Now() time.Duration { return c.now }

func (c *fakeClock) Sleep(_ context.Context, delay time.Duration) {
	c.sleeps = append(c.sleeps, delay)
	c.now += delay
}

func parsePolicy(t *testing.T, text string) backoff.Policy {
	t.Helper()
	policy, err := backoff.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func TestWaitsEndWithThePolicysLimits(t *testing.T) {
	const second, stop = time.Second, cenkalti.Stop
	rows := []struct {
		policy        string
		call          time.Duration // the time between two waits
		first, second []time.Duration
	}{
		{"constant:base=1s,max_retries=2", 0, []time.Duration{second, second, stop, stop}, []time.Duration{second, second, stop, stop}},
		{"constant:base=1s,max_retries=0", 0, []time.Duration{stop, stop}, []time.Duration{stop}},
		{"exponential:base=1s,max_elapsed=7s", 0, []time.Duration{second, 2 * second, 4 * second, stop, stop}, []time.Duration{second, 2 * second, 4 * second, stop}},
		{"exponential:base=1s,max_elapsed=7s", second, []time.Duration{second, 2 * second, stop}, []time.Duration{second, 2 * second, stop}},
		{"none", 0, []time.Duration{0, 0, 0}, []time.Duration{0, 0, 0}},
	}
	for _, row := range rows {
		clock := &fakeClock{now: 100 * second}
		waits := cenkalti.NewWaits(parsePolicy(t, row.policy), backoff.StreamFromSeed(42))
		waits.Clock = clock
		for round, want := range [][]time.Duration{row.first, row.second} {
			if round > 0 {
				waits.Reset()
			}
			var got []time.Duration
			for range want {
				wait := waits.NextBackOff()
				got = append(got, wait)
				clock.now += max(0, wait) + row.call
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: waits %v, want %v", row.policy, got, want)
			}
		}
	}
}

// The waits are the delays of a Backoff that is reset after as many (SPEC 9.2), also if max_retries ends
// both: the numbers of docs/programs.md.
func TestWaitsAreTheDelays(t *testing.T) {
	stream, err := backoff.StreamFromKey(42, "job-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		policy string
		more   int // waits asked for after the third
	}{
		{"full:base=100ms,cap=20s", 0},
		{"full:base=100ms,cap=20s,max_retries=3", 0},
		{"full:base=100ms,cap=20s,max_retries=3", 2},
	} {
		waits := cenkalti.NewWaits(parsePolicy(t, row.policy), stream)
		waits.Reset()
		var got []time.Duration
		for range 3 {
			got = append(got, waits.NextBackOff())
		}
		for range row.more {
			if wait := waits.NextBackOff(); wait != cenkalti.Stop {
				t.Errorf("%s: waits %v after the end", row.policy, wait)
			}
		}
		waits.Reset()
		got = append(got, waits.NextBackOff())
		if want := []time.Duration{11399434, 83043876, 229309811, 10435804}; !slices.Equal(got, want) {
			t.Errorf("%s: waits %d, want %d", row.policy, got, want)
		}
	}
}

// Without a limit the longest wait follows, although time has passed.
func TestTheLongestWait(t *testing.T) {
	const longest = 1<<63 - 1
	clock := new(fakeClock)
	waits := cenkalti.NewWaits(parsePolicy(t, "constant:base=9223372036854775807ns"), backoff.StreamFromSeed(42))
	waits.Clock = clock
	for range 3 {
		if got := waits.NextBackOff(); got != longest {
			t.Errorf("waits %v", got)
		}
		clock.now += time.Hour
	}
}

func TestZeroWaitsStop(t *testing.T) {
	early := cenkalti.NewWaits(parsePolicy(t, "default"), backoff.StreamFromSeed(42))
	early.Clock = &fakeClock{now: -1}
	for name, waits := range map[string]*cenkalti.Waits{
		"nil":              nil,
		"the zero Waits":   new(cenkalti.Waits),
		"the zero Policy":  cenkalti.NewWaits(backoff.Policy{}, backoff.StreamFromSeed(42)),
		"a negative clock": early,
	} {
		for range 2 {
			if got := waits.NextBackOff(); got != cenkalti.Stop {
				t.Errorf("%s waits %v", name, got)
			}
			waits.Reset()
		}
	}
}

func TestTicker(t *testing.T) {
	clock := new(fakeClock)
	waits := cenkalti.NewWaits(parsePolicy(t, "exponential:base=1s,max_retries=3"), backoff.StreamFromSeed(42))
	waits.Clock = clock
	waits.NextBackOff() // NewTicker resets
	goroutines := runtime.NumGoroutine()
	ticker, err := cenkalti.NewTicker(t.Context(), waits)
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

// always is a BackOff that always returns the same wait. Its ticker waits in real time.
type always struct{ wait time.Duration }

func (a always) NextBackOff() time.Duration { return a.wait }
func (always) Reset()                       {}

func TestTickersEnd(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for name, end := range map[string]func(*cenkalti.Ticker, context.CancelFunc){
		"on Stop, in a wait":          func(ticker *cenkalti.Ticker, _ context.CancelFunc) { <-ticker.C; ticker.Stop() },
		"on Stop, before a tick":      func(ticker *cenkalti.Ticker, _ context.CancelFunc) { ticker.Stop() },
		"with the context, in a wait": func(ticker *cenkalti.Ticker, cancel context.CancelFunc) { <-ticker.C; cancel() },
		"with the context, in a tick": func(_ *cenkalti.Ticker, cancel context.CancelFunc) { cancel() },
	} {
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			ticker, err := cenkalti.NewTicker(ctx, always{time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			end(ticker, cancel)
			// A tick that was offered when the context ended may still be received.
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
	// After Stop there is no such race.
	for range 100 {
		ticker, err := cenkalti.NewTicker(t.Context(), always{0})
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
}

func TestStopOfZeroTickers(t *testing.T) {
	for _, ticker := range []*cenkalti.Ticker{nil, new(cenkalti.Ticker)} {
		ticker.Stop()
	}
}

// slow is a BackOff that takes time to return its wait.
type slow struct {
	called   chan struct{}
	returned atomic.Bool
}

func (s *slow) NextBackOff() time.Duration {
	close(s.called)
	time.Sleep(5 * time.Millisecond)
	s.returned.Store(true)
	return time.Hour
}

func (*slow) Reset() {}

func TestStopWaitsForTheGoroutine(t *testing.T) {
	waits := &slow{called: make(chan struct{})}
	ticker, err := cenkalti.NewTicker(t.Context(), waits)
	if err != nil {
		t.Fatal(err)
	}
	<-ticker.C
	<-waits.called
	ticker.Stop()
	if !waits.returned.Load() {
		t.Error("NextBackOff is still running after Stop")
	}
}

// A foreign context makes context.WithCancel start a goroutine that watches it.
type foreign struct {
	context.Context
	done chan struct{}
}

func (f foreign) Done() <-chan struct{} { return f.done }

// A ticker without waits left leaves no goroutine, even if nobody calls Stop.
func TestTickersThatEndLeaveNoGoroutine(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	for range 10 {
		ticker, err := cenkalti.NewTicker(foreign{t.Context(), make(chan struct{})}, always{cenkalti.Stop})
		if err != nil {
			t.Fatal(err)
		}
		for range ticker.C {
		}
	}
	checkGoroutines(t, goroutines)
}

func TestTickersOfNil(t *testing.T) {
	var none context.Context
	if ticker, err := cenkalti.NewTicker(none, always{}); ticker != nil || err == nil || err.Error() != "ctx is nil" {
		t.Errorf("made %v, %v", ticker, err)
	}
	if ticker, err := cenkalti.NewTicker(t.Context(), nil); ticker != nil || err == nil || err.Error() != "waits is nil" {
		t.Errorf("made %v, %v", ticker, err)
	}
	if ticker, err := cenkalti.NewTicker(t.Context(), (*cenkalti.Waits)(nil)); ticker != nil || err == nil || err.Error() != "waits is nil" {
		t.Errorf("made %v, %v", ticker, err)
	}
}

func TestTickersNeverWaitShorter(t *testing.T) {
	ticker, err := cenkalti.NewTicker(t.Context(), always{3 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer ticker.Stop()
	previous := <-ticker.C
	for range 10 {
		tick := <-ticker.C
		if waited := tick.Sub(previous); waited < 3*time.Millisecond {
			t.Errorf("a tick %v after the one before", waited)
		}
		previous = tick
	}
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
