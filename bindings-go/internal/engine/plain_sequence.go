//go:build !backoff_cgo

package engine

// Sequence returns the delays of a policy one after the other.
type Sequence struct {
	Policy Policy
	Index  uint64 // of the next delay
	// The stream from the next draw on, so that the next draw is its draw 0.
	rest uint64
	// What the next delay needs from those before it: under a plain policy, current is its window.
	current, next uint64
	plainEnd      uint64 // the index after the last delay if the policy is plain, otherwise 0
}

// Begin makes these the delays of a policy on a stream, from index 0. It is no function of a new value,
// which would be copied.
func (s *Sequence) Begin(policy *Policy, stream uint64) {
	s.Policy, s.rest = *policy, stream
	s.Reset()
	if formulaIsPlain(policy.numbers[0]) != 0 {
		s.plainEnd = policy.MaxRetries()
	}
}

// Next returns the next delay, in ns. It reports false at the end.
func (s *Sequence) Next() (uint64, bool) {
	if s.Index >= s.plainEnd {
		return s.nextOfAny()
	}
	rest, window := s.rest, s.current
	s.Index++
	s.rest, s.current = Advance(rest, 1), plainNextWindowNs(window, s.Policy.numbers[4])
	return plainDelayNs(window, streamDraw(rest, 0)), true
}

// nextOfAny returns the next delay of any policy. A function of its own keeps that of most policies short.
func (s *Sequence) nextOfAny() (uint64, bool) {
	if s.Index >= s.Policy.MaxRetries() {
		return 0, false
	}
	p, stream, index := &s.Policy.numbers, s.Stream(), uint32(s.Index)
	delay := sequenceDelayNs(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], s.current, stream, index)
	s.Index++
	s.rest = Advance(s.rest, 1)
	s.current, s.next = sequenceCurrent(p[0], p[1], p[2], p[4], s.current, s.next, index, delay), sequenceNext(p[0], s.current, s.next)
	return delay, true
}

// Stream returns the stream of the delays since the last reset.
func (s *Sequence) Stream() uint64 { return Advance(s.rest, -s.Index) }

// Reset restarts at index 0, on what is left of the stream.
func (s *Sequence) Reset() {
	s.Index, s.current, s.next = 0, s.Policy.numbers[1], s.Policy.numbers[1]
}
