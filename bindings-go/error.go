package backoff

import (
	"errors"
	"fmt"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A PolicyError says which rule of SPEC 8 a policy broke. Code, field, value and limit are
// the same in every language.
//
// errors.Is finds its code in an error: errors.Is(err, backoff.ErrCapBelowBase).
type PolicyError struct {
	// Code is the rule that was broken.
	Code Code
	// Field is the name of the field that broke it, such as "jitter_max".
	Field string
	// Value is what the field was given, 0 if it was not: nanoseconds, a count, the number of
	// a kind, or n * 2^32 + d for a ratio n/d.
	Value uint64
	// Limit is what the value was measured against, in the same unit.
	Limit uint64

	message string
}

// Error returns the core's message, such as "cap 5ns is below base 10ns".
func (e *PolicyError) Error() string { return e.message }

// Unwrap returns the code, for errors.Is and errors.As.
func (e *PolicyError) Unwrap() error { return e.Code }

// A Code is the rule that a policy broke (SPEC 8.6). It is an error itself, so that
// errors.Is finds it.
type Code uint32

const (
	// ErrUnknownKind is a growth, jitter or place of the cap that is not on the list.
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
)

// Error returns the name of the code, such as "cap_below_base".
func (c Code) Error() string { return engine.CodeName(uint32(c)) }

// An ArgumentError says what was given that is no policy's field nor a key at all, so that
// the rules of SPEC 8 do not apply to it: a negative duration, a float that is no exact
// ratio, a text that is not UTF-8.
type ArgumentError struct {
	// Field is the name of the field, such as "cap", or "key".
	Field string
	// Value is what was given: a time.Duration, a float64 or a string, and nil for a nil option.
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

// ErrNoEntropy says that the operating system has no randomness to give.
var ErrNoEntropy = errors.New("the operating system has no randomness to give")
