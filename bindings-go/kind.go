// The numbers with names: growths, jitters and other kinds.

package backoff

import (
	"strconv"
	"strings"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Growth is how the window grows from one retry to the next (SPEC 5.2).
type Growth uint32

const (
	// Constant growth keeps the window at the base.
	Constant Growth = 1
	// Linear growth is base + index * increment.
	Linear Growth = 2
	// Exponential growth is base * multiplier^index, rounded down to a nanosecond at each step.
	Exponential Growth = 3
	// Polynomial growth is base * (index + origin)^power.
	Polynomial Growth = 4
	// Fibonacci growth is the base times 1, 1, 2, 3, 5, 8, ...
	Fibonacci Growth = 5
	// Steps growth is the list of WithWaits: entry i for index i, and the last one after the end. It has no base.
	Steps Growth = 6
)

// A Jitter is how a delay is spread around its window (SPEC 6).
type Jitter uint32

const (
	// NoJitter makes the delay equal to the window.
	NoJitter Jitter = 1
	// FullJitter draws from 0 to the window.
	FullJitter Jitter = 2
	// EqualJitter draws from half of the window, rounded up, to the window.
	EqualJitter Jitter = 3
	// ProportionalJitter draws from window * (1 - jitter_below) to window * (1 + jitter_above). It
	// requires WithJitterBelow or WithJitterAbove.
	ProportionalJitter Jitter = 4
	// AdditiveJitter draws from the window to window + jitter_max + index * jitter_increment. It
	// requires WithJitterMax.
	AdditiveJitter Jitter = 5
	// DecorrelatedJitter draws from the base to multiplier times the previous delay. It requires
	// Exponential growth.
	DecorrelatedJitter Jitter = 6
	// SlottedJitter draws a whole number of slots, fewer than fit into the window (Ethernet). It
	// requires WithJitterSlot.
	SlottedJitter Jitter = 7
)

// A CapOn is what the cap applies to (SPEC 7).
type CapOn uint32

const (
	// CapOnWindow caps the window, before jitter. Delays stay random at the cap; proportional and
	// additive jitter may exceed it.
	CapOnWindow CapOn = 1
	// CapOnDelay caps the delay, after jitter. It is a hard maximum: all longer delays become exactly
	// the cap.
	CapOnDelay CapOn = 2
)

// A RetryAfterMode is how the wait that a server asks for changes a delay (SPEC 13.5).
type RetryAfterMode uint32

const (
	// RetryAfterAtLeast waits the longer of the delay and what the server asked for.
	RetryAfterAtLeast RetryAfterMode = 1
	// RetryAfterExact waits what the server asked for.
	RetryAfterExact RetryAfterMode = 2
	// RetryAfterSpread waits what the server asked for and up to half of it more, so that clients
	// that got the same answer do not return together.
	RetryAfterSpread RetryAfterMode = 3
)

// An ElapsedFrom is when max_elapsed begins (SPEC 13.4).
type ElapsedFrom uint32

const (
	// ElapsedFromBegin begins with the operation.
	ElapsedFromBegin ElapsedFrom = 1
	// ElapsedFromFailure begins with the first failure, so that a long first attempt does not count.
	ElapsedFromFailure ElapsedFrom = 2
)

// String returns the name, such as "exponential"; an unknown growth is its number.
func (g Growth) String() string { return kindName(engine.Growth, uint32(g)) }

// MarshalText returns the name, and no text for 0. It fails with an *ArgumentError for an unknown number.
func (g Growth) MarshalText() ([]byte, error) { return marshalKind(g, "growth") }

// UnmarshalText sets the growth of a name, and 0 of no text. It fails with an *ArgumentError for any other
// and for a nil receiver.
func (g *Growth) UnmarshalText(text []byte) error {
	return unmarshalName(g, text, ErrUnknownKind, "growth")
}

// String returns the name, such as "full"; an unknown jitter is its number.
func (j Jitter) String() string { return kindName(engine.Jitter, uint32(j)) }

// MarshalText returns the name, and no text for 0. It fails with an *ArgumentError for an unknown number.
func (j Jitter) MarshalText() ([]byte, error) { return marshalKind(j, "jitter") }

// UnmarshalText sets the jitter of a name, and 0 of no text. It fails with an *ArgumentError for any other
// and for a nil receiver.
func (j *Jitter) UnmarshalText(text []byte) error {
	return unmarshalName(j, text, ErrUnknownKind, "jitter")
}

// String returns the name, "window" or "delay"; an unknown value is its number.
func (c CapOn) String() string { return kindName(engine.CapOn, uint32(c)) }

// MarshalText returns the name, and no text for 0. It fails with an *ArgumentError for an unknown number.
func (c CapOn) MarshalText() ([]byte, error) { return marshalKind(c, "cap_on") }

// UnmarshalText sets what the cap applies to of a name, and 0 of no text. It fails with an *ArgumentError for any other
// and for a nil receiver.
func (c *CapOn) UnmarshalText(text []byte) error {
	return unmarshalName(c, text, ErrUnknownKind, "cap_on")
}

// String returns the name, such as "at_least"; an unknown mode is its number.
func (m RetryAfterMode) String() string { return kindName(engine.RetryAfter, uint32(m)) }

// MarshalText returns the name, and no text for 0. It fails with an *ArgumentError for an unknown number.
func (m RetryAfterMode) MarshalText() ([]byte, error) { return marshalKind(m, "retry_after") }

// UnmarshalText sets the mode of a name, and 0 of no text. It fails with an *ArgumentError for any other
// and for a nil receiver.
func (m *RetryAfterMode) UnmarshalText(text []byte) error {
	return unmarshalName(m, text, ErrUnknownKind, "retry_after")
}

// String returns the name, "begin" or "failure"; an unknown value is its number.
func (e ElapsedFrom) String() string { return kindName(engine.ElapsedFrom, uint32(e)) }

// MarshalText returns the name, and no text for 0. It fails with an *ArgumentError for an unknown number.
func (e ElapsedFrom) MarshalText() ([]byte, error) { return marshalKind(e, "elapsed_from") }

// UnmarshalText sets the value of a name, and 0 of no text. It fails with an *ArgumentError for any other and for a nil
// receiver.
func (e *ElapsedFrom) UnmarshalText(text []byte) error {
	return unmarshalName(e, text, ErrUnknownKind, "elapsed_from")
}

func kindName(field engine.Field, kind uint32) string {
	return nameOr(engine.KindName(field, kind), kind)
}

// marshalKind returns the name of a kind. A field that is not set, as in a struct of settings, has none.
func marshalKind[T named](kind T, field string) ([]byte, error) {
	if kind == 0 {
		return nil, nil
	}
	return marshalName(kind, ErrUnknownKind, field)
}

// marshalName returns the name of a value. An unknown number has none, and no reader would accept it.
func marshalName[T named](value T, code Code, field string) ([]byte, error) {
	name := value.String()
	if isNumber(name) {
		return nil, &ArgumentError{Code: code, Field: field, Value: uint32(value), Rule: "is unknown"}
	}
	return []byte(name), nil
}

// isNumber reports whether String returned a number, because the value has no name.
func isNumber(name string) bool { return name[0] >= '0' && name[0] <= '9' }

// named is the type of a kind, an outcome or a reason.
type named interface {
	~uint32
	String() string
}

// unmarshalName sets target to the value of a name. Where 0 has no name, no text is 0.
func unmarshalName[T named](target *T, text []byte, code Code, field string) error {
	if err := notNil(field, target == nil); err != nil {
		return err
	}
	var names []string
	for number := T(0); number < 16; number++ {
		name := number.String()
		if isNumber(name) {
			if number == 0 && len(text) == 0 {
				*target = 0
				return nil
			}
			continue // no value has this number
		}
		if name == string(text) {
			*target = number
			return nil
		}
		names = append(names, name)
	}
	rule := "is unknown; the names are " + strings.Join(names, ", ")
	return &ArgumentError{Code: code, Field: field, Value: string(text), Rule: rule}
}

// nameOr returns a name of the core, or the number where the core answers "unknown_...".
func nameOr(name string, number uint32) string {
	if strings.HasPrefix(name, "unknown_") {
		return strconv.FormatUint(uint64(number), 10)
	}
	return name
}
