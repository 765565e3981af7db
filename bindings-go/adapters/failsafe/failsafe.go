// Package backofffailsafe gives failsafe-go (github.com/failsafe-go/failsafe-go) the delays and the limits of a
// policy.
package backofffailsafe

import (
	"math"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// Builder returns the builder of a RetryPolicy with the delays and the max_retries of the policy, which does not
// retry an error that is marked backoff.Permanent.
func Builder[R any](d *Delays) retrypolicy.Builder[R] {
	isPermanent := func(_ R, err error) bool { return backoff.VerdictOf(err) == backoff.OutcomePermanent }
	return retrypolicy.NewBuilder[R]().WithMaxRetries(d.MaxRetries()).WithDelayFunc(DelayFunc[R](d)).AbortIf(isPermanent)
}

// MaxRetries returns the max_retries of the policy, or -1 without a limit.
func (d *Delays) MaxRetries() int {
	if retries := d.policy.MaxRetries(); retries <= math.MaxInt32 {
		return int(retries)
	}
	return -1
}

// DelayFunc returns a function that returns the delay before the next retry. A mark of the error counts: RetryAfter
// follows the retry_after of the policy.
func DelayFunc[R any](d *Delays) failsafe.DelayFunc[R] {
	return func(attempt failsafe.ExecutionAttempt[R]) time.Duration {
		verdict := backoff.VerdictOf(attempt.LastError())
		if verdict == nil {
			verdict = backoff.OutcomeTransient
		}
		return d.after(attempt.Retries(), verdict)
	}
}
