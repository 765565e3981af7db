package backoff_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A float counts as the nearest millionth, ties to even.
func TestFloatsAreExactRatios(t *testing.T) {
	rows := []struct {
		float, ratio backoff.Option
	}{
		{backoff.WithMultiplier(1.6), backoff.WithMultiplierRatio(8, 5)},
		{backoff.WithMultiplier(1.01), backoff.WithMultiplierRatio(101, 100)},
		{backoff.WithMultiplier(1.2000000000000002), backoff.WithMultiplierRatio(6, 5)},
		{backoff.WithMultiplier(1), backoff.WithMultiplierRatio(1, 1)},
		{backoff.WithMultiplier(1e6), backoff.WithMultiplierRatio(1000000, 1)},
	}
	for i, row := range rows {
		got, err := backoff.NewPolicy(backoff.Exponential, time.Second, row.float)
		want, wantErr := backoff.NewPolicy(backoff.Exponential, time.Second, row.ratio)
		if err != nil || wantErr != nil || got != want {
			t.Errorf("row %d: %v, %v", i, err, wantErr)
		}
	}
	parts := []struct {
		float                  float64
		numerator, denominator uint32
	}{{0.2, 1, 5}, {0.000001, 1, 1000000}, {1, 1, 1}, {.1 * 3, 3, 10}, {1. / 3, 333333, 1000000}, {5e-324, 0, 1},
		{1 / 128., 7812, 1000000}, {3 / 128., 23438, 1000000}, {0, 0, 1}, {math.Copysign(0, -1), 0, 1}}
	for _, part := range parts {
		got, err := proportional(backoff.WithJitterBelow(part.float), backoff.WithJitterAbove(part.float))
		want, wantErr := proportional(backoff.WithJitterBelowRatio(part.numerator, part.denominator), backoff.WithJitterAboveRatio(part.numerator, part.denominator))
		if err != nil || wantErr != nil || got != want {
			t.Errorf("%v: %v, %v", part.float, err, wantErr)
		}
	}
}

func proportional(options ...backoff.Option) (backoff.Policy, error) {
	options = append(options, backoff.WithJitter(backoff.ProportionalJitter))
	return backoff.NewPolicy(backoff.Exponential, time.Second, options...)
}

// errors.Is finds the same code for a term above 32 bits, which is rejected here, and for one above
// the limit of the core.
func TestRatiosThatAreTooFineHaveOneCode(t *testing.T) {
	for value, code := range map[float64]backoff.Code{
		1e6 / 3.0: backoff.ErrRatioTooFine,
		1000001:   backoff.ErrRatioTooFine,
		0.5:       backoff.ErrTooSmall,
	} {
		_, err := backoff.NewPolicy(backoff.Exponential, time.Second, backoff.WithMultiplier(value))
		if !errors.Is(err, code) {
			t.Errorf("multiplier %v: %v, want %v", value, err, code)
		}
	}
}

// NoLimit is no limit: it does not stop the longest wait.
func TestNoLimit(t *testing.T) {
	plain := parsePolicy(t, "exponential:base=1s,retry_after_max=none")
	limits := []backoff.Option{backoff.WithCap(backoff.NoLimit), backoff.WithMaxElapsed(backoff.NoLimit), backoff.WithRetryAfterMax(backoff.NoLimit), backoff.WithRetryAfterMaxExtra(backoff.NoLimit)}
	if got, err := backoff.NewPolicy(backoff.Exponential, time.Second, limits...); err != nil || got != plain {
		t.Errorf("made %v, %v, want %v", got, err, plain)
	}
	longest := parsePolicy(t, "constant:base=9223372036854775807ns")
	for deadline, want := range map[time.Duration]backoff.Decision{
		backoff.NoLimit:     {Wait: true, Delay: math.MaxInt64},
		backoff.NoLimit - 1: {Delay: math.MaxInt64, Reason: backoff.StopDeadline},
	} {
		operation, err := longest.Begin(backoff.StreamFromSeed(42), time.Hour, backoff.WithDeadline(deadline))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := operation.Decide(backoff.OutcomeTransient, time.Hour); got != want || err != nil {
			t.Errorf("with the deadline %v: decided %+v, %v, want %+v", deadline, got, err, want)
		}
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))
	defer cancel()
	err := backoff.Do(ctx, func() error { return errBusy }, backoff.WithPolicyString("constant:base=9223372036854775807ns,max_retries=1"),
		backoff.RetryIf(backoff.AnyError), backoff.WithClock(stoppedClock{}))
	checkEnd(t, err, errBusy, backoff.StopMaxRetries, 2)
}

// A stoppedClock does not advance.
type stoppedClock struct{}

func (stoppedClock) Now() time.Duration { return time.Hour }

func (stoppedClock) Sleep(context.Context, time.Duration) {}
