// Package fields reads the fields of policies from text, as the vectors and the requests of evaluators
// write them (tests/README.md). It can set values that the options of NewPolicy cannot express and
// that SPEC 8 has rules for: no growth, no base, and durations above time.Duration.
package fields

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// Params returns the fields. It panics on a field or a number that tests/README.md does not allow.
func Params(fields map[string]string) engine.Params {
	var params engine.Params
	for name, text := range fields {
		set(&params, fieldOf(name), text)
	}
	return params
}

func fieldOf(name string) engine.Field {
	for field := engine.Growth; field <= engine.RetryAfterMaxExtra; field++ {
		if engine.FieldName(field) == name {
			return field
		}
	}
	panic("unknown field " + name)
}

func set(params *engine.Params, field engine.Field, text string) {
	switch field {
	case engine.Growth, engine.Jitter, engine.CapOn, engine.RetryAfter:
		params.Set(field, kind(field, text))
	case engine.Multiplier, engine.JitterBelow, engine.JitterAbove:
		numerator, denominator, _ := strings.Cut(text, "/")
		params.SetRatio(field, uint32(number(numerator, 32)), uint32(number(denominator, 32)))
	default:
		params.Set(field, number(text, 64))
	}
}

// kind returns the number of a kind from its name or number. An unknown name is 0, which no kind has.
func kind(field engine.Field, text string) uint64 {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return n
	}
	for kind := range uint32(16) {
		if engine.KindName(field, kind) == text {
			return uint64(kind)
		}
	}
	return 0
}

func number(text string, bits int) uint64 {
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		panic(fmt.Sprintf("%q is not a number: %v", text, err))
	}
	return n
}
