// Package delays has what the adapters share, which are modules of their own. An adapter of an older version may be used
// with a newer module, so nothing here may change its meaning or vanish.
package delays

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// Delays are the delays of a policy for a library that says how many retries there were, but not of which call. Each
// delay therefore has a random stream of its own. Nil has no delays.
type Delays struct {
	policy backoff.Policy
	stream backoff.RandomStream
	fixed  bool
	count  atomic.Uint64 // of the delays so far
}

// An Option configures Delays.
type Option func(*Delays) error

// WithStream sets the stream of all delays.
func WithStream(stream backoff.RandomStream) Option {
	return func(d *Delays) error {
		d.stream, d.fixed = stream, true
		return nil
	}
}

// New returns the delays of a policy string for a library.
//
// It fails with a *backoff.PolicyError, with a *backoff.ArgumentError for a nil option, for max_elapsed, which the library
// limits by itself, and for attempt_timeout and reset_after, and with backoff.ErrNoEntropy.
func New(policy, library string, options ...Option) (*Delays, error) {
	parsed, err := WithoutMaxElapsed(policy, library+" limits the time by itself")
	if err != nil {
		return nil, err
	}
	stream, err := backoff.StreamFromEntropy()
	if err != nil {
		return nil, err
	}
	d := &Delays{policy: parsed, stream: stream}
	if err := Configure(d, options); err != nil {
		return nil, err
	}
	return d, nil
}

// WithoutMaxElapsed returns the policy of a policy string, and refuses max_elapsed for a reason. It also refuses what no
// adapter knows: how long an attempt may take, and how long it ran.
func WithoutMaxElapsed(policy, reason string) (backoff.Policy, error) {
	parsed, err := backoff.ParsePolicy(policy)
	if err != nil {
		return parsed, err
	}
	for _, unused := range []struct {
		field, reason string
		value         time.Duration
	}{
		{"max_elapsed", reason, parsed.Fields().MaxElapsed},
		{"attempt_timeout", "the library makes the attempts", parsed.Fields().AttemptTimeout},
		{"reset_after", "the library does not say how long an attempt ran", parsed.Fields().ResetAfter},
	} {
		if unused.value != backoff.NoLimit {
			return parsed, &backoff.ArgumentError{Code: backoff.ErrUnused, Field: unused.field, Rule: "is unused: " + unused.reason}
		}
	}
	return parsed, nil
}

// Configure applies options, and refuses nil.
func Configure[T any, Option ~func(*T) error](target *T, options []Option) error {
	for _, option := range options {
		if err := NotNil("option", option == nil); err != nil {
			return err
		}
		if err := option(target); err != nil {
			return err
		}
	}
	return nil
}

// NotNil returns the error of an argument that is nil.
func NotNil(argument string, isNil bool) error {
	if !isNil {
		return nil
	}
	return &backoff.ArgumentError{Code: backoff.ErrMissing, Field: argument, Rule: "is nil"}
}

// Verdict returns the verdict of an error: its mark, or else what a function says of it, which may be nil. Without either
// it is transient, because a queue retries every error. A failure is no success, so that is permanent.
func Verdict(err error, classify func(error) backoff.Verdict) backoff.Verdict {
	verdict := backoff.VerdictOf(err)
	if verdict == nil && classify != nil {
		verdict = classify(err)
	}
	if verdict == nil {
		return backoff.OutcomeTransient
	}
	if outcome, _, _ := verdict.Verdict(); outcome == backoff.OutcomeSuccess {
		return backoff.OutcomePermanent
	}
	return verdict
}

// MaxRetries returns the max_retries of the policy, 2^32 without a limit.
func (d *Delays) MaxRetries() uint64 {
	if d == nil {
		return 0
	}
	return d.policy.MaxRetries()
}

// After returns the delay after a failure with this verdict and as many retries before. The library decides whether to
// retry, so a limit that the policy has reached does not count.
func (d *Delays) After(retries int, verdict backoff.Verdict) time.Duration {
	if d == nil {
		return 0
	}
	index := uint64(max(0, retries))
	stream := d.next()
	if operation, err := backoff.ResumeOperation(d.policy, stream, index, 0); err == nil {
		if decision, err := operation.Decide(verdict, 0); err == nil && decision.Wait {
			return decision.Delay
		}
	}
	return d.policy.Delay(stream, uint32(min(index, math.MaxUint32)))
}

// next returns the stream of the next delay.
func (d *Delays) next() backoff.RandomStream {
	if d.fixed {
		return d.stream
	}
	return backoff.StreamFromKeyBytes(d.stream.State(), binary.LittleEndian.AppendUint64(nil, d.count.Add(1)-1))
}
