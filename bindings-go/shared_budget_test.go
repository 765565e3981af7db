//go:build go1.25

package backoff_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func sharedBudget(t *testing.T, store backoff.BudgetStore, budget string, options ...backoff.SharedBudgetOption) *backoff.SharedBudget {
	t.Helper()
	shared, err := backoff.NewSharedBudget(store, "test", budget, options...)
	if err != nil {
		t.Fatal(err)
	}
	return shared
}

func flush(t *testing.T, shared *backoff.SharedBudget) {
	t.Helper()
	if err := shared.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// fail runs a loop whose calls all fail, and returns its last event.
func fail(t *testing.T, shared *backoff.SharedBudget, policy string, options ...backoff.RetryOption) backoff.Event {
	t.Helper()
	var last backoff.Event
	options = append([]backoff.RetryOption{
		backoff.WithPolicyString(policy), backoff.RetryIf(backoff.AnyError), backoff.WithSharedBudget(shared),
		backoff.OnStop(func(event backoff.Event) { last = event }),
	}, options...)
	if err := backoff.Do(t.Context(), func() error { return errBusy }, options...); !errors.Is(err, errBusy) {
		t.Fatal(err)
	}
	return last
}

// Two budgets of one name are one account, in which 20 tokens pay for 4 retries.
func TestSharedBudgetsShareOneAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		const budget = "quota:max_tokens=20"
		one, two := sharedBudget(t, store, budget), sharedBudget(t, store, budget)
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
		if other := sharedBudget(t, store, "quota:max_tokens=30"); fail(t, other, "constant:base=1s,max_retries=1").Reason != backoff.StopMaxRetries {
			t.Error("another configuration has the same account")
		}
		if key := one.Key(); key != "backoff:test:quota:max_tokens=20" || store.text(key) != "4 0" || one.LastError() != nil || two.LastError() != nil {
			t.Errorf("%s is %s; %v, %v", key, store.text(key), one.LastError(), two.LastError())
		}
	})
}

// What a loop tells the budget, in the order of SPEC 13.4.
func TestStepsOfSharedLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		shared := sharedBudget(t, new(memoryStore), "quota:max_tokens=10,cost_throttled=2", backoff.OnExchange(func(exchange backoff.BudgetExchange) {
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
		}, backoff.WithPolicyString("constant:base=1s"), backoff.WithSharedBudget(shared))
		if value != 2 || err != nil {
			t.Errorf("%d, %v", value, err)
		}
		flush(t, shared)
		loop := backoff.NewLoop(t.Context(), backoff.WithPolicyString("constant:base=1s"), backoff.WithSharedBudget(shared))
		for range loop.Attempts() {
			loop.Report(backoff.Permanent(errBusy)) // requests no retry, and does not count as a failed attempt
		}
		flush(t, shared)
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
		if !slices.Equal(lines, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	})
}

var errAway = errors.New("connection refused")

// Whoever flushes before the end of the process has seen all exchanges.
func TestFlushWaitsForTheHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hooked atomic.Bool
		shared := sharedBudget(t, new(memoryStore), "ttl:min_per_second=0,ratio=0", backoff.OnExchange(func(backoff.BudgetExchange) {
			time.Sleep(time.Millisecond)
			hooked.Store(true)
		}))
		// The exchange refuses the retry before its hook returns, and then there is nothing to send.
		fail(t, shared, "immediate:max_retries=1")
		if err := shared.Flush(t.Context()); err != nil || !hooked.Load() {
			t.Errorf("%v, hooked %t", err, hooked.Load())
		}
	})
}

