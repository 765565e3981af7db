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

// WithIncrement sets what linear growth adds with each retry. Default: the base.
func WithIncrement(increment time.Duration) Option {
	return setDuration(engine.Increment, increment)
}

// WithMultiplier sets the factor of exponential growth: 1, or 1.01 to 1,000,000. Default: 2, or 3
// with DecorrelatedJitter.
//
// The float counts as its shortest decimal, exactly: 1.6 is 8/5.
func WithMultiplier(multiplier float64) Option {
	return setDecimal(engine.Multiplier, multiplier, "WithMultiplierRatio")
}

// WithMultiplierRatio sets the multiplier to numerator / denominator, for a fraction such as 4/3
// that has no short decimal. In lowest terms both may be at most 1,000,000.
func WithMultiplierRatio(numerator, denominator uint32) Option {
	return setRatio(engine.Multiplier, numerator, denominator)
}

// WithPower sets the exponent of polynomial growth, 1 to 16. Default: 2.
func WithPower(power uint64) Option { return set(engine.Power, power) }

// WithOrigin sets the number from which polynomial growth counts, 0 to 2^32 - 1. Default: 1. With 0
// the first window is the offset alone.
func WithOrigin(origin uint64) Option { return set(engine.Origin, origin) }

// WithOffset sets a duration that is added to every window before the cap. Default: 0. It cannot be
// combined with DecorrelatedJitter.
func WithOffset(offset time.Duration) Option { return setDuration(engine.Offset, offset) }

// WithCap sets the cap, at least the base. Default: none, so that only the longest time.Duration,
// 292 years, bounds a delay.
func WithCap(limit time.Duration) Option { return setDuration(engine.Cap, limit) }

// WithCapOn sets what the cap applies to. Default: CapOnWindow.
func WithCapOn(place CapOn) Option { return set(engine.CapOn, uint64(place)) }

// WithFloor sets the shortest delay, at most the cap. Default: 0. The sampled range begins there, so
// delays do not gather on it.
func WithFloor(floor time.Duration) Option { return setDuration(engine.Floor, floor) }

// WithJitter sets how delays are spread around their windows. Default: NoJitter.
func WithJitter(jitter Jitter) Option { return set(engine.Jitter, uint64(jitter)) }

// WithJitterBelow sets how far below the window proportional jitter may go, as a part of the window
// from 0 to 1: 0.2 is 20%. It is required unless WithJitterAbove is set; then its default is 0.
func WithJitterBelow(part float64) Option {
	return setDecimal(engine.JitterBelow, part, "WithJitterBelowRatio")
}

// WithJitterBelowRatio is WithJitterBelow for a fraction such as 1/3 that has no short decimal.
func WithJitterBelowRatio(numerator, denominator uint32) Option {
	return setRatio(engine.JitterBelow, numerator, denominator)
}

// WithJitterAbove sets how far above the window proportional jitter may go, as a part of the window
// from 0 to 1. Default: 0.
func WithJitterAbove(part float64) Option {
	return setDecimal(engine.JitterAbove, part, "WithJitterAboveRatio")
}

// WithJitterAboveRatio is WithJitterAbove for a fraction such as 1/3 that has no short decimal.
func WithJitterAboveRatio(numerator, denominator uint32) Option {
	return setRatio(engine.JitterAbove, numerator, denominator)
}

// WithJitterMax sets the width of additive jitter at index 0. Additive jitter requires it.
func WithJitterMax(width time.Duration) Option { return setDuration(engine.JitterMax, width) }

// WithJitterIncrement sets what each retry adds to the width of additive jitter. Default: 0.
func WithJitterIncrement(increment time.Duration) Option {
	return setDuration(engine.JitterIncrement, increment)
}

// WithJitterSlot sets the length of a slot of slotted jitter, at least 1 ns. Slotted jitter requires
// it.
func WithJitterSlot(slot time.Duration) Option { return setDuration(engine.JitterSlot, slot) }

// WithMaxRetries sets the maximum number of retries of an operation, and of the delays of a Backoff: 0 to
// 2^32. Default: 2^32, which is no limit.
func WithMaxRetries(retries uint64) Option { return set(engine.MaxRetries, retries) }

// WithMaxAttempts limits all attempts, the first one included: 1 to 2^32 + 1. It is another way to
// set WithMaxRetries(attempts - 1); setting both is an error.
func WithMaxAttempts(attempts uint64) Option { return set(engine.MaxAttempts, attempts) }

// WithMaxElapsed limits the time since the operation began: no wait may end later. It does not limit
// calls. Default: NoLimit.
func WithMaxElapsed(elapsed time.Duration) Option { return setDuration(engine.MaxElapsed, elapsed) }

// WithThrottledBase sets the base of a delay after a throttled attempt. Default: the base.
func WithThrottledBase(base time.Duration) Option { return setDuration(engine.ThrottledBase, base) }

// WithRetryAfterMode sets how the wait that a server asks for changes a delay. Default:
// RetryAfterAtLeast.
func WithRetryAfterMode(mode RetryAfterMode) Option { return set(engine.RetryAfter, uint64(mode)) }

// WithRetryAfterMax sets the longest wait that a server can ask for; a longer one counts as this.
// Default: 1 hour; NoLimit removes the limit. The policy's cap does not limit Retry-After.
// RetryAfterSpread may wait up to half more than this.
func WithRetryAfterMax(limit time.Duration) Option { return setDuration(engine.RetryAfterMax, limit) }

// WithRetryAfterMaxExtra limits how much a server can lengthen a delay; longer requests are cut to it.
// Default: no limit.
func WithRetryAfterMaxExtra(extra time.Duration) Option {
	return setDuration(engine.RetryAfterMaxExtra, extra)
}

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

// setDecimal passes a float as text, because the core knows which decimals are exact ratios. It names
// the option for the others.
func setDecimal(field engine.Field, value float64, ratioOption string) Option {
	if value == 0 {
		value = 0 // drops the sign of -0
	}
	return option(func(params *engine.Params) error {
		text := strconv.FormatFloat(value, 'g', -1, 64)
		numerator, denominator, code := engine.ParseRatio(text)
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
			err.Code, err.Rule = ErrRatioTooFine, "has a term above 1000000 as a ratio; use "+ratioOption+" for a fraction"
		}
		return err
	})
}
