//go:build harden

// Many goroutines, for `cargo xtask harden races`.

package sharedbudget_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

// Two budgets of one account, with loops that wait, loops that are cancelled, and flushes. They make no more retries than
// the account has.
func TestManyGoroutinesShareAnAccount(t *testing.T) {
	const tokens = 100
	many, err := strconv.Atoi(os.Getenv("BACKOFF_GOROUTINES"))
	if err != nil {
		t.Fatal(err)
	}
	store := new(memoryStore)
	var exchanges, retries atomic.Int64
	options := []sharedbudget.Option{
		sharedbudget.WithStoreTimeout(time.Minute), sharedbudget.OnExchange(func(sharedbudget.Exchange) { exchanges.Add(1) }),
	}
	const text = "quota:max_tokens=100,cost=1"
	budgets := [2]*sharedbudget.Budget{newBudget(t, store, text, options...), newBudget(t, store, text, options...)}
	var group sync.WaitGroup
	for g := range many {
		group.Add(1)
		go func() {
			defer group.Done()
			budget := budgets[g%2]
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if g%7 == 0 {
				go cancel()
			}
			err := backoff.Do(ctx, func() error { return errBusy },
				backoff.WithPolicyString("constant:base=0s,max_retries=2"), backoff.RetryIf(backoff.AnyError), backoff.WithSharedBudget(budget),
				backoff.OnRetry(func(event backoff.Event) {
					if event.BudgetIsLocal {
						t.Errorf("%+v", event)
					}
					retries.Add(1)
				}))
			if err == nil {
				t.Error("a success")
			}
			switch g % 100 {
			case 0:
				_, _, _ = budget.Stats(), budget.LastError(), budget.String()
			case 1:
				if err := budget.Flush(t.Context()); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
	if retries.Load() > tokens || retries.Load() == 0 || exchanges.Load() == 0 {
		t.Errorf("%d retries in %d exchanges", retries.Load(), exchanges.Load())
	}
}