func TestFallbacks(t *testing.T) {
	for _, row := range []struct {
		option backoff.SharedBudgetOption
		want   int
	}{
		{backoff.WithFallback(backoff.FallbackShare), 10}, // one of the four that the account has counted
		{backoff.WithProcesses(8), 5},
		{backoff.WithFallback(backoff.FallbackWhole), 40},
		{backoff.WithFallback(backoff.FallbackRefuse), 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := new(memoryStore)
			shared := sharedBudget(t, store, "quota:max_tokens=40,cost=1", row.option)
			store.put(shared.Key(), fmt.Sprintf("0 40 | %d 3 0", time.Now().Unix()/60))
			fail(t, shared, "immediate:max_retries=1")
			store.onLoad = func(context.Context, int) error { return errAway }
			granted := 0
			for range 40 {
				fail(t, shared, "immediate:max_retries=1", backoff.OnRetry(func(event backoff.Event) {
					if event.BudgetIsLocal {
						granted++
					}
				}))
			}
			if granted != row.want {
				t.Errorf("%d of 40 are granted, want %d", granted, row.want)
			}
			want := backoff.SharedBudgetStats{Exchanges: 2, FailedExchanges: 1, LocalDecisions: 40, Processes: 4}
			if stats := shared.Stats(); stats != want {
				t.Errorf("%+v, want %+v", stats, want)
			}
		})
	}
}

// While the store fails, the local budget decides, and the store is asked again after a second.
func TestLocalBudgetDecidesWhileTheStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		isAway := true
		store := &memoryStore{onLoad: func(context.Context, int) error {
			if isAway {
				return errAway
			}
			return nil
		}}
		shared := sharedBudget(t, store, "quota:max_tokens=100", backoff.WithLocalBudget("quota:max_tokens=10"))
		var locals []bool
		hook := backoff.OnRetry(func(event backoff.Event) { locals = append(locals, event.BudgetIsLocal) })
		if event := fail(t, shared, "constant:base=1ms,max_retries=5", hook); event.Reason != backoff.StopBudget || event.Attempts != 3 || !event.BudgetIsLocal {
			t.Errorf("%+v", event)
		}
		if store.count() != 1 || shared.LastError() != errAway || !slices.Equal(locals, []bool{true, true}) {
			t.Errorf("%d loads, %v, %v", store.count(), shared.LastError(), locals)
		}
		isAway = false
		time.Sleep(time.Second - 3*time.Millisecond)
		if event := fail(t, shared, "constant:base=2s,max_retries=1"); !event.BudgetIsLocal || event.Attempts != 1 || store.count() != 1 {
			t.Errorf("%+v after %d loads", event, store.count())
		}
		time.Sleep(2 * time.Millisecond)
		if event := fail(t, shared, "constant:base=1ms,max_retries=2"); event.BudgetIsLocal || event.Reason != backoff.StopMaxRetries || store.count() != 3 {
			t.Errorf("%+v after %d loads", event, store.count())
		}
		if text := store.text(shared.Key()); text != "2 90" {
			t.Errorf("the store has %s", text)
		}
	})
}

// What a retry took from a budget goes back to it, and the other one learns of a success without a retry.
func TestTokensGoBackToTheBudgetThatGaveThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		isAway := false
		store := &memoryStore{onLoad: func(context.Context, int) error {
			if isAway {
				return errAway
			}
			return nil
		}}
		shared := sharedBudget(t, store, "quota:max_tokens=20")
		succeed := func() {
			t.Helper()
			calls := 0
			err := backoff.Do(t.Context(), func() error {
				if calls++; calls == 1 {
					return errBusy
				}
				return nil
			}, backoff.WithPolicyString("constant:base=1ms"), backoff.RetryIf(backoff.AnyError), backoff.WithSharedBudget(shared))
			if err != nil {
				t.Error(err)
			}
		}
		fail(t, shared, "constant:base=1ms,max_retries=2") // 10 left
		succeed()
		flush(t, shared)
		if text := store.text(shared.Key()); text != "4 10" { // 5 taken and given back
			t.Errorf("the store has %s", text)
		}
		isAway = true
		succeed()
		isAway = false
		flush(t, shared)
		if text := store.text(shared.Key()); text != "5 11" { // nothing taken, 1 given
			t.Errorf("the store has %s", text)
		}
	})
}

