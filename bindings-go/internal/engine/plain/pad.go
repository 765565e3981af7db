// Package plain computes what needs no instance of the core: delays, streams, and decisions without a budget. plain.go
// is translated from the crate go-plain.
package plain

import "encoding/binary"

var (
	order = binary.LittleEndian

	// pure has the functions of numbers alone. It is nil, because none of them has a memory.
	pure *Module
)

// A Policy is the numbers of a policy, as the core has them in memory.
type Policy [320]byte

// The stacks of the functions, which grow down from the policy. A function that needs more would leave the memory.
const (
	stackOfDelays = 32
	stackOfDecide = 512
)

// A State is what a delay needs from those before it. Under decorrelated jitter it begins with the delay before.
type State [2]uint64

// Delays are the memory of a sequence of delays: the policy and the state between two delays.
type Delays [stackOfDelays + len(Policy{}) + 16]byte

// Begin makes these the delays of a policy, of which Seek or Resume chooses the next.
func (d *Delays) Begin(policy *Policy) { copy(d[stackOfDelays:], policy[:]) }

// Seek makes an index of a stream the next one.
func (d *Delays) Seek(stream uint64, index uint32) {
	m := on(d[:], stackOfDelays)
	m.Xseek(m.g0, m.g0+int32(len(Policy{})), int64(stream), int32(index))
}

// State returns the state of the next delay.
func (d *Delays) State() State { return State(words(d[stackOfDelays+len(Policy{}):])) }

// Resume makes the next delay that of a state.
func (d *Delays) Resume(state State) {
	for i, word := range state {
		order.PutUint64(d[stackOfDelays+len(Policy{})+8*i:], word)
	}
}

// Next returns the delay of the next index, which it must be told.
func (d *Delays) Next(stream uint64, index uint32) uint64 {
	m := on(d[:], stackOfDelays)
	return uint64(m.Xnext(m.g0, m.g0+int32(len(Policy{})), int64(stream), int32(index)))
}

// Ranges are those from which the draws of the first indices select the delays; or the numbers of decorrelated jitter,
// whose ranges depend on the delay before.
type Ranges struct {
	of           [maxRanges][2]uint64
	last         uint64 // the index of the last range
	end          uint64 // the first index whose range is not known
	decorrelated bool
	numbers      [5]uint64
}

const (
	maxRanges     = 32
	stackOfRanges = 64
	everyIndex    = 1 << 32
)

// RangesOf returns the ranges of a policy. One whose delays depend on more has none.
func RangesOf(policy *Policy) *Ranges {
	var memory [stackOfRanges + len(Policy{}) + 16*maxRanges]byte
	written := memory[stackOfRanges+copy(memory[stackOfRanges:], policy[:]):]
	m, r := on(memory[:], stackOfRanges), new(Ranges)
	if r.decorrelated = m.Xdecorrelated(m.g0, m.g0+int32(len(Policy{}))) != 0; r.decorrelated {
		for i := range r.numbers {
			r.numbers[i] = order.Uint64(written[8*i:])
		}
		return r
	}
	count := m.Xranges(m.g0, m.g0+int32(len(Policy{})))
	for i := range r.of {
		r.of[i] = words(written[16*i:])
	}
	r.last = uint64(max(count, -count) - 1)
	switch {
	case count < 0:
		r.end = everyIndex
	case count > 0:
		r.end = uint64(count)
	}
	return r
}

// Has reports whether the range of an index is known.
func (r *Ranges) Has(index uint64) bool { return index < r.end }

// Delay returns the delay of an index whose range is known.
func (r *Ranges) Delay(stream, index uint64) uint64 {
	of := &r.of[min(index, r.last)%maxRanges]
	return uint64(pure.Xsample(pure.Xdraw(int64(stream), int32(index)), int64(of[0]), int64(of[1])))
}

// IsDecorrelated reports whether DelayAfter computes the delays.
func (r *Ranges) IsDecorrelated() bool { return r.decorrelated }

