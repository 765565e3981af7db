//go:build !backoff_cgo

package engine

import (
	"encoding/binary"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine/plain"
)

var (
	// An instance at its start: its stack ends at stackTop, and its data at heapBase.
	start    = New()
	stackTop = start.g0
	heapBase = *start.X__heap_base()

	// The order of the bytes of numbers in the memory.
	order = binary.LittleEndian

	// pure has the functions of numbers alone. It is nil, because none of them has a memory.
	pure *plain.Module
)

func (m *Module) isIdle() bool { return m.g0 == stackTop }

// StreamFromKey returns the stream of a seed and the bytes of a key.
func StreamFromKey(seed uint64, key string) uint64 {
	m := take()
	defer m.free()
	stream, hasher := m.reserve(8), m.reserve(64)
	m.Xbackoff_key_begin(hasher, int64(seed))
	for parts := m.top; len(key) > 0; m.top = parts { // a key may be longer than the memory
		at, length := m.putText(key, TextRoom)
		m.Xbackoff_key_append(hasher, at, length)
		key = key[length:]
	}
	m.Xbackoff_key_stream(hasher, stream)
	return m.word(stream)
}

// NthStream returns the stream number n under a seed (SPEC 18.1).
func NthStream(seed, n uint64) uint64 {
	return uint64(pure.Xnth(int64(seed), int64(n)))
}

// Draw returns the random word of an index of a stream.
func Draw(stream uint64, index uint32) uint64 {
	return uint64(pure.Xdraw(int64(stream), int32(index)))
}

// Advance returns the stream after a number of draws.
func Advance(stream, draws uint64) uint64 {
	return uint64(pure.Xadvance(int64(stream), int64(draws)))
}

// short are the numbers on which the delays of a plain policy depend: computing them needs no memory of the core. The
// cap of another policy is NoTime.
type short struct{ base, cap uint64 }

func (m *instance) shortOf(policy int32) short {
	numbers := m.reserve(16)
	m.Xbackoff_policy_plain(policy, numbers, numbers+8)
	return short{m.word(numbers), m.word(numbers + 8)}
}

func (p *Policy) isPlain() bool { return p.cap != NoTime }

// numbers returns what is behind the tag that tells C's structs from each other.
func (p *Policy) numbers() *plain.Policy { return (*plain.Policy)(p.bytes[8:]) }

// Delay returns the delay of an index of a stream, in ns.
func (p *Policy) Delay(stream uint64, index uint32) uint64 {
	if p.isPlain() {
		window := pure.Xdoubling_window(int64(p.base), int64(p.cap), int32(index))
		return uint64(pure.Xdoubling_delay(window, pure.Xdraw(int64(stream), int32(index))))
	}
	return p.anyDelay(stream, index)
}

func (p *Policy) anyDelay(stream uint64, index uint32) uint64 {
	delays := plain.NewDelays(p.numbers())
	delays.Seek(stream, index)
	return delays.Next(stream, index)
}

// Fill writes the delays of first, first + 1, ... and returns how many it wrote.
func (p *Policy) Fill(stream uint64, first uint32, delays []time.Duration) int {
	if *p == (Policy{}) {
		return 0
	}
	delays = delays[:min(uint64(len(delays)), 1<<32-uint64(first))]
	if p.isPlain() {
		window := pure.Xdoubling_window(int64(p.base), int64(p.cap), int32(first))
		for i := range delays {
			draw := pure.Xdraw(int64(stream), int32(first)+int32(i))
			delays[i] = time.Duration(pure.Xdoubling_delay(window, draw))
			window = pure.Xnext_doubling_window(window, int64(p.cap))
		}
		return len(delays)
	}
	others := plain.NewDelays(p.numbers())
	others.Seek(stream, first)
	for i := range delays {
		delays[i] = time.Duration(others.Next(stream, first+uint32(i)))
	}
	return len(delays)
}

// DecideAlone is Resume and Decide of an operation without a budget, for known outcomes and a policy that is not the zero
// one.
func DecideAlone(policy *Policy, stream, retries, began, deadline uint64, outcome uint32, retryAfter, now uint64) (reason uint32, delay uint64) {
	return plain.Decide(policy.numbers(), stream, retries, began, deadline, outcome, retryAfter, now)
}

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
