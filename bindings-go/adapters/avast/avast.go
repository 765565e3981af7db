// Package backoffavast gives retry-go (github.com/avast/retry-go) the delays and the limits of a policy.
package backoffavast

import (
	"math"
	"time"

	"github.com/avast/retry-go/v5"
	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/delays"
)

// Delays are the delays of a policy. They are safe for any number of goroutines.
//
// retry-go does not say which call a delay is for. Each delay therefore has a random stream of its own.
type Delays struct{ delays *delays.Delays }

// An Option configures Delays.
type Option = delays.Option

// WithStream sets the stream of all delays. All calls then wait for identical times: leave it to tests.
func WithStream(stream backoff.RandomStream) Option { return delays.WithStream(stream) }

// New returns the delays of a policy string.
//
// It fails with a *backoff.PolicyError, with a *backoff.ArgumentError for a nil option and for max_elapsed, which
// retry-go limits by itself, and with backoff.ErrNoEntropy.
func New(policy string, options ...Option) (*Delays, error) {
	made, err := delays.New(policy, "retry-go", options...)
	if err != nil {
		return nil, err
	}
	return &Delays{made}, nil
}

// Options returns the options of a Retrier: Attempts, DelayType and RetryIf. Options after them replace them.
//
//	retry.New(delays.Options()...).Do(call)
func (d *Delays) Options() []retry.Option {
	return []retry.Option{retry.Attempts(d.Attempts()), retry.DelayType(d.DelayType), retry.RetryIf(RetryIf)}
}

// Attempts returns the attempts that the policy allows: max_retries and 1, or 0 without a limit.
func (d *Delays) Attempts() uint {
	if retries := d.delays.MaxRetries(); retries < math.MaxUint32 {
		return uint(retries) + 1
	}
	return 0
}

// DelayType returns the delay before retry n, which is 1 after the first failure. It is a retry.DelayTypeFunc. A mark
// of the error counts: RetryAfter follows the retry_after of the policy.
func (d *Delays) DelayType(n uint, err error, _ retry.DelayContext) time.Duration {
	return d.delays.After(int(n)-1, delays.Verdict(err, nil))
}

// RetryIf reports whether an error may be retried: neither marked backoff.Permanent nor retry.Unrecoverable.
func RetryIf(err error) bool {
	return backoff.VerdictOf(err) != backoff.OutcomePermanent && retry.IsRecoverable(err)
}