// DelayAfter returns the delay of an index, under decorrelated jitter, after the delay before it.
func (r *Ranges) DelayAfter(previous, stream uint64, index uint32) uint64 {
	n, draw := &r.numbers, pure.Xdraw(int64(stream), int32(index))
	return uint64(pure.Xdecorrelated_delay(int64(n[0]), int64(n[1]), int64(n[2]), int64(n[3]), int64(n[4]), int32(index), int64(previous), draw))
}

// Decide decides for an operation without a budget. It returns the reason to stop, or 0 to wait, and the delay.
func Decide(policy *Policy, stream, retries, began, deadline uint64, outcome uint32, retryAfter, now uint64) (reason uint32, delay uint64) {
	var memory [stackOfDecide + len(Policy{}) + 16]byte
	decision := memory[stackOfDecide+copy(memory[stackOfDecide:], policy[:]):]
	m := on(memory[:], stackOfDecide)
	m.Xdecide(m.g0, m.g0+int32(len(Policy{})), int64(stream), int64(retries), int64(began), int64(deadline), int32(outcome), int64(retryAfter), int64(now))
	return order.Uint32(decision), order.Uint64(decision[8:])
}

// An Operation is the state of an operation without a budget.
type Operation [64]byte

// Begin begins the operation.
func (o *Operation) Begin(stream, now, deadline uint64) {
	var memory [stackOfDecide + len(Operation{})]byte
	m := on(memory[:], stackOfDecide)
	m.Xbegin(m.g0, int64(stream), int64(now), int64(deadline))
	copy(o[:], memory[stackOfDecide:])
}

// Decide is the function Decide for an operation that has begun, with a delay of the caller or 2^64 - 1.
func (o *Operation) Decide(policy *Policy, outcome uint32, ownDelay, retryAfter, now uint64) (reason uint32, delay uint64) {
	var memory [stackOfDecide + len(Policy{}) + len(Operation{}) + 16]byte
	m, decision := o.on(memory[:], policy)
	m.Xproceed(m.g0, m.g0+int32(len(Policy{})), decision, int32(outcome), int64(ownDelay), int64(retryAfter), int64(now))
	copy(o[:], memory[stackOfDecide+len(Policy{}):])
	return order.Uint32(memory[decision:]), order.Uint64(memory[decision+8:])
}

// AttemptLimit returns the limit of an attempt that begins now, in ns, or 2^64 - 1 if there is none.
func (o *Operation) AttemptLimit(policy *Policy, now uint64) uint64 {
	var memory [stackOfDecide + len(Policy{}) + len(Operation{})]byte
	m, _ := o.on(memory[:], policy)
	return uint64(m.Xattempt_limit(m.g0, m.g0+int32(len(Policy{})), int64(now)))
}

// TimeLeft is AttemptLimit with the other limits of time.
func (o *Operation) TimeLeft(policy *Policy, now uint64) uint64 {
	var memory [stackOfDecide + len(Policy{}) + len(Operation{})]byte
	m, _ := o.on(memory[:], policy)
	return uint64(m.Xtime_left(m.g0, m.g0+int32(len(Policy{})), int64(now)))
}

// RetryIndex returns the index of the delay if the attempt fails now.
func (o *Operation) RetryIndex(policy *Policy, now uint64) uint64 {
	var memory [stackOfDecide + len(Policy{}) + len(Operation{})]byte
	m, _ := o.on(memory[:], policy)
	return uint64(m.Xretry_index(m.g0, m.g0+int32(len(Policy{})), int64(now)))
}

// on returns the functions on a memory with a policy and the operation, and the address behind them.
func (o *Operation) on(memory []byte, policy *Policy) (m Module, behind int32) {
	at := stackOfDecide + copy(memory[stackOfDecide:], policy[:])
	at += copy(memory[at:], o[:])
	return on(memory, stackOfDecide), int32(at)
}

// on returns the functions on a memory that begins with their stack.
func on(memory []byte, stack int32) Module {
	return Module{wasmMemory: wasmMemory{memory: memory}, g0: stack}
}

func words(memory []byte) [2]uint64 { return [2]uint64{order.Uint64(memory), order.Uint64(memory[8:])} }
