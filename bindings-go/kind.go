package backoff

import (
	"strconv"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Growth is how the window grows from one retry to the next (SPEC 5.2).
type Growth uint32

const (
	// Constant is a window that is always the base.
	Constant Growth = engine.GrowthConstant
	// Linear is base + index * increment.
	Linear Growth = engine.GrowthLinear
	// Exponential is base * multiplier^index, floored to a nanosecond at each step.
	Exponential Growth = engine.GrowthExponential
	// Polynomial is base * (index + origin)^power.
	Polynomial Growth = engine.GrowthPolynomial
	// Fibonacci is the base times 1, 1, 2, 3, 5, 8, ...
	Fibonacci Growth = engine.GrowthFibonacci
)

// A Jitter is how a delay is spread around its window (SPEC 6).
type Jitter uint32

const (
	// NoJitter makes the delay the window.
	NoJitter Jitter = engine.JitterNone
	// FullJitter is 0 to the window.
	FullJitter Jitter = engine.JitterFull
	// EqualJitter is half of the window, rounded up, to the window.
	EqualJitter Jitter = engine.JitterEqual
	// ProportionalJitter is window * (1 - jitter_below) to window * (1 + jitter_above); it
	// needs WithJitterBelow or WithJitterAbove.
	ProportionalJitter Jitter = engine.JitterProportional
	// AdditiveJitter is the window to window + jitter_max + index * jitter_increment; it
	// needs WithJitterMax.
	AdditiveJitter Jitter = engine.JitterAdditive
	// DecorrelatedJitter is the base to multiplier times the previous delay; it goes with
	// Exponential only.
	DecorrelatedJitter Jitter = engine.JitterDecorrelated
	// SlottedJitter is a whole number of slots, fewer than fit into the window (Ethernet);
	// it needs WithJitterSlot.
	SlottedJitter Jitter = engine.JitterSlotted
)

// A CapOn is where the cap applies (SPEC 7).
type CapOn uint32

const (
	// CapOnWindow caps the window, before jitter: delays stay random at the cap, and
	// proportional and additive jitter may exceed it.
	CapOnWindow CapOn = engine.CapOnWindow
	// CapOnResult caps the delay, after jitter: a hard maximum, on which delays gather.
	CapOnResult CapOn = engine.CapOnResult
)

// A Hint is what the time that a server asked to wait does to a delay (SPEC 13.5).
type Hint uint32

const (
	// HintAtLeast waits for the longer of delay and hint.
	HintAtLeast Hint = engine.HintAtLeast
	// HintExact waits for the hint.
	HintExact Hint = engine.HintExact
	// HintSpread waits for the hint and up to half of it more, so that clients that were given
	// the same do not come back together.
	HintSpread Hint = engine.HintSpread
)

// String returns the name of the kind, such as "exponential", or the number of none.
func (g Growth) String() string {
	return kindName(uint32(g), "constant", "linear", "exponential", "polynomial", "fibonacci")
}

// String returns the name of the kind, such as "full", or the number of none.
func (j Jitter) String() string {
	return kindName(uint32(j), "none", "full", "equal", "proportional", "additive", "decorrelated", "slotted")
}

// String returns the name of the kind, "window" or "result", or the number of none.
func (c CapOn) String() string {
	return kindName(uint32(c), "window", "result")
}

// String returns the name of the kind, such as "at_least", or the number of none.
func (h Hint) String() string {
	return kindName(uint32(h), "at_least", "exact", "spread")
}

// kindName picks from names that are in the order of their numbers, from 1.
func kindName(kind uint32, names ...string) string {
	if kind == 0 || uint64(kind) > uint64(len(names)) {
		return strconv.FormatUint(uint64(kind), 10)
	}
	return names[kind-1]
}