// A store that never answers, whatever the context says, costs the timeout once, and one goroutine.
func TestStoreThatNeverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		store := &memoryStore{onLoad: func(context.Context, int) error { <-release; return nil }}
		shared := sharedBudget(t, store, "rate", backoff.WithStoreTimeout(50*time.Millisecond))
		for round := range 3 {
			for try := range 2 {
				want := time.Duration(0)
				if round == 0 && try == 0 {
					want = time.Second // of the first exchange
				}
				began := time.Now()
				if event := fail(t, shared, "constant:base=1ns,max_retries=1"); !event.BudgetIsLocal && event.Reason != backoff.StopMaxRetries {
					t.Errorf("%+v", event)
				}
				if took := time.Since(began) - 1; took != want {
					t.Errorf("round %d: took %v, not %v", round, took, want)
				}
			}
			time.Sleep(time.Second)
		}
		if err := shared.LastError(); store.count() != 1 || !errors.Is(err, context.DeadlineExceeded) || err.Error() != "the store did not answer within 1s: context deadline exceeded" {
			t.Errorf("%d loads, %v", store.count(), err)
		}
		began := time.Now()
		if err := shared.Flush(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 2*time.Second {
			t.Errorf("flush: %v after %v", err, time.Since(began))
		}
		close(release)
		synctest.Wait()
		flush(t, shared)
		if text := store.text(shared.Key()); text != "0 3600000000000 0" { // full
			t.Errorf("a retry that nobody waits for is stored as %s", text)
		}
	})
}

// A driver closes the connection of a call that it cancels. To connect again takes longer than the timeout.
func TestStoreConnectsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		isConnected := false
		store := &memoryStore{onLoad: func(ctx context.Context, _ int) error {
			wait := 60 * time.Millisecond
			if !isConnected {
				wait += 60 * time.Millisecond
			}
			select {
			case <-time.After(wait):
				isConnected = true
				return nil
			case <-ctx.Done():
				isConnected = false
				return ctx.Err()
			}
		}}
		shared := sharedBudget(t, store, "rate:max_tokens=100")
		var local []bool
		request := func() {
			fail(t, shared, "constant:base=1ms,max_retries=1", backoff.OnRetry(func(event backoff.Event) { local = append(local, event.BudgetIsLocal) }))
			time.Sleep(1100 * time.Millisecond)
		}
		request()
		isConnected = false
		for range 3 {
			request()
		}
		if want := []bool{false, true, false, false}; !slices.Equal(local, want) {
			t.Errorf("local: %v", local)
		}
		if stats := shared.Stats(); stats.FailedExchanges != 0 || stats.Processes != 1 {
			t.Errorf("%+v", stats)
		}
	})
}

// Why a retry has not waited for the store.
func TestSlowHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := sharedBudget(t, new(memoryStore), "rate", backoff.OnExchange(func(backoff.BudgetExchange) { time.Sleep(3 * time.Second) }))
		fail(t, shared, "constant:base=1ms,max_retries=2")
		if err := shared.LastError(); err == nil || err.Error() != "the hook of OnExchange did not return within 100ms: context deadline exceeded" {
			t.Errorf("%v", err)
		}
		if err := shared.Flush(t.Context()); err == nil || err.Error() != "the hook of OnExchange did not return within 2s: context deadline exceeded" {
			t.Errorf("%v", err)
		}
		time.Sleep(10 * time.Second) // the end of the hooks
	})
}

// A store without a clock is an error, because no rate would ever fill.
func TestStoreWithoutAClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := sharedBudget(t, timeless{new(memoryStore)}, "rate")
		fail(t, shared, "constant:base=1ms,max_retries=1")
		if err := shared.LastError(); !errors.Is(err, backoff.ErrTooSmall) || !strings.Contains(err.Error(), "is before 1970") {
			t.Errorf("%v", err)
		}
	})
}

type timeless struct{ *memoryStore }

func (s timeless) Load(ctx context.Context, key string) (*string, time.Time, error) {
	text, _, err := s.memoryStore.Load(ctx, key)
	return text, time.Time{}, err
}

