package backoff

import (
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// Stop is what NextBackOff returns when there is no wait left.
const Stop time.Duration = -1

// Waits gives the waits of a policy within its limits, by the two methods of the interface that
// github.com/cenkalti/backoff calls BackOff in its versions 4 to 7: hand it to that Retry, or to
// NewTicker.
//
// It is for one goroutine at a time. The zero Waits, and nil, has none.
type Waits struct {
	with      *retrying
	operation *Operation
}

// NewWaits returns the waits of the policy on the stream that the options give, as Retry would have
// them after transient failures. It fails as Retry does, and with an *ArgumentError for an option
// that is not WithPolicy, WithPolicyLine, WithStream, WithKey or WithClock.
func NewWaits(options ...RetryOption) (*Waits, error) {
	with, err := retryingWith(options)
	if err != nil {
		return nil, err
	}
	if with.budget != nil || with.history != nil || with.failures != nil || with.results != nil || with.onRetry != nil || with.onStop != nil {
		return nil, &ArgumentError{Field: "option", Value: "of a loop", Rule: "has no use in Waits"}
	}
	w := &Waits{with: with}
	if err := w.begin(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Waits) begin() error {
	now := w.with.clock.Now()
	if err := notBelowZero("now", now); err != nil {
		return err
	}
	operation, err := w.with.policy.begin(w.with.stream, uint64(now), beginning{deadline: engine.None})
	w.operation = operation
	return err
}

// NextBackOff returns the next wait, or Stop after max_retries waits and where a wait would end
// after max_elapsed since the last Reset. Then it returns Stop until Reset.
func (w *Waits) NextBackOff() time.Duration {
	w = orZero(w)
	if w.operation == nil {
		return Stop
	}
	decision := w.operation.Decide(OutcomeTransient, w.with.clock.Now())
	if !decision.Wait {
		return Stop
	}
	return decision.Delay
}

// Reset begins again, at index 0 and with all retries and all the time of the policy. As
// Backoff.Reset it never repeats itself: the stream moves on by the waits taken.
func (w *Waits) Reset() {
	w = orZero(w)
	if w.operation == nil {
		return
	}
	w.with.stream = Stream{engine.Advance(w.with.stream.state, w.operation.Retries())}
	_ = w.begin() // which fails for a clock before its origin: then there are no waits
}
