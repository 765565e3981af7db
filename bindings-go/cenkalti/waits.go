// Package cenkalti adapts policies to the BackOff interface of github.com/cenkalti/backoff, versions
// 4 to 7, and has a Ticker as that module does. It does not depend on that module.
package cenkalti

import (
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// Stop is what NextBackOff returns when no wait is left.
const Stop time.Duration = -1

// Waits are the waits of a policy within its limits. They implement the BackOff interface: pass them
// to the Retry of github.com/cenkalti/backoff, or to NewTicker.
//
// They are for one goroutine at a time. Nil or zero Waits have no waits.
type Waits struct {
	// Clock replaces the clock of backoff.Now, for tests. Set it before the first use.
	Clock backoff.Clock

	policy    backoff.Policy
	delays    *backoff.Backoff // in step with the operation, to advance the stream
	operation *backoff.Operation
}

// NewWaits returns the waits of a policy on a stream: those that Retry makes after transient
// failures. Waits of the zero Policy have none.
func NewWaits(policy backoff.Policy, stream backoff.RandomStream) *Waits {
	return &Waits{policy: policy, delays: backoff.New(policy, stream)}
}

// NextBackOff returns the next wait. It returns Stop after max_retries waits, or when the next wait
// would exceed max_elapsed since the last Reset, and from then on until Reset.
func (w *Waits) NextBackOff() time.Duration {
	if w == nil {
		return Stop
	}
	if w.operation == nil {
		w.begin()
	}
	decision, err := w.operation.Decide(backoff.OutcomeTransient, w.now())
	if err != nil || !decision.Wait {
		return Stop
	}
	w.delays.Next()
	return decision.Delay
}

// Reset restarts at index 0, with all retries and all the time of the policy. Waits do not repeat:
// the stream advances by the number of waits taken, as Backoff.Reset does.
func (w *Waits) Reset() {
	if w == nil {
		return
	}
	w.delays.Reset()
	w.begin()
}

// begin begins an operation; where it cannot, there are no waits.
func (w *Waits) begin() {
	w.operation, _ = w.policy.Begin(w.delays.Stream(), w.now())
}

func (w *Waits) now() time.Duration {
	if w.Clock == nil {
		return backoff.Now()
	}
	return w.Clock.Now()
}
