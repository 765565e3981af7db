package backoff

import (
	"strconv"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An Option gives a policy one of its fields. There is one for each field of SPEC 5.1, with
// its name, and a second for a ratio that no decimal holds. Given twice, the last counts.
//
// A field that the policy's growth or jitter does not use is an error, not a field ignored.
type Option func(*engine.Params) error

// WithIncrement gives what linear growth adds at each retry; the base unless given.
func WithIncrement(increment time.Duration) Option {
	return duration(engine.Increment, increment)
}

// WithMultiplier gives what exponential growth multiplies by: 1, or 1.01 to 1,000,000; 2
// unless given, or 3 with DecorrelatedJitter.
//
// The shortest decimal that reads back as the float is taken, exactly: 1.6 is 8/5.
func WithMultiplier(multiplier float64) Option { return decimal(engine.Multiplier, multiplier) }

// WithMultiplierRatio gives the multiplier as numerator / denominator, for one that is no
// short decimal, such as 4/3. In lowest terms both are at most 1,000,000.
func WithMultiplierRatio(numerator, denominator uint32) Option {
	return ratio(engine.Multiplier, numerator, denominator)
}

// WithPower gives the exponent of polynomial growth, 1 to 16; 2 unless given.
func WithPower(power uint64) Option { return word(engine.Power, power) }

// WithOrigin gives what polynomial growth counts index 0 as, 0 to 2^32 - 1; 1 unless given.
// With 0 the first window is the offset alone.
func WithOrigin(origin uint64) Option { return word(engine.Origin, origin) }

// WithOffset gives a duration that is added to every window before the cap; 0 unless given.
// It does not go with DecorrelatedJitter.
func WithOffset(offset time.Duration) Option { return duration(engine.Offset, offset) }

// WithCap gives the cap, at least the base. Without one, only the longest time.Duration, 292
// years, bounds a delay.
func WithCap(limit time.Duration) Option { return duration(engine.Cap, limit) }

// WithCapOn gives the place of the cap; CapOnWindow unless given.
func WithCapOn(place CapOn) Option { return word(engine.CapOn, uint64(place)) }

// WithFloor gives the shortest delay, at most the cap; 0 unless given. The range that is
// sampled begins there, so delays do not gather on it.
func WithFloor(floor time.Duration) Option { return duration(engine.Floor, floor) }

// WithJitter gives how delays are spread around their windows; NoJitter unless given.
func WithJitter(jitter Jitter) Option { return word(engine.Jitter, uint64(jitter)) }

// WithJitterBelow gives the part of the window that proportional jitter may fall short of it,
// 0 to 1; 0.2 is 20%. It is needed unless WithJitterAbove is given; then it is 0.
func WithJitterBelow(part float64) Option { return decimal(engine.JitterBelow, part) }

// WithJitterBelowRatio is WithJitterBelow for a part that is no short decimal, such as 1/3.
func WithJitterBelowRatio(numerator, denominator uint32) Option {
	return ratio(engine.JitterBelow, numerator, denominator)
}

// WithJitterAbove gives the part of the window that proportional jitter may exceed it, 0 to
// 1; 0 unless given.
func WithJitterAbove(part float64) Option { return decimal(engine.JitterAbove, part) }

// WithJitterAboveRatio is WithJitterAbove for a part that is no short decimal, such as 1/3.
func WithJitterAboveRatio(numerator, denominator uint32) Option {
	return ratio(engine.JitterAbove, numerator, denominator)
}

// WithJitterMax gives the width of the range of additive jitter at index 0, which needs it.
func WithJitterMax(width time.Duration) Option { return duration(engine.JitterMax, width) }

// WithJitterIncrement gives what each retry adds to the width of additive jitter; 0 unless
// given.
func WithJitterIncrement(increment time.Duration) Option {
	return duration(engine.JitterIncrement, increment)
}

// WithJitterSlot gives the length of a slot of slotted jitter, at least 1 ns, which needs it.
func WithJitterSlot(slot time.Duration) Option { return duration(engine.JitterSlot, slot) }

// WithMaxRetries gives the most retries of an operation, 0 to 2^32; 2^32, which is no limit,
// unless given.
func WithMaxRetries(retries uint64) Option { return word(engine.MaxRetries, retries) }

// WithMaxAttempts is WithMaxRetries for who counts attempts, of which there is one more: 1 to
// 2^32 + 1. Only one of the two may be given.
func WithMaxAttempts(attempts uint64) Option { return word(engine.MaxAttempts, attempts) }

// WithMaxElapsed gives the time after the beginning of an operation after which no wait may
// end; without one there is no limit.
func WithMaxElapsed(elapsed time.Duration) Option { return duration(engine.MaxElapsed, elapsed) }

// WithThrottledBase gives the base of a delay after a throttled attempt; the base unless given.
func WithThrottledBase(base time.Duration) Option { return duration(engine.ThrottledBase, base) }

// WithHint gives what the hint of a server does to a delay; HintAtLeast unless given.
func WithHint(hint Hint) Option { return word(engine.Hint, uint64(hint)) }

// WithHintMax gives the longest hint that counts: a longer one counts as this. The cap does not
// bound hints: without WithHintMax or WithHintMaxExtra a server can ask for 292 years.
// HintSpread waits up to half more than this.
func WithHintMax(longest time.Duration) Option { return duration(engine.HintMax, longest) }

// WithHintMaxExtra gives how much longer than the delay a hint may be: a longer one counts as
// that. Without this or WithHintMax there is no limit.
func WithHintMaxExtra(extra time.Duration) Option { return duration(engine.HintMaxExtra, extra) }

func word(field engine.Field, word uint64) Option {
	return func(params *engine.Params) error {
		params.Set(field, word)
		return nil
	}
}

func duration(field engine.Field, d time.Duration) Option {
	return func(params *engine.Params) error {
		if err := notBelowZero(engine.FieldName(field), d); err != nil {
			return err
		}
		params.Set(field, uint64(d))
		return nil
	}
}

func ratio(field engine.Field, numerator, denominator uint32) Option {
	return func(params *engine.Params) error {
		params.SetRatio(field, numerator, denominator)
		return nil
	}
}

// decimal leaves it to the core which decimals are ratios.
func decimal(field engine.Field, value float64) Option {
	if value == 0 {
		value = 0 // -0 too
	}
	return func(params *engine.Params) error {
		text := strconv.FormatFloat(value, 'f', -1, 64)
		numerator, denominator, code := engine.ParseRatio(text)
		refused := &ArgumentError{Field: engine.FieldName(field), Value: value, Rule: "is no ratio of whole numbers"}
		switch {
		case code == engine.OK:
			params.SetRatio(field, numerator, denominator)
			return nil
		case code == engine.RatioTooFine:
			refused.Rule, refused.code = "has a term above 4294967295 as a ratio", ErrRatioTooFine
		case value < 0:
			refused.Rule = "is below 0"
		}
		return refused
	}
}