// A loop that is cancelled does not wait for the store.
func TestCancelWhileTheStoreIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{onLoad: func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }}
		shared := sharedBudget(t, store, "rate", backoff.WithStoreTimeout(time.Hour))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		err := backoff.Do(ctx, func() error { return backoff.Transient(errBusy) }, backoff.WithPolicyString("constant:base=1s"), backoff.WithSharedBudget(shared))
		checkEnd(t, err, errBusy, backoff.StopCancelled, 1)
		if took := time.Since(began); took != time.Minute || shared.LastError() != nil {
			t.Errorf("took %v, %v", took, shared.LastError())
		}
		time.Sleep(time.Hour) // the end of the exchange
	})
}

// Another process that is faster makes the exchange begin again, until the timeout.
func TestLostRaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		var exchanges []backoff.BudgetExchange
		shared := sharedBudget(t, store, "quota:max_tokens=50", backoff.OnExchange(func(exchange backoff.BudgetExchange) { exchanges = append(exchanges, exchange) }))
		store.onSwap = func(number int, swap func() bool) (bool, error) {
			if number < 3 {
				store.put(shared.Key(), fmt.Sprintf("%d %d", number, 50-number))
			}
			return swap(), nil
		}
		if event := fail(t, shared, "constant:base=1ms,max_retries=1"); event.Reason != backoff.StopMaxRetries || event.BudgetIsLocal {
			t.Errorf("%+v", event)
		}
		synctest.Wait()
		if text := store.text(shared.Key()); text != "3 43" || len(exchanges) != 1 || exchanges[0].Stored != backoff.BudgetStoredYes || *exchanges[0].Before != "2 48" {
			t.Errorf("%s, %+v", text, exchanges)
		}
		// Always.
		store.onSwap = func(number int, _ func() bool) (bool, error) { time.Sleep(30 * time.Millisecond); return false, nil }
		event := fail(t, shared, "constant:base=1ms,max_retries=1")
		if err := shared.LastError(); !event.BudgetIsLocal && event.Reason != backoff.StopMaxRetries || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%+v, %v", event, err)
		}
		time.Sleep(time.Second) // the end of the exchange
		synctest.Wait()
		if last := exchanges[len(exchanges)-1]; len(exchanges) != 2 || last.Stored != backoff.BudgetStoredLost || !strings.HasPrefix(last.After, "4 38 | ") {
			t.Errorf("%+v", exchanges)
		}
	})
}

// If the store does not say whether it has stored the state, nothing is sent twice.
func TestLostAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		var last backoff.BudgetExchange
		shared := sharedBudget(t, store, "quota:max_tokens=20", backoff.OnExchange(func(exchange backoff.BudgetExchange) { last = exchange }))
		store.onSwap = func(_ int, swap func() bool) (bool, error) { swap(); return false, errAway }
		if event := fail(t, shared, "constant:base=1ms,max_retries=1"); event.BudgetIsLocal || event.Reason != backoff.StopMaxRetries {
			t.Errorf("%+v", event) // that of the stop, not that of the retry
		}
		synctest.Wait()
		if text := store.text(shared.Key()); text != "1 15" || last.Stored != backoff.BudgetStoredUnknown || last.Err != errAway || shared.LastError() != errAway {
			t.Errorf("%s, %+v, %v", text, last, shared.LastError())
		}
		store.onSwap = nil
		flush(t, shared)
		if len(last.Steps) != 1 || last.Steps[0].Event.Kind != backoff.BudgetAttemptFailed { // the second failure
			t.Errorf("sent again: %+v", last.Steps)
		}
	})
}

