package backoff_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func TestArgumentsThatAreNoField(t *testing.T) {
	option := func(option backoff.Option) func() (any, error) {
		return func() (any, error) { return policyOrNil(backoff.Exponential, time.Second, option) }
	}
	notQuite := 0.1
	notQuite += 1.1
	rows := []struct {
		make        func() (any, error)
		field, want string
	}{
		{func() (any, error) { return policyOrNil(backoff.Constant, -1) }, "base", "base -1ns is below 0s"},
		{option(backoff.WithIncrement(-time.Second)), "increment", "increment -1s is below 0s"},
		{option(backoff.WithOffset(-time.Second)), "offset", "offset -1s is below 0s"},
		{option(backoff.WithCap(-time.Second)), "cap", "cap -1s is below 0s"},
		{option(backoff.WithFloor(-time.Second)), "floor", "floor -1s is below 0s"},
		{option(backoff.WithJitterMax(-time.Second)), "jitter_max", "jitter_max -1s is below 0s"},
		{option(backoff.WithJitterIncrement(-1)), "jitter_increment", "jitter_increment -1ns is below 0s"},
		{option(backoff.WithJitterSlot(math.MinInt64)), "jitter_slot", "jitter_slot -2562047h47m16.854775808s is below 0s"},
		{option(backoff.WithMultiplier(math.NaN())), "multiplier", "multiplier NaN is no ratio of whole numbers"},
		{option(backoff.WithMultiplier(math.Inf(1))), "multiplier", "multiplier +Inf is no ratio of whole numbers"},
		{option(backoff.WithMultiplier(math.Inf(-1))), "multiplier", "multiplier -Inf is below 0"},
		{option(backoff.WithMultiplier(-2)), "multiplier", "multiplier -2 is below 0"},
		{option(backoff.WithMultiplier(1e300)), "multiplier", "multiplier 1e+300 has a term above 4294967295 as a ratio"},
		{option(backoff.WithMultiplier(4.0 / 3)), "multiplier", "multiplier 1.3333333333333333 has a term above 4294967295 as a ratio"},
		{option(backoff.WithMultiplier(notQuite)), "multiplier", "multiplier 1.2000000000000002 has a term above 4294967295 as a ratio"},
		{option(backoff.WithJitterBelow(-0.5)), "jitter_below", "jitter_below -0.5 is below 0"},
		{option(backoff.WithJitterBelow(5e-324)), "jitter_below", "jitter_below 5e-324 has a term above 4294967295 as a ratio"},
		{option(backoff.WithJitterAbove(math.NaN())), "jitter_above", "jitter_above NaN is no ratio of whole numbers"},
		{option(nil), "option", "option <nil> gives no field"},
		{func() (any, error) { return streamOrNil("\xed\xa0\x80") }, "key", `key "\xed\xa0\x80" is not valid UTF-8`},
		{func() (any, error) { return streamOrNil("job-\xff") }, "key", `key "job-\xff" is not valid UTF-8`},
	}
	for _, row := range rows {
		t.Run(row.want, func(t *testing.T) {
			made, err := row.make()
			var refused *backoff.ArgumentError
			if !errors.As(err, &refused) || err.Error() != row.want || refused.Field != row.field {
				t.Errorf("got %v", err)
			}
			if made != nil {
				t.Error("what was refused is not the zero value")
			}
		})
	}
}

// Floats reach the core as the decimals that they are written as.
func TestFloatsAreExactRatios(t *testing.T) {
	rows := []struct {
		float, ratio backoff.Option
	}{
		{backoff.WithMultiplier(1.6), backoff.WithMultiplierRatio(8, 5)},
		{backoff.WithMultiplier(1.01), backoff.WithMultiplierRatio(101, 100)},
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
		float              float64
		numerator, divisor uint32
	}{{0.2, 1, 5}, {0.000001, 1, 1000000}, {1, 1, 1}, {0, 0, 1}, {math.Copysign(0, -1), 0, 1}}
	for _, part := range parts {
		got, err := proportional(backoff.WithJitterBelow(part.float), backoff.WithJitterAbove(part.float))
		want, wantErr := proportional(backoff.WithJitterBelowRatio(part.numerator, part.divisor), backoff.WithJitterAboveRatio(part.numerator, part.divisor))
		if err != nil || wantErr != nil || got != want {
			t.Errorf("%v: %v, %v", part.float, err, wantErr)
		}
	}
}

func TestTheZeroValues(t *testing.T) {
	var policy backoff.Policy
	var iterator backoff.Backoff
	untouched := []time.Duration{7}
	if policy.Delay(backoff.SeedStream(42), 3) != 0 || policy.Window(3) != 0 {
		t.Error("the zero Policy has a delay or a window")
	}
	if n := policy.Fill(backoff.SeedStream(42), 0, untouched); n != 0 || untouched[0] != 7 {
		t.Errorf("the zero Policy fills %d: %d", n, untouched)
	}
	for name, b := range map[string]*backoff.Backoff{"zero Backoff": &iterator, "zero Policy": backoff.New(policy, backoff.SeedStream(42))} {
		b.Reset()
		if delay, ok := b.Next(); delay != 0 || ok || b.Index() != 0 {
			t.Errorf("%s: Next gives %d, %t", name, delay, ok)
		}
		for delay := range b.All() {
			t.Errorf("%s: All gives %d", name, delay)
			break
		}
	}
	if (backoff.Stream{}) != backoff.SeedStream(0) {
		t.Error("the zero Stream is not that of seed 0")
	}
}

