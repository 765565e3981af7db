//go:build go1.25

// What surrounds the core's member: the store, its goroutine, the hook, and waiting. What the member decides is in the
// vectors (exchanges.json).

package sharedbudget_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

var errAway = errors.New("connection refused")

func flush(t *testing.T, budget *sharedbudget.Budget) {
	t.Helper()
	if err := budget.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// fail runs a loop whose calls all fail, and returns its last event.
func fail(t *testing.T, budget *sharedbudget.Budget, policy string, options ...backoff.RetryOption) backoff.Event {
	t.Helper()
	var last backoff.Event
	options = append([]backoff.RetryOption{
		backoff.WithPolicyString(policy), backoff.RetryIf(backoff.AnyError), backoff.WithSharedBudget(budget),
		backoff.OnStop(func(event backoff.Event) { last = event }),
	}, options...)
	if err := backoff.Do(t.Context(), func() error { return errBusy }, options...); !errors.Is(err, errBusy) {
		t.Fatal(err)
	}
	return last
}

func succeed(t *testing.T, budget *sharedbudget.Budget, times int) {
	t.Helper()
	for range times {
		if err := backoff.Do(t.Context(), func() error { return nil }, backoff.WithSharedBudget(budget)); err != nil {
			t.Error(err)
		}
	}
	synctest.Wait()
}

// awayWhile returns a store that fails while away is true.
func awayWhile(away *bool) *memoryStore {
	return &memoryStore{onLoad: func(context.Context) error {
		if *away {
			return errAway
		}
		return nil
	}}
}

// Two budgets of one name are one account, in which 20 tokens pay for 4 retries.
func TestBudgetsShareOneAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		const budget = "quota:max_tokens=20"
		one, two := newBudget(t, store, budget), newBudget(t, store, budget)
		if event := fail(t, one, "constant:base=1s,max_retries=3"); event.Reason != backoff.StopMaxRetries || event.Attempts != 4 || event.BudgetIsLocal {
			t.Errorf("%+v", event)
		}
		event := fail(t, two, "constant:base=1s,max_retries=3")
		if event.Reason != backoff.StopBudget || event.Attempts != 2 || event.Delay != time.Second || event.Outcome != backoff.OutcomeTransient || event.BudgetIsLocal {
			t.Errorf("%+v", event)
		}
		if event := fail(t, one, "constant:base=1s,max_retries=3"); event.Reason != backoff.StopBudget || event.Attempts != 1 {
			t.Errorf("%+v", event)
		}
		if other := newBudget(t, store, "quota:max_tokens=30"); fail(t, other, "constant:base=1s,max_retries=1").Reason != backoff.StopMaxRetries {
			t.Error("another configuration has the same account")
		}
		if key := one.Key(); key != "backoff:test:quota:max_tokens=20" || store.text(key) != "4 0" || one.LastError() != nil || two.LastError() != nil {
			t.Errorf("%s is %s; %v, %v", key, store.text(key), one.LastError(), two.LastError())
		}
	})
}

// What a loop tells the budget, in the order of SPEC 13.4, whatever decides on its delays.
func TestStepsOfLoops(t *testing.T) {
	for name, option := range map[string]backoff.RetryOption{
		"its policy":       backoff.WithMaxRetries(3),
		"its reset_after":  backoff.WithResetAfter(time.Hour),
		"its caller":       backoff.WithDelays(time.Second, time.Second),
		"a function of it": backoff.WithDelayFunc(func(uint64, error) (time.Duration, bool) { return time.Second, true }),
	} {
		t.Run(name, func(t *testing.T) { testSteps(t, option) })
	}
}