// SPEC 15.7, rule 12. A flush asks a store that is away, too.
func TestEveryExchangeIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		var exchanges []backoff.BudgetExchange
		shared := sharedBudget(t, store, "quota:max_tokens=25", backoff.OnExchange(func(exchange backoff.BudgetExchange) { exchanges = append(exchanges, exchange) }))
		flush := func() error {
			if err := backoff.Do(t.Context(), func() error { return nil }, backoff.WithPolicyString("none"), backoff.WithSharedBudget(shared)); err != nil {
				t.Fatal(err)
			}
			return shared.Flush(t.Context())
		}
		var ends []error
		ends = append(ends, flush())
		store.onLoad = func(context.Context, int) error { return errAway }
		ends = append(ends, flush())
		store.onLoad = nil
		store.put(shared.Key(), "hello")
		ends = append(ends, flush())
		store.put(shared.Key(), "7 20 | 0 1 0")
		store.onSwap = func(_ int, swap func() bool) (bool, error) { swap(); return false, errAway }
		ends = append(ends, flush())
		store.onSwap = nil
		// The steps of the last exchange may be stored, so they are forgotten.
		ends = append(ends, flush())
		wants := []struct {
			stored backoff.BudgetStored
			before string
			isDone bool
			err    error
		}{
			{backoff.BudgetStoredYes, "", true, nil},
			{backoff.BudgetStoredNo, "", false, errAway},
			{backoff.BudgetStoredNo, "hello", false, backoff.ErrNotAState},
			{backoff.BudgetStoredUnknown, "7 20 | 0 1 0", true, errAway},
			{backoff.BudgetStoredYes, "10 23 | 15778080 1 0", true, nil},
		}
		if len(exchanges) != len(wants) {
			t.Fatalf("%+v", exchanges)
		}
		for i, want := range wants {
			exchange, before := exchanges[i], ""
			if exchange.Before != nil {
				before = *exchange.Before
			}
			if exchange.Stored != want.stored || before != want.before || !errors.Is(exchange.Err, want.err) || !errors.Is(ends[i], want.err) || (exchange.After != "") != want.isDone || (len(exchange.Steps) == 2) != want.isDone {
				t.Errorf("exchange %d: %+v, %v", i, exchange, ends[i])
			}
		}
		if failed := exchanges[1]; !failed.Now.IsZero() {
			t.Errorf("the time of a store that is away is %v", failed.Now)
		}
	})
}

// Something else under the key is an error, and stays.
func TestForeignTextInTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, text := range []string{"", "hello", "1 21", "-1 5", "1 5 ", strings.Repeat("7", 100000)} {
			store := new(memoryStore)
			shared := sharedBudget(t, store, "quota:max_tokens=20")
			store.put(shared.Key(), text)
			fail(t, shared, "constant:base=1ms,max_retries=1")
			if text == "1 21" { // above max_tokens, but the text of a state
				continue
			}
			if err := shared.LastError(); !errors.Is(err, backoff.ErrNotAState) || len(err.Error()) > 400 || store.text(shared.Key()) != text {
				t.Errorf("%q: %v", text[:min(10, len(text))], err)
			}
		}
	})
}

// A lease of 3 asks the store for every third retry, and only for the outcome that it was granted for.
func TestLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := new(memoryStore)
		shared := sharedBudget(t, store, "quota:max_tokens=35,cost_throttled=1", backoff.WithLease(3))
		if event := fail(t, shared, "constant:base=1ms,max_retries=6"); event.Reason != backoff.StopMaxRetries || store.count() != 2 || store.text(shared.Key()) != "6 5" {
			t.Errorf("%+v after %d loads: %s", event, store.count(), store.text(shared.Key()))
		}
		// Of a lease that the tokens do not pay for, the store grants a part.
		if event := fail(t, shared, "constant:base=1ms,max_retries=6"); event.Reason != backoff.StopBudget || event.Attempts != 2 || store.text(shared.Key()) != "7 0" {
			t.Errorf("%+v after %d loads: %s", event, store.count(), store.text(shared.Key()))
		}
		flush(t, shared)
		store.put(shared.Key(), "7 9")
		if event := fail(t, shared, "constant:base=1ms,max_retries=1"); event.Reason != backoff.StopMaxRetries { // 5 of 9
			t.Errorf("%+v", event)
		}
		loads := store.count()
		throttled := backoff.Classify(func(error) backoff.Verdict { return backoff.OutcomeThrottled })
		err := backoff.Do(t.Context(), func() error { return errBusy }, throttled, backoff.WithSharedBudget(shared), backoff.WithPolicyString("constant:base=1ms,max_retries=2"))
		checkEnd(t, err, errBusy, backoff.StopMaxRetries, 3)
		if store.count() != loads+1 || store.text(shared.Key()) != "11 1" {
			t.Errorf("%d loads: %s", store.count()-loads, store.text(shared.Key()))
		}
	})
}

