package backoff_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A loop over the delays of a policy makes max_retries retries, however many delays are fetched ahead.
func TestAllEndsAtMaxRetries(t *testing.T) {
	for text, want := range map[string]int{
		"default":                                    3,
		"full:base=1s,max_retries=0":                 0,
		"full:base=1s,max_retries=7":                 7,
		"full:base=1s,max_retries=8":                 8,
		"full:base=1s,max_retries=9":                 9,
		"full:base=1s,max_retries=72":                72,
		"full:base=1s,max_attempts=1000":             999,
		"full:base=1s,max_retries=5,max_elapsed=1ns": 5,
	} {
		b, count := backoff.New(parsePolicy(t, text), backoff.StreamFromSeed(42)), 0
		for range 2 {
			for range b.All() {
				count++
			}
		}
		if delay, ok := b.Next(); count != want || delay != 0 || ok || b.Index() != uint64(want) {
			t.Errorf("%s: %d delays, then %d, %t; the index is %d", text, count, delay, ok, b.Index())
		}
		if limit := parsePolicy(t, text).MaxRetries(); limit != uint64(want) {
			t.Errorf("%s: the limit is %d", text, limit)
		}
	}
}

// Full jitter may draw 0 each time, so max_elapsed alone does not end the preview: the caller does.
func TestPreviewsAreLong(t *testing.T) {
	for _, text := range []string{"full:base=1s", "full:base=1s,max_elapsed=1ns"} {
		count := 0
		for row := range parsePolicy(t, text).Preview() {
			if count++; row.Min != 0 || count == 10_000 {
				break
			}
		}
		if count != 10_000 {
			t.Errorf("%s: %d rows", text, count)
		}
	}
}

func TestNoLimitOfRetries(t *testing.T) {
	for _, text := range []string{"full:base=1s", "full:base=1s,max_retries=4294967296", "full:base=1s,max_attempts=4294967297"} {
		policy := parsePolicy(t, text)
		if limit := policy.MaxRetries(); limit != 1<<32 {
			t.Errorf("%s: the limit is %d", text, limit)
		}
		again, err := backoff.NewPolicy(backoff.Exponential, time.Second, backoff.WithJitter(backoff.FullJitter), backoff.WithMaxRetries(policy.MaxRetries()))
		if err != nil || again != policy {
			t.Errorf("%s: made again it is %v, %v", text, again, err)
		}
	}
	if limit := (backoff.Policy{}).MaxRetries(); limit != 0 {
		t.Errorf("the zero Policy: the limit is %d", limit)
	}
}

func TestTheIndicesEnd(t *testing.T) {
	const last = 1<<32 - 1
	stream := backoff.StreamFromSeed(42)
	for _, text := range []string{"linear:base=1s,increment=1ns", "full:base=1s", "exponential:base=1us,multiplier=1.01,jitter=equal"} {
		policy := parsePolicy(t, text)
		want := []time.Duration{policy.Delay(stream, last-1), policy.Delay(stream, last)}
		b := backoff.New(policy, stream)
		b.SkipTo(last - 1)
		if got := take(b, 3); !slices.Equal(got, want) {
			t.Errorf("%s: the last delays are %d, want %d", text, got, want)
		}
		if delay, ok := b.Next(); delay != 0 || ok || b.Index() != last+1 {
			t.Errorf("%s: after the end: %d, %t, index %d", text, delay, ok, b.Index())
		}
		if b.Reset(); b.Index() != 0 {
			t.Errorf("%s: after a reset the index is %d", text, b.Index())
		}
		delays := make([]time.Duration, 5)
		if n := policy.Fill(stream, last-1, delays); n != 2 || !slices.Equal(delays, append(want, 0, 0, 0)) {
			t.Errorf("%s: filled %d: %d, want %d", text, n, delays, want)
		}
	}
}

// The delays of a Backoff come from ranges that are known beforehand, from the delay before, or from a state.
func TestSequencesAreTheDelaysOfTheirIndices(t *testing.T) {
	for _, text := range []string{
		"exponential:base=100ms,cap=20s,jitter=50%", "exponential:base=100ns,multiplier=1.01,jitter=equal", "constant:base=0s",
		"linear:base=1s,increment=7ns,jitter=full", "fibonacci:base=1us", "full:base=1ms,cap=1h,cap_on=delay",
		"constant:base=1s,jitter=slotted,jitter_slot=7ms", "decorrelated:base=1ms,cap=1d", "decorrelated:base=1ms,cap=1m,cap_on=delay,floor=5ms",
	} {
		policy := parsePolicy(t, text)
		b := backoff.New(policy, backoff.StreamFromSeed(42))
		for _, count := range []uint32{3, 70, 40, 5000} {
			for index := range count {
				if index == 35 {
					other := *b
					take(&other, 50)
				}
				if got, _ := b.Next(); got != policy.Delay(b.Stream(), index) {
					t.Fatalf("%s: delay %d is %d, want %d", text, index, got, policy.Delay(b.Stream(), index))
				}
			}
			b.Reset()
		}
	}
}

// Policies are equal if their fields are, also if many goroutines make them while those of others are forgotten.
func TestEqualPolicies(t *testing.T) {
	want := parsePolicy(t, "full:base=1s,max_retries=7")
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range 60 {
				made := parsePolicy(t, fmt.Sprintf("full:base=%dns,max_retries=1", i))
				if again := parsePolicy(t, made.String()); again != made || made == want {
					t.Errorf("%v and %v", made, again)
				}
				if i%20 == 0 {
					runtime.GC()
				}
				again, err := backoff.NewPolicy(backoff.Exponential, time.Second, backoff.WithJitter(backoff.FullJitter), backoff.WithMaxAttempts(8))
				if err != nil || again != want || (map[backoff.Policy]int{again: 1})[want] != 1 {
					t.Errorf("%v, %v", again, err)
				}
			}
		}()
	}
	group.Wait()
}

func TestCopiesAreIndependent(t *testing.T) {
	b := backoff.New(parsePolicy(t, "full:base=100ms,cap=20s"), exampleStream())
	take(b, 1)
	other := *b
	for name, b := range map[string]*backoff.Backoff{"original": b, "copy": &other} {
		// The numbers of docs/programs.md.
		if got := take(b, 2); !slices.Equal(got, []time.Duration{83043876, 229309811}) {
			t.Errorf("the %s continues with %d", name, got)
		}
	}
}

func TestStreamsFromEntropyDiffer(t *testing.T) {
	seen := make(map[backoff.RandomStream]bool)
	for range 100 {
		stream, err := backoff.StreamFromEntropy()
		if err != nil {
			t.Fatal(err)
		}
		seen[stream] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d of 100 streams differ", len(seen))
	}
}
