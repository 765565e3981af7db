// The options of NewPolicy: one for each field.

package backoff

import (
	"math"
	"strconv"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An Option sets a field of a policy. Each field of SPEC 5.1 has an option of its name, except that
// WithRetryAfterMode sets retry_after. A ratio has a second option, for fractions that no decimal
// represents. If an option is repeated, the last one counts, but an invalid one fails even if a later
// one replaces it.
//
// Setting a field that the policy's growth or jitter does not use is an error.
type Option interface{ set(*engine.Params) error }

type option func(*engine.Params) error

func (o option) set(params *engine.Params) error { return o(params) }

// NoLimit is the longest duration, which as a limit is none: WithRetryAfterMax(NoLimit) removes the
// default limit, and WithCap, WithMaxElapsed, WithRetryAfterMaxExtra and WithDeadline of NoLimit set no
// limit.
const NoLimit time.Duration = math.MaxInt64

func set(field engine.Field, value uint64) Option {
	return option(func(params *engine.Params) error {
		params.Set(field, value)
		return nil
	})
}

func setDuration(field engine.Field, d time.Duration) Option {
	return option(func(params *engine.Params) error {
		if err := notNegative(engine.FieldName(field), d); err != nil {
			return err
		}
		params.Set(field, uint64(d))
		return nil
	})
}

func setRatio(field engine.Field, numerator, denominator uint32) Option {
	return option(func(params *engine.Params) error {
		params.SetRatio(field, numerator, denominator)
		return nil
	})
}

// A notFinite marshals as text, because JSON has no such number.
type notFinite float64

func (n notFinite) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// setDecimal passes a float as text, because the core knows which decimals are ratios.
func setDecimal(field engine.Field, value float64) Option {
	if value == 0 {
		value = 0 // drops the sign of -0
	}
	return option(func(params *engine.Params) error {
		numerator, denominator, code := parseDecimal(value)
		if code == engine.OK {
			params.SetRatio(field, numerator, denominator)
			return nil
		}
		err := &ArgumentError{Code: ErrNotFinite, Field: engine.FieldName(field), Value: value, Rule: "is not a finite number"}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			err.Value = notFinite(value)
		}
		switch {
		case value < 0:
			err.Code, err.Rule = ErrNegative, "is below 0"
		case code == engine.RatioTooFine && value > 1_000_000:
			err.Code, err.Rule = ErrRatioTooFine, "is above 1000000"
		case code == engine.RatioTooFine:
			err.Code, err.Rule = ErrRatioTooFine, "has a term above 1000000 as a ratio"
		}
		return err
	})
}

// parseDecimal parses the shortest text of a float, or else the first rounded one with small terms (SPEC 8.7).
func parseDecimal(value float64) (numerator, denominator, code uint32) {
	for _, decimals := range [...]int{-1, 6, 5, 4, 3, 2, 1} {
		numerator, denominator, code = engine.ParseRatio(strconv.FormatFloat(value, 'f', decimals, 64))
		if code == engine.OK && max(numerator, denominator) > 1_000_000 {
			code = engine.RatioTooFine
		}
		if code != engine.RatioTooFine {
			break
		}
	}
	return numerator, denominator, code
}
