// Code generated from core/src/field/table.rs by cargo xtask generate; DO NOT EDIT.

package backoff

import (
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// PolicyFields are the values of the fields of a Policy (SPEC 5.1, 5.4), whether set or by default. A field that the
// growth or the jitter does not use is zero. Without a limit, a duration is NoLimit, MaxRetries 2^32 and MaxAttempts,
// which is always one more, 2^32 + 1.
type PolicyFields struct {
	Growth             Growth
	Base               time.Duration
	Increment          time.Duration
	Multiplier         Ratio
	Power              uint64
	Origin             uint64
	Offset             time.Duration
	Cap                time.Duration
	CapOn              CapOn
	Floor              time.Duration
	Jitter             Jitter
	JitterBelow        Ratio
	JitterAbove        Ratio
	JitterMax          time.Duration
	JitterIncrement    time.Duration
	JitterSlot         time.Duration
	MaxRetries         uint64
	MaxAttempts        uint64
	MaxElapsed         time.Duration
	ThrottledBase      time.Duration
	RetryAfter         RetryAfterMode
	RetryAfterMax      time.Duration
	RetryAfterMaxExtra time.Duration
	Waits              []time.Duration
	AttemptTimeout     time.Duration
	ResetAfter         time.Duration
	ElapsedFrom        ElapsedFrom
}

// Fields returns the values of the fields; all are zero for the zero Policy.
func (p Policy) Fields() PolicyFields {
	f := fieldsOf{p.core()}
	return PolicyFields{
		Growth:             Growth(f.count(engine.Growth)),
		Base:               f.duration(engine.Base),
		Increment:          f.duration(engine.Increment),
		Multiplier:         f.ratio(engine.Multiplier),
		Power:              f.count(engine.Power),
		Origin:             f.count(engine.Origin),
		Offset:             f.duration(engine.Offset),
		Cap:                f.duration(engine.Cap),
		CapOn:              CapOn(f.count(engine.CapOn)),
		Floor:              f.duration(engine.Floor),
		Jitter:             Jitter(f.count(engine.Jitter)),
		JitterBelow:        f.ratio(engine.JitterBelow),
		JitterAbove:        f.ratio(engine.JitterAbove),
		JitterMax:          f.duration(engine.JitterMax),
		JitterIncrement:    f.duration(engine.JitterIncrement),
		JitterSlot:         f.duration(engine.JitterSlot),
		MaxRetries:         f.count(engine.MaxRetries),
		MaxAttempts:        f.count(engine.MaxAttempts),
		MaxElapsed:         f.duration(engine.MaxElapsed),
		ThrottledBase:      f.duration(engine.ThrottledBase),
		RetryAfter:         RetryAfterMode(f.count(engine.RetryAfter)),
		RetryAfterMax:      f.duration(engine.RetryAfterMax),
		RetryAfterMaxExtra: f.duration(engine.RetryAfterMaxExtra),
		Waits:              f.waits(engine.Waits),
		AttemptTimeout:     f.duration(engine.AttemptTimeout),
		ResetAfter:         f.duration(engine.ResetAfter),
		ElapsedFrom:        ElapsedFrom(f.count(engine.ElapsedFrom)),
	}
}

// WithBase sets base. The window of index 0 for most growths. Required.
func WithBase(value time.Duration) Option { return setDuration(engine.Base, value) }

// WithIncrement sets increment. Linear growth: the amount that each retry adds. Default: the base.
func WithIncrement(value time.Duration) Option { return setDuration(engine.Increment, value) }

// WithMultiplier sets multiplier. Exponential growth: the factor of each retry, 1 or from 1.01 to 1,000,000. Default:
// 2, or 3 with decorrelated jitter.
//
// The float counts as its shortest decimal, or rounded to at most six (SPEC 8.7): 1.6 is 8/5.
func WithMultiplier(value float64) Option {
	return setDecimal(engine.Multiplier, value)
}

// WithMultiplierRatio is WithMultiplier for a fraction such as 4/3, exactly. In lowest terms both
// numbers may be at most 1,000,000.
func WithMultiplierRatio(numerator, denominator uint32) Option {
	return setRatio(engine.Multiplier, numerator, denominator)
}

// WithPower sets power. Polynomial growth: the exponent, 1 to 16. Default: 2.
func WithPower(value uint64) Option { return set(engine.Power, value) }

// WithOrigin sets origin. Polynomial growth: the number that stands for index 0, 0 to 2^32 - 1. Default: 1. With 0
// the first window is the offset alone.
func WithOrigin(value uint64) Option { return set(engine.Origin, value) }

// WithOffset sets offset. A duration that is added to every window before the cap. Default: 0. It cannot be combined
// with decorrelated jitter.
func WithOffset(value time.Duration) Option { return setDuration(engine.Offset, value) }

// WithCap sets cap. The cap, at least the base. Default: no limit, so that only 2^63 - 1 ns bounds a delay.
func WithCap(value time.Duration) Option { return setDuration(engine.Cap, value) }

// WithCapOn sets cap_on. What the cap limits: the window, which is the default, or the delay.
func WithCapOn(value CapOn) Option { return setKind(engine.CapOn, uint32(value)) }

// WithFloor sets floor. The shortest computed delay, at most the cap: the range that is sampled starts there.
// Default: 0. A Retry-After that replaces the delay may be shorter.
func WithFloor(value time.Duration) Option { return setDuration(engine.Floor, value) }

// WithJitter sets jitter. How a delay is drawn from its window. Default: none, which makes the window the delay.
func WithJitter(value Jitter) Option { return setKind(engine.Jitter, uint32(value)) }

// WithJitterBelow sets jitter_below. Proportional jitter: the fraction of the window by which a delay may fall short
// of it, 0 to 1. Required unless WithJitterAbove is set; then the default is 0.
//
// The float counts as its shortest decimal, or rounded to at most six (SPEC 8.7): 1.6 is 8/5.
func WithJitterBelow(value float64) Option {
	return setDecimal(engine.JitterBelow, value)
}

// WithJitterBelowRatio is WithJitterBelow for a fraction such as 4/3, exactly. In lowest terms both
// numbers may be at most 1,000,000.
func WithJitterBelowRatio(numerator, denominator uint32) Option {
	return setRatio(engine.JitterBelow, numerator, denominator)
}

// WithJitterAbove sets jitter_above. Proportional jitter: the fraction of the window by which a delay may exceed it,
// 0 to 1. Default: 0.
//
// The float counts as its shortest decimal, or rounded to at most six (SPEC 8.7): 1.6 is 8/5.
func WithJitterAbove(value float64) Option {
	return setDecimal(engine.JitterAbove, value)
}

// WithJitterAboveRatio is WithJitterAbove for a fraction such as 4/3, exactly. In lowest terms both
// numbers may be at most 1,000,000.
func WithJitterAboveRatio(numerator, denominator uint32) Option {
	return setRatio(engine.JitterAbove, numerator, denominator)
}

// WithJitterMax sets jitter_max. Additive jitter: the width of the range at index 0. Required with this jitter.
func WithJitterMax(value time.Duration) Option { return setDuration(engine.JitterMax, value) }

// WithJitterIncrement sets jitter_increment. Additive jitter: the amount that each retry adds to the width. Default:
// 0.
func WithJitterIncrement(value time.Duration) Option {
	return setDuration(engine.JitterIncrement, value)
}

// WithJitterSlot sets jitter_slot. Slotted jitter: the length of a slot, at least 1 ns. Required with this jitter.
func WithJitterSlot(value time.Duration) Option { return setDuration(engine.JitterSlot, value) }

// WithMaxRetries sets max_retries. The maximum number of retries, 0 to 2^32, which is the default and means no limit.
func WithMaxRetries(value uint64) Option { return set(engine.MaxRetries, value) }

// WithMaxAttempts sets max_attempts. The maximum number of attempts, 1 to 2^32 + 1: one more than WithMaxRetries,
// which must not be set as well.
func WithMaxAttempts(value uint64) Option { return set(engine.MaxAttempts, value) }

// WithMaxElapsed sets max_elapsed. The time since the start of an operation after which no wait may end. Default: no
// limit.
func WithMaxElapsed(value time.Duration) Option { return setDuration(engine.MaxElapsed, value) }

// WithThrottledBase sets throttled_base. The base after a throttled failure, at most the cap. Default: the base.
func WithThrottledBase(value time.Duration) Option { return setDuration(engine.ThrottledBase, value) }

// WithRetryAfterMode sets retry_after. The effect of a server's Retry-After on the delay. Default: the longer of the
// two counts.
func WithRetryAfterMode(value RetryAfterMode) Option {
	return setKind(engine.RetryAfter, uint32(value))
}

// WithRetryAfterMax sets retry_after_max. The longest Retry-After that is honoured; a longer one counts as this.
// Default: 1 hour. The cap does not limit it, and the mode spread may exceed it by half.
func WithRetryAfterMax(value time.Duration) Option { return setDuration(engine.RetryAfterMax, value) }

// WithRetryAfterMaxExtra sets retry_after_max_extra. How much longer than the delay a Retry-After may make the wait.
// Default: no limit.
func WithRetryAfterMaxExtra(value time.Duration) Option {
	return setDuration(engine.RetryAfterMaxExtra, value)
}

// WithWaits sets waits. Growth in steps: the windows one after another, 1 to 16. The last one stays. Required with
// this growth.
func WithWaits(value ...time.Duration) Option { return setWaits(engine.Waits, value) }

// WithAttemptTimeout sets attempt_timeout. The longest that one attempt may take, at least 1 ns. Default: no limit.
func WithAttemptTimeout(value time.Duration) Option { return setDuration(engine.AttemptTimeout, value) }

// WithResetAfter sets reset_after. How long an attempt must have run before it failed to begin the count of retries
// anew, at least 1 ns. Default: never.
func WithResetAfter(value time.Duration) Option { return setDuration(engine.ResetAfter, value) }

// WithElapsedFrom sets elapsed_from. When WithMaxElapsed begins: with the operation, which is the default, or with
// its first failure.
func WithElapsedFrom(value ElapsedFrom) Option { return setKind(engine.ElapsedFrom, uint32(value)) }
