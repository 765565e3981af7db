// The options of policies: one for each field.

package backoff

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An Option sets a field of a policy: of NewPolicy, or of the policy of a loop, which it changes as a pair after a preset
// does (see WithFields). Each field of SPEC 5.1 but the growth has an option of its name, except that WithRetryAfterMode
// sets retry_after. A ratio has a second option, for exact fractions. If an option is repeated, the last one counts, but
// an invalid one fails even if a later one replaces it.
//
// Setting a field that the policy's growth or jitter does not use is an error.
type Option interface {
	RetryOption
	set(*engine.Params) error
}

// NoLimit is the longest duration, which as a limit is none: WithRetryAfterMax(NoLimit) removes the
// default limit, and WithCap, WithMaxElapsed, WithRetryAfterMaxExtra, WithAttemptTimeout, WithResetAfter and WithDeadline
// of NoLimit set no limit.
const NoLimit time.Duration = math.MaxInt64

// A fieldOption is a field with its value.
type fieldOption struct {
	field engine.Field
	value fieldValue
	err   error // of a value that no field has
}

func (o fieldOption) set(params *engine.Params) error {
	if o.err == nil {
		o.value.set(params, o.field)
	}
	return o.err
}

// apply keeps the option until the policy is known.
func (o fieldOption) apply(c retryConfig) (retryConfig, error) {
	return retryOption(func(s *settings) error {
		e := s.withExtras()
		e.fields = append(e.fields, o)
		return o.err
	}).apply(c)
}

// A fieldValue is a value of a field, which policy strings have, too.
type fieldValue interface {
	set(*engine.Params, engine.Field)
	appendTo(text []byte, field engine.Field) []byte
}

type (
	countValue    uint64
	kindValue     uint32
	durationValue time.Duration
	ratioValue    Ratio
	waitsValue    []time.Duration
)

func (v countValue) set(params *engine.Params, field engine.Field) { params.Set(field, uint64(v)) }

func (v kindValue) set(params *engine.Params, field engine.Field) { params.Set(field, uint64(v)) }

func (v durationValue) set(params *engine.Params, field engine.Field) { params.Set(field, uint64(v)) }

func (v ratioValue) set(params *engine.Params, field engine.Field) {
	params.SetRatio(field, v.Numerator, v.Denominator)
}

func (v waitsValue) set(params *engine.Params, _ engine.Field) {
	waits := make([]uint64, len(v))
	for i, wait := range v {
		waits[i] = uint64(wait)
	}
	params.SetWaits(waits)
}

func (v countValue) appendTo(text []byte, _ engine.Field) []byte {
	return strconv.AppendUint(text, uint64(v), 10)
}

func (v kindValue) appendTo(text []byte, field engine.Field) []byte {
	return append(text, engine.KindName(field, uint32(v))...)
}

func (v durationValue) appendTo(text []byte, _ engine.Field) []byte {
	return append(strconv.AppendInt(text, int64(v), 10), "ns"...)
}

func (v ratioValue) appendTo(text []byte, _ engine.Field) []byte {
	text = append(strconv.AppendUint(text, uint64(v.Numerator), 10), '/')
	return strconv.AppendUint(text, uint64(v.Denominator), 10)
}

func (v waitsValue) appendTo(text []byte, field engine.Field) []byte {
	for i, wait := range v {
		if i > 0 {
			text = append(text, '/')
		}
		text = durationValue(wait).appendTo(text, field)
	}
	return text
}

func set(field engine.Field, value uint64) Option {
	return fieldOption{field: field, value: countValue(value)}
}

func setKind(field engine.Field, value uint32) Option {
	return fieldOption{field: field, value: kindValue(value)}
}

func setDuration(field engine.Field, d time.Duration) Option {
	return fieldOption{field, durationValue(d), notNegative(engine.FieldName(field), d)}
}

func setRatio(field engine.Field, numerator, denominator uint32) Option {
	return fieldOption{field: field, value: ratioValue{numerator, denominator}}
}

func setWaits(field engine.Field, waits []time.Duration) Option {
	o := fieldOption{field: field, value: waitsValue(slices.Clone(waits))}
	for _, wait := range waits {
		if o.err == nil {
			o.err = notNegative(engine.FieldName(field), wait)
		}
	}
	return o
}

// A notFinite marshals as text, because JSON has no such number.
type notFinite float64

func (n notFinite) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// setDecimal sets the ratio of a float (SPEC 8.7).
func setDecimal(field engine.Field, value float64) Option {
	if value == 0 {
		value = 0 // drops the sign of -0
	}
	numerator, denominator, code := parseDecimal(value)
	if code == engine.OK {
		return setRatio(field, numerator, denominator)
	}
	err := &ArgumentError{Code: ErrNotFinite, Field: engine.FieldName(field), Value: value, Rule: "is not a finite number"}
	isFinite := !math.IsNaN(value) && !math.IsInf(value, 0)
	if !isFinite {
		err.Value = notFinite(value)
	}
	switch {
	case value < 0:
		err.Code, err.Rule = ErrNegative, "is below 0"
	case !isFinite:
	case value > maxRatioTerm:
		err.Code, err.Rule = ErrRatioTooFine, "is above 1000000"
	default:
		err.Code, err.Rule = ErrRatioTooFine, "has a term above 1000000 as a ratio"
	}
	return fieldOption{field: field, err: err}
}

// parseDecimal parses the shortest text of a float, or else the first rounded one with small terms (SPEC 8.7).
func parseDecimal(value float64) (numerator, denominator, code uint32) {
	for _, decimals := range [...]int{-1, 6, 5, 4, 3, 2, 1} {
		numerator, denominator, code = engine.ParseRatio(strconv.FormatFloat(value, 'f', decimals, 64))
		if code == engine.OK && max(numerator, denominator) > maxRatioTerm {
			code = engine.RatioTooFine
		}
		if code != engine.RatioTooFine {
			break
		}
	}
	return numerator, denominator, code
}

// maxRatioTerm is the largest term of a ratio in lowest terms.
const maxRatioTerm = 1_000_000
