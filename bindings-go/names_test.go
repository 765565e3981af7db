package backoff_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// The messages of the vectors about unknown kinds list all names.
func TestKindNames(t *testing.T) {
	rows := map[string][]string{
		"growth-7":       {backoff.Constant.String(), backoff.Linear.String(), backoff.Exponential.String(), backoff.Polynomial.String(), backoff.Fibonacci.String(), backoff.Steps.String()},
		"jitter-8":       {backoff.NoJitter.String(), backoff.FullJitter.String(), backoff.EqualJitter.String(), backoff.ProportionalJitter.String(), backoff.AdditiveJitter.String(), backoff.DecorrelatedJitter.String(), backoff.SlottedJitter.String()},
		"cap_on-3":       {backoff.CapOnWindow.String(), backoff.CapOnDelay.String()},
		"elapsed_from-3": {backoff.ElapsedFromBegin.String(), backoff.ElapsedFromFailure.String()},
		"retry_after-4":  {backoff.RetryAfterAtLeast.String(), backoff.RetryAfterExact.String(), backoff.RetryAfterSpread.String()},
	}
	for _, c := range load[vector](t, "errors") {
		if names := rows[c.ID]; names != nil {
			if _, want, _ := strings.Cut(c.Error.Message, "the kinds are "); strings.Join(names, ", ") != want {
				t.Errorf("the kinds are %v, want %s", names, want)
			}
			delete(rows, c.ID)
		}
	}
	if len(rows) > 0 {
		t.Errorf("no vectors for %v", rows)
	}
}

func TestUnknownNumbersPrintAsNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0":          backoff.Growth(0).String(),
		"8":          backoff.Jitter(8).String(),
		"4294967295": backoff.CapOn(math.MaxUint32).String(),
		"4":          backoff.RetryAfterMode(4).String(),
		"6":          backoff.Outcome(6).String(),
		"9":          backoff.StopReason(9).String(),
	} {
		if got != want {
			t.Errorf("%s prints as %s", want, got)
		}
	}
}

