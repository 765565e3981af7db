package engine

import (
	"math/rand/v2"
	"testing"
)

func TestCoreHasTheVersionOfTheConstants(t *testing.T) {
	if CoreVersion() != Version {
		t.Errorf("core version %d, constants of version %d", CoreVersion(), Version)
	}
}

// The package plain is compiled by itself, with instructions that compilers have translated wrongly before.
func TestWhatNeedsNoInstanceAgreesWithAnInstance(t *testing.T) {
	texts := []string{
		"constant:base=1s", "linear:base=1s,increment=7ms,jitter=equal", "full:base=3ns", "fibonacci:base=1us,floor=3ns,jitter=full",
		"exponential:base=1s,multiplier=1.6,cap=1d,jitter=proportional,jitter_below=1/3,jitter_above=7/9,retry_after=spread",
		"polynomial:base=1h,power=9,offset=1s,jitter=additive,jitter_max=3s,jitter_increment=1s,throttled_base=1d",
		"decorrelated:base=1ms,cap=1d,retry_after=exact", "exponential:base=1s,jitter=slotted,jitter_slot=51ns,cap=100000d,cap_on=delay",
		"full:base=1s,cap=10s,max_elapsed=1h,max_retries=9,retry_after_max=1m,retry_after_max_extra=5s",
	}
	random := rand.New(rand.NewPCG(1, 2))
	number := func() uint64 { return random.Uint64() >> random.IntN(64) }
	for _, text := range texts {
		policy, refused := ParsePolicy(text)
		if refused != nil {
			t.Fatalf("%s: %v", text, refused)
		}
		for range 2000 {
			stream, began, deadline, retryAfter := random.Uint64(), number()>>1, uint64(NoTime), uint64(NoTime)
			retries, now := number()>>40, began+number()>>8
			if random.IntN(2) == 0 {
				deadline, retryAfter = began+number()>>1, number()
			}
			outcome := OutcomeSuccess + uint32(random.IntN(5))
			var operation Operation
			operation.Resume(policy, stream, retries, began, deadline)
			wantReason, wantDelay, _ := operation.Decide(outcome, retryAfter, now, nil)
			reason, delay := DecideAlone(policy, stream, retries, began, deadline, outcome, retryAfter, now)
			if reason != wantReason || delay != wantDelay {
				t.Fatalf("%s: retry %d of stream %d, outcome %d: reason %d and %d ns, want %d and %d ns",
					text, retries, stream, outcome, reason, delay, wantReason, wantDelay)
			}
		}
	}
}