// However many retries ask at once, a process keeps at most lease - 1 that it does not need yet.
func TestLeaseOfManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{onLoad: func(context.Context, int) error {
			time.Sleep(10 * time.Millisecond)
			return nil
		}}
		shared := sharedBudget(t, store, "quota:max_tokens=1000,cost=1", backoff.WithLease(10))
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() { fail(t, shared, "constant:base=1ns,max_retries=1") })
		}
		group.Wait()
		if err := shared.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		state := strings.Fields(store.text(shared.Key()))
		if left, err := strconv.Atoi(state[1]); err != nil || left > 950 || left < 950-9 {
			t.Errorf("50 retries and up to 9 more cost the tokens down to %s", state[1])
		}
	})
}

// The longest timeout is no timeout of Flush.
func TestLongestStoreTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{onLoad: func(context.Context, int) error {
			time.Sleep(time.Hour)
			return nil
		}}
		shared := sharedBudget(t, store, "rate", backoff.WithStoreTimeout(math.MaxInt64))
		if event := fail(t, shared, "constant:base=1ns,max_retries=1"); event.BudgetIsLocal {
			t.Errorf("%+v", event)
		}
		if err := backoff.Do(t.Context(), func() error { return nil }, backoff.WithSharedBudget(shared)); err != nil {
			t.Error(err)
		}
		if err := shared.Flush(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// events returns how many events an exchange told the store.
func events(exchange backoff.BudgetExchange) (count int) {
	for _, step := range exchange.Steps {
		count += int(step.Count)
	}
	return count
}

// Events without a request are sent when there are 100, and nobody waits for that. While the store is away, 100 of each
// are kept.
func TestPendingEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		isAway := false
		store := &memoryStore{onLoad: func(context.Context, int) error {
			if isAway {
				return errAway
			}
			return nil
		}}
		var sent []int
		shared := sharedBudget(t, store, "ratio", backoff.OnExchange(func(exchange backoff.BudgetExchange) { sent = append(sent, events(exchange)) }))
		succeed := func(times int) {
			for range times {
				if err := backoff.Do(t.Context(), func() error { return nil }, backoff.WithSharedBudget(shared)); err != nil {
					t.Error(err)
				}
			}
			synctest.Wait()
		}
		succeed(49) // with a start and an end each
		if store.count() != 0 {
			t.Errorf("%d loads", store.count())
		}
		succeed(1)
		if store.count() != 1 || !slices.Equal(sent, []int{100}) {
			t.Errorf("%d loads, sent %d", store.count(), sent)
		}
		isAway = true
		succeed(170)
		if store.count() != 2 || shared.LastError() != errAway {
			t.Errorf("%d loads, %v", store.count(), shared.LastError())
		}
		if err := shared.Flush(t.Context()); err != errAway || store.count() != 3 {
			t.Errorf("flush: %v after %d loads", err, store.count())
		}
		isAway = false
		flush(t, shared)
		flush(t, shared)
		if want := []int{100, 0, 0, 200}; store.count() != 4 || !slices.Equal(sent, want) {
			t.Errorf("%d loads, sent %d, want %d", store.count(), sent, want)
		}
	})
}