func TestOutcomeAndReasonNames(t *testing.T) {
	outcomes := map[backoff.Outcome]string{
		0: "none", backoff.OutcomeSuccess: "success", backoff.OutcomeTransient: "transient", backoff.OutcomeThrottled: "throttled",
		backoff.OutcomeTimeout: "timeout", backoff.OutcomePermanent: "permanent",
	}
	reasons := map[backoff.StopReason]string{
		0: "none", backoff.StopSuccess: "success", backoff.StopPermanent: "permanent", backoff.StopMaxRetries: "max_retries",
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
	if len(outcomes) != 6 || len(reasons) != 8 {
		t.Errorf("%d outcomes and %d reasons differ", len(outcomes), len(reasons))
	}
}

// A log in JSON shows names, not numbers.
func TestEnumsMarshalAsNames(t *testing.T) {
	got, err := json.Marshal([]any{
		backoff.Exponential, backoff.FullJitter, backoff.CapOnDelay, backoff.RetryAfterSpread,
		backoff.OutcomeThrottled, backoff.StopMaxRetries, backoff.StopReason(0), backoff.ErrCapBelowBase, backoff.ErrNegative,
	})
	want := `["exponential","full","delay","spread","throttled","max_retries","none","cap_below_base","negative"]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// What MarshalText writes for a known value or one that is not set, UnmarshalText reads, also as a key of a
// map.
func TestEnumsUnmarshalFromNames(t *testing.T) {
	type enums struct {
		Growth     backoff.Growth
		Jitter     backoff.Jitter
		CapOn      backoff.CapOn
		RetryAfter backoff.RetryAfterMode
		Outcome    backoff.Outcome
		Reason     backoff.StopReason
		Stops      map[backoff.StopReason]int
	}
	for _, want := range []enums{
		{},
		{backoff.Constant, backoff.NoJitter, backoff.CapOnWindow, backoff.RetryAfterAtLeast, 0, 0, nil},
		{backoff.Fibonacci, backoff.SlottedJitter, backoff.CapOnDelay, backoff.RetryAfterSpread, backoff.OutcomePermanent, backoff.StopCancelled, map[backoff.StopReason]int{backoff.StopBudget: 2}},
	} {
		var got enums
		text, err := json.Marshal(want)
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads as %+v, %v", text, got, err)
		}
	}
}

// A number without a name would be written as a text that nobody can read.
func TestUnknownNumbersDoNotMarshal(t *testing.T) {
	for _, row := range []struct {
		value encoding.TextMarshaler
		code  backoff.Code
		field string
		want  string
	}{
		{backoff.Growth(7), backoff.ErrUnknownKind, "growth", "growth 7 is unknown"},
		{backoff.Jitter(8), backoff.ErrUnknownKind, "jitter", "jitter 8 is unknown"},
		{backoff.CapOn(3), backoff.ErrUnknownKind, "cap_on", "cap_on 3 is unknown"},
		{backoff.RetryAfterMode(math.MaxUint32), backoff.ErrUnknownKind, "retry_after", "retry_after 4294967295 is unknown"},
		{backoff.Outcome(6), backoff.ErrUnknownOutcome, "outcome", "outcome 6 is unknown"},
		{backoff.StopReason(8), backoff.ErrUnknownReason, "reason", "reason 8 is unknown"},
	} {
		_, err := row.value.MarshalText()
		checkArgument(t, err, row.code, row.field, row.want)
		if _, err := json.Marshal(row.value); !errors.Is(err, row.code) {
			t.Errorf("%v in JSON: %v", row.value, err)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	growth, outcome, reason := backoff.Linear, backoff.OutcomeTimeout, backoff.StopBudget
	for _, row := range []struct {
		target encoding.TextUnmarshaler
		text   string
		code   backoff.Code
		field  string
		want   string
	}{
		{&growth, "full", backoff.ErrUnknownKind, "growth", `growth "full" is unknown; the names are constant, linear, exponential, polynomial, fibonacci, steps`},
		{&growth, "none", backoff.ErrUnknownKind, "growth", `growth "none" is unknown; the names are constant, linear, exponential, polynomial, fibonacci, steps`},
		{&growth, "0", backoff.ErrUnknownKind, "growth", `growth "0" is unknown; the names are constant, linear, exponential, polynomial, fibonacci, steps`},
		{&outcome, "", backoff.ErrUnknownOutcome, "outcome", `outcome "" is unknown; the names are none, success, transient, throttled, timeout, permanent`},
		{&reason, "unknown_reason", backoff.ErrUnknownReason, "reason", `reason "unknown_reason" is unknown; the names are none, success, permanent, max_retries, max_elapsed, deadline, budget, cancelled`},
	} {
		checkArgument(t, row.target.UnmarshalText([]byte(row.text)), row.code, row.field, row.want)
	}
	if growth != backoff.Linear || outcome != backoff.OutcomeTimeout || reason != backoff.StopBudget {
		t.Errorf("changed to %v, %v, %v", growth, outcome, reason)
	}
}

// Linters report an ignored error, and `defer operation.Cancel()` ignores a StopReason.
func TestStopReasonIsNotAnError(t *testing.T) {
	if _, ok := any(backoff.StopBudget).(error); ok {
		t.Error("StopReason is an error")
	}
}

// The constants have the names that errors of the core print.
func TestCodes(t *testing.T) {
	for name, code := range map[string]backoff.Code{
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
		"unknown_outcome":   backoff.ErrUnknownOutcome,
		"unknown_reason":    backoff.ErrUnknownReason,
		"damaged":           backoff.ErrDamaged,
		"not_a_state":       backoff.ErrNotAState,
		"unknown_event":     backoff.ErrUnknownEvent,
		"negative":          backoff.ErrNegative,
		"not_finite":        backoff.ErrNotFinite,
		"not_unicode":       backoff.ErrNotUnicode,
		"wrong_type":        backoff.ErrWrongType,
		"none":              backoff.Code(0),
	} {
		if code.Error() != name {
			t.Errorf("%d is %s, want %s", uint32(code), code, name)
		}
	}
}
