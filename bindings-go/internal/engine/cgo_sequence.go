//go:build backoff_cgo

package engine

import "time"

// Sequence returns the delays of a policy one after the other.
type Sequence struct {
	Policy Policy
	Index  uint64 // of the next delay
	stream uint64
	end    uint64 // the index after the last delay
	ahead  ahead
}

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
	delay := s.ahead.delay(&s.Policy, s.stream, s.Index, s.end)
	s.Index++
	return delay, true
}

// Stream returns the stream of the delays since the last reset.
func (s *Sequence) Stream() uint64 { return s.stream }

// Reset restarts at index 0. The stream advances by the delays taken.
func (s *Sequence) Reset() {
	s.stream, s.Index, s.ahead.count = Advance(s.stream, s.Index), 0, 0
}

// Delays of a sequence that are fetched ahead: a call of the core costs many times one delay. They are few at first,
// because most operations succeed after few retries. Fetching has no side effects, so unused delays are dropped.
type ahead struct {
	first, count uint64
	delays       [16]time.Duration
}

// delay returns the delay of an index below the end.
func (a *ahead) delay(policy *Policy, stream, index, end uint64) uint64 {
	if index-a.first >= a.count {
		batch := min(max(2*a.count, 4), uint64(len(a.delays)), end-index)
		a.first = index
		a.count = uint64(policy.Fill(stream, uint32(index), a.delays[:batch]))
	}
	return uint64(a.delays[index-a.first])
}
