//go:build !backoff_cgo

package engine

// Sequence returns the delays of a policy one after the other.
type Sequence struct {
	Policy Policy
	Stream uint64
	Index  uint64 // of the next delay
	end    uint64 // the index after the last delay
	// What the next delay needs from those before it, unless the policy is plain.
	current, next uint64
}

// NewSequence returns the delays of a policy on a stream, from index 0.
func NewSequence(policy Policy, stream uint64) Sequence {
	return Sequence{Policy: policy, Stream: stream, end: policy.MaxRetries(), current: policy.numbers[1], next: policy.numbers[1]}
}

// Next returns the next delay, in ns. It reports false at the end.
func (s *Sequence) Next() (uint64, bool) {
	if s.Index >= s.end {
		return 0, false
	}
	p, index := &s.Policy.numbers, uint32(s.Index)
	s.Index++
	if formulaIsPlain(p[0]) != 0 {
		return plainDelayNs(p[1], p[4], s.Stream, index), true
	}
	delay := sequenceDelayNs(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], s.current, s.Stream, index)
	s.current, s.next = sequenceCurrent(p[0], p[1], p[2], p[4], s.current, s.next, index, delay), sequenceNext(p[0], s.current, s.next)
	return delay, true
}

// Reset restarts at index 0. The stream advances by the delays taken.
func (s *Sequence) Reset() {
	s.Stream, s.Index = Advance(s.Stream, s.Index), 0
	s.current, s.next = s.Policy.numbers[1], s.Policy.numbers[1]
}
