//go:build !backoff_cgo

package engine

import (
	"bytes"
	"encoding/binary"
	"sync"
)

// The translated core works in the memory of an instance, which one goroutine uses at a time. An instance
// keeps nothing between two calls: every function here takes one, copies its arguments in and its results
// out, and gives it back.
var instances = sync.Pool{New: func() any { return newModule() }}

func take() *module { return instances.Get().(*module) }

// free gives the instance back, unless a panic left it in the middle of a call.
func (m *module) free() {
	if m.stackPointer == topOfStack {
		instances.Put(m)
	}
}

// The core's stack begins here and grows down (xtask/src/languages/go/engine.rs).
const topOfStack = 10240

// Where arguments and results are in the memory.
const (
	paramsAt        = heapBase
	policyAt        = paramsAt + 8*ParamsWords
	policyNumbersAt = policyAt + 8*PolicyWords
	fittedAt        = policyNumbersAt + 8*policyNumbers
	operationAt     = fittedAt + 8*PolicyWords
	budgetAt        = operationAt + 8*OperationWords
	previewAt       = budgetAt + 8*BudgetWords
	statsAt         = previewAt + 8*PreviewWords
	otherAt         = statsAt + 8*StatsWords
	rowAt           = otherAt + 8*StatsWords
	countsAt        = rowAt + 8*rowWords
	errorAt         = countsAt + 8*countsWords
	decisionAt      = errorAt + 8*errorWords
	hasherAt        = decisionAt + 8*decisionWords
	numbersAt       = hasherAt + 8*hasherWords
	textAt          = numbersAt + 8*numbersWords
	printedAt       = textAt + TextRoom
	endOfMemory     = printedAt + StatsSize
	// No call that prints fills delays.
	delaysAt = printedAt
	// No call for a budget's state reads a preview.
	budgetStateAt = previewAt
)

// Sizes that backoff.h has no name for, in words.
const (
	rowWords      = 6
	countsWords   = 33
	errorWords    = 10
	decisionWords = 2
	hasherWords   = 8
	policyNumbers = 14
	numbersWords  = 4
	delaysWords   = 256
)

// put copies a value of the core into the memory.
func (m *module) put(at uint32, value []byte) { copy(m.memory[at:], value) }

// get copies a value of the core out of the memory.
func (m *module) get(at uint32, value []byte) { copy(value, m.memory[at:]) }

// words copies numbers out of the memory.
func (m *module) words(at uint32, words []uint64) {
	for i := range words {
		words[i] = m.word(at + 8*uint32(i))
	}
}

// putWords copies numbers into the memory.
func (m *module) putWords(at uint32, words []uint64) {
	for i, word := range words {
		binary.LittleEndian.PutUint64(m.memory[at+8*uint32(i):], word)
	}
}

func (m *module) word(at uint32) uint64 { return binary.LittleEndian.Uint64(m.memory[at:]) }

func (m *module) half(at uint32) uint32 { return binary.LittleEndian.Uint32(m.memory[at:]) }

// putText copies a text into the memory and returns its length there.
func (m *module) putText(text string) uint64 {
	return uint64(copy(m.memory[textAt:][:TextRoom], text))
}

// printed returns what the core has printed.
func (m *module) printed() []byte { return m.terminated(printedAt) }

// terminated returns the bytes before the terminating zero.
func (m *module) terminated(at uint32) []byte {
	text, _, _ := bytes.Cut(m.memory[at:], []byte{0})
	return text
}

// error copies an error of the core. text is the string that was parsed, if any.
func (m *module) error(text string) *Error {
	m.errorMessage(errorAt, printedAt, TextSize)
	err := &Error{
		Code:    m.half(errorAt),
		Value:   m.word(errorAt + 8),
		Limit:   m.word(errorAt + 16),
		At:      -1,
		Message: string(m.printed()),
	}
	if field := m.half(errorAt + 4); field != 0 {
		err.Field = FieldName(Field(field))
	}
	if m.half(errorAt+40) != TextKindNone {
		err.At = int(m.word(errorAt + 24))
		err.Found = text[err.At:][:m.word(errorAt+32)]
	}
	return err
}

// CoreVersion returns the version of the core.
func CoreVersion() uint32 { return version() }

// FieldName returns the name of a field, such as "jitter_max".
func FieldName(field Field) string {
	return name(fieldName(uint32(field)))
}

// KindName returns the name of a kind of a field, such as "exponential" of Growth.
func KindName(field Field, kind uint32) string {
	return name(kindName(uint32(field), uint64(kind)))
}

// CodeName returns the name of an error code, such as "cap_below_base".
func CodeName(code uint32) string {
	return name(codeName(code))
}

// OutcomeName returns the name of an outcome, such as "throttled".
func OutcomeName(outcome uint32) string {
	return name(outcomeName(outcome))
}

// BudgetEventName returns the name of an event of a budget, such as "retry_requested".
func BudgetEventName(event uint32) string {
	return name(budgetEventName(event))
}

// ReasonName returns the name of a stop reason, such as "max_retries".
func ReasonName(reason uint32) string {
	return name(reasonName(reason))
}

// name returns the text at an address of the core's constants.
func name(at uint32) string {
	m := take()
	defer m.free()
	return string(m.terminated(at))
}

// HTTPOutcome returns the outcome of an HTTP status.
func HTTPOutcome(status uint32) uint32 { return httpOutcome(status) }