func TestNothingToFill(t *testing.T) {
	policy, err := backoff.NewPolicy(backoff.Constant, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for _, delays := range [][]time.Duration{nil, {}, make([]time.Duration, 0, 4)} {
		if n := policy.Fill(backoff.SeedStream(42), math.MaxUint32, delays); n != 0 {
			t.Errorf("filled %d of none", n)
		}
	}
	if backoff.BytesKeyStream(42, nil) != backoff.BytesKeyStream(42, []byte{}) {
		t.Error("no bytes are not the empty key")
	}
}

// The core lists the names of the kinds in the messages about unknown ones.
func TestKindsHaveTheNamesOfTheCore(t *testing.T) {
	rows := map[string][]string{
		"growth-6": {backoff.Constant.String(), backoff.Linear.String(), backoff.Exponential.String(), backoff.Polynomial.String(), backoff.Fibonacci.String()},
		"jitter-8": {backoff.NoJitter.String(), backoff.FullJitter.String(), backoff.EqualJitter.String(), backoff.ProportionalJitter.String(), backoff.AdditiveJitter.String(), backoff.DecorrelatedJitter.String(), backoff.SlottedJitter.String()},
		"cap_on-3": {backoff.CapOnWindow.String(), backoff.CapOnResult.String()},
	}
	for id, names := range rows {
		message := find(t, "errors", id).Error.Message
		if _, want, _ := strings.Cut(message, "the kinds are "); strings.Join(names, ", ") != want {
			t.Errorf("the kinds are %v, want %s", names, want)
		}
	}
	for want, got := range map[string]string{"0": backoff.Growth(0).String(), "8": backoff.Jitter(8).String(), "4294967295": backoff.CapOn(math.MaxUint32).String()} {
		if got != want {
			t.Errorf("the name of %s, which is no kind, is %s", want, got)
		}
	}
}

// Every sentinel is the code that a vector has by that name, and every code of the vectors
// has one.
func TestSentinels(t *testing.T) {
	sentinels := map[string]backoff.Code{
		"unknown_kind":     backoff.ErrUnknownKind,
		"missing":          backoff.ErrMissing,
		"unused":           backoff.ErrUnused,
		"too_large":        backoff.ErrTooLarge,
		"too_small":        backoff.ErrTooSmall,
		"zero_denominator": backoff.ErrZeroDenominator,
		"ratio_too_fine":   backoff.ErrRatioTooFine,
		"not_exponential":  backoff.ErrNotExponential,
		"cap_below_base":   backoff.ErrCapBelowBase,
		"offset_above_cap": backoff.ErrOffsetAboveCap,
		"floor_above_cap":  backoff.ErrFloorAboveCap,
		"growth_stalls":    backoff.ErrGrowthStalls,
	}
	for name, code := range sentinels {
		if code.Error() != name {
			t.Errorf("%d is %s, want %s", uint32(code), code, name)
		}
	}
	seen := make(map[string]bool)
	for _, c := range load(t, "errors") {
		seen[c.Error.Code] = true
		if _, ok := sentinels[c.Error.Code]; !ok {
			t.Errorf("%s has no sentinel", c.Error.Code)
		}
	}
	if len(seen) != len(sentinels) {
		t.Errorf("%d codes have vectors, want %d", len(seen), len(sentinels))
	}
}

func proportional(options ...backoff.Option) (backoff.Policy, error) {
	options = append(options, backoff.WithJitter(backoff.ProportionalJitter))
	return backoff.NewPolicy(backoff.Exponential, time.Second, options...)
}

func policyOrNil(growth backoff.Growth, base time.Duration, options ...backoff.Option) (any, error) {
	policy, err := backoff.NewPolicy(growth, base, options...)
	if policy == (backoff.Policy{}) {
		return nil, err
	}
	return policy, err
}

func streamOrNil(key string) (any, error) {
	stream, err := backoff.KeyStream(42, key)
	if stream == (backoff.Stream{}) {
		return nil, err
	}
	return stream, err
}

func TestAFloatThatIsTooFineIsToldByItsCode(t *testing.T) {
	for value, code := range map[float64]backoff.Code{
		4.0 / 3: backoff.ErrRatioTooFine, // refused here, with terms above 32 bits
		1000001: backoff.ErrRatioTooFine, // refused by the core
		0.5:     backoff.ErrTooSmall,
	} {
		_, err := backoff.NewPolicy(backoff.Exponential, time.Second, backoff.WithMultiplier(value))
		if !errors.Is(err, code) {
			t.Errorf("multiplier %v: %v, want %v", value, err, code)
		}
	}
}
