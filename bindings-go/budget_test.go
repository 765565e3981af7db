package backoff_test

import (
	"encoding/json"
	"errors"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

const damagedMessage = "budget was damaged, or copied while it was in use"

// A damaged budget is an error wherever it is used, not a panic and not an endless wait.
func TestDamagedBudgets(t *testing.T) {
	for _, text := range []string{"quota", "throttle", "ratio", "rate", "ttl", "concurrent"} {
		budget, policy := parseBudget(t, text), parsePolicy(t, "constant:base=1s")
		begun, waiting := beginOrFail(t, policy, backoff.WithBudget(budget)), beginOrFail(t, policy, backoff.WithBudget(budget))
		if decision, err := waiting.Decide(backoff.OutcomeTransient, 0); !decision.Wait || err != nil {
			t.Fatalf("%s: decided %+v, %v", text, decision, err)
		}
		budget.Damage()
		check := func(err error) {
			t.Helper()
			checkArgument(t, err, backoff.ErrDamaged, "budget", damagedMessage)
		}
		_, err := policy.Begin(backoff.StreamFromSeed(42), 0, backoff.WithBudget(budget))
		check(err)
		for _, outcome := range []backoff.Outcome{backoff.OutcomeSuccess, backoff.OutcomeTransient, backoff.OutcomePermanent} {
			decision, err := begun.Decide(outcome, 0)
			check(err)
			if decision != (backoff.Decision{}) || begun.Reason() != 0 {
				t.Errorf("%s: decided %+v; the reason is %v", text, decision, begun.Reason())
			}
		}
		for _, operation := range []*backoff.Operation{begun, waiting} {
			if got := operation.Cancel(); got != backoff.StopCancelled || operation.Reason() != backoff.StopCancelled {
				t.Errorf("%s: cancelling returns %v, and the reason is %v", text, got, operation.Reason())
			}
		}
		_, err = budget.MarshalText()
		check(err)
		_, err = json.Marshal(struct{ Budget *backoff.Budget }{budget})
		if !errors.Is(err, backoff.ErrDamaged) {
			t.Errorf("%s: JSON fails with %v", text, err)
		}
		if got := budget.String(); got != "damaged budget" {
			t.Errorf("%s: prints %s", text, got)
		}
		// It can be made new.
		if err := budget.UnmarshalText([]byte(text)); err != nil || budget.String() != parseBudget(t, text).String() {
			t.Errorf("%s: made again it is %v, %v", text, budget, err)
		}
	}
}

func beginOrFail(t testing.TB, policy backoff.Policy, options ...backoff.BeginOption) *backoff.Operation {
	t.Helper()
	operation, err := policy.Begin(backoff.StreamFromSeed(42), 0, options...)
	if err != nil {
		t.Fatal(err)
	}
	return operation
}
