package backoff_test

import (
	"slices"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func TestAllConsumesDelaysAsNextDoes(t *testing.T) {
	for _, c := range load[vector](t, "resets") {
		b := backoff.New(c.policy(t), c.stream(t))
		for number, run := range c.Runs {
			got := []time.Duration{}
			for len(got) < c.Asked[number] {
				before := len(got)
				for delay := range b.All() {
					if got = append(got, delay); len(got)%7 == 0 || len(got) == c.Asked[number] {
						break // and go on with another All
					}
				}
				if len(got) == before {
					break
				}
			}
			if want := durations(t, run); !slices.Equal(got, want) {
				t.Errorf("%s: run %d is %d, want %d", c.ID, number, got, want)
			}
			b.Reset()
		}
		if got := b.Stream().State(); got != c.Stream {
			t.Errorf("%s: the stream is %d, want %d", c.ID, got, c.Stream)
		}
	}
}

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
	count := 0
	for _, c := range load[vector](t, "growths") {
		// Only cases that reach the last index have its delay.
		if uint64(c.First)+uint64(len(c.Delays)) != last+1 {
			continue
		}
		count++
		t.Run(c.ID, func(t *testing.T) {
			want := durations(t, c.Delays)
			b := backoff.New(c.policy(t), c.stream(t))
			b.SkipTo(uint64(c.First))
			if got := take(b, len(want)+1); !slices.Equal(got, want) {
				t.Errorf("the last delays are %d, want %d", got, want)
			}
			for range 2 {
				if delay, ok := b.Next(); delay != 0 || ok {
					t.Errorf("after the end: %d, %t", delay, ok)
				}
			}
			if b.Index() != last+1 {
				t.Errorf("at the end the index is %d", b.Index())
			}
			b.Reset()
			if b.Index() != 0 {
				t.Errorf("after a reset the index is %d", b.Index())
			}
			delays := make([]time.Duration, len(want)+3)
			n := c.policy(t).Fill(c.stream(t), c.First, delays)
			if n != len(want) || !slices.Equal(delays, append(want, 0, 0, 0)) {
				t.Errorf("filled %d: %d, want %d", n, delays, want)
			}
		})
	}
	if count == 0 {
		t.Error("no case reaches the last index")
	}
}

func TestCopiesAreIndependent(t *testing.T) {
	c := find(t, "jitters", "full")
	want := durations(t, c.Delays)
	b := backoff.New(c.policy(t), c.stream(t))
	take(b, 2)
	other := *b
	for name, b := range map[string]*backoff.Backoff{"original": b, "copy": &other} {
		if got := take(b, len(want)-2); !slices.Equal(got, want[2:]) {
			t.Errorf("the %s continues with %d, want %d", name, got, want[2:])
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

func find(t *testing.T, layer, id string) vector {
	t.Helper()
	for _, c := range load[vector](t, layer) {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("%s has no case %s", layer, id)
	return vector{}
}
