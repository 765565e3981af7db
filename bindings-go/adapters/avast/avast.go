// Package backoffavast gives retry-go (github.com/avast/retry-go) the delays and the limits of a policy.
package backoffavast

import (
	"math"
	"time"

	"github.com/avast/retry-go/v5"
	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// Options returns the options of a Retrier: Attempts, DelayType and RetryIf. Options after them replace them.
//
//	retry.New(delays.Options()...).Do(call)
func (d *Delays) Options() []retry.Option {
	return []retry.Option{retry.Attempts(d.Attempts()), retry.DelayType(d.DelayType), retry.RetryIf(RetryIf)}
}

// Attempts returns the attempts that the policy allows: max_retries and 1, or 0 without a limit.
func (d *Delays) Attempts() uint {
	if retries := d.policy.MaxRetries(); retries < math.MaxUint32 {
		return uint(retries) + 1
	}
	return 0
}

// DelayType returns the delay before retry n, which is 1 after the first failure. It is a retry.DelayTypeFunc. A mark
// of the error counts: RetryAfter follows the retry_after of the policy.
func (d *Delays) DelayType(n uint, err error, _ retry.DelayContext) time.Duration {
	verdict := backoff.VerdictOf(err)
	if verdict == nil {
		verdict = backoff.OutcomeTransient
	}
	return d.after(int(n)-1, verdict)
}

// RetryIf reports whether an error may be retried: neither marked backoff.Permanent nor retry.Unrecoverable.
func RetryIf(err error) bool {
	return backoff.VerdictOf(err) != backoff.OutcomePermanent && retry.IsRecoverable(err)
}