func testSteps(t *testing.T, option backoff.RetryOption) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		budget := newBudget(t, new(memoryStore), "quota:max_tokens=10,cost_throttled=2", sharedbudget.OnExchange(func(exchange sharedbudget.Exchange) {
			line, err := json.Marshal(exchange)
			if err != nil {
				t.Error(err)
			}
			lines = append(lines, string(line))
		}))
		calls := 0
		value, err := backoff.Retry(t.Context(), func() (int, error) {
			if calls++; calls == 1 {
				return 0, backoff.RetryAfter(0, errBusy)
			}
			return calls, nil
		}, backoff.WithPolicyString("constant:base=1s"), backoff.WithSharedBudget(budget), option)
		if value != 2 || err != nil {
			t.Errorf("%d, %v", value, err)
		}
		flush(t, budget)
		loop := backoff.NewLoop(t.Context(), backoff.WithPolicyString("constant:base=1s"), backoff.WithSharedBudget(budget), option)
		for range loop.Attempts() {
			loop.Report(backoff.Permanent(errBusy)) // requests no retry, and does not count as a failed attempt
		}
		flush(t, budget)
		err = backoff.Do(t.Context(), func() error { return backoff.Mark(errBusy, backoff.Outcome(9)) },
			backoff.WithPolicyString("constant:base=1s"), backoff.WithSharedBudget(budget), option)
		if !errors.Is(err, backoff.ErrUnknownOutcome) { // which is no failed attempt
			t.Error(err)
		}
		flush(t, budget)
		ns := func(seconds int) string {
			return fmt.Sprint(time.Date(2000, 1, 1, 0, 0, seconds, 0, time.UTC).UnixNano())
		}
		const key = `"key":"backoff:test:quota:max_tokens=10,cost_throttled=2"`
		want := []string{
			`{` + key + `,"before":null,"now":"` + ns(0) + `","steps":[{"event":"operation_began","outcome":null,"held":0,"count":1,"granted":null},` +
				`{"event":"attempt_failed","outcome":null,"held":0,"count":1,"granted":null},{"event":"retry_requested","outcome":"throttled","held":0,"count":1,"granted":1}],"after":"1 8 | 15778080 1 0","stored":"yes"}`,
			`{` + key + `,"before":"1 8 | 15778080 1 0","now":"` + ns(1) + `","steps":[{"event":"operation_succeeded","outcome":null,"held":2,"count":1,"granted":null}],"after":"2 10 | 15778080 1 0","stored":"yes"}`,
			`{` + key + `,"before":"2 10 | 15778080 1 0","now":"` + ns(1) + `","steps":[{"event":"operation_began","outcome":null,"held":0,"count":1,"granted":null}],"after":"2 10 | 15778080 1 0","stored":"unchanged"}`,
		}
		want = append(want, want[2])
		if !slices.Equal(lines, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	})
}

// The options reach the member.
func TestFallbacks(t *testing.T) {
	for _, row := range []struct {
		option sharedbudget.Option
		want   int
	}{
		{sharedbudget.WithFallback(sharedbudget.FallbackShare), 10}, // one of the four that the account has counted
		{sharedbudget.WithProcesses(8), 5},
		{sharedbudget.WithFallback(sharedbudget.FallbackWhole), 40},
		{sharedbudget.WithFallback(sharedbudget.FallbackRefuse), 0},
		{sharedbudget.WithLocalBudget("quota:max_tokens=12,cost=1"), 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			away := false
			store := awayWhile(&away)
			budget := newBudget(t, store, "quota:max_tokens=40,cost=1", row.option)
			store.put(budget.Key(), fmt.Sprintf("0 40 | %d 3 0", time.Now().Unix()/60))
			fail(t, budget, "immediate:max_retries=1")
			away = true
			granted := 0
			for range 40 {
				fail(t, budget, "immediate:max_retries=1", backoff.OnRetry(func(event backoff.Event) {
					if event.BudgetIsLocal {
						granted++
					}
				}))
			}
			want := sharedbudget.Stats{Exchanges: 2, FailedExchanges: 1, LocalDecisions: 40, Processes: 4}
			if stats := budget.Stats(); granted != row.want || stats != want {
				t.Errorf("%d of 40 are granted, want %d; %+v, want %+v", granted, row.want, stats, want)
			}
		})
	}
}

