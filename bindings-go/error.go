// PolicyError and ArgumentError, and their codes.

package backoff

import (
	"errors"
	"fmt"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A PolicyError reports the rule that a policy, a policy or budget string, or a fit broke (SPEC 8,
// 11, 15 and 16). All its fields are the same in every language.
//
// errors.Is finds its code: errors.Is(err, backoff.ErrCapBelowBase). To a loop whose function returns it,
// it is marked Permanent.
type PolicyError struct {
	// Code is the broken rule.
	Code Code
	// Field is the name of the field, such as "jitter_max", or empty if the rule concerns no field.
	Field string
	// Value is the field's value, 0 if it was not set: nanoseconds, a count, the number of a kind,
	// or n * 2^32 + d for a ratio n/d.
	Value uint64
	// Limit is the bound that the value violates, in the same unit.
	Limit uint64
	// At is the byte offset of the error in the string, or -1 if there was no string.
	At int
	// Found is what stands at that offset.
	Found string

	message string
}

func policyError(err *engine.Error) *PolicyError {
	return &PolicyError{
		Code:    Code(err.Code),
		Field:   err.Field,
		Value:   err.Value,
		Limit:   err.Limit,
		At:      err.At,
		Found:   err.Found,
		message: err.Message,
	}
}

// Error returns the core's message, such as "cap 5ns is below base 10ns", and "<nil>" for nil.
func (e *PolicyError) Error() string {
	switch {
	case e == nil:
		return "<nil>"
	case e.message != "":
		return e.message
	case e.Field != "":
		return e.Field + ": " + e.Code.Error()
	}
	return "invalid policy or budget: " + e.Code.Error()
}

// isBetweenFields reports whether the error is about two fields.
func (e *PolicyError) isBetweenFields() bool {
	return e.Code == ErrCapBelowBase || e.Code == ErrOffsetAboveCap || e.Code == ErrFloorAboveCap
}

// Unwrap returns the code, for errors.Is and errors.As.
func (e *PolicyError) Unwrap() error {
	if e == nil || e.Code == 0 {
		return nil
	}
	return e.Code
}

// An ArgumentError reports a value rejected before it reaches the core: a negative duration or
// time, a float that is not an exact ratio, a key that is not UTF-8, the text of a stream that is not a
// number, an unknown outcome or reason, a function of the wrong type, an option that does not apply, or
// nil. It also reports a damaged budget.
//
// errors.Is finds its code: errors.Is(err, backoff.ErrNegative). To a loop whose function returns it, it
// is marked Permanent.
type ArgumentError struct {
	// Code is the broken rule (SPEC 8.7).
	Code Code
	// Field is the name of the field, such as "cap", or of the argument, such as "key".
	Field string
	// Value is the value, or nil if that is the error.
	Value any
	// Rule says what is wrong with the value, such as "is below 0s".
	Rule string
}

// Error returns field, value and rule, such as "cap -5ns is below 0s", and "<nil>" for nil.
func (e *ArgumentError) Error() string {
	switch {
	case e == nil:
		return "<nil>"
	case e.Rule == "" && e.Field == "":
		return "invalid argument: " + e.Code.Error()
	case e.Rule == "":
		return e.Field + ": " + e.Code.Error()
	}
	switch value := e.Value.(type) {
	case nil:
		return e.Field + " " + e.Rule
	case string:
		return fmt.Sprintf("%s %q %s", e.Field, value, e.Rule)
	}
	return fmt.Sprintf("%s %v %s", e.Field, e.Value, e.Rule)
}

// Unwrap returns the code, for errors.Is and errors.As.
func (e *ArgumentError) Unwrap() error {
	if e == nil || e.Code == 0 {
		return nil
	}
	return e.Code
}

// A Code is a rule that a value broke (SPEC 8.6, 8.7). It is an error, so that errors.Is finds it.
type Code uint32

// The codes of the core.
const (
	// ErrUnknownKind: the field has no such kind.
	ErrUnknownKind Code = 1
	// ErrMissing: the field is required and not set, or the argument is nil.
	ErrMissing Code = 2
	// ErrUnused: the field is set, but the growth, jitter or budget kind does not use it; or the option
	// does not apply to Attempts.
	ErrUnused Code = 3
	// ErrTooLarge: the value is above the limit.
	ErrTooLarge Code = 4
	// ErrTooSmall: the value is below the limit.
	ErrTooSmall Code = 5
	// ErrZeroDenominator: the ratio has the denominator 0.
	ErrZeroDenominator Code = 6
	// ErrRatioTooFine: the ratio, in lowest terms, has a term above the limit.
	ErrRatioTooFine Code = 7
	// ErrNotExponential: decorrelated jitter requires exponential growth.
	ErrNotExponential Code = 8
	// ErrCapBelowBase: the cap is below the base.
	ErrCapBelowBase Code = 9
	// ErrOffsetAboveCap: the offset is above the cap.
	ErrOffsetAboveCap Code = 10
	// ErrFloorAboveCap: the floor is above the cap.
	ErrFloorAboveCap Code = 11
	// ErrGrowthStalls: the base is so short that the multiplier, rounded down, never increases it.
	ErrGrowthStalls Code = 12
	// ErrGivenTwice: both max_attempts and max_retries are set.
	ErrGivenTwice Code = 13
	// ErrUnknownHead: the string begins with no growth, shorthand, kind of budget or preset.
	ErrUnknownHead Code = 14
	// ErrUnknownKey: the string has a key that is not a field.
	ErrUnknownKey Code = 15
	// ErrRepeatedKey: the string sets a field twice.
	ErrRepeatedKey Code = 16
	// ErrMissingValue: the string has a key without a value.
	ErrMissingValue Code = 17
	// ErrNotADuration: the value of a duration does not begin with a number.
	ErrNotADuration Code = 18
	// ErrMissingUnit: the duration has no unit.
	ErrMissingUnit Code = 19
	// ErrUnknownUnit: the duration has an unknown unit.
	ErrUnknownUnit Code = 20
	// ErrDurationTooFine: the duration is not a whole number of nanoseconds.
	ErrDurationTooFine Code = 21
	// ErrNotARatio: the value is not a ratio.
	ErrNotARatio Code = 22
	// ErrNotACount: the value is not a whole number.
	ErrNotACount Code = 23
	// ErrTextTooLong: the string is longer than 1024 bytes.
	ErrTextTooLong Code = 24
	// ErrDoesNotFit: no base or cap is short enough for the total.
	ErrDoesNotFit Code = 25
	// ErrTooMany: the list has more entries than the limit.
	ErrTooMany Code = 26
	// ErrUnknownOutcome: there is no such outcome.
	ErrUnknownOutcome Code = 109
	// ErrUnknownReason: there is no such stop reason.
	ErrUnknownReason Code = 110
	// ErrDamaged: the core's lock in the budget was damaged. Other damage to a budget is not detected
	// reliably.
	ErrDamaged Code = 111
	// ErrNotAState: the text is not the state of the budget.
	ErrNotAState Code = 112
	// ErrUnknownEvent: there is no such event of a budget.
	ErrUnknownEvent Code = 113
)

// The codes of values rejected before they reach the core, which has no codes of these numbers.
const (
	// ErrNegative: the duration, time or number is negative.
	ErrNegative Code = 1<<16 + iota
	// ErrNotFinite: the number is NaN or infinite.
	ErrNotFinite
	// ErrNotUnicode: the text is not valid UTF-8.
	ErrNotUnicode
	// ErrWrongType: the function has another type than the loop needs.
	ErrWrongType
	// ErrNotAName: Prometheus allows no such name, or the text has it already.
	ErrNotAName
)

// Error returns the name of the code, such as "cap_below_base", and "none" for 0.
func (c Code) Error() string {
	switch c {
	case 0:
		return "none"
	case ErrNegative:
		return "negative"
	case ErrNotFinite:
		return "not_finite"
	case ErrNotUnicode:
		return "not_unicode"
	case ErrWrongType:
		return "wrong_type"
	case ErrNotAName:
		return "not_a_name"
	}
	return engine.CodeName(uint32(c))
}

// MarshalText returns the name of the code.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.Error()), nil }

var (
	// ErrNoEntropy reports that the operating system has no randomness. Nothing returns it: without entropy, Go
	// starts no program.
	ErrNoEntropy = errors.New("the operating system has no randomness")
	// ErrNoPolicy reports the use of the zero Policy.
	ErrNoPolicy = errors.New("the zero Policy is not valid")
	// ErrNoBudget reports the use of a nil or zero Budget.
	ErrNoBudget = errors.New("the zero Budget is not valid")
	// ErrNoOperation reports the use of a nil or zero Operation.
	ErrNoOperation = errors.New("the zero Operation is not valid")
)

// isMisuse reports whether err itself is an error of this package that says that it was misused, which
// no retry mends.
func isMisuse(err error) bool {
	switch err.(type) {
	case *PolicyError, *ArgumentError:
		return true
	}
	return err == ErrNoPolicy || err == ErrNoBudget || err == ErrNoOperation
}

// budgetError returns the error of a budget that cannot be used.
func budgetError(code uint32) error {
	if code == engine.Damaged {
		return &ArgumentError{Code: ErrDamaged, Field: "budget", Rule: "was damaged, or copied while it was in use"}
	}
	return ErrNoBudget
}

func notNegative(argument string, d time.Duration) error {
	if d < 0 {
		return &ArgumentError{Code: ErrNegative, Field: argument, Value: d, Rule: "is below 0s"}
	}
	return nil
}

func notNil(argument string, isNil bool) error {
	if isNil {
		return &ArgumentError{Code: ErrMissing, Field: argument, Rule: "is nil"}
	}
	return nil
}
