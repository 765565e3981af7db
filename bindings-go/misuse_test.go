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
		{option(backoff.WithMaxElapsed(-1)), "max_elapsed", "max_elapsed -1ns is below 0s"},
		{option(backoff.WithThrottledBase(-1)), "throttled_base", "throttled_base -1ns is below 0s"},
		{option(backoff.WithHintMax(-1)), "hint_max", "hint_max -1ns is below 0s"},
		{option(backoff.WithHintMaxExtra(-1)), "hint_max_extra", "hint_max_extra -1ns is below 0s"},
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
		{fitOrNil(backoff.Policy.FitBase, -1), "max_elapsed", "max_elapsed -1ns is below 0s"},
		{fitOrNil(backoff.Policy.FitCap, math.MinInt64), "max_elapsed", "max_elapsed -2562047h47m16.854775808s is below 0s"},
		{operationOrNil(t, -1), "now", "now -1ns is below 0s"},
		{operationOrNil(t, 0, backoff.WithDeadline(-time.Second)), "deadline", "deadline -1s is below 0s"},
		{operationOrNil(t, 0, nil), "option", "option <nil> gives nothing"},
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
		"hint-4":   {backoff.HintAtLeast.String(), backoff.HintExact.String(), backoff.HintSpread.String()},
	}
	for id, names := range rows {
		message := find(t, "errors", id).Error.Message
		if _, want, _ := strings.Cut(message, "the kinds are "); strings.Join(names, ", ") != want {
			t.Errorf("the kinds are %v, want %s", names, want)
		}
	}
	for want, got := range map[string]string{"0": backoff.Growth(0).String(), "8": backoff.Jitter(8).String(), "4294967295": backoff.CapOn(math.MaxUint32).String(), "4": backoff.Hint(4).String(), "6": backoff.Outcome(6).String(), "9": backoff.StopReason(9).String()} {
		if got != want {
			t.Errorf("the name of %s, which is no kind, is %s", want, got)
		}
	}
}

// The numbers are the core's, and so are the names.
func TestOutcomesAndReasonsHaveTheNamesOfTheCore(t *testing.T) {
	outcomes := map[backoff.Outcome]string{
		backoff.OutcomeSuccess: "success", backoff.OutcomeTransient: "transient", backoff.OutcomeThrottled: "throttled",
		backoff.OutcomeTimeout: "timeout", backoff.OutcomePermanent: "permanent",
	}
	reasons := map[backoff.StopReason]string{
		backoff.StopSuccess: "success", backoff.StopPermanent: "permanent", backoff.StopMaxRetries: "max_retries",
		backoff.StopMaxElapsed: "max_elapsed", backoff.StopDeadline: "deadline", backoff.StopBudget: "budget",
		backoff.StopCancelled: "cancelled",
	}
	for outcome, name := range outcomes {
		if outcome.String() != name {
			t.Errorf("%d is %v, want %s", uint32(outcome), outcome, name)
		}
	}
	for reason, name := range reasons {
		if reason.String() != name {
			t.Errorf("%d is %v, want %s", uint32(reason), reason, name)
		}
	}
	if len(outcomes) != 5 || len(reasons) != 7 {
		t.Errorf("%d outcomes and %d reasons differ", len(outcomes), len(reasons))
	}
}

