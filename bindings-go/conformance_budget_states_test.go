package backoff_test

import (
	"errors"
	"math"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

type budgetStateCase struct {
	named
	Budget string  `json:"budget"`
	Start  *string `json:"start"`
	Steps  []struct {
		Event   sharedbudget.EventKind `json:"event"`
		Outcome *backoff.Outcome       `json:"outcome"`
		Held    number                 `json:"held"`
		Now     number                 `json:"now"`
		Granted *bool                  `json:"granted"`
		Holds   number                 `json:"holds"`
		State   string                 `json:"state"`
	} `json:"steps"`
}

func checkBudgetStates(t *testing.T, c budgetStateCase) {
	budget := parseBudget(t, c.Budget)
	state, err := sharedbudget.FullState(budget)
	if c.Start != nil {
		state, err = sharedbudget.ParseState(budget, *c.Start)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range c.Steps {
		event := sharedbudget.Event{Kind: step.Event, Held: uint64(step.Held)}
		if step.Outcome != nil {
			event.Outcome = *step.Outcome
		}
		before := state
		next, answer, err := stepAt(t, budget, state, event, uint64(step.Now))
		if err != nil || state != before {
			t.Fatalf("step %d: %v", i, err)
		}
		want := sharedbudget.Answer{Granted: step.Granted != nil && *step.Granted, Held: uint64(step.Holds)}
		if next.String() != step.State || answer != want {
			t.Fatalf("step %d: %v and %+v, want %s and %+v", i, next, answer, step.State, want)
		}
		if read, err := sharedbudget.ParseState(budget, step.State); err != nil || read != next {
			t.Errorf("step %d: %s is read as %v, %v", i, step.State, read, err)
		}
		if (next == state) != (next.String() == state.String()) {
			t.Errorf("step %d: %v and %v", i, state, next)
		}
		state = next
	}
}

// stepAt steps a state. A time that does not fit into a time.Duration is one for the core alone.
func stepAt(t *testing.T, budget *backoff.Budget, state sharedbudget.State, event sharedbudget.Event, now uint64) (sharedbudget.State, sharedbudget.Answer, error) {
	t.Helper()
	if now <= math.MaxInt64 {
		return state.Step(event, time.Duration(now))
	}
	var core engine.BudgetState
	if code := core.Parse(coreBudget(t, budget), state.String()); code != engine.OK {
		t.Fatal(code)
	}
	granted, held, code := core.Step(uint32(event.Kind), uint32(event.Outcome), event.Held, now)
	text, _ := core.AppendText(nil)
	next, err := sharedbudget.ParseState(budget, string(text))
	if code != engine.OK {
		t.Fatal(code)
	}
	return next, sharedbudget.Answer{Granted: granted, Held: held}, err
}

// coreBudget returns the core's budget, full.
func coreBudget(t *testing.T, budget *backoff.Budget) *engine.Budget {
	t.Helper()
	core := new(engine.Budget)
	if err := core.Parse(budget.String()); err != nil {
		t.Fatal(err.Message)
	}
	return core
}

type budgetStateText struct {
	named
	Budget string `json:"budget"`
	Text   string `json:"text"`
	Valid  bool   `json:"valid"`
}

func checkBudgetStateText(t *testing.T, c budgetStateText) {
	state, err := sharedbudget.ParseState(parseBudget(t, c.Budget), c.Text)
	switch {
	case c.Valid && (err != nil || state.String() != c.Text):
		t.Errorf("read as %v, %v", state, err)
	case !c.Valid && (!errors.Is(err, backoff.ErrNotAState) || state != sharedbudget.State{}):
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
