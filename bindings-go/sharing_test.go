package backoff_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// These tests are meant for -race.
func TestGoroutinesShareAPolicy(t *testing.T) {
	stream := backoff.StreamFromSeed(42)
	for _, text := range []string{"full:base=1s,cap=1h", "decorrelated:base=1ms,cap=1d", "exponential:base=1s,jitter=slotted,jitter_slot=51ns"} {
		policy, want := parsePolicy(t, text), make([]time.Duration, 100)
		policy.Fill(stream, 0, want)
		inParallel(8, func(int) {
			got := make([]time.Duration, len(want))
			if policy.Fill(stream, 0, got); !slices.Equal(got, want) || !slices.Equal(take(backoff.New(policy, stream), len(want)), want) {
				t.Errorf("%s: got %d, want %d", text, got, want)
			}
			for i := range want {
				if got := policy.Delay(stream, uint32(i)); got != want[i] {
					t.Errorf("%s: delay %d is %d, want %d", text, i, got, want[i])
				}
			}
		})
	}
}

// A budget grants as much to many goroutines as to one. The limits are those of SPEC 15.3, at one
// time, for operations that have all begun.
func TestGoroutinesShareABudget(t *testing.T) {
	const goroutines, each = 8, 250
	policy := parsePolicy(t, "constant:base=1s")
	rows := []struct {
		text          string
		first, second int // retries granted, before and after all operations have stopped
	}{
		{"quota:max_tokens=1000,cost=7", 1000 / 7, 1000 / 7},
		{"ratio:max_tokens=90,ratio=0.5", 90, 90},
		{"rate:max_tokens=60,per=1m", 60, 0},
		{"concurrent:ratio=0.01,min_concurrent=10", goroutines * each / 100, goroutines * each / 100},
		{"ttl:ttl=10s,min_per_second=10,ratio=0.2", goroutines*each/5 + 10*10, goroutines * each / 5},
	}
	for _, row := range rows {
		budget := parseBudget(t, row.text)
		for round, want := range []int{row.first, row.second} {
			var operations [goroutines][each]*backoff.Operation
			inParallel(goroutines, func(g int) {
				for i := range each {
					operations[g][i] = beginOrFail(t, policy, backoff.WithBudget(budget))
				}
			})
			var granted [goroutines]int
			inParallel(goroutines, func(g int) {
				for _, operation := range operations[g] {
					if decision, _ := operation.Decide(backoff.OutcomeTransient, 0); decision.Wait {
						granted[g]++
					}
				}
			})
			sum := 0
			for _, count := range granted {
				sum += count
			}
			if sum != want {
				t.Errorf("%s: round %d grants %d, want %d", row.text, round, sum, want)
			}
			inParallel(goroutines, func(g int) {
				for _, operation := range operations[g] {
					_, _ = operation.Decide(backoff.OutcomeSuccess, 0)
				}
			})
		}
	}
}

func TestGoroutinesShareStats(t *testing.T) {
	const goroutines, each = 8, 1000
	var stats, sum backoff.RetryStats
	inParallel(goroutines, func(g int) {
		for i := range each {
			if err := stats.Record(uint64(i%60)+1, backoff.StopReason(g%7)+backoff.StopSuccess); err != nil {
				t.Error(err)
			}
			if i%100 == 0 {
				_ = stats.String()
				stats.Counts()
			}
		}
	})
	inParallel(goroutines, func(int) { sum.Merge(&stats) })
	got := sum.Counts()
	want := backoff.RetryStatsCounts{Bounds: got.Bounds}
	for g := range goroutines {
		for i := range each {
			attempts := uint64(i%60) + 1
			bucket, _ := slices.BinarySearch(got.Bounds[:], attempts)
			want.Operations += goroutines
			want.Attempts += goroutines * attempts
			want.Retries += goroutines * (attempts - 1)
			want.Buckets[bucket] += goroutines
			want.Stops[g%7+1] += goroutines
		}
	}
	if got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

func inParallel(goroutines int, do func(g int)) {
	var group sync.WaitGroup
	for g := range goroutines {
		group.Add(1)
		go func() {
			defer group.Done()
			do(g)
		}()
	}
	group.Wait()
}