// Every sentinel is the code that a vector has by that name, and every code of the vectors
// has one.
func TestSentinels(t *testing.T) {
	sentinels := map[string]backoff.Code{
		"unknown_kind":      backoff.ErrUnknownKind,
		"missing":           backoff.ErrMissing,
		"unused":            backoff.ErrUnused,
		"too_large":         backoff.ErrTooLarge,
		"too_small":         backoff.ErrTooSmall,
		"zero_denominator":  backoff.ErrZeroDenominator,
		"ratio_too_fine":    backoff.ErrRatioTooFine,
		"not_exponential":   backoff.ErrNotExponential,
		"cap_below_base":    backoff.ErrCapBelowBase,
		"offset_above_cap":  backoff.ErrOffsetAboveCap,
		"floor_above_cap":   backoff.ErrFloorAboveCap,
		"growth_stalls":     backoff.ErrGrowthStalls,
		"given_twice":       backoff.ErrGivenTwice,
		"unknown_head":      backoff.ErrUnknownHead,
		"unknown_key":       backoff.ErrUnknownKey,
		"repeated_key":      backoff.ErrRepeatedKey,
		"missing_value":     backoff.ErrMissingValue,
		"not_a_duration":    backoff.ErrNotADuration,
		"missing_unit":      backoff.ErrMissingUnit,
		"unknown_unit":      backoff.ErrUnknownUnit,
		"duration_too_fine": backoff.ErrDurationTooFine,
		"not_a_ratio":       backoff.ErrNotARatio,
		"not_a_count":       backoff.ErrNotACount,
		"text_too_long":     backoff.ErrTextTooLong,
		"does_not_fit":      backoff.ErrDoesNotFit,
	}
	for name, code := range sentinels {
		if code.Error() != name {
			t.Errorf("%d is %s, want %s", uint32(code), code, name)
		}
	}
	seen := make(map[string]bool)
	var codes []string
	for _, c := range load[vector](t, "errors") {
		codes = append(codes, c.Error.Code)
	}
	for _, c := range load[line](t, "text_errors") {
		codes = append(codes, c.Error.Code)
	}
	for _, c := range load[preview](t, "fits") {
		if c.Error != nil {
			codes = append(codes, c.Error.Code)
		}
	}
	for _, code := range codes {
		seen[code] = true
		if _, ok := sentinels[code]; !ok {
			t.Errorf("%s has no sentinel", code)
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

func fitOrNil(fit func(backoff.Policy, uint64, time.Duration) (backoff.Policy, error), total time.Duration) func() (any, error) {
	return func() (any, error) {
		policy, err := backoff.NewPolicy(backoff.Constant, time.Second)
		if err != nil {
			return policy, err
		}
		policy, err = fit(policy, 3, total)
		if policy == (backoff.Policy{}) {
			return nil, err
		}
		return policy, err
	}
}

func operationOrNil(t *testing.T, now time.Duration, options ...backoff.BeginOption) func() (any, error) {
	return func() (any, error) {
		operation, err := parsePolicy(t, "default").Begin(backoff.SeedStream(42), now, options...)
		if operation == nil {
			return nil, err
		}
		return operation, err
	}
}

// What is refused leaves the operation as it was, and ends a loop that goes on while it waits.
func TestArgumentsOfDecide(t *testing.T) {
	operation, err := parsePolicy(t, "constant:base=1s,max_retries=1").Begin(backoff.SeedStream(42), 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]backoff.Decision{
		"outcome 0 is unknown":          operation.Decide(0, 0),
		"outcome 6 is unknown":          operation.Decide(6, 0),
		"now -1ns is below 0s":          operation.Decide(backoff.OutcomeSuccess, -1),
		"hint -1s is below 0s":          operation.Decide(backoff.OutcomeTransient, 0, -time.Second),
		"hint -2s is below 0s":          operation.Decide(backoff.OutcomeTransient, 0, time.Second, -2*time.Second),
		"now -3ns is below 0s":          operation.Decide(0, -3, -1),
		"outcome 4294967295 is unknown": operation.Decide(math.MaxUint32, math.MaxInt64, math.MaxInt64),
	}
	for want, decision := range rows {
		var refused *backoff.ArgumentError
		if !errors.As(decision.Err, &refused) || refused.Error() != want {
			t.Errorf("got %v, want %s", decision.Err, want)
		}
		if decision.Err = nil; decision != (backoff.Decision{}) {
			t.Errorf("%s: %+v", want, decision)
		}
	}
	if operation.Retries() != 0 || operation.Stopped() != 0 {
		t.Errorf("after what was refused: %d retries, stopped by %v", operation.Retries(), operation.Stopped())
	}
	if got, want := operation.Decide(backoff.OutcomeTransient, 0, time.Minute, 3*time.Second), (backoff.Decision{Wait: true, Delay: 3 * time.Second}); got != want {
		t.Errorf("of two hints the last makes %+v, want %+v", got, want)
	}
}

func TestTheZeroValuesOfLines(t *testing.T) {
	var policy backoff.Policy
	var budget backoff.Budget
	var operation backoff.Operation
	fail := func(what string, err, want error) {
		t.Helper()
		if err != want {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	_, err := policy.MarshalText()
	fail("MarshalText", err, backoff.ErrNoPolicy)
	_, err = policy.AppendText(nil)
	fail("AppendText", err, backoff.ErrNoPolicy)
	_, err = policy.FitBase(3, time.Second)
	fail("FitBase", err, backoff.ErrNoPolicy)
	_, err = policy.FitCap(3, -time.Second)
	fail("FitCap", err, backoff.ErrNoPolicy)
	_, err = policy.Begin(backoff.SeedStream(42), 0)
	fail("Begin", err, backoff.ErrNoPolicy)
	for row := range policy.Preview() {
		t.Errorf("a row %+v", row)
		break
	}
	_, err = budget.MarshalText()
	fail("MarshalText", err, backoff.ErrNoBudget)
	_, err = parsePolicy(t, "default").Begin(backoff.SeedStream(42), 0, backoff.WithBudget(&budget))
	fail("Begin", err, backoff.ErrNoBudget)
	if policy.String() != "no policy" || budget.String() != "no budget" {
		t.Errorf("printed %v and %v", &policy, &budget)
	}
	for _, outcome := range []backoff.Outcome{backoff.OutcomeSuccess, backoff.OutcomeTransient, 9} {
		if got, want := operation.Decide(outcome, 0), (backoff.Decision{Err: backoff.ErrNoOperation}); got != want {
			t.Errorf("%v: %+v", outcome, got)
		}
	}
	if operation.Cancel() != 0 || operation.Stopped() != 0 || operation.Retries() != 0 || operation.Attempts() != 0 {
		t.Error("the zero Operation has come somewhere")
	}
	var history backoff.History
	if history.Counts() != (backoff.HistoryCounts{}) {
		t.Errorf("the zero History counts %+v", history.Counts())
	}
}

// Nil receivers behave as zero values, which nobody keeps.
func TestNilReceivers(t *testing.T) {
	var policy *backoff.Policy
	var budget *backoff.Budget
	var operation *backoff.Operation
	var history *backoff.History
	var iterator *backoff.Backoff

	if _, err := budget.MarshalText(); err != backoff.ErrNoBudget {
		t.Errorf("MarshalText: %v", err)
	}
	if err := budget.UnmarshalText([]byte("ratio")); err != backoff.ErrNoBudget {
		t.Errorf("UnmarshalText: %v", err)
	}
	if err := policy.UnmarshalText([]byte("full")); err != backoff.ErrNoPolicy {
		t.Errorf("UnmarshalText: %v", err)
	}
	if budget.String() != "no budget" {
		t.Errorf("printed %v", budget)
	}

	if got := operation.Decide(backoff.OutcomeSuccess, 0); got != (backoff.Decision{Err: backoff.ErrNoOperation}) {
		t.Errorf("decided %+v", got)
	}
	if operation.Cancel() != 0 || operation.Stopped() != 0 || operation.Retries() != 0 || operation.Attempts() != 0 {
		t.Error("a nil Operation has come somewhere")
	}

	var kept backoff.History
	if err := history.Record(3, backoff.StopSuccess); err != nil {
		t.Errorf("Record: %v", err)
	}
	var refused *backoff.ArgumentError
	if err := history.Record(3, 0); !errors.As(err, &refused) {
		t.Errorf("Record without a reason: %v", err)
	}
	if err := kept.Record(3, backoff.StopSuccess); err != nil {
		t.Fatal(err)
	}
	before := kept.Counts()
	kept.Merge(nil)
	history.Merge(&kept)
	if history.Counts() != (backoff.HistoryCounts{}) || kept.Counts() != before {
		t.Errorf("counted %+v and %+v", history.Counts(), kept.Counts())
	}
	if want := new(backoff.History).String(); history.String() != want {
		t.Errorf("printed %s, want %s", history, want)
	}

	iterator.Reset()
	if delay, ok := iterator.Next(); delay != 0 || ok || iterator.Index() != 0 || iterator.Stream() != (backoff.Stream{}) {
		t.Errorf("Next gives %d, %t", delay, ok)
	}
	for delay := range iterator.All() {
		t.Errorf("All gives %d", delay)
		break
	}
}

// An operation of no attempts has made one (SPEC 17.1).
func TestNoAttemptsAreOne(t *testing.T) {
	var history backoff.History
	if err := history.Record(0, backoff.StopCancelled); err != nil {
		t.Fatal(err)
	}
	want := backoff.HistoryCounts{Operations: 1, Attempts: 1}
	want.Buckets[0], want.Stops[backoff.StopCancelled] = 1, 1
	if got := history.Counts(); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// A budget that is none, on operations, is as if it were not there.
func TestABudgetThatIsNil(t *testing.T) {
	operation, err := parsePolicy(t, "constant:base=1s").Begin(backoff.SeedStream(42), 0, backoff.WithBudget(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got := operation.Decide(backoff.OutcomeTransient, 0); !got.Wait {
		t.Errorf("decided %+v", got)
	}
}

func TestReasonsThatAreNone(t *testing.T) {
	var history backoff.History
	for _, reason := range []backoff.StopReason{0, 8, math.MaxUint32} {
		var refused *backoff.ArgumentError
		if err := history.Record(1, reason); !errors.As(err, &refused) || refused.Field != "reason" {
			t.Errorf("%v: %v", reason, err)
		}
	}
	if history.Counts() != (backoff.HistoryCounts{}) {
		t.Errorf("counted %+v", history.Counts())
	}
}

func TestCountsStayAtTheLargestNumber(t *testing.T) {
	var history backoff.History
	for range 2 {
		if err := history.Record(math.MaxUint64-1, backoff.StopSuccess); err != nil {
			t.Fatal(err)
		}
	}
	if got := history.Counts(); got.Attempts != math.MaxUint64 || got.Operations != 2 || got.Retries != math.MaxUint64 {
		t.Errorf("counted %+v", got)
	}
}

func TestAWriterThatFails(t *testing.T) {
	var history backoff.History
	if n, err := history.WriteTo(failing{}); n != 5 || err != errFull {
		t.Errorf("wrote %d, %v", n, err)
	}
}

type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 5, errFull }

// Any bytes are a line: an error, of the right place, and never a panic.
func TestLinesOfAnyBytes(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, text := range []string{"", " ", "\x00", "\xff", "full\x00", "full:base=\xff", "default:\xed\xa0\x80=1", long, "default:" + long, " default", "default ", "default\n", ":", ",", "=", "::", "full:,", "full:=", "default:cap=\u0661s"} {
		policy, err := backoff.ParsePolicy(text)
		budget, budgetErr := backoff.ParseBudget(text)
		for _, err := range []error{err, budgetErr} {
			var refused *backoff.PolicyError
			if !errors.As(err, &refused) {
				t.Errorf("%.20q: %v", text, err)
			} else if refused.At < 0 || refused.At > len(text) || !strings.HasPrefix(text[refused.At:], refused.Found) {
				t.Errorf("%.20q: found %q at %d", text, refused.Found, refused.At)
			}
		}
		if policy != (backoff.Policy{}) || budget != nil {
			t.Errorf("%.20q makes %v, %v", text, policy, budget)
		}
		if hint, ok := backoff.ParseRetryAfter(text, time.Time{}); hint != 0 || ok {
			t.Errorf("%.20q is the hint %v, %t", text, hint, ok)
		}
	}
}

// Times that nanoseconds since 1970 have no number for are the nearest that one has.
func TestRetryAfterAtTheEndsOfTime(t *testing.T) {
	const date = "Thu, 01 Jan 1970 00:00:05 GMT"
	last := time.Unix(18446744073, 709551615)
	rows := []struct {
		header string
		now    time.Time
		want   time.Duration
	}{
		{date, time.Time{}, 5 * time.Second},
		{date, time.Unix(0, -1), 5 * time.Second},
		{date, time.Unix(1, 0), 4 * time.Second},
		{date, time.Unix(4, 999999999), 1},
		{"Sat, 01 Jan 9999 00:00:00 GMT", time.Unix(1, 0), math.MaxInt64},
		{"Sun, 21 Jul 2554 23:34:34 GMT", last.Add(-time.Nanosecond), 290448386},
		{"Sun, 21 Jul 2554 23:34:34 GMT", last, 290448385},
		{"Sun, 21 Jul 2554 23:34:34 GMT", last.Add(time.Nanosecond), 290448385},
		{"Sun, 21 Jul 2554 23:34:34 GMT", time.Unix(math.MaxInt64, 999999999), 290448385},
	}
	for _, row := range rows {
		if hint, ok := backoff.ParseRetryAfter(row.header, row.now); hint != row.want || !ok {
			t.Errorf("%s at %v: %d, %t, want %d", row.header, row.now, hint, ok, row.want)
		}
	}
}

// Numbers that are no status, among them one that is 200 in 32 bits.
func TestHTTPOutcomeOfNoStatus(t *testing.T) {
	wrapped := uint64(1<<32 + 200)
	for _, status := range []int{math.MinInt, -200, -1, 65536 + 200, int(wrapped), math.MaxInt} {
		if got := backoff.HTTPOutcome(status); got != backoff.OutcomePermanent {
			t.Errorf("%d is %v", status, got)
		}
	}
}