// While the store fails, the local budget decides, and the store is asked again after a second.
func TestLocalBudgetDecidesWhileTheStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := true
		store := awayWhile(&away)
		budget := newBudget(t, store, "quota:max_tokens=100", sharedbudget.WithLocalBudget("quota:max_tokens=10"))
		if event := fail(t, budget, "constant:base=1ms,max_retries=5"); event.Reason != backoff.StopBudget || event.Attempts != 3 || !event.BudgetIsLocal {
			t.Errorf("%+v", event)
		}
		if store.count() != 1 || budget.LastError() != errAway {
			t.Errorf("%d loads, %v", store.count(), budget.LastError())
		}
		away = false
		time.Sleep(time.Second - 3*time.Millisecond)
		if event := fail(t, budget, "constant:base=2s,max_retries=1"); !event.BudgetIsLocal || event.Attempts != 1 || store.count() != 1 {
			t.Errorf("%+v after %d loads", event, store.count())
		}
		time.Sleep(2 * time.Millisecond)
		if event := fail(t, budget, "constant:base=1ms,max_retries=2"); event.BudgetIsLocal || event.Reason != backoff.StopMaxRetries || store.count() != 3 {
			t.Errorf("%+v after %d loads", event, store.count())
		}
		if text := store.text(budget.Key()); text != "2 90" {
			t.Errorf("the store has %s", text)
		}
		// The event of a success is not about the retry before it.
		away = true
		var last backoff.Event
		retried := false
		if err := backoff.Do(t.Context(), func() error {
			if !retried {
				return backoff.Transient(errBusy)
			}
			return nil
		}, backoff.WithSharedBudget(newBudget(t, store, "quota")), backoff.OnRetry(func(event backoff.Event) { retried = event.BudgetIsLocal }),
			backoff.OnStop(func(event backoff.Event) { last = event })); err != nil || !retried || last.BudgetIsLocal {
			t.Errorf("%v, retried %t, %+v", err, retried, last)
		}
		// Nor is that of a cancellation.
		ctx, cancel := context.WithCancel(t.Context())
		err := backoff.Do(ctx, func() error { return backoff.Transient(errBusy) }, backoff.WithSharedBudget(newBudget(t, store, "quota")),
			backoff.OnRetry(func(backoff.Event) { cancel() }), backoff.OnStop(func(event backoff.Event) { last = event }))
		if !errors.Is(err, backoff.ErrCancelled) || last.Reason != backoff.StopCancelled || last.BudgetIsLocal {
			t.Errorf("%v, %+v", err, last)
		}
	})
}

// A store that never answers, whatever the context says, costs the timeout once, and one goroutine.
func TestStoreThatNeverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		store := &memoryStore{onLoad: func(context.Context) error { <-release; return nil }}
		budget := newBudget(t, store, "rate", sharedbudget.WithStoreTimeout(50*time.Millisecond))
		for round := range 3 {
			for try := range 2 {
				want := time.Duration(0)
				if round == 0 && try == 0 {
					want = time.Second // of the first exchange
				}
				began := time.Now()
				if event := fail(t, budget, "constant:base=1ns,max_retries=1"); !event.BudgetIsLocal && event.Reason != backoff.StopMaxRetries {
					t.Errorf("%+v", event)
				}
				if took := time.Since(began) - 1; took != want {
					t.Errorf("round %d: took %v, not %v", round, took, want)
				}
			}
			time.Sleep(time.Second)
		}
		if err := budget.LastError(); store.count() != 1 || !errors.Is(err, context.DeadlineExceeded) || err.Error() != "the store did not answer within 1s: context deadline exceeded" {
			t.Errorf("%d loads, %v", store.count(), err)
		}
		began := time.Now()
		if err := budget.Flush(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 2*time.Second {
			t.Errorf("flush: %v after %v", err, time.Since(began))
		}
		close(release)
		synctest.Wait()
		flush(t, budget)
		if text := store.text(budget.Key()); text != "0 3600000000000 0" { // full
			t.Errorf("a retry that nobody waits for is stored as %s", text)
		}
	})
}

