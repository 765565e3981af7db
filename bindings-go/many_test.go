//go:build harden

// What many goroutines share, for `cargo xtask harden races`: the race detector with far more of them than processors.
// sharing_test.go says what a few of them do.

package backoff_test

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// goroutines returns how many goroutines there are. The race detector allows 8128 at a time.
func goroutines(t *testing.T) int {
	t.Helper()
	number, err := strconv.Atoi(os.Getenv("BACKOFF_GOROUTINES"))
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// Each operation begins, is refused or granted a retry, and ends, while others read, print and copy what they share.
func TestManyGoroutinesShareBudgetsAndStats(t *testing.T) {
	many := goroutines(t)
	policy := parsePolicy(t, "full:base=1ms,max_retries=3")
	for _, text := range []string{"quota:max_tokens=50,cost=1", "throttle", "ratio", "rate:max_tokens=60,per=1m", "concurrent", "ttl"} {
		budget, stats := parseBudget(t, text), new(backoff.RetryStats)
		full := level(t, budget)
		inParallel(many, func(g int) {
			operation := beginOrFail(t, policy, backoff.WithBudget(budget))
			for range 2 {
				if decision, err := operation.Decide(backoff.OutcomeTransient, 0); err != nil || !decision.Wait {
					break
				}
				runtime.Gosched()
			}
			if g%2 == 0 {
				_, _ = operation.Decide(backoff.OutcomeSuccess, 0)
			} else {
				operation.Cancel()
			}
			if err := stats.Record(uint64(g%9)+1, backoff.StopSuccess); err != nil {
				t.Error(err)
			}
			switch g % 50 {
			case 0:
				_, _ = budget.String(), level(t, budget)
			case 1:
				_ = stats.String()
			case 2:
				var copied backoff.RetryStats
				copied.Merge(stats)
			}
		})
		if counts := stats.Counts(); counts.Operations != uint64(many) {
			t.Errorf("%s: %d operations of %d", text, counts.Operations, many)
		}
		// Every slot is free again.
		if now := level(t, budget); text == "concurrent" && now != full {
			t.Errorf("%s: %d of %d", text, now, full)
		}
	}
}

func level(t *testing.T, budget *backoff.Budget) uint64 {
	t.Helper()
	level, err := budget.Level(0)
	if err != nil {
		t.Error(err)
	}
	return level.Level
}

// Loops begin and end while others set and restore what holds for all of them.
func TestManyGoroutinesSetDefaults(t *testing.T) {
	inParallel(goroutines(t), func(g int) {
		if g%4 != 0 {
			_ = attempts(t, backoff.RetryOn(errBusy))
			return
		}
		restore, err := backoff.SetDefaults(backoff.WithMaxRetries(uint64(g%3)), backoff.OnStop(func(backoff.Event) {}))
		if err != nil {
			t.Error(err)
			return
		}
		_ = attempts(t, backoff.RetryOn(errBusy))
		restore()
	})
	if got := attempts(t, backoff.RetryOn(errBusy)); got != 4 {
		t.Errorf("%d attempts after all", got)
	}
}

// Loops share one iterator's policy, one budget and one Retry, and wait.
func TestManyGoroutinesRunLoops(t *testing.T) {
	budget, stats := parseBudget(t, "ratio"), new(backoff.RetryStats)
	inParallel(goroutines(t), func(g int) {
		calls := 0
		err := backoff.Do(t.Context(), func() error {
			if calls++; calls <= g%3 {
				return errBusy
			}
			return nil
		}, backoff.WithPolicyString("constant:base=1us,max_retries=3"), backoff.RetryOn(errBusy), backoff.WithBudget(budget), backoff.WithStats(stats))
		if err != nil && g%3 == 0 {
			t.Error(err)
		}
	})
}
