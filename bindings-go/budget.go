// Budget: a limit on the retries of all loops that share it.

package backoff

import (
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Budget limits the retries of many operations together, so that retries do not make an overload
// worse (SPEC 15). Use one for each server, shared by all operations that call it.
//
// Operations take part with WithBudget. Any number of goroutines may use a Budget at once; each
// update holds a lock for less than a microsecond. A Budget reads no clock: everything that shares a budget must use the
// same clock. The default clock, Now, satisfies this.
//
// Its text form is its budget string; parsing that gives a full budget. A Budget must not be copied or
// overwritten (go vet reports copies). Declare budget fields as *Budget: only the pointer has the text
// methods, so a plain Budget in a struct passed by value is encoded as {}. A nil or zero Budget is not
// valid: methods with an error result return ErrNoBudget.
//
// If something else wrote to the core's lock in a Budget, what uses it fails with an *ArgumentError of
// ErrDamaged. Other damage to its memory is not detected reliably: the budget may then grant too many
// retries, or none. A copy made while a goroutine updates the original may block for ever.
type Budget struct {
	_    noCopy
	core engine.Budget
}

var (
	_ encoding.TextAppender    = (*Budget)(nil)
	_ encoding.TextMarshaler   = (*Budget)(nil)
	_ encoding.TextUnmarshaler = (*Budget)(nil)
)

// ParseBudget returns the full budget of a budget string, such as "quota:max_tokens=100" or the
// preset "aws-sdk-2026" (SPEC 15.1). Any text is safe to pass.
//
// On failure it returns nil and a *PolicyError with the broken rule, its place in the text and what
// was found there.
func ParseBudget(text string) (*Budget, error) {
	budget := new(Budget)
	if err := budget.core.Parse(text); err != nil {
		return nil, policyError(err)
	}
	return budget, nil
}

// String returns the budget string that makes this budget, full. For the zero Budget it returns
// "no budget", and for a damaged one "damaged budget", which ParseBudget rejects.
func (b *Budget) String() string {
	text, code := orZero(b).core.AppendText(nil)
	switch code {
	case engine.OK:
		return string(text)
	case engine.Damaged:
		return "damaged budget"
	}
	return "no budget"
}

// AppendText appends the budget string. It fails with ErrNoBudget, and with an *ArgumentError for a
// damaged budget.
func (b *Budget) AppendText(text []byte) ([]byte, error) {
	text, code := orZero(b).core.AppendText(text)
	if code != engine.OK {
		return text, budgetError(code)
	}
	return text, nil
}

// MarshalText returns the budget string. It fails as AppendText does.
func (b *Budget) MarshalText() ([]byte, error) { return b.AppendText(nil) }

// MarshalJSON returns the budget string as JSON, and null for the zero Budget. It fails with an
// *ArgumentError for a damaged budget.
func (b *Budget) MarshalJSON() ([]byte, error) {
	text, err := b.MarshalText()
	switch err {
	case nil:
		return json.Marshal(string(text))
	case ErrNoBudget:
		return []byte("null"), nil
	}
	return nil, err
}

// GoString returns the call that makes the budget, full, such as backoff.ParseBudget("ratio"), for the verb
// %#v.
func (b *Budget) GoString() string {
	text, err := b.MarshalText()
	switch {
	case b == nil:
		return "(*backoff.Budget)(nil)"
	case err != nil:
		return "&backoff.Budget{}"
	}
	return fmt.Sprintf("backoff.ParseBudget(%q)", text)
}

// LogValue returns String, for slog.
func (b *Budget) LogValue() slog.Value { return slog.StringValue(b.String()) }

// UnmarshalText sets the budget to the full one of a budget string. Call it before any operation
// uses the budget. It fails as ParseBudget does, with a message that quotes the text, and with ErrNoBudget for
// a nil receiver; the budget is then unchanged.
func (b *Budget) UnmarshalText(text []byte) error {
	if b == nil {
		return ErrNoBudget
	}
	if err := b.core.Parse(string(text)); err != nil {
		return textError("budget", text, policyError(err))
	}
	return nil
}

// UnmarshalYAML sets the budget to the full one of a budget string, for libraries of YAML, some of which
// decode a mapping to the zero Budget otherwise. It fails as UnmarshalText does.
func (b *Budget) UnmarshalYAML(unmarshal func(any) error) error { return unmarshalYAML(b, unmarshal) }

// noCopy makes go vet report copies of the struct that contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// orZero replaces a nil receiver by a new zero value.
func orZero[T any](receiver *T) *T {
	if receiver == nil {
		return new(T)
	}
	return receiver
}