// A hook that takes long makes retries and Flush wait no longer than their limits, and Flush waits for one that ends.
func TestSlowHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var takes, returned atomic.Int64
		takes.Store(int64(3 * time.Second))
		budget := newBudget(t, new(memoryStore), "rate", sharedbudget.OnExchange(func(sharedbudget.Exchange) {
			time.Sleep(time.Duration(takes.Load()))
			returned.Add(1)
		}))
		fail(t, budget, "constant:base=1ms,max_retries=2")
		if err := budget.LastError(); err == nil || err.Error() != "the hook of OnExchange did not return within 100ms: context deadline exceeded" {
			t.Errorf("%v", err)
		}
		if err := budget.Flush(t.Context()); err == nil || err.Error() != "the hook of OnExchange did not return within 2s: context deadline exceeded" {
			t.Errorf("%v", err)
		}
		time.Sleep(10 * time.Second) // the end of the hooks
		takes.Store(int64(time.Millisecond))
		before := returned.Load()
		fail(t, budget, "constant:base=1ns,max_retries=1") // has its answer before the hook returns
		flush(t, budget)
		if returned.Load() <= before {
			t.Error("a flush did not wait for the hook")
		}
	})
}

// A store or a hook that calls runtime.Goexit, as t.Fatal does, is like one that fails.
func TestGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exits := true
		store := &memoryStore{onLoad: func(context.Context) error {
			if exits {
				runtime.Goexit()
			}
			return nil
		}}
		hooked := make(chan bool, 9)
		budget := newBudget(t, store, "rate", sharedbudget.OnExchange(func(sharedbudget.Exchange) {
			hooked <- true
			runtime.Goexit()
		}))
		event := fail(t, budget, "constant:base=1ns,max_retries=1")
		if err := budget.LastError(); event.Reason != backoff.StopMaxRetries || err == nil || err.Error() != "the store called runtime.Goexit" {
			t.Errorf("%+v, %v", event, err)
		}
		if err := budget.Flush(t.Context()); err != budget.LastError() {
			t.Errorf("flush: %v", err)
		}
		exits = false
		for range 2 {
			time.Sleep(time.Second)
			if event = fail(t, budget, "constant:base=1ns,max_retries=1"); event.BudgetIsLocal || !<-hooked {
				t.Errorf("%+v", event)
			}
			synctest.Wait()
			if err := budget.LastError(); err.Error() != "the hook of OnExchange called runtime.Goexit" {
				t.Error(err)
			}
		}
	})
}

// A budget may be used before a bubble and in it.
func TestABudgetFromOutsideABubble(t *testing.T) {
	budget := newBudget(t, new(memoryStore), "rate")
	for _, run := range []func(func(*testing.T)){
		func(use func(*testing.T)) { use(t) },
		func(use func(*testing.T)) { synctest.Test(t, use) },
	} {
		run(func(t *testing.T) {
			if event := fail(t, budget, "immediate:max_retries=1"); event.Reason != backoff.StopMaxRetries || event.BudgetIsLocal {
				t.Errorf("%+v", event)
			}
			if err := budget.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A loop that is cancelled does not wait for the store.
func TestCancelWhileTheStoreIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{onLoad: func(context.Context) error { time.Sleep(time.Hour / 2); return nil }}
		budget := newBudget(t, store, "quota:max_tokens=20", sharedbudget.WithStoreTimeout(time.Hour))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		err := backoff.Do(ctx, func() error { return backoff.Transient(errBusy) }, backoff.WithPolicyString("constant:base=1s"), backoff.WithSharedBudget(budget))
		gaveUp := (*backoff.RetryError)(nil)
		if took := time.Since(began); !errors.As(err, &gaveUp) || gaveUp.Attempts != 1 || !errors.Is(err, backoff.ErrCancelled) || !errors.Is(err, errBusy) || took != time.Minute || budget.LastError() != nil {
			t.Errorf("%v, took %v, %v", err, took, budget.LastError())
		}
		time.Sleep(time.Hour) // the end of the exchange
		if text := store.text(budget.Key()); text != "0 20" {
			t.Errorf("a retry that nobody waits for is stored as %s", text)
		}
	})
}

// Another process that is faster makes the exchange begin again, until the timeout.
func TestLostRaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		var exchanges []sharedbudget.Exchange
		budget := newBudget(t, store, "quota:max_tokens=50", sharedbudget.OnExchange(func(exchange sharedbudget.Exchange) { exchanges = append(exchanges, exchange) }))
		store.onSwap = func(number int, swap func() bool) (bool, error) {
			if number < 3 {
				store.put(budget.Key(), fmt.Sprintf("%d %d", number, 50-number))
			}
			return swap(), nil
		}
		if event := fail(t, budget, "constant:base=1ms,max_retries=1"); event.Reason != backoff.StopMaxRetries || event.BudgetIsLocal {
			t.Errorf("%+v", event)
		}
		synctest.Wait()
		if text := store.text(budget.Key()); text != "3 43" || len(exchanges) != 1 || exchanges[0].Stored != sharedbudget.SwapDone || *exchanges[0].Before != "2 48" {
			t.Errorf("%s, %+v", text, exchanges)
		}
		// Always.
		store.onSwap = func(int, func() bool) (bool, error) { time.Sleep(30 * time.Millisecond); return false, nil }
		event := fail(t, budget, "constant:base=1ms,max_retries=1")
		if err := budget.LastError(); !event.BudgetIsLocal && event.Reason != backoff.StopMaxRetries || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v, %v", event, err)
		}
		time.Sleep(time.Second) // the end of the exchange
		synctest.Wait()
		if last := exchanges[len(exchanges)-1]; len(exchanges) != 2 || last.Stored != sharedbudget.SwapLost || !strings.HasPrefix(last.After, "4 38 | ") {
			t.Errorf("%+v", exchanges)
		}
	})
}

