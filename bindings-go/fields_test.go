package backoff_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// policyOfFields makes a policy of the values that Fields returns, with the options of their names.
func policyOfFields(f backoff.PolicyFields) (backoff.Policy, error) {
	options := []backoff.Option{
		backoff.WithAttemptTimeout(f.AttemptTimeout), backoff.WithResetAfter(f.ResetAfter), backoff.WithElapsedFrom(f.ElapsedFrom),
		backoff.WithCap(f.Cap), backoff.WithCapOn(f.CapOn), backoff.WithFloor(f.Floor), backoff.WithJitter(f.Jitter),
		backoff.WithMaxAttempts(f.MaxAttempts), backoff.WithMaxElapsed(f.MaxElapsed),
		backoff.WithRetryAfterMode(f.RetryAfter), backoff.WithRetryAfterMax(f.RetryAfterMax),
		backoff.WithRetryAfterMaxExtra(f.RetryAfterMaxExtra),
	}
	if f.Growth == backoff.Steps {
		options = append(options, backoff.WithWaits(f.Waits...))
	} else {
		options = append(options, backoff.WithThrottledBase(f.ThrottledBase))
	}
	switch f.Growth {
	case backoff.Linear:
		options = append(options, backoff.WithIncrement(f.Increment))
	case backoff.Exponential:
		options = append(options, backoff.WithMultiplierRatio(f.Multiplier.Numerator, f.Multiplier.Denominator))
	case backoff.Polynomial:
		options = append(options, backoff.WithPower(f.Power), backoff.WithOrigin(f.Origin))
	}
	switch f.Jitter {
	case backoff.ProportionalJitter:
		options = append(options, backoff.WithJitterBelowRatio(f.JitterBelow.Numerator, f.JitterBelow.Denominator),
			backoff.WithJitterAboveRatio(f.JitterAbove.Numerator, f.JitterAbove.Denominator))
	case backoff.AdditiveJitter:
		options = append(options, backoff.WithJitterMax(f.JitterMax), backoff.WithJitterIncrement(f.JitterIncrement))
	case backoff.SlottedJitter:
		options = append(options, backoff.WithJitterSlot(f.JitterSlot))
	}
	if f.Jitter != backoff.DecorrelatedJitter {
		options = append(options, backoff.WithOffset(f.Offset))
	}
	return backoff.NewPolicy(f.Growth, f.Base, options...)
}

// budgetOfFields makes a budget of the values that Fields returns.
func budgetOfFields(kind string, f backoff.BudgetFields) (*backoff.Budget, error) {
	var pairs []string
	add := func(name string, value any) { pairs = append(pairs, fmt.Sprintf("%s=%v", name, value)) }
	addRatio := func() { add("ratio", fmt.Sprintf("%d/%d", f.Ratio.Numerator, f.Ratio.Denominator)) }
	switch kind {
	case "quota":
		add("max_tokens", f.MaxTokens)
		add("cost", f.Cost)
		add("cost_throttled", f.CostThrottled)
		add("cost_timeout", f.CostTimeout)
	case "throttle", "ratio":
		add("max_tokens", f.MaxTokens)
		addRatio()
	case "rate":
		add("max_tokens", f.MaxTokens)
		add("per", fmt.Sprintf("%dns", f.Per))
	case "ttl":
		addRatio()
		add("ttl", fmt.Sprintf("%dns", f.TTL))
		add("min_per_second", f.MinPerSecond)
	case "concurrent":
		addRatio()
		add("min_concurrent", f.MinConcurrent)
	}
	return backoff.ParseBudget(kind + ":" + strings.Join(pairs, ","))
}

func checkFields(t *testing.T, of, text string) {
	t.Helper()
	if of == "budget" {
		budget := parseBudget(t, text)
		if made, err := budgetOfFields(budget.Kind(), budget.Fields()); err != nil || made.String() != budget.String() {
			t.Errorf("the fields of %v make %v, %v", budget, made, err)
		}
		return
	}
	policy := parsePolicy(t, text)
	if made, err := policyOfFields(policy.Fields()); err != nil || made != policy {
		t.Errorf("the fields of %v make %v, %v", policy, made, err)
	}
	if fields := policy.Fields(); fields.MaxRetries != policy.MaxRetries() || fields.MaxAttempts != fields.MaxRetries+1 {
		t.Errorf("max_retries %d and max_attempts %d of %v", fields.MaxRetries, fields.MaxAttempts, policy)
	}
}

// checkFieldValues compares fields with those of a vector, by their names.
func checkFieldValues(t *testing.T, fields backoff.PolicyFields, want fieldTexts) {
	t.Helper()
	values := reflect.ValueOf(fields)
	for name, text := range want {
		value := values.FieldByNameFunc(func(field string) bool {
			return strings.EqualFold(field, strings.ReplaceAll(name, "_", ""))
		})
		var got string
		switch value := value.Interface().(type) {
		case time.Duration:
			got = strconv.FormatInt(int64(value), 10)
		case backoff.Ratio:
			got = fmt.Sprintf("%d/%d", value.Numerator, value.Denominator)
		case []time.Duration:
			var waits []string
			for _, wait := range value {
				waits = append(waits, strconv.FormatInt(int64(wait), 10))
			}
			got = strings.Join(waits, "/")
		default:
			got = fmt.Sprint(value)
		}
		if got != text {
			t.Errorf("%s is %s, want %s", name, got, text)
		}
	}
}

func TestUnusedFieldsAreZero(t *testing.T) {
	const noRetries, noAttempts = 1 << 32, 1<<32 + 1
	want := backoff.PolicyFields{
		Growth: backoff.Constant, Base: time.Second, Cap: backoff.NoLimit, CapOn: backoff.CapOnWindow, Jitter: backoff.NoJitter,
		MaxRetries: noRetries, MaxAttempts: noAttempts, MaxElapsed: backoff.NoLimit, ThrottledBase: time.Second,
		RetryAfter: backoff.RetryAfterAtLeast, RetryAfterMax: time.Hour, RetryAfterMaxExtra: backoff.NoLimit,
		AttemptTimeout: backoff.NoLimit, ResetAfter: backoff.NoLimit, ElapsedFrom: backoff.ElapsedFromBegin,
	}
	if got := parsePolicy(t, "constant:base=1s").Fields(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (backoff.Policy{}).Fields(); !reflect.DeepEqual(got, backoff.PolicyFields{}) {
		t.Errorf("the zero Policy has %+v", got)
	}
	if got, want := parseBudget(t, "rate").Fields(), (backoff.BudgetFields{MaxTokens: 60, Per: time.Minute}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, budget := range []*backoff.Budget{nil, new(backoff.Budget)} {
		if budget.Kind() != "" || budget.Fields() != (backoff.BudgetFields{}) {
			t.Errorf("%v is %q: %+v", budget, budget.Kind(), budget.Fields())
		}
	}
}