// Requests that come during an exchange share the next one.
func TestRequestsShareAnExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memoryStore{onLoad: func(context.Context, int) error { time.Sleep(10 * time.Millisecond); return nil }}
		requests := 0
		shared := sharedBudget(t, store, "rate:max_tokens=7,per=1d", backoff.OnExchange(func(exchange backoff.BudgetExchange) {
			for _, step := range exchange.Steps {
				if step.Event.Kind == backoff.BudgetRetryRequested {
					requests += int(step.Count)
				}
			}
		}))
		var group sync.WaitGroup
		reasons := make(chan backoff.StopReason, 10)
		for range 10 {
			group.Go(func() { reasons <- fail(t, shared, "constant:base=1ms,max_retries=1").Reason })
		}
		group.Wait()
		close(reasons)
		count := map[backoff.StopReason]int{}
		for reason := range reasons {
			count[reason]++
		}
		if store.count() > 2 || requests != 10 || count[backoff.StopMaxRetries] != 7 || count[backoff.StopBudget] != 3 {
			t.Errorf("%d loads for %d requests: %v", store.count(), requests, count)
		}
		flush(t, shared)
	})
}

// Processes that use the store at once take exactly what the account has.
func TestManyProcessesTakeTheWholeAccount(t *testing.T) {
	store := new(memoryStore)
	const processes, tokens = 8, 40
	var granted, refused sync.Map
	var group sync.WaitGroup
	for process := range processes {
		shared, err := backoff.NewSharedBudget(lockedStore{store}, "test", fmt.Sprintf("rate:max_tokens=%d,per=1d", tokens), backoff.WithStoreTimeout(time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for loop := range 4 {
			group.Go(func() {
				event := fail(t, shared, "constant:base=1ns,max_retries=20")
				granted.Store([2]int{process, loop}, int(event.Attempts)-1)
				refused.Store([2]int{process, loop}, event.Reason)
			})
		}
	}
	group.Wait()
	sum := 0
	granted.Range(func(_, value any) bool { sum += value.(int); return true })
	refused.Range(func(_, value any) bool {
		if reason := value.(backoff.StopReason); reason != backoff.StopBudget && reason != backoff.StopMaxRetries {
			t.Errorf("a loop stopped with %v", reason)
		}
		return true
	})
	if sum != tokens {
		t.Errorf("%d retries were granted, not %d", sum, tokens)
	}
}

// lockedStore counts the calls of a memoryStore under a lock.
type lockedStore struct{ store *memoryStore }

func (s lockedStore) Load(ctx context.Context, key string) (*string, time.Time, error) {
	return s.store.Load(ctx, key)
}

var swapLock sync.Mutex

func (s lockedStore) CompareAndSwap(ctx context.Context, key string, expected *string, state string) (bool, error) {
	swapLock.Lock()
	defer swapLock.Unlock()
	return s.store.CompareAndSwap(ctx, key, expected, state)
}

// The last of the two options counts, and nil is no budget.
func TestSharedBudgetReplacesABudget(t *testing.T) {
	store := new(memoryStore)
	shared := sharedBudget(t, store, "ratio:max_tokens=1,ratio=0")
	empty := parseBudget(t, "ratio:max_tokens=1,ratio=0")
	for i, row := range []struct {
		options []backoff.RetryOption
		reason  backoff.StopReason
	}{
		{[]backoff.RetryOption{backoff.WithBudget(empty), backoff.WithSharedBudget(nil)}, backoff.StopMaxRetries},
		{[]backoff.RetryOption{backoff.WithSharedBudget(nil)}, backoff.StopMaxRetries},
		{[]backoff.RetryOption{backoff.WithBudget(nil)}, backoff.StopMaxRetries},
		{[]backoff.RetryOption{backoff.WithBudget(parseBudget(t, "ratio:max_tokens=1"))}, backoff.StopBudget},
		{nil, backoff.StopBudget},
	} {
		if event := fail(t, shared, "constant:base=1ns,max_retries=2", row.options...); event.Reason != row.reason {
			t.Errorf("row %d: %+v", i, event)
		}
	}
	if text := store.text(shared.Key()); text != "1 0" {
		t.Errorf("the store has %s", text)
	}
}

func TestInvalidSharedBudgets(t *testing.T) {
	store := new(memoryStore)
	for _, row := range []struct {
		store        backoff.BudgetStore
		name, budget string
		option       backoff.SharedBudgetOption
		want         string
	}{
		{nil, "a", "rate", backoff.WithLease(1), "store is nil"},
		{(*memoryStore)(nil), "a", "rate", backoff.WithLease(1), "store is a nil *backoff_test.memoryStore"},
		{store, "", "rate", backoff.WithLease(1), "name is empty"},
		{store, "\xff", "rate", backoff.WithLease(1), `name "\xff" is not valid UTF-8`},
		{store, "a\x00", "rate", backoff.WithLease(1), `name "a\x00" has a control character`},
		{store, "a\u0085", "rate", backoff.WithLease(1), `name "a\u0085" has a control character`},
		{store, strings.Repeat("é", 128), "rate", backoff.WithLease(1), "length of the name 256 is above 255 bytes"},
		{store, "a", "rate:cost=1", backoff.WithLease(1), "at 5: cost 1 is not used by budget rate"},
		{store, "a", "envoy", backoff.WithLease(1), `budget "envoy" is of kind concurrent, which cannot be shared: a process that is killed would hold its slots for ever`},
		{store, "a", "rate", backoff.WithLocalBudget("concurrent"), `local budget "concurrent" is of kind concurrent: a local budget of this kind cannot know when an operation ends that the store counts`},
		{store, "a", "rate", backoff.WithLocalBudget("x"), `local budget: at 0: unknown name "x"; the names are quota, throttle, ratio, rate, ttl, concurrent, aws-sdk-standard, aws-sdk-2026, grpc-retry, sre, sre-process, finagle, envoy`},
		{store, "a", "rate", backoff.WithFallback("x"), "fallback \"x\" is not share, whole or refuse"},
		{store, "a", "rate", backoff.WithLease(0), "lease 0 is below 1"},
		{store, "a", "rate", backoff.WithLease(1001), "lease 1001 is above 1000"},
		{store, "a", "rate", backoff.WithProcesses(0), "processes 0 is below 1"},
		{store, "a", "rate", backoff.WithProcesses(1_000_001), "processes 1000001 is above 1000000"},
		{store, "a", "rate", backoff.WithStoreTimeout(0), "store timeout 0s is not above 0s"},
		{store, "a", "rate", backoff.OnExchange(nil), "argument of OnExchange is nil"},
		{store, "a", "rate", nil, "option is nil"},
	} {
		shared, err := backoff.NewSharedBudget(row.store, row.name, row.budget, row.option)
		if shared != nil || err == nil || row.want != "" && err.Error() != row.want {
			t.Errorf("made %v, %v, want %s", shared, err, row.want)
		}
	}
	_, err := backoff.NewSharedBudget(store, "a", "rate", backoff.WithProcesses(3), backoff.WithFallback(backoff.FallbackRefuse))
	checkArgument(t, err, backoff.ErrUnused, "processes", "processes 3 is only for the fallback share, and the fallback is refuse")
	for _, zero := range []*backoff.SharedBudget{nil, new(backoff.SharedBudget)} {
		if err := zero.Flush(t.Context()); err != backoff.ErrNoBudget || zero.Key() != "" || zero.LastError() != nil || zero.Stats() != (backoff.SharedBudgetStats{}) || fmt.Sprint(zero) != "no budget" {
			t.Errorf("%v, %v", zero, err)
		}
	}
	shared := sharedBudget(t, store, "rate")
	if err := backoff.Do(t.Context(), func() error { return nil }, backoff.WithSharedBudget(new(backoff.SharedBudget))); err != backoff.ErrNoBudget {
		t.Error(err)
	}
	_, err = parsePolicy(t, "default").Begin(backoff.StreamFromSeed(42), 0, backoff.WithSharedBudget(shared))
	checkArgument(t, err, backoff.ErrUnused, "shared budget", "shared budget backoff:test:rate has no effect on an operation: loops alone accept it")
	var none context.Context
	checkArgument(t, shared.Flush(none), backoff.ErrMissing, "ctx", "ctx is nil")
	if text := fmt.Sprintf("%v %+v %#v", shared, shared, shared); text != "backoff:test:rate backoff:test:rate backoff:test:rate" {
		t.Error(text)
	}
}
