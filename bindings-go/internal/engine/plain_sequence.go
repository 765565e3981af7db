//go:build !backoff_cgo

package engine

import "github.com/backoff-rs/backoff/bindings-go/internal/engine/plain"

// Sequence returns the delays of a policy one after the other.
type Sequence struct {
	Policy Policy
	Index  uint64 // of the next delay
	stream uint64
	// Under a plain policy, the window of the next delay and the index after the last one; otherwise 0.
	window   int64
	plainEnd uint64
	others   plain.Delays // under another policy
}

// Begin makes these the delays of a policy on a stream, from index 0. It is no function of a new value,
// which would be copied.
func (s *Sequence) Begin(policy *Policy, stream uint64) {
	s.Policy, s.stream = *policy, stream
	if policy.isPlain() {
		s.window, s.plainEnd = int64(policy.base), policy.maxRetries
	} else {
		s.others = plain.NewDelays(policy.numbers())
		s.others.Seek(stream, 0)
	}
}

// Next returns the next delay, in ns. It reports false at the end.
func (s *Sequence) Next() (uint64, bool) {
	if s.Index >= s.plainEnd {
		return s.nextOfOther()
	}
	window, draw := s.window, pure.Xdraw(int64(s.stream), int32(s.Index))
	s.Index++
	s.window = pure.Xnext_doubling_window(window, int64(s.Policy.cap))
	return uint64(pure.Xdoubling_delay(window, draw)), true
}

// nextOfOther is Next of a policy that is not plain. A function of its own keeps that of most policies short.
func (s *Sequence) nextOfOther() (uint64, bool) {
	if s.Index >= s.Policy.maxRetries {
		return 0, false
	}
	delay := s.others.Next(s.stream, uint32(s.Index))
	s.Index++
	return delay, true
}

// Stream returns the stream of the delays since the last reset.
func (s *Sequence) Stream() uint64 { return s.stream }

// Reset restarts at index 0. The stream advances by the delays taken.
func (s *Sequence) Reset() {
	s.stream, s.Index, s.window = Advance(s.stream, s.Index), 0, int64(s.Policy.base)
	if s.plainEnd == 0 {
		s.others.Seek(s.stream, 0)
	}
}
