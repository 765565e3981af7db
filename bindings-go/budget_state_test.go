package backoff_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A full state does not depend on what the budget itself has spent.
func TestFullBudgetState(t *testing.T) {
	budget := parseBudget(t, "quota:max_tokens=10")
	operation := beginOrFail(t, parsePolicy(t, "constant:base=1s"), backoff.WithBudget(budget))
	if decision, err := operation.Decide(backoff.OutcomeTransient, 0); err != nil || !decision.Wait {
		t.Fatalf("%+v, %v", decision, err)
	}
	state, err := backoff.FullBudgetState(budget)
	if err != nil || state.String() != "0 10" || state.Version() != 0 {
		t.Errorf("%v, %v", state, err)
	}
	next, answer, err := state.Step(backoff.BudgetEvent{Kind: backoff.BudgetRetryRequested, Outcome: backoff.OutcomeTransient}, time.Hour)
	if err != nil || next.String() != "1 5" || next.Version() != 1 || answer != (backoff.BudgetAnswer{Granted: true, Held: 5}) {
		t.Errorf("%v, %+v, %v", next, answer, err)
	}
	if state.String() != "0 10" || state == next {
		t.Errorf("the state itself is %v", state)
	}
}

func TestInvalidArgumentsOfBudgetStates(t *testing.T) {
	budget := parseBudget(t, "rate")
	state, err := backoff.FullBudgetState(budget)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		event backoff.BudgetEvent
		now   time.Duration
		code  backoff.Code
		field string
		want  string
	}{
		{backoff.BudgetEvent{}, 0, backoff.ErrUnknownEvent, "event", "event 0 is unknown"},
		{backoff.BudgetEvent{Kind: 7}, 0, backoff.ErrUnknownEvent, "event", "event 7 is unknown"},
		{backoff.BudgetEvent{Kind: backoff.BudgetRetryRequested}, 0, backoff.ErrUnknownOutcome, "outcome", "outcome 0 is unknown"},
		{backoff.BudgetEvent{Kind: backoff.BudgetRetryRequested, Outcome: 6}, 0, backoff.ErrUnknownOutcome, "outcome", "outcome 6 is unknown"},
		{backoff.BudgetEvent{Kind: backoff.BudgetOperationBegan}, -1, backoff.ErrNegative, "now", "now -1ns is below 0s"},
	} {
		next, answer, err := state.Step(row.event, row.now)
		checkArgument(t, err, row.code, row.field, row.want)
		if next != state || answer != (backoff.BudgetAnswer{}) {
			t.Errorf("%s: %v, %+v", row.want, next, answer)
		}
	}
	long := strings.Repeat("1", 2000)
	_, err = backoff.ParseBudgetState(budget, long)
	checkArgument(t, err, backoff.ErrNotAState, "state", `state "`+long[:128]+`..." is not a state of the budget rate`)
	_, err = backoff.ParseBudgetState(budget, "no state")
	checkArgument(t, err, backoff.ErrNotAState, "state", `state "no state" is not a state of the budget rate`)
	if !errors.Is(backoff.Permanent(err), backoff.ErrNotAState) {
		t.Error("the code is not in the error")
	}
}

func TestInvalidArgumentsOfResume(t *testing.T) {
	policy, stream := parsePolicy(t, "default"), backoff.StreamFromSeed(42)
	for _, row := range []struct {
		began   time.Duration
		options []backoff.BeginOption
		code    backoff.Code
		field   string
		want    string
	}{
		{-1, nil, backoff.ErrNegative, "began", "began -1ns is below 0s"},
		{0, []backoff.BeginOption{nil}, backoff.ErrMissing, "option", "option is nil"},
		{0, []backoff.BeginOption{backoff.WithDeadline(-1)}, backoff.ErrNegative, "deadline", "deadline -1ns is below 0s"},
		{0, []backoff.BeginOption{backoff.WithBudget(parseBudget(t, "ratio"))}, backoff.ErrUnused, "budget", "budget has no effect on ResumeOperation: what the operation held is not known"},
	} {
		operation, err := backoff.ResumeOperation(policy, stream, 3, row.began, row.options...)
		checkArgument(t, err, row.code, row.field, row.want)
		if operation != nil {
			t.Errorf("%s: %v", row.want, operation)
		}
	}
	if operation, err := backoff.ResumeOperation(policy, stream, 3, 0, backoff.WithBudget(nil), backoff.WithDeadline(backoff.NoLimit)); err != nil || operation.Attempts() != 4 {
		t.Errorf("%v, %v", operation, err)
	}
}

// A refused retry frees its slot in a budget of this process.
func TestRefuseRetryWithABudget(t *testing.T) {
	budget := parseBudget(t, "concurrent:min_concurrent=1,ratio=0")
	policy := parsePolicy(t, "constant:base=1s")
	for range 3 { // each would keep the only slot
		operation := beginOrFail(t, policy, backoff.WithBudget(budget))
		if decision, err := operation.Decide(backoff.OutcomeTransient, 0); err != nil || !decision.Wait {
			t.Fatalf("%+v, %v", decision, err)
		}
		if got := operation.RefuseRetry(); got != backoff.StopBudget || operation.Retries() != 0 {
			t.Errorf("%v after %d retries", got, operation.Retries())
		}
	}
}
