package engine

import (
	"bytes"
	"sync"
)

// An instance of the core works in its own memory, and one goroutine uses it at a time. It keeps nothing between
// two calls: every function here takes one, copies its arguments in and its results out, and gives it back.
type instance struct {
	*Module       // made by New: the table of a copy would call functions on the memory of the original
	top     int32 // the end of the values in the memory
}

var instances = sync.Pool{New: func() any { return newInstance() }}

func newInstance() *instance { return &instance{New(), heapBase} }

func take() *instance { return instances.Get().(*instance) }

// free gives the instance back, unless a panic left it in the middle of a call.
func (m *instance) free() {
	if m.isIdle() {
		m.top = heapBase
		instances.Put(m)
	}
}

// reserve returns the address of size bytes. Their content is undefined.
func (m *instance) reserve(size int) int32 {
	at := m.top
	m.top += int32(size+7) &^ 7
	return at
}

// empty returns the address of size bytes, all of them 0.
func (m *instance) empty(size int) int32 {
	at := m.reserve(size)
	clear(m.memory[at:][:size])
	return at
}

// put copies a value of the core into the memory and returns its address.
func (m *instance) put(value []byte) int32 {
	at := m.reserve(len(value))
	copy(m.memory[at:], value)
	return at
}

// putInto is put for a value that the core initialises: it writes all of the size, not only what it uses.
func (m *instance) putInto(size int, value []byte) int32 {
	at := m.reserve(size)
	copy(m.memory[at:], value)
	return at
}

// putText is put for a text of which the core reads no more than size bytes. It returns the length, too.
func (m *instance) putText(text string, size int) (at int32, length int64) {
	text = text[:min(len(text), size)]
	at = m.reserve(len(text))
	return at, int64(copy(m.memory[at:], text))
}

// get copies a value of the core out of the memory.
func (m *instance) get(at int32, value []byte) { copy(value, m.memory[at:]) }

func (m *instance) word(at int32) uint64 { return order.Uint64(m.memory[at:]) }

func (m *instance) half(at int32) uint32 { return order.Uint32(m.memory[at:]) }

// terminated returns the bytes before the terminating zero.
func (m *instance) terminated(at int32) []byte {
	text, _, _ := bytes.Cut(m.memory[at:], []byte{0})
	return text
}

// error copies an error of the core. text is the string that was parsed, if any.
func (m *instance) error(at int32, text string) *Error {
	message := m.reserve(TextSize)
	m.Xbackoff_error_message(at, message, TextSize, 0)
	err := &Error{
		Code:    m.half(at),
		Value:   m.word(at + 8),
		Limit:   m.word(at + 16),
		At:      -1,
		Message: string(m.terminated(message)),
	}
	if field := m.half(at + 4); field != 0 {
		err.Field = FieldName(Field(field))
	}
	if m.half(at+40) != TextKindNone {
		err.At = int(m.word(at + 24))
		err.Found = text[err.At:][:m.word(at+32)]
	}
	return err
}

// CoreVersion returns the version of the core.
func CoreVersion() uint32 {
	m := take()
	defer m.free()
	return uint32(m.Xbackoff_version())
}

// FieldName returns the name of a field, such as "jitter_max".
func FieldName(field Field) string {
	return name((*Module).Xbackoff_field_name, uint32(field))
}

// KindName returns the name of a kind of a field, such as "exponential" of Growth.
func KindName(field Field, kind uint32) string {
	m := take()
	defer m.free()
	return string(m.terminated(m.Xbackoff_kind_name(int32(field), int64(kind))))
}

// CodeName returns the name of an error code, such as "cap_below_base".
func CodeName(code uint32) string {
	return name((*Module).Xbackoff_code_name, code)
}

// OutcomeName returns the name of an outcome, such as "throttled".
func OutcomeName(outcome uint32) string {
	return name((*Module).Xbackoff_outcome_name, outcome)
}

// BudgetEventName returns the name of an event of a budget, such as "retry_requested".
func BudgetEventName(event uint32) string {
	return name((*Module).Xbackoff_budget_event_name, event)
}

// ReasonName returns the name of a stop reason, such as "max_retries".
func ReasonName(reason uint32) string {
	return name((*Module).Xbackoff_reason_name, reason)
}

// name returns the text at an address among the core's constants, which a function returns for a number.
func name(address func(m *Module, number int32) int32, number uint32) string {
	m := take()
	defer m.free()
	return string(m.terminated(address(m.Module, int32(number))))
}

// HTTPOutcome returns the outcome of an HTTP status.
func HTTPOutcome(status uint32) uint32 {
	m := take()
	defer m.free()
	return uint32(m.Xbackoff_http_outcome(int32(status)))
}
