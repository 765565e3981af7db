package backoff

import (
	"encoding"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Budget bounds the retries of many operations together, so that retries do not make an
// overload worse (SPEC 15): one for each server, shared by all operations that call it.
//
// Operations that begin WithBudget keep its account; any number of goroutines may do so at
// once, each for as long as one event takes: who finds it taken spins a little and then yields
// to other threads. It reads no clock: the operations are told the time, all by the same clock.
//
// As text it is the line that makes it, full. It must not be copied, which go vet tells, so only
// a *Budget is a text: a field of a struct that is marshalled or printed is to be a *Budget,
// because encoding/json writes a Budget in a struct that it is given by value as {}, and fmt
// prints its words. The zero Budget, and nil, is none: what can fail fails with ErrNoBudget.
type Budget struct {
	_    noCopy
	core engine.Budget
}

var (
	_ encoding.TextAppender    = (*Budget)(nil)
	_ encoding.TextMarshaler   = (*Budget)(nil)
	_ encoding.TextUnmarshaler = (*Budget)(nil)
)

// ParseBudget returns the budget of a line such as "quota:max_tokens=100", or the name of a
// preset such as "aws-sdk-2026" (SPEC 15.1), full. Any text may be given.
//
// It fails with a *PolicyError that says which rule was broken, where, and what was found
// there. Then the budget is nil.
func ParseBudget(line string) (*Budget, error) {
	budget := new(Budget)
	if refused := budget.core.Parse(line); refused != nil {
		return nil, policyError(refused)
	}
	return budget, nil
}

// String returns the line that makes this budget, full; that of the zero Budget is "no
// budget", which is no line.
func (b *Budget) String() string {
	line, ok := orZero(b).core.AppendLine(nil)
	if !ok {
		return "no budget"
	}
	return string(line)
}

// AppendText appends the line that makes this budget, full. It fails with ErrNoBudget.
func (b *Budget) AppendText(text []byte) ([]byte, error) {
	text, ok := orZero(b).core.AppendLine(text)
	if !ok {
		return text, ErrNoBudget
	}
	return text, nil
}

// MarshalText returns the line that makes this budget, full. It fails with ErrNoBudget.
func (b *Budget) MarshalText() ([]byte, error) { return b.AppendText(nil) }

// UnmarshalText makes this the budget of a line, full, before any operation has it. It fails
// as ParseBudget does, and with ErrNoBudget for nil; then the budget stays as it was.
func (b *Budget) UnmarshalText(line []byte) error {
	if b == nil {
		return ErrNoBudget
	}
	if refused := b.core.Parse(string(line)); refused != nil {
		return policyError(refused)
	}
	return nil
}

// noCopy is what go vet looks for in what must not be copied.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// orZero returns what nil stands for as a receiver: a zero value, which nobody keeps.
func orZero[T any](receiver *T) *T {
	if receiver == nil {
		return new(T)
	}
	return receiver
}
