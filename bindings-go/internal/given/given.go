// Package given makes a policy of fields that are given as text, as the vectors and the request
// lines spell them (tests/README.md). It is for the tests and their driver.
package given

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// Policy returns the policy of the fields, or what NewPolicy says about them. It panics on a
// field or a number that the vectors do not spell so.
//
// Every value goes through the public API, but for the two things that its types rule out and
// that SPEC 8 has rules for: a duration beyond time.Duration, and no growth or no base.
func Policy(fields map[string]string) (backoff.Policy, error) {
	var growth backoff.Growth
	var base time.Duration
	var options []backoff.Option
	growthText, hasGrowth := fields["growth"]
	baseText, hasBase := fields["base"]
	if hasGrowth {
		growth = kind[backoff.Growth](growthText)
	}
	baseWord := uint64(0)
	if hasBase {
		baseWord = number(baseText)
	}
	if hasGrowth && hasBase && baseWord <= math.MaxInt64 {
		base = time.Duration(baseWord)
	} else {
		options = append(options, forget)
		if hasGrowth {
			options = append(options, raw(engine.Growth, uint64(growth)))
		}
		if hasBase {
			options = append(options, raw(engine.Base, baseWord))
		}
	}
	for field, text := range fields {
		if field != "growth" && field != "base" {
			options = append(options, option(field, text))
		}
	}
	return backoff.NewPolicy(growth, base, options...)
}

func option(field, text string) backoff.Option {
	switch field {
	case "increment":
		return duration(engine.Increment, backoff.WithIncrement, text)
	case "multiplier":
		return backoff.WithMultiplierRatio(ratio(text))
	case "power":
		return backoff.WithPower(number(text))
	case "origin":
		return backoff.WithOrigin(number(text))
	case "offset":
		return duration(engine.Offset, backoff.WithOffset, text)
	case "cap":
		return duration(engine.Cap, backoff.WithCap, text)
	case "cap_on":
		return backoff.WithCapOn(kind[backoff.CapOn](text))
	case "floor":
		return duration(engine.Floor, backoff.WithFloor, text)
	case "jitter":
		return backoff.WithJitter(kind[backoff.Jitter](text))
	case "jitter_below":
		return backoff.WithJitterBelowRatio(ratio(text))
	case "jitter_above":
		return backoff.WithJitterAboveRatio(ratio(text))
	case "jitter_max":
		return duration(engine.JitterMax, backoff.WithJitterMax, text)
	case "jitter_increment":
		return duration(engine.JitterIncrement, backoff.WithJitterIncrement, text)
	case "jitter_slot":
		return duration(engine.JitterSlot, backoff.WithJitterSlot, text)
	case "max_retries":
		return backoff.WithMaxRetries(number(text))
	case "max_attempts":
		return backoff.WithMaxAttempts(number(text))
	case "max_elapsed":
		return duration(engine.MaxElapsed, backoff.WithMaxElapsed, text)
	case "throttled_base":
		return duration(engine.ThrottledBase, backoff.WithThrottledBase, text)
	case "hint":
		return backoff.WithHint(kind[backoff.Hint](text))
	case "hint_max":
		return duration(engine.HintMax, backoff.WithHintMax, text)
	case "hint_max_extra":
		return duration(engine.HintMaxExtra, backoff.WithHintMaxExtra, text)
	}
	panic("unknown field " + field)
}

func duration(field engine.Field, with func(time.Duration) backoff.Option, text string) backoff.Option {
	if word := number(text); word > math.MaxInt64 {
		return raw(field, word)
	}
	return with(time.Duration(number(text)))
}

// raw gives a field a number that its option cannot take.
func raw(field engine.Field, word uint64) backoff.Option {
	return func(params *engine.Params) error {
		params.Set(field, word)
		return nil
	}
}

// forget takes back what NewPolicy gave.
func forget(params *engine.Params) error {
	*params = engine.Params{}
	return nil
}

// kind returns the kind of a name, the kind of a number, or 0, which is none.
func kind[Kind interface {
	~uint32
	String() string
}](text string) Kind {
	if n, err := strconv.ParseUint(text, 10, 32); err == nil {
		return Kind(n)
	}
	for kind := range Kind(16) {
		if kind.String() == text {
			return kind
		}
	}
	return 0
}

func ratio(text string) (numerator, denominator uint32) {
	over, under, _ := strings.Cut(text, "/")
	return term(over), term(under)
}

func term(text string) uint32 {
	n := number(text)
	if n > math.MaxUint32 {
		panic(fmt.Sprintf("%s is no term of a ratio", text))
	}
	return uint32(n)
}

func number(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}