// SPEC 15.7, rule 12. A flush asks a store that is away, too.
func TestEveryExchangeIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		var exchange sharedbudget.Exchange
		budget := newBudget(t, store, "quota:max_tokens=25", sharedbudget.OnExchange(func(last sharedbudget.Exchange) { exchange = last }))
		fails := func(context.Context) error { return errAway }
		for i, row := range []struct {
			text   string // in the store, if it is not empty
			onLoad func(context.Context) error
			onSwap func(int, func() bool) (bool, error)
			stored sharedbudget.SwapOutcome
			before string
			sent   uint64 // operations, with those of exchanges that failed before
			err    error
		}{
			{"", nil, nil, sharedbudget.SwapDone, "", 1, nil},
			{"", fails, nil, sharedbudget.SwapNone, "", 0, errAway},
			{"hello", nil, nil, sharedbudget.SwapNone, "hello", 0, backoff.ErrNotAState},
			{"7 20 | 0 1 0", nil, func(_ int, swap func() bool) (bool, error) { swap(); return false, errAway },
				sharedbudget.SwapUnknown, "7 20 | 0 1 0", 3, errAway},
			// The steps of the last exchange may be stored, so they are not sent twice.
			{"", nil, nil, sharedbudget.SwapDone, "10 23 | 15778080 1 0", 1, nil},
		} {
			if store.onLoad, store.onSwap = row.onLoad, row.onSwap; row.text != "" {
				store.put(budget.Key(), row.text)
			}
			succeed(t, budget, 1)
			err := budget.Flush(t.Context())
			before := ""
			if exchange.Before != nil {
				before = *exchange.Before
			}
			if exchange.Stored != row.stored || before != row.before || !errors.Is(exchange.Err, row.err) || !errors.Is(err, row.err) ||
				(exchange.After != "") != (row.sent > 0) || row.sent > 0 && (len(exchange.Steps) != 2 || exchange.Steps[1].Count != row.sent) || exchange.Now.IsZero() != (row.onLoad != nil) {
				t.Errorf("exchange %d: %+v, %v", i, exchange, err)
			}
		}
	})
}

// Something else under the key is an error, and stays; so is a store without a clock, because no rate would ever fill.
func TestForeignStores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, text := range []string{"", "hello", "-1 5", "1 5 ", strings.Repeat("7", 100000)} {
			store := new(memoryStore)
			budget := newBudget(t, store, "quota:max_tokens=20")
			store.put(budget.Key(), text)
			fail(t, budget, "constant:base=1ms,max_retries=1")
			if err := budget.LastError(); !errors.Is(err, backoff.ErrNotAState) || len(err.Error()) > 400 || store.text(budget.Key()) != text {
				t.Errorf("%q: %v", text[:min(10, len(text))], err)
			}
		}
		budget := newBudget(t, timeless{new(memoryStore)}, "rate")
		fail(t, budget, "constant:base=1ms,max_retries=1")
		if err := budget.LastError(); !errors.Is(err, backoff.ErrTooSmall) || !strings.Contains(err.Error(), "is before 1970") {
			t.Errorf("%v", err)
		}
	})
}

