//go:build !backoff_cgo

package engine

import (
	"encoding/binary"
	"sync/atomic"
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
// cap of another policy is NoTime. Many of those have ranges, which are computed when they are needed first.
type short struct {
	base, cap uint64
	ranges    atomic.Pointer[plain.Ranges]

	maxElapsed uint64
}

// shorten sets the numbers of the policy at an address.
func (s *short) shorten(m *instance, policy int32) {
	numbers := m.reserve(16)
	m.Xbackoff_policy_plain(policy, numbers, numbers+8)
	s.base, s.cap = m.word(numbers), m.word(numbers+8)
	m.Xbackoff_policy_get(policy, int32(MaxElapsed), numbers)
	s.maxElapsed = m.word(numbers)
}

func (p *Policy) rangesOf() *plain.Ranges {
	if ranges := p.ranges.Load(); ranges != nil {
		return ranges
	}
	return p.makeRanges()
}

// A function of its own keeps its frame off the stacks of loops, which would have to grow.
//
//go:noinline
func (p *Policy) makeRanges() *plain.Ranges {
	ranges := plain.RangesOf(p.numbers())
	p.ranges.Store(ranges)
	return ranges
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
	if ranges := p.rangesOf(); ranges.Has(uint64(index)) {
		return ranges.Delay(stream, uint64(index))
	}
	return p.delayBeyond(stream, index)
}

// delayBeyond is a function of its own for the same reason.
//
//go:noinline
func (p *Policy) delayBeyond(stream uint64, index uint32) uint64 {
	var delays plain.Delays
	delays.Begin(p.numbers())
	delays.Seek(stream, index)
	return delays.Next(stream, index)
}

// Fill writes the delays of first, first + 1, ... and returns how many it wrote.
func (p *Policy) Fill(stream uint64, first uint32, delays []time.Duration) int {
	if p == NoPolicy {
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
	var others plain.Delays
	others.Begin(p.numbers())
	others.Seek(stream, first)
	for i := range delays {
		delays[i] = time.Duration(others.Next(stream, first+uint32(i)))
	}
	return len(delays)
}

// DecideAlone is Resume and Decide of an operation without a budget, for known outcomes and a policy that is not the zero
// one.
func DecideAlone(policy *Policy, stream, retries, began, deadline uint64, outcome uint32, retryAfter, now uint64) (reason uint32, delay uint64) {
	if outcome == OutcomeThrottled || retryAfter != NoTime {
		return plain.Decide(policy.numbers(), stream, retries, began, deadline, outcome, retryAfter, now)
	}
	// The frame of plain.Decide would make the stack of most goroutines grow.
	if isFailure := outcome != OutcomeSuccess && outcome != OutcomePermanent; isFailure && retries < policy.maxRetries {
		delay = policy.Delay(stream, uint32(retries))
	}
	return uint32(pure.Xreason_to_stop(int32(outcome), int64(retries), int64(policy.maxRetries), int64(began), int64(policy.maxElapsed), int64(deadline), int64(now), int64(delay))), delay
}

// Alone is the state of an operation without a budget, for a policy that is not the zero one.
type Alone struct {
	policy *Policy
	state  plain.Operation
}

// Begin begins the operation.
func (a *Alone) Begin(policy *Policy, stream, now, deadline uint64) {
	a.policy = policy
	a.state.Begin(stream, now, deadline)
}

// Decide decides after a known outcome. ownDelay is the delay of the caller, or NoTime.
func (a *Alone) Decide(outcome uint32, ownDelay, retryAfter, now uint64) (reason uint32, delay uint64) {
	return a.state.Decide(a.policy.numbers(), outcome, ownDelay, retryAfter, now)
}

// AttemptLimit returns the limit of an attempt that begins now, in ns, or NoTime if there is none.
func (a *Alone) AttemptLimit(now uint64) uint64 { return a.state.AttemptLimit(a.policy.numbers(), now) }

// TimeLeft is AttemptLimit with the other limits of time.
func (a *Alone) TimeLeft(now uint64) uint64 { return a.state.TimeLeft(a.policy.numbers(), now) }

// RetryIndex returns the index of the delay if the attempt fails now.
func (a *Alone) RetryIndex(now uint64) uint64 { return a.state.RetryIndex(a.policy.numbers(), now) }

// Sequence returns the delays of a policy one after the other.
type Sequence struct {
	Policy *Policy // nil for no delays
	Index  uint64  // of the next delay
	stream uint64
	end    uint64 // the index after the last delay
	// Under a plain policy, the window of the next delay, its cap, and the index after the last delay; otherwise 0.
	window, cap int64
	plainEnd    uint64
	// Under another policy, its ranges and, without a range, what the next delay needs of those before, and its index.
	ranges  *plain.Ranges
	state   plain.State
	stateAt uint64
}

// Begin makes these the delays of a policy on a stream, from index 0.
func (s *Sequence) Begin(policy *Policy, stream uint64) {
	s.Policy, s.stream, s.end = policy, stream, policy.maxRetries
	if policy.isPlain() {
		s.window, s.cap, s.plainEnd = int64(policy.base), int64(policy.cap), s.end
	} else {
		s.ranges = policy.rangesOf()
	}
}

// Next returns the next delay, in ns. It reports false at the end.
func (s *Sequence) Next() (uint64, bool) {
	if s.Index >= s.plainEnd {
		return s.nextOfOther()
	}
	window, draw := s.window, pure.Xdraw(int64(s.stream), int32(s.Index))
	s.Index++
	s.window = pure.Xnext_doubling_window(window, s.cap)
	return uint64(pure.Xdoubling_delay(window, draw)), true
}

// nextOfOther is Next of a policy that is not plain. A function of its own keeps that of most policies short.
func (s *Sequence) nextOfOther() (uint64, bool) {
	index := s.Index
	if index >= s.end {
		return 0, false
	}
	s.Index++
	if s.ranges.Has(index) {
		return s.ranges.Delay(s.stream, index), true
	}
	return s.nextBeyond(index), true
}

// nextBeyond returns the delay of an index whose range is not known.
func (s *Sequence) nextBeyond(index uint64) uint64 {
	isKnown := s.stateAt == index
	if s.ranges.IsDecorrelated() && (isKnown || index == 0) {
		s.state[0] = s.ranges.DelayAfter(s.state[0], s.stream, uint32(index))
		s.stateAt = index + 1
		return s.state[0]
	}
	var delays plain.Delays
	delays.Begin(s.Policy.numbers())
	if isKnown && index > 0 {
		delays.Resume(s.state)
	} else {
		delays.Seek(s.stream, uint32(index))
	}
	delay := delays.Next(s.stream, uint32(index))
	s.state, s.stateAt = delays.State(), index+1
	return delay
}

// Stream returns the stream of the delays since the last reset.
func (s *Sequence) Stream() uint64 { return s.stream }

// Reset restarts at index 0. The stream advances by the delays taken.
func (s *Sequence) Reset() {
	if s.Policy != nil {
		s.stream, s.Index, s.window = Advance(s.stream, s.Index), 0, int64(s.Policy.base)
	}
}
