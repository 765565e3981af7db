//go:build backoff_cgo

package engine

import "time"

// Sequence returns the delays of a policy one after the other.
//
// A call of C costs many times one delay, so delays are fetched ahead: few at first, because most
// operations succeed after few retries. Fetching has no side effects, so unused delays are dropped.
type Sequence struct {
	Policy  Policy
	stream  uint64
	Index   uint64 // of the next delay
	end     uint64 // the index after the last delay
	first   uint64 // the index of ahead[0]
	fetched uint64 // of ahead
	ahead   [nextBatch]time.Duration
}

const (
	firstBatch = 8
	nextBatch  = 64
)

// Begin makes these the delays of a policy on a stream, from index 0. It is no function of a new value,
// which would be copied.
func (s *Sequence) Begin(policy *Policy, stream uint64) {
	s.Policy, s.stream, s.end = *policy, stream, policy.MaxRetries()
}

// Next returns the next delay, in ns. It reports false at the end.
func (s *Sequence) Next() (uint64, bool) {
	if s.Index >= s.end {
		return 0, false
	}
	if s.Index-s.first >= s.fetched {
		s.fetch()
	}
	delay := s.ahead[s.Index-s.first]
	s.Index++
	return uint64(delay), true
}

// fetch fills ahead with the next delays.
func (s *Sequence) fetch() {
	batch := uint64(nextBatch)
	if s.Index == 0 {
		batch = firstBatch
	}
	s.first = s.Index
	s.fetched = uint64(s.Policy.Fill(s.stream, uint32(s.Index), s.ahead[:min(batch, s.end-s.Index)]))
}

// Stream returns the stream of the delays since the last reset.
func (s *Sequence) Stream() uint64 { return s.stream }

// Reset restarts at index 0. The stream advances by the delays taken.
func (s *Sequence) Reset() {
	s.stream, s.Index, s.fetched = Advance(s.stream, s.Index), 0, 0
}