type timeless struct{ *memoryStore }

func (s timeless) Load(ctx context.Context, key string) (*string, time.Time, error) {
	text, _, err := s.memoryStore.Load(ctx, key)
	return text, time.Time{}, err
}

// A lease of 3 asks the store for every third retry.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		budget := newBudget(t, store, "quota:max_tokens=100", sharedbudget.WithLease(3))
		if event := fail(t, budget, "constant:base=1ms,max_retries=6"); event.Reason != backoff.StopMaxRetries || store.count() != 2 || store.text(budget.Key()) != "6 70" {
			t.Errorf("%+v after %d loads: %s", event, store.count(), store.text(budget.Key()))
		}
	})
}

// The longest timeout is no timeout of Flush.
func TestLongestStoreTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{onLoad: func(context.Context) error {
			time.Sleep(time.Hour)
			return nil
		}}
		budget := newBudget(t, store, "rate", sharedbudget.WithStoreTimeout(math.MaxInt64))
		if event := fail(t, budget, "constant:base=1ns,max_retries=1"); event.BudgetIsLocal {
			t.Errorf("%+v", event)
		}
		succeed(t, budget, 1)
		flush(t, budget)
	})
}

// Events without a request are sent when there are 100, or after 30 s, and nobody waits for that.
func TestPendingEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		budget := newBudget(t, store, "ratio")
		succeed(t, budget, 49) // with a start and an end each
		if store.count() != 0 {
			t.Errorf("%d loads", store.count())
		}
		succeed(t, budget, 1)
		if store.count() != 1 {
			t.Errorf("%d loads", store.count())
		}
		succeed(t, budget, 1)
		time.Sleep(time.Minute)
		succeed(t, budget, 1)
		if store.count() != 2 {
			t.Errorf("%d loads after a minute", store.count())
		}
		flush(t, budget)
	})
}

// Requests that come during an exchange share the next one.
func TestRequestsShareAnExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{onLoad: func(context.Context) error { time.Sleep(10 * time.Millisecond); return nil }}
		budget := newBudget(t, store, "rate:max_tokens=7,per=1d")
		var group sync.WaitGroup
		reasons := make(chan backoff.StopReason, 10)
		for range 10 {
			group.Go(func() { reasons <- fail(t, budget, "constant:base=1ms,max_retries=1").Reason })
		}
		group.Wait()
		close(reasons)
		count := map[backoff.StopReason]int{}
		for reason := range reasons {
			count[reason]++
		}
		if store.count() > 2 || count[backoff.StopMaxRetries] != 7 || count[backoff.StopBudget] != 3 {
			t.Errorf("%d loads: %v", store.count(), count)
		}
		flush(t, budget)
	})
}

// The last of the two options counts, and nil is no budget.
func TestABudgetReplacesAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := newBudget(t, new(memoryStore), "ratio:max_tokens=1,ratio=0")
		for i, row := range []struct {
			options []backoff.RetryOption
			reason  backoff.StopReason
		}{
			{[]backoff.RetryOption{backoff.WithBudget(parseBudget(t, "ratio:max_tokens=1")), backoff.WithSharedBudget(nil)}, backoff.StopMaxRetries},
			{[]backoff.RetryOption{backoff.WithSharedBudget((*sharedbudget.Budget)(nil))}, backoff.StopMaxRetries},
			{[]backoff.RetryOption{backoff.WithBudget(nil)}, backoff.StopMaxRetries},
			{[]backoff.RetryOption{backoff.WithBudget(parseBudget(t, "ratio:max_tokens=1"))}, backoff.StopBudget},
			{nil, backoff.StopBudget},
		} {
			if event := fail(t, budget, "constant:base=1ns,max_retries=2", row.options...); event.Reason != row.reason {
				t.Errorf("row %d: %+v", i, event)
			}
		}
	})
}
