package backoff

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// A RetryOption tells a loop how to retry, what may be retried, and whom to tell. WithBudget is
// such an option, too. Of an option that is given twice the last counts, but of RetryIf, RetryOn,
// Classify, OnRetry and OnStop all do, in order.
type RetryOption interface{ apply(*retrying) error }

type retryOption func(*retrying) error

func (o retryOption) apply(r *retrying) error { return o(r) }

// retrying is what the options give.
type retrying struct {
	budget          *Budget
	policy          Policy
	stream          Stream
	isStream        bool
	clock           Clock
	history         *History
	failures        []func(error) Verdict
	results         any // a func(T) Verdict, T being what the operation returns
	onRetry, onStop []func(Event)
}

var defaultPolicy = sync.OnceValues(func() (Policy, error) { return ParsePolicy("default") })

// retryingIn returns what the options of a loop in a context give.
func retryingIn(ctx context.Context, options []RetryOption) (*retrying, error) {
	if err := notNil("ctx", ctx == nil); err != nil {
		return nil, err
	}
	return retryingWith(options)
}

func retryingWith(options []RetryOption) (*retrying, error) {
	policy, err := defaultPolicy()
	if err != nil {
		return nil, err
	}
	r := &retrying{policy: policy, clock: processClock{}}
	for _, option := range options {
		if option == nil {
			return nil, nilOption()
		}
		if err := option.apply(r); err != nil {
			return nil, err
		}
	}
	if !r.isStream {
		r.stream, err = loopStream()
	}
	return r, err
}

// WithPolicy gives the policy; "default" unless given, which makes 4 attempts.
func WithPolicy(policy Policy) RetryOption {
	return retryOption(func(r *retrying) error {
		r.policy = policy
		if policy == (Policy{}) {
			return ErrNoPolicy
		}
		return nil
	})
}

// WithPolicyLine is WithPolicy for a policy as ParsePolicy reads it, with its errors.
func WithPolicyLine(line string) RetryOption {
	return retryOption(func(r *retrying) (err error) {
		r.policy, err = ParsePolicy(line)
		return err
	})
}

// WithStream gives the stream of the delays; one from entropy, for each loop another, unless given.
//
// Loops with the same stream wait the same: see WithKey.
func WithStream(stream Stream) RetryOption {
	return retryOption(func(r *retrying) error {
		r.stream, r.isStream = stream, true
		return nil
	})
}

// WithKey is WithStream for the stream of a seed and a key, such as a job's id, which every
// language computes. It fails as KeyStream does.
func WithKey(seed uint64, key string) RetryOption {
	return retryOption(func(r *retrying) (err error) {
		r.stream, err = KeyStream(seed, key)
		r.isStream = true
		return err
	})
}

// WithHistory gives the history that counts the loop when it has ended; nil is none.
func WithHistory(history *History) RetryOption {
	return retryOption(func(r *retrying) error {
		r.history = history
		return nil
	})
}

// WithClock gives the clock, for tests; that of Now unless given.
func WithClock(clock Clock) RetryOption {
	return retryOption(func(r *retrying) error {
		r.clock = clock
		return notNil("clock", clock == nil)
	})
}

// RetryIf says which errors may be repeated: those of which it returns true, as transient. Of
// several of RetryIf, RetryOn and Classify the first counts that does not call an error permanent.
func RetryIf(repeat func(error) bool) RetryOption {
	return failures("RetryIf", repeat == nil, func(err error) Verdict {
		return whether(repeat(err), OutcomePermanent)
	})
}

// RetryOn says which errors may be repeated: those in which errors.Is finds one of the targets, as
// transient.
func RetryOn(targets ...error) RetryOption {
	missing := false
	for _, target := range targets {
		missing = missing || target == nil
	}
	return failures("RetryOn", missing, func(err error) Verdict {
		for _, target := range targets {
			if errors.Is(err, target) {
				return OutcomeTransient
			}
		}
		return OutcomePermanent
	})
}

// Classify says of every error how the call ended: an Outcome, or one WithHint. A failure
// is never a success: OutcomeSuccess counts as OutcomePermanent.
func Classify(classify func(error) Verdict) RetryOption {
	return failures("Classify", classify == nil, classify)
}

func failures(name string, missing bool, classify func(error) Verdict) RetryOption {
	return retryOption(func(r *retrying) error {
		r.failures = append(r.failures, classify)
		return notNil(name, missing)
	})
}

// RetryResult says which values that came without an error are no success yet, for polling: those
// of which it returns true are transient. T is what the operation returns.
func RetryResult[T any](repeat func(T) bool) RetryOption {
	return results("RetryResult", repeat == nil, func(value T) Verdict {
		return whether(repeat(value), OutcomeSuccess)
	})
}

// ClassifyResult says of every value that came without an error how the call ended: an Outcome, or
// one WithHint. T is what the operation returns.
func ClassifyResult[T any](classify func(T) Verdict) RetryOption {
	return results("ClassifyResult", classify == nil, classify)
}

func results[T any](name string, missing bool, classify func(T) Verdict) RetryOption {
	return retryOption(func(r *retrying) error {
		r.results = classify
		return notNil(name, missing)
	})
}

// resultsOf returns what classifies values of T.
func resultsOf[T any](r *retrying) (func(T) Verdict, error) {
	switch classify := r.results.(type) {
	case nil:
		return func(T) Verdict { return OutcomeSuccess }, nil
	case func(T) Verdict:
		return classify, nil
	}
	var want func(T) Verdict
	return nil, &ArgumentError{Field: "result", Value: fmt.Sprintf("%T", r.results), Rule: fmt.Sprintf("is not the %T of the operation", want)}
}

// OnRetry gives a hook that is told of each retry before its wait (SPEC 18.4).
//
// Hooks are called in the goroutine of the loop, which waits for them. One that panics ends the
// loop: the operation is cancelled, the history counts it so, and no further hook is called.
func OnRetry(hook func(Event)) RetryOption {
	return retryOption(func(r *retrying) error {
		r.onRetry = append(r.onRetry, hook)
		return notNil("OnRetry", hook == nil)
	})
}

// OnStop gives a hook that is told once that the loop has stopped, and why, a success included. It
// is called after the history has counted the loop and before the caller gets the end. If it
// panics, no further hook is called.
//
// It is how to learn what a success took: OnStop(func(event Event) { last = event }).
func OnStop(hook func(Event)) RetryOption {
	return retryOption(func(r *retrying) error {
		r.onStop = append(r.onStop, hook)
		return notNil("OnStop", hook == nil)
	})
}

// whether returns the verdict of a predicate.
func whether(repeat bool, otherwise Outcome) Verdict {
	if repeat {
		return OutcomeTransient
	}
	return otherwise
}

func notNil(argument string, isNil bool) error {
	if isNil {
		return &ArgumentError{Field: argument, Value: nil, Rule: "is missing"}
	}
	return nil
}

// judge returns how a call ended that failed: never in a success.
func (r *retrying) judge(err error) Verdict {
	verdict := r.said(err)
	if isPermanent(verdict) {
		return OutcomePermanent
	}
	return verdict
}

// said returns what the mark of an error says of it, or the first option that does not call it
// permanent.
func (r *retrying) said(err error) Verdict {
	if mark := markOf(err); mark != nil {
		return mark
	}
	for _, classify := range r.failures {
		verdict := classify(err)
		if outcome, _, _ := verdictOf(verdict); outcome != OutcomePermanent {
			return verdict
		}
	}
	return OutcomePermanent
}
