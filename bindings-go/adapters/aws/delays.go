package backoffaws

import (
	"encoding/binary"
	"strings"
	"sync/atomic"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// Delays are the delays of a policy. They are safe for any number of goroutines.
//
// aws-sdk-go-v2 does not say which call a delay is for. Each delay therefore has a random stream of its own.
type Delays struct {
	policy  backoff.Policy
	stream  backoff.RandomStream
	isFixed bool
	count   atomic.Uint64 // of the delays so far
}

// An Option configures Delays.
type Option func(*Delays) error

// WithStream sets the stream of all delays. All calls then wait for identical times: leave it to tests.
func WithStream(stream backoff.RandomStream) Option {
	return func(d *Delays) error {
		d.stream, d.isFixed = stream, true
		return nil
	}
}

// New returns the delays of a policy string.
//
// It fails with a *backoff.PolicyError, with a *backoff.ArgumentError for a nil option and for max_elapsed, which
// aws-sdk-go-v2 limits by itself, and with backoff.ErrNoEntropy.
func New(policy string, options ...Option) (*Delays, error) {
	parsed, err := backoff.ParsePolicy(policy)
	if err != nil {
		return nil, err
	}
	if strings.Contains(parsed.String(), "max_elapsed=") {
		return nil, &backoff.ArgumentError{Code: backoff.ErrUnused, Field: "max_elapsed", Rule: "is unused: aws-sdk-go-v2 limits the time by itself"}
	}
	stream, err := backoff.StreamFromEntropy()
	if err != nil {
		return nil, err
	}
	d := &Delays{policy: parsed, stream: stream}
	for _, option := range options {
		if option == nil {
			return nil, &backoff.ArgumentError{Code: backoff.ErrMissing, Field: "option", Rule: "is nil"}
		}
		if err := option(d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// next returns the stream of the next delay.
func (d *Delays) next() backoff.RandomStream {
	if d.isFixed {
		return d.stream
	}
	return backoff.StreamFromKeyBytes(d.stream.State(), binary.LittleEndian.AppendUint64(nil, d.count.Add(1)-1))
}

// after returns the delay after a failure with this verdict and as many retries before. aws-sdk-go-v2 decides whether to
// retry, so a limit that the policy has reached does not count.
func (d *Delays) after(retries int, verdict backoff.Verdict) time.Duration {
	stream := d.next()
	if operation, err := d.policy.Begin(stream, 0); err == nil {
		for range retries {
			_, _ = operation.Decide(backoff.OutcomeTransient, 0)
		}
		if decision, err := operation.Decide(verdict, 0); err == nil && decision.Wait {
			return decision.Delay
		}
	}
	return d.policy.Delay(stream, uint32(max(0, retries)))
}
