// WithDelays and WithDelayFunc: the delays of the caller.

package backoff

import (
	"slices"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// WithDelays sets the delays of the loop, one for each retry, in place of those that the policy computes (SPEC 18.9). The
// loop makes at most as many retries as there are delays, and exactly as many may be made if no option names a policy,
// WithMaxRetries or WithMaxAttempts. Jitter, cap and floor do not change a delay; a RetryAfter, the limits and the budget
// count as always. The loop fails with an *ArgumentError for a negative delay.
func WithDelays(delays ...time.Duration) RetryOption {
	list := delayList(slices.Clone(delays))
	return extraOption(func(e *extras) error {
		e.delays = list
		for _, delay := range list {
			if err := notNegative("delay", delay); err != nil {
				return err
			}
		}
		return nil
	})
}

// WithDelayFunc sets a function that returns the delay of a retry in place of the one that the policy computes
// (SPEC 18.9), or false to leave it to the policy. It gets the number of the retries so far and the error of the last
// attempt, nil if that returned a value. A negative delay is 0. The limits of the policy count, such as its
// max_retries. WithDelays and WithDelayFunc replace each other.
func WithDelayFunc(delay func(index uint64, err error) (time.Duration, bool)) RetryOption {
	return extraOption(func(e *extras) error {
		e.delays = delayFunc(delay)
		return notNil("argument of WithDelayFunc", delay == nil)
	})
}

// ownDelays are the delays of the caller.
type ownDelays interface {
	delay(index uint64, err error) (time.Duration, bool)
}

type delayList []time.Duration

func (list delayList) delay(index uint64, _ error) (time.Duration, bool) {
	if index >= uint64(len(list)) {
		return 0, false
	}
	return list[index], true
}

// count returns how many retries there may be.
func (list delayList) count() uint64 { return uint64(len(list)) }

type delayFunc func(uint64, error) (time.Duration, bool)

func (f delayFunc) delay(index uint64, err error) (time.Duration, bool) { return f(index, err) }

// ownDelay returns the delay of the caller after an attempt that is perhaps retried, NoTime if there is none.
func (l *loop) ownDelay(outcome Outcome, now time.Duration) uint64 {
	if l.extras == nil || l.extras.delays == nil || outcome == OutcomeSuccess || outcome == OutcomePermanent || !outcome.isKnown() {
		return engine.NoTime
	}
	index := l.operation.retryIndex(uint64(now))
	if index >= l.policy.MaxRetries() {
		return engine.NoTime
	}
	delay, ok := l.extras.delays.delay(index, unmarked(l.lastErr))
	return orNone(max(0, delay), ok)
}
