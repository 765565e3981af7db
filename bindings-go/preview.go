package backoff

import (
	"iter"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A PreviewRow is what the delay of an index can be, without drawing it (SPEC 16), as if no
// failure were throttled and no hint given.
type PreviewRow struct {
	// Smallest, Mean (rounded down) and Largest are those of the delays of the index. Under
	// decorrelated jitter the mean is that after the mean of the row before: an upper estimate
	// where the cap can be reached.
	Smallest, Mean, Largest time.Duration
	// TotalSmallest, TotalMean and TotalLargest are the sums of these up to here.
	TotalSmallest, TotalMean, TotalLargest time.Duration
}

// Preview returns a row for each retry that the policy can make, for range, as if no failure
// were throttled and no hint given: up to max_retries, or to where even the smallest delays
// together are longer than max_elapsed. Without such a limit there are 2^32: break.
func (p Policy) Preview() iter.Seq[PreviewRow] {
	return func(yield func(PreviewRow) bool) {
		preview := p.checked.Preview()
		for row, ok := preview.Next(); ok && yield(PreviewRow(row)); {
			row, ok = preview.Next()
		}
	}
}

// FitBase returns this policy with the longest base with which so many attempts, 1 to 65536,
// always fit into a time of waiting, as if no failure were throttled and no hint given (SPEC
// 16.5). The limits of the policy are not looked at.
//
// It fails with a *PolicyError, ErrDoesNotFit if no base is short enough; with an
// *ArgumentError for a negative total; and with ErrNoPolicy. Errors name the attempts
// max_attempts and the total max_elapsed. Then the policy is the zero Policy.
func (p Policy) FitBase(attempts uint64, total time.Duration) (Policy, error) {
	return p.fit(p.checked.FitBase, attempts, total)
}

// FitCap is FitBase for the longest cap.
func (p Policy) FitCap(attempts uint64, total time.Duration) (Policy, error) {
	return p.fit(p.checked.FitCap, attempts, total)
}

func (p Policy) fit(to func(attempts, total uint64) (engine.Policy, *engine.Refusal), attempts uint64, total time.Duration) (Policy, error) {
	if p == (Policy{}) {
		return Policy{}, ErrNoPolicy
	}
	if err := notBelowZero("max_elapsed", total); err != nil {
		return Policy{}, err
	}
	return policyOf(to(attempts, uint64(total)))
}
