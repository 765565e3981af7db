package adapters

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

// checkSwaps tests that a store without any keys swaps only what is there.
func checkSwaps(t *testing.T, store sharedbudget.Store) {
	text := func(text string) *string { return &text }
	check := func(key string, want *string) {
		t.Helper()
		before := time.Now()
		got, now, err := store.Load(t.Context(), key)
		if err != nil || (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Fatalf("%q has %v, %v, want %v", key, got, err, want)
		}
		// The server runs on this machine, and says microseconds.
		if now.Before(before.Truncate(time.Microsecond)) || now.After(time.Now()) {
			t.Errorf("the time is %v, not after %v", now, before)
		}
	}
	swap := func(key string, old *string, state string, want bool) {
		t.Helper()
		if got, err := store.CompareAndSwap(t.Context(), key, old, state); err != nil || got != want {
			t.Fatalf("swapped %t, %v, want %t", got, err, want)
		}
	}
	for _, key := range []string{"backoff:a:rate", "backoff:é 'x' \"y\" %s {z}:rate", strings.Repeat("k", 1000)} {
		check(key, nil)
		swap(key, text("1 2"), "2 3", false)
		check(key, nil)
		swap(key, nil, "1 2", true)
		swap(key, nil, "1 2", false)
		swap(key, nil, "7 7", false)
		check(key, text("1 2"))
		swap(key, text("1"), "3 3", false)
		swap(key, text(""), "3 3", false)
		swap(key, text("1 2 "), "3 3", false)
		swap(key, text("1 2"), "2 -3", true)
		check(key, text("2 -3"))
		swap(key, text("1 2"), "3 3", false)
		swap(key, text("2 -3"), "", true)
		check(key, text(""))
		swap(key, nil, "1 2", false)
		swap(key, text(""), "18446744073709551615 18446744073709551615", true)
		check(key, text("18446744073709551615 18446744073709551615"))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := store.Load(cancelled, "backoff:a:rate"); !errors.Is(err, context.Canceled) {
		t.Errorf("a load that is cancelled: %v", err)
	}
	if _, err := store.CompareAndSwap(cancelled, "backoff:b:rate", nil, "1 2"); !errors.Is(err, context.Canceled) {
		t.Errorf("a swap that is cancelled: %v", err)
	}
	check("backoff:b:rate", nil)
}

// checkSharing tests that budgets in stores of one server take exactly what one account has.
func checkSharing(t *testing.T, stores ...sharedbudget.Store) {
	const tokens, loops = 60, 4
	var granted atomic.Int64
	var group sync.WaitGroup
	for _, store := range stores {
		budget := newBudget(t, store, "sharing", "ratio:max_tokens=60,ratio=0", patience)
		for range loops {
			group.Add(1)
			go func() {
				defer group.Done()
				for {
					event := fail(t, budget)
					granted.Add(int64(event.Attempts) - 1)
					if event.Reason != backoff.StopMaxRetries || event.BudgetIsLocal {
						if event.Reason != backoff.StopBudget || event.BudgetIsLocal {
							t.Errorf("%+v, %v", event, budget.LastError())
						}
						return
					}
				}
			}()
		}
	}
	group.Wait()
	if granted.Load() != tokens {
		t.Errorf("%d retries were granted, not %d", granted.Load(), tokens)
	}
}

// checkOutage tests that the local budget decides while a server is away, and the store after that.
func checkOutage(t *testing.T, store sharedbudget.Store, server string) {
	budget := newBudget(t, store, "outage", "ratio:max_tokens=1000,ratio=0", 5*time.Second)
	if event := fail(t, budget); event.Reason != backoff.StopMaxRetries {
		t.Fatalf("%+v, %v", event, budget.LastError())
	}
	tell(t, "kill "+server)
	locals := 0
	if event := fail(t, budget, backoff.OnRetry(func(event backoff.Event) {
		if event.BudgetIsLocal {
			locals++
		}
	})); event.Reason != backoff.StopMaxRetries || locals != 3 || budget.LastError() == nil {
		t.Errorf("the local budget decided %d times: %+v, %v", locals, event, budget.LastError())
	}
	tell(t, "start "+server)
	back(t, budget)
}

// checkFailover tests that another server decides after one was killed, with what the first one had stored.
func checkFailover(t *testing.T, store sharedbudget.Store, server string) {
	budget := newBudget(t, store, "failover", "ratio:max_tokens=1000,ratio=0", patience)
	if event := fail(t, budget); event.Reason != backoff.StopMaxRetries || event.BudgetIsLocal {
		t.Fatalf("%+v, %v", event, budget.LastError())
	}
	tell(t, "kill "+server)
	back(t, budget)
	text, _, err := store.Load(t.Context(), budget.Key())
	var version, tokens int
	if err == nil && text != nil {
		_, err = fmt.Sscanf(*text, "%d %d", &version, &tokens)
	}
	// Each granted retry is a version and takes a token.
	if err != nil || version < 4 || version+tokens != 1000 {
		t.Errorf("the account is %v, %v", text, err)
	}
}

// back waits until the store decides again.
func back(t *testing.T, budget *sharedbudget.Budget) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		shared := false
		fail(t, budget, backoff.OnRetry(func(event backoff.Event) { shared = !event.BudgetIsLocal }))
		if shared {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the store is still away: %v", budget.LastError())
		}
	}
	if err := budget.Flush(t.Context()); err != nil {
		t.Error(err)
	}
}

func newBudget(t *testing.T, store sharedbudget.Store, name, text string, timeout time.Duration) *sharedbudget.Budget {
	t.Helper()
	budget, err := sharedbudget.New(store, name, text, sharedbudget.WithStoreTimeout(timeout))
	if err != nil {
		t.Fatal(err)
	}
	return budget
}

// fail runs a loop with three retries whose calls all fail, and returns its last event.
func fail(t *testing.T, budget *sharedbudget.Budget, options ...backoff.RetryOption) (last backoff.Event) {
	options = append(options, backoff.WithPolicyString("none:max_retries=3"), backoff.WithSharedBudget(budget),
		backoff.RetryIf(backoff.AnyError), backoff.OnStop(func(event backoff.Event) { last = event }))
	if err := backoff.Do(t.Context(), func() error { return errBusy }, options...); !errors.Is(err, errBusy) {
		t.Error(err)
	}
	return last
}
