package backoff_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// Run with -race, which is what it is for.
func TestGoroutinesShareAPolicy(t *testing.T) {
	for _, c := range load(t, "jitters") {
		policy, stream, want := c.policy(t), c.stream(t), durations(t, c.Delays)
		var group sync.WaitGroup
		for range 8 {
			group.Add(1)
			go func() {
				defer group.Done()
				got := make([]time.Duration, len(want))
				policy.Fill(stream, c.First, got)
				if !slices.Equal(got, want) {
					t.Errorf("%s: filled %d, want %d", c.ID, got, want)
				}
				for i := range want {
					if got := policy.Delay(stream, c.First+uint32(i)); got != want[i] {
						t.Errorf("%s: delay %d is %d, want %d", c.ID, i, got, want[i])
					}
				}
				if c.First == 0 && !slices.Equal(take(backoff.New(policy, stream), len(want)), want) {
					t.Errorf("%s: an iterator of its own differs", c.ID)
				}
			}()
		}
		group.Wait()
	}
}
