package backoff

import (
	"errors"
	"fmt"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A PolicyError says which rule a policy, the line of a policy or of a budget, or a fit broke
// (SPEC 8, 11, 15 and 16). All of it is the same in every language.
//
// errors.Is finds its code in an error: errors.Is(err, backoff.ErrCapBelowBase).
type PolicyError struct {
	// Code is the rule that was broken.
	Code Code
	// Field is the name of the field that broke it, such as "jitter_max"; empty if that is no
	// rule of a field.
	Field string
	// Value is what the field was given, 0 if it was not: nanoseconds, a count, the number of
	// a kind, or n * 2^32 + d for a ratio n/d.
	Value uint64
	// Limit is what the value was measured against, in the same unit.
	Limit uint64
	// At is where in the line, in bytes from 0, and -1 if the error is not of a line.
	At int
	// Found is what was found there, the empty string if it was nothing.
	Found string

	message string
}

func policyError(refused *engine.Refusal) *PolicyError {
	return &PolicyError{
		Code:    Code(refused.Code),
		Field:   refused.Field,
		Value:   refused.Value,
		Limit:   refused.Limit,
		At:      refused.At,
		Found:   refused.Found,
		message: refused.Message,
	}
}

// Error returns the core's message, such as "cap 5ns is below base 10ns".
func (e *PolicyError) Error() string { return e.message }

// Unwrap returns the code, for errors.Is and errors.As.
func (e *PolicyError) Unwrap() error { return e.Code }

// A Code is the rule that was broken (SPEC 8.6). It is an error itself, so that
// errors.Is finds it.
type Code uint32

const (
	// ErrUnknownKind is a kind that is not on the list of its field.
	ErrUnknownKind Code = engine.UnknownKind
	// ErrMissing is a field that the policy needs and that was not given.
	ErrMissing Code = engine.Missing
	// ErrUnused is a field that was given and that the growth or jitter does not use.
	ErrUnused Code = engine.Unused
	// ErrTooLarge is a value above the limit.
	ErrTooLarge Code = engine.TooLarge
	// ErrTooSmall is a value below the limit.
	ErrTooSmall Code = engine.TooSmall
	// ErrZeroDenominator is a ratio with a zero denominator.
	ErrZeroDenominator Code = engine.ZeroDenominator
	// ErrRatioTooFine is a ratio with a term above the limit in lowest terms.
	ErrRatioTooFine Code = engine.RatioTooFine
	// ErrNotExponential is decorrelated jitter on a growth that is not exponential.
	ErrNotExponential Code = engine.NotExponential
	// ErrCapBelowBase is a cap below the base.
	ErrCapBelowBase Code = engine.CapBelowBase
	// ErrOffsetAboveCap is an offset above the cap.
	ErrOffsetAboveCap Code = engine.OffsetAboveCap
	// ErrFloorAboveCap is a floor above the cap.
	ErrFloorAboveCap Code = engine.FloorAboveCap
	// ErrGrowthStalls is a base so short that the multiplier, floored, leaves it as it is.
	ErrGrowthStalls Code = engine.GrowthStalls
	// ErrGivenTwice is max_attempts beside max_retries.
	ErrGivenTwice Code = engine.GivenTwice
	// ErrUnknownHead is a line that begins with no growth, jitter, budget or preset.
	ErrUnknownHead Code = engine.UnknownHead
	// ErrUnknownKey is a key of a line that is no field.
	ErrUnknownKey Code = engine.UnknownKey
	// ErrRepeatedKey is a field that a line gives twice.
	ErrRepeatedKey Code = engine.RepeatedKey
	// ErrMissingValue is a key without a value.
	ErrMissingValue Code = engine.MissingValue
	// ErrNotADuration is a text that does not begin with a number, as a duration does.
	ErrNotADuration Code = engine.NotADuration
	// ErrMissingUnit is a duration without a unit.
	ErrMissingUnit Code = engine.MissingUnit
	// ErrUnknownUnit is a duration in a unit that is not on the list.
	ErrUnknownUnit Code = engine.UnknownUnit
	// ErrDurationTooFine is a duration that is no whole number of nanoseconds.
	ErrDurationTooFine Code = engine.DurationTooFine
	// ErrNotARatio is a text that is no ratio.
	ErrNotARatio Code = engine.NotARatio
	// ErrNotACount is a text that is no whole number.
	ErrNotACount Code = engine.NotACount
	// ErrTextTooLong is a line of more than 1024 bytes.
	ErrTextTooLong Code = engine.TextTooLong
	// ErrDoesNotFit is a time that no base or cap is short enough for.
	ErrDoesNotFit Code = engine.DoesNotFit
)

// Error returns the name of the code, such as "cap_below_base".
func (c Code) Error() string { return engine.CodeName(uint32(c)) }

// An ArgumentError says what was given that the rules of SPEC 8 do not apply to: a negative
// duration or time, a float that is no exact ratio, a text that is not UTF-8, an outcome or
// reason that is none.
type ArgumentError struct {
	// Field is the name of the field, such as "cap", or of the argument, such as "key".
	Field string
	// Value is what was given, and nil for a nil option.
	Value any
	// Rule is what the value broke, with the limit: "is below 0s".
	Rule string

	code error
}

// Unwrap returns ErrRatioTooFine for a float with a term above 32 bits, and nil for any other.
func (e *ArgumentError) Unwrap() error { return e.code }

// Error returns field, value and rule, such as "cap -5ns is below 0s".
func (e *ArgumentError) Error() string {
	if text, ok := e.Value.(string); ok {
		return fmt.Sprintf("%s %q %s", e.Field, text, e.Rule)
	}
	return fmt.Sprintf("%s %v %s", e.Field, e.Value, e.Rule)
}

// notBelowZero returns an *ArgumentError for a duration or time that is.
func notBelowZero(argument string, d time.Duration) error {
	if d < 0 {
		return &ArgumentError{Field: argument, Value: d, Rule: "is below 0s"}
	}
	return nil
}

func nilOption() error {
	return &ArgumentError{Field: "option", Value: nil, Rule: "gives nothing"}
}

var (
	// ErrNoEntropy says that the operating system has no randomness to give.
	ErrNoEntropy = errors.New("the operating system has no randomness to give")
	// ErrNoPolicy says that the zero Policy is none.
	ErrNoPolicy = errors.New("the zero Policy is no policy")
	// ErrNoBudget says that the zero Budget is none.
	ErrNoBudget = errors.New("the zero Budget is no budget")
	// ErrNoOperation says that the zero Operation is none.
	ErrNoOperation = errors.New("the zero Operation is no operation")
)
