//go:build backoff_cgo

package engine

// #cgo pkg-config: backoff
// #cgo noescape backoff_stream_from_key
// #cgo noescape backoff_stream_nth
// #cgo noescape backoff_policy_fill_ns
// #cgo nocallback backoff_stream_from_key
// #cgo nocallback backoff_stream_nth
// #cgo nocallback backoff_stream_draw
// #cgo nocallback backoff_stream_advance
// #cgo nocallback backoff_policy_fill_ns
// #include <backoff.h>
import "C"

import (
	"encoding/binary"
	"time"
	"unsafe"
)

// The installed header must be that of the constants: another version does not compile.
var _ = [1]struct{}{}[C.BACKOFF_VERSION-Version]

// A Module is a memory, on which cgo_functions.go calls the library. Go aligns so large a block to more than the 8
// bytes that C requires.
type Module struct{ memory []byte }

// New returns a memory with room for the values of any call.
func New() *Module { return &Module{make([]byte, 1<<15)} }

// heapBase is not 0, which is NULL.
const heapBase = 8

// The order of the bytes of numbers in the memory.
var order = binary.NativeEndian

func (*Module) isIdle() bool { return true }

func (m *Module) at(address int32) unsafe.Pointer {
	if address == 0 {
		return nil
	}
	return unsafe.Pointer(&m.memory[address])
}

// name puts a name at the end of the memory.
func (m *Module) name(name *C.char) int32 {
	at := len(m.memory) - 64
	copy(m.memory[at:], C.GoString(name)+"\x00")
	return int32(at)
}

// StreamFromKey returns the stream of a seed and the bytes of a key.
func StreamFromKey(seed uint64, key string) uint64 {
	var stream C.uint64_t
	C.backoff_stream_from_key(C.uint64_t(seed), unsafe.Pointer(unsafe.StringData(key)), C.uint64_t(len(key)), &stream)
	return uint64(stream)
}

// NthStream returns the stream number n under a seed (SPEC 18.1).
func NthStream(seed, n uint64) uint64 {
	var stream C.uint64_t
	C.backoff_stream_nth(C.uint64_t(seed), C.uint64_t(n), &stream)
	return uint64(stream)
}

// Draw returns the random word of an index of a stream.
func Draw(stream uint64, index uint32) uint64 {
	return uint64(C.backoff_stream_draw(C.uint64_t(stream), C.uint32_t(index)))
}

// Advance returns the stream after a number of draws.
func Advance(stream, draws uint64) uint64 {
	return uint64(C.backoff_stream_advance(C.uint64_t(stream), C.uint64_t(draws)))
}

type short struct{}

func (*short) shorten(*instance, int32) {}

// Delay returns the delay of an index of a stream, in ns.
func (p *Policy) Delay(stream uint64, index uint32) uint64 {
	m := take()
	defer m.free()
	delay := m.empty(8)
	m.Xbackoff_policy_delay_ns(m.put(p.bytes[:]), int64(stream), int32(index), delay)
	return m.word(delay)
}

// Fill writes the delays of first, first + 1, ... and returns how many it wrote.
func (p *Policy) Fill(stream uint64, first uint32, delays []time.Duration) int {
	if len(delays) == 0 {
		return 0
	}
	m := take()
	defer m.free()
	written := m.empty(8)
	// No delay of the core exceeds the longest time.Duration, so the sign bit is never set.
	target := (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(delays)))
	policy := (*C.backoff_policy)(m.at(m.put(p.bytes[:])))
	C.backoff_policy_fill_ns(policy, C.uint64_t(stream), C.uint32_t(first), target, C.uint64_t(len(delays)), (*C.uint64_t)(m.at(written)))
	return int(m.word(written))
}

// DecideAlone is Resume and Decide of an operation without a budget, for known outcomes and a policy that is not the zero
// one.
func DecideAlone(policy *Policy, stream, retries, began, deadline uint64, outcome uint32, retryAfter, now uint64) (reason uint32, delay uint64) {
	var operation Operation
	operation.Resume(policy, stream, retries, began, deadline)
	reason, delay, _ = operation.Decide(outcome, retryAfter, now, nil)
	return reason, delay
}

// Alone is the state of an operation without a budget, for a policy that is not the zero one.
type Alone struct{ operation Operation }

// Begin begins the operation.
func (a *Alone) Begin(policy *Policy, stream, now, deadline uint64) {
	a.operation.Begin(policy, stream, now, deadline, nil)
}

// Decide decides after a known outcome. ownDelay is the delay of the caller, or NoTime.
func (a *Alone) Decide(outcome uint32, ownDelay, retryAfter, now uint64) (reason uint32, delay uint64) {
	if ownDelay == NoTime {
		reason, delay, _ = a.operation.Decide(outcome, retryAfter, now, nil)
	} else {
		reason, delay, _ = a.operation.DecideWithDelay(outcome, ownDelay, retryAfter, now, nil)
	}
	return reason, delay
}

// AttemptLimit returns the limit of an attempt that begins now, in ns, or NoTime if there is none.
func (a *Alone) AttemptLimit(now uint64) uint64 { return a.operation.AttemptLimit(now) }

// TimeLeft is AttemptLimit with the other limits of time.
func (a *Alone) TimeLeft(now uint64) uint64 { return a.operation.TimeLeft(now) }

// RetryIndex returns the index of the delay if the attempt fails now.
func (a *Alone) RetryIndex(now uint64) uint64 { return a.operation.RetryIndex(now) }

// Sequence returns the delays of a policy one after the other.
type Sequence struct {
	Policy *Policy // nil for no delays
	Index  uint64  // of the next delay
	stream uint64
	end    uint64 // the index after the last delay
	ahead  ahead
}

// Begin makes these the delays of a policy on a stream, from index 0.
func (s *Sequence) Begin(policy *Policy, stream uint64) {
	s.Policy, s.stream, s.end = policy, stream, policy.MaxRetries()
}

// Next returns the next delay, in ns. It reports false at the end.
func (s *Sequence) Next() (uint64, bool) {
	if s.Index >= s.end {
		return 0, false
	}
	delay := s.ahead.delay(s.Policy, s.stream, s.Index, s.end)
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
