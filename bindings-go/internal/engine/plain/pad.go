// Package plain computes what needs no instance of the core: delays, streams, and decisions without a budget. plain.go
// is translated from the crate go-plain.
package plain

import "encoding/binary"

// A Policy is the numbers of a policy, as the core has them in memory.
type Policy [160]byte

// The stacks of the functions, which grow down from the policy. A function that needs more would leave the memory.
const (
	stackOfDelays = 32
	stackOfDecide = 224
)

// Delays are the memory of a sequence of delays: the policy and the state between two delays.
type Delays [stackOfDelays + len(Policy{}) + 16]byte

// NewDelays returns the delays of a policy, of which Seek chooses the next.
func NewDelays(policy *Policy) (d Delays) {
	copy(d[stackOfDelays:], policy[:])
	return d
}

// Seek makes an index of a stream the next one.
func (d *Delays) Seek(stream uint64, index uint32) {
	m := on(d[:], stackOfDelays)
	m.Xseek(m.g0, m.g0+int32(len(Policy{})), int64(stream), int32(index))
}

// Next returns the delay of the next index, which it must be told.
func (d *Delays) Next(stream uint64, index uint32) uint64 {
	m := on(d[:], stackOfDelays)
	return uint64(m.Xnext(m.g0, m.g0+int32(len(Policy{})), int64(stream), int32(index)))
}

// Decide decides for an operation without a budget. It returns the reason to stop, or 0 to wait, and the delay.
func Decide(policy *Policy, stream, retries, began, deadline uint64, outcome uint32, retryAfter, now uint64) (reason uint32, delay uint64) {
	var memory [stackOfDecide + len(Policy{}) + 16]byte
	decision := memory[stackOfDecide+copy(memory[stackOfDecide:], policy[:]):]
	m := on(memory[:], stackOfDecide)
	m.Xdecide(m.g0, m.g0+int32(len(Policy{})), int64(stream), int64(retries), int64(began), int64(deadline), int32(outcome), int64(retryAfter), int64(now))
	return binary.LittleEndian.Uint32(decision), binary.LittleEndian.Uint64(decision[8:])
}

// on returns the functions on a memory that begins with their stack.
func on(memory []byte, stack int32) Module {
	return Module{wasmMemory: wasmMemory{memory: memory}, g0: stack}
}
