// Package delays has what the adapters for retry libraries share, which are modules of their own. An adapter of an older
// version may be used with a newer module, so nothing here may change its meaning or vanish.
package delays

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// Delays are the delays of a policy for a library that says how many retries there were, but not of which call. Each
// delay therefore has a random stream of its own.
type Delays struct {
	policy  backoff.Policy
	stream  backoff.RandomStream
	isFixed bool
	count   atomic.Uint64 // of the delays so far
}

// Init sets the policy of a policy string, and a stream from entropy.
//
// It fails with a *backoff.PolicyError, with a *backoff.ArgumentError for max_elapsed, which the library limits by
// itself, and with backoff.ErrNoEntropy.
func (d *Delays) Init(policy, library string) error {
	parsed, err := backoff.ParsePolicy(policy)
	if err != nil {
		return err
	}
	if parsed.Fields().MaxElapsed != backoff.NoLimit {
		return &backoff.ArgumentError{Code: backoff.ErrUnused, Field: "max_elapsed", Rule: "is unused: " + library + " limits the time by itself"}
	}
	stream, err := backoff.StreamFromEntropy()
	if err != nil {
		return err
	}
	d.policy, d.stream = parsed, stream
	return nil
}

// SetStream sets the stream of all delays.
func (d *Delays) SetStream(stream backoff.RandomStream) { d.stream, d.isFixed = stream, true }

// MaxRetries returns the max_retries of the policy, 2^32 without a limit.
func (d *Delays) MaxRetries() uint64 { return d.policy.MaxRetries() }

// After returns the delay after a failure with this verdict and as many retries before. The library decides whether to
// retry, so a limit that the policy has reached does not count.
func (d *Delays) After(retries int, verdict backoff.Verdict) time.Duration {
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
	if d.isFixed {
		return d.stream
	}
	return backoff.StreamFromKeyBytes(d.stream.State(), binary.LittleEndian.AppendUint64(nil, d.count.Add(1)-1))
}
