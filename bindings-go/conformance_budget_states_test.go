package backoff_test

import (
	"errors"
	"math"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

type budgetStateCase struct {
	named
	Budget string  `json:"budget"`
	Start  *string `json:"start"`
	Steps  []struct {
		Event   backoff.BudgetEventKind `json:"event"`
		Outcome *backoff.Outcome        `json:"outcome"`
		Held    number                  `json:"held"`
		Now     number                  `json:"now"`
		Granted *bool                   `json:"granted"`
		Holds   number                  `json:"holds"`
		State   string                  `json:"state"`
	} `json:"steps"`
}

func checkBudgetStates(t *testing.T, c budgetStateCase) {
	budget := parseBudget(t, c.Budget)
	state, err := backoff.FullBudgetState(budget)
	if c.Start != nil {
		state, err = backoff.ParseBudgetState(budget, *c.Start)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range c.Steps {
		event := backoff.BudgetEvent{Kind: step.Event, Held: uint64(step.Held)}
		if step.Outcome != nil {
			event.Outcome = *step.Outcome
		}
		before := state
		next, answer, err := stepAt(state, event, uint64(step.Now))
		if err != nil || state != before {
			t.Fatalf("step %d: %v", i, err)
		}
		want := backoff.BudgetAnswer{Granted: step.Granted != nil && *step.Granted, Held: uint64(step.Holds)}
		if next.String() != step.State || answer != want {
			t.Fatalf("step %d: %v and %+v, want %s and %+v", i, next, answer, step.State, want)
		}
		if read, err := backoff.ParseBudgetState(budget, step.State); err != nil || read != next {
			t.Errorf("step %d: %s is read as %v, %v", i, step.State, read, err)
		}
		if (next == state) != (next.String() == state.String()) {
			t.Errorf("step %d: %v and %v", i, state, next)
		}
		state = next
	}
}

// stepAt uses the public API if the time fits into a time.Duration.
func stepAt(state backoff.BudgetState, event backoff.BudgetEvent, now uint64) (backoff.BudgetState, backoff.BudgetAnswer, error) {
	if now > math.MaxInt64 {
		return state.StepAt(event, now)
	}
	return state.Step(event, time.Duration(now))
}

type budgetStateText struct {
	named
	Budget string `json:"budget"`
	Text   string `json:"text"`
	Valid  bool   `json:"valid"`
}

func checkBudgetStateText(t *testing.T, c budgetStateText) {
	state, err := backoff.ParseBudgetState(parseBudget(t, c.Budget), c.Text)
	switch {
	case c.Valid && (err != nil || state.String() != c.Text):
		t.Errorf("read as %v, %v", state, err)
	case !c.Valid && (!errors.Is(err, backoff.ErrNotAState) || state != backoff.BudgetState{}):
		t.Errorf("read as %v, %v", state, err)
	}
}

type resumption struct {
	named
	Policy         string             `json:"policy"`
	Stream         number             `json:"stream"`
	Retries        number             `json:"retries"`
	Begun          number             `json:"begun"`
	Deadline       *number            `json:"deadline"`
	Now            number             `json:"now"`
	Outcome        backoff.Outcome    `json:"outcome"`
	RetryAfter     *number            `json:"retry_after"`
	Answer         answer             `json:"answer"`
	RetriesAfter   number             `json:"retries_after"`
	Refused        backoff.StopReason `json:"refused"`
	RetriesRefused number             `json:"retries_refused"`
}

func checkResumption(t *testing.T, c resumption) {
	policy, stream := parsePolicy(t, c.Policy), backoff.StreamFromSeed(uint64(c.Stream))
	deadline := number(none)
	if c.Deadline != nil {
		deadline = *c.Deadline
	}
	var operation *backoff.Operation
	var err error
	switch {
	case c.Begun > math.MaxInt64 || deadline > math.MaxInt64 && deadline != none:
		operation, err = backoff.ResumeAt(policy, stream, uint64(c.Retries), uint64(c.Begun), uint64(deadline))
	case deadline == none:
		operation, err = backoff.ResumeOperation(policy, stream, uint64(c.Retries), time.Duration(c.Begun))
	default:
		operation, err = backoff.ResumeOperation(policy, stream, uint64(c.Retries), time.Duration(c.Begun), backoff.WithDeadline(time.Duration(deadline)))
	}
	if err != nil || operation.Retries() != uint64(c.Retries) {
		t.Fatalf("%v, %v", operation, err)
	}
	want := c.Answer.decision()
	got, err := decide(operation, step{Outcome: c.Outcome.String(), RetryAfter: c.RetryAfter, Now: c.Now})
	if err != nil || got != want || operation.Retries() != uint64(c.RetriesAfter) {
		t.Fatalf("%+v, %v after %d retries, want %+v", got, err, operation.Retries(), want)
	}
	if got := operation.RefuseRetry(); got != c.Refused || operation.Reason() != c.Refused || operation.Retries() != uint64(c.RetriesRefused) {
		t.Errorf("refused: %v after %d retries, want %v after %d", got, operation.Retries(), c.Refused, c.RetriesRefused)
	}
	if got := operation.RefuseRetry(); got != c.Refused || operation.Retries() != uint64(c.RetriesRefused) {
		t.Errorf("refused again: %v after %d retries", got, operation.Retries())
	}
}
