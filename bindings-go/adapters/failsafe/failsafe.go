// Package backofffailsafe gives failsafe-go (github.com/failsafe-go/failsafe-go) the delays and the limits of a
// policy.
package backofffailsafe

import (
	"math"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/delays"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// Delays are the delays of a policy. They are safe for any number of goroutines.
//
// failsafe-go does not say which call a delay is for. Each delay therefore has a random stream of its own.
type Delays struct{ delays *delays.Delays }

// An Option configures Delays.
type Option = delays.Option

// WithStream sets the stream of all delays. All calls then wait for identical times: leave it to tests.
func WithStream(stream backoff.RandomStream) Option { return delays.WithStream(stream) }

// New returns the delays of a policy string.
//
// It fails with a *backoff.PolicyError, with a *backoff.ArgumentError for a nil option and for max_elapsed, which
// failsafe-go limits by itself, and with backoff.ErrNoEntropy.
func New(policy string, options ...Option) (*Delays, error) {
	made, err := delays.New(policy, "failsafe-go", options...)
	if err != nil {
		return nil, err
	}
	return &Delays{made}, nil
}

// Builder returns the builder of a RetryPolicy with the delays and the max_retries of the policy, which does not
// retry an error that is marked backoff.Permanent.
func Builder[R any](d *Delays) retrypolicy.Builder[R] {
	isPermanent := func(_ R, err error) bool { return backoff.VerdictOf(err) == backoff.OutcomePermanent }
	return retrypolicy.NewBuilder[R]().WithMaxRetries(d.MaxRetries()).WithDelayFunc(DelayFunc[R](d)).AbortIf(isPermanent)
}

// MaxRetries returns the max_retries of the policy, or -1 without a limit.
func (d *Delays) MaxRetries() int {
	if retries := d.delays.MaxRetries(); retries <= math.MaxInt32 {
		return int(retries)
	}
	return -1
}

// DelayFunc returns a function that returns the delay before the next retry. A mark of the error counts: RetryAfter
// follows the retry_after of the policy.
func DelayFunc[R any](d *Delays) failsafe.DelayFunc[R] {
	return func(attempt failsafe.ExecutionAttempt[R]) time.Duration {
		return d.delays.After(attempt.Retries(), delays.Verdict(attempt.LastError(), nil))
	}
}
