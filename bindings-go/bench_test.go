package backoff_test

import (
	"math/rand/v2"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func BenchmarkNext(b *testing.B) {
	delays := backoff.New(parsePolicy(b, "full:base=100ms,cap=20s"), exampleStream())
	for b.Loop() {
		delays.Next()
	}
}

// Few delays and a success, as in most operations.
func BenchmarkThreeAndReset(b *testing.B) {
	delays := backoff.New(examplePolicy())
	for b.Loop() {
		for range 3 {
			delays.Next()
		}
		delays.Reset()
	}
}

func BenchmarkDelay(b *testing.B) {
	policy, stream := examplePolicy()
	for b.Loop() {
		policy.Delay(stream, 5)
	}
}

func BenchmarkFill64(b *testing.B) {
	policy, stream := examplePolicy()
	delays := make([]time.Duration, 64)
	for b.Loop() {
		policy.Fill(stream, 5, delays)
	}
}

// Full jitter written by hand, for comparison with BenchmarkNext.
func BenchmarkByHand(b *testing.B) {
	window := 100 * time.Millisecond
	for b.Loop() {
		_ = time.Duration(rand.Int64N(int64(window) + 1))
		window = min(2*window, 20*time.Second)
	}
}

func BenchmarkParsePolicy(b *testing.B) {
	for b.Loop() {
		_, _ = backoff.ParsePolicy("full:base=100ms,cap=20s,max_retries=5")
	}
}

func BenchmarkString(b *testing.B) {
	policy, _ := examplePolicy()
	for b.Loop() {
		_ = policy.String()
	}
}

func BenchmarkBegin(b *testing.B) {
	policy, _ := examplePolicy()
	for b.Loop() {
		beginOrFail(b, policy)
	}
}

func BenchmarkDecide(b *testing.B) {
	operation := beginOrFail(b, parsePolicy(b, "full:base=100ms,cap=20s"))
	for b.Loop() {
		_, _ = operation.Decide(backoff.OutcomeTransient, 0)
	}
}

// All goroutines compete for the lock of one budget.
func BenchmarkDecideOnASharedBudget(b *testing.B) {
	policy, budget := parsePolicy(b, "constant:base=0s"), parseBudget(b, "ratio")
	b.RunParallel(func(pb *testing.PB) {
		operation := beginOrFail(b, policy, backoff.WithBudget(budget))
		for pb.Next() {
			if decision, _ := operation.Decide(backoff.OutcomeTransient, 0); !decision.Wait {
				operation = beginOrFail(b, policy, backoff.WithBudget(budget))
			}
		}
	})
}

// A loop whose first call succeeds, as in most loops.
func BenchmarkDo(b *testing.B) {
	for b.Loop() {
		_ = backoff.Do(b.Context(), func() error { return nil })
	}
}

func BenchmarkRecord(b *testing.B) {
	var stats backoff.RetryStats
	for b.Loop() {
		_ = stats.Record(3, backoff.StopSuccess)
	}
}
