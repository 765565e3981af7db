package main

// The fields of policies as request lines write them (tests/README.md). They may have values that the options of NewPolicy
// cannot express and that SPEC 8 has rules for: no growth, no base, and durations above time.Duration.

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// paramsOf returns the fields. It panics on a field or a number that tests/README.md does not allow.
func paramsOf(fields map[string]string) engine.Params {
	var params engine.Params
	for name, text := range fields {
		set(&params, fieldOf(name), text)
	}
	return params
}

func fieldOf(name string) engine.Field {
	field := engine.Growth
	for engine.FieldName(field) != name {
		if field++; field == engine.FieldBudget {
			panic("unknown field " + name)
		}
	}
	return field
}

func set(params *engine.Params, field engine.Field, text string) {
	numerator, denominator, isRatio := strings.Cut(text, "/")
	switch {
	case isRatio:
		params.SetRatio(field, uint32(number(numerator, 32)), uint32(number(denominator, 32)))
	case engine.KindName(field, 1) != "unknown_kind":
		params.Set(field, kind(field, text))
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
