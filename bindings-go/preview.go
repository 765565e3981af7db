// Preview: the shortest, the mean and the longest delay of each retry; and fits into a time.

package backoff

import (
	"iter"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A PreviewRow holds the possible delays of one retry, without drawing any (SPEC 16). It assumes
// that no failure is throttled and that no server asks for a wait.
type PreviewRow struct {
	// Min, Mean (rounded down) and Max are those of the delay of the index. Under decorrelated
	// jitter, Mean assumes the mean of the row before; where the cap can be reached it is an upper
	// estimate.
	Min, Mean, Max time.Duration
	// TotalMin, TotalMean and TotalMax are the sums up to and including this row.
	TotalMin, TotalMean, TotalMax time.Duration
}

// Preview returns a row for each retry that the policy can make, for range: up to max_retries, or
// until even the shortest delays together exceed max_elapsed. Without max_retries it may have 2^32 rows,
// also with max_elapsed, because a delay with full jitter may be 0: break out of the loop.
func (p Policy) Preview() iter.Seq[PreviewRow] {
	return func(yield func(PreviewRow) bool) {
		preview := p.core().Preview()
		for row, ok := preview.Next(); ok && yield(PreviewRow(row)); {
			row, ok = preview.Next()
		}
	}
}

// FitBase returns this policy with the longest base with which the waits of a number of attempts, 1 to
// 65536, never exceed a total (SPEC 16.5). It assumes that no failure is throttled and that no server
// asks for a wait, and ignores the limits of the policy.
//
// On failure it returns the zero Policy and a *PolicyError (ErrDoesNotFit if no base is short
// enough), an *ArgumentError for a negative total, or ErrNoPolicy. In errors, the two arguments are
// named max_attempts and max_elapsed.
func (p Policy) FitBase(attempts uint64, total time.Duration) (Policy, error) {
	return p.fit(p.core().FitBase, attempts, total)
}

// FitCap is FitBase for the longest cap.
func (p Policy) FitCap(attempts uint64, total time.Duration) (Policy, error) {
	return p.fit(p.core().FitCap, attempts, total)
}

func (p Policy) fit(fit func(attempts, total uint64) (*engine.Policy, *engine.Error), attempts uint64, total time.Duration) (Policy, error) {
	if p == (Policy{}) {
		return Policy{}, ErrNoPolicy
	}
	if err := notNegative("max_elapsed", total); err != nil {
		return Policy{}, err
	}
	return policyOf(fit(attempts, uint64(total)))
}
