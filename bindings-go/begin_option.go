// The options of operations, and the budgets of operations and loops.

package backoff

import (
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// A BeginOption is an option of Policy.Begin and ResumeOperation: WithDeadline or WithBudget.
type BeginOption interface{ begin(*beginConfig) error }

type beginConfig struct {
	deadline uint64
	budget   *Budget
}

// WithDeadline sets the time after which no wait may end, on the operation's clock: a time such as
// Now() + time.Minute, not a span. NoLimit is no deadline. The deadline of a loop is that of its
// context.
func WithDeadline(deadline time.Duration) BeginOption { return deadlineOption(deadline) }

type deadlineOption time.Duration

func (o deadlineOption) begin(c *beginConfig) error {
	c.deadline = uint64(o)
	if time.Duration(o) == NoLimit {
		c.deadline = engine.NoTime
	}
	return notNegative("deadline", time.Duration(o))
}

// A BudgetOption is an option of operations and of loops: WithBudget, or WithSharedBudget, which loops alone accept.
type BudgetOption struct {
	budget *Budget
	shared SharedBudget
}

// A SharedBudget is a budget of many processes: the *Budget of package sharedbudget.
type SharedBudget interface {
	// ForLoops is for this package.
	ForLoops() (any, error)
}

// WithBudget sets the budget that the retries spend from; nil is no budget. It replaces WithSharedBudget.
func WithBudget(budget *Budget) BudgetOption { return BudgetOption{budget: budget} }

// WithSharedBudget sets the budget of many processes that the retries of a loop spend from; nil is no budget. It
// replaces WithBudget. An operation does not accept it, because an operation does not wait: step a sharedbudget.State
// instead, and call RefuseRetry.
func WithSharedBudget(budget SharedBudget) BudgetOption { return BudgetOption{shared: budget} }

func (o BudgetOption) begin(c *beginConfig) error {
	c.budget = o.budget
	if used, err := o.inLoops(); used != nil || err != nil {
		return &ArgumentError{Code: ErrUnused, Field: "shared budget", Value: o.shared, Rule: "has no effect on an operation: loops alone accept it"}
	}
	return nil
}

func (o BudgetOption) apply(c retryConfig) (retryConfig, error) {
	return retryOption(func(s *settings) (err error) {
		s.budget = nil
		if o.budget != nil {
			s.budget = o.budget
		}
		s.shared, err = o.inLoops()
		return err
	}).apply(c)
}

// inLoops returns the shared budget, nil if there is none.
func (o BudgetOption) inLoops() (shared.Budget, error) {
	if o.shared == nil {
		return nil, nil
	}
	budget, err := o.shared.ForLoops()
	if budget == nil || err != nil {
		return nil, err
	}
	loops, ok := budget.(shared.Budget)
	if !ok {
		return nil, &ArgumentError{Code: ErrWrongType, Field: "shared budget", Value: o.shared, Rule: "is not one of package sharedbudget"}
	}
	return loops, nil
}

func beginConfigOf(options []BeginOption) (beginConfig, error) {
	config := beginConfig{deadline: engine.NoTime}
	for _, option := range options {
		if err := notNil("option", option == nil); err != nil {
			return config, err
		}
		if err := option.begin(&config); err != nil {
			return config, err
		}
	}
	return config, nil
}
