// What few loops have: fields beside the policy, delays of the caller, contexts of attempts, a fallback.

package backoff

import (
	"slices"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// extras are what few loops have.
type extras struct {
	fields    []fieldOption // beside the policy
	delays    ownDelays     // nil if there are none
	disabled  bool
	allErrors bool
	errors    []error // of the attempts so far, with allErrors
	fallback  *fallback
	attempts  *attemptContexts // of a function that gets them
	told      *time.Duration   // where to say the limit of the next attempt
}

// withExtras returns the extras, which it makes at first.
func (s *settings) withExtras() *extras {
	if s.extras == nil {
		s.extras = new(extras)
	}
	return s.extras
}

func extraOption(set func(*extras) error) RetryOption {
	return retryOption(func(s *settings) error { return set(s.withExtras()) })
}

// WithOptions returns several options as one. A program keeps the options of a kind of call in a variable and changes
// some of them for one call, because a later option replaces an earlier one:
//
//	var reads = backoff.WithOptions(backoff.WithMaxRetries(5), backoff.RetryOn(errBusy))
//	err := backoff.Do(ctx, op, reads, backoff.WithMaxRetries(1))
func WithOptions(options ...RetryOption) RetryOption { return optionList(slices.Clone(options)) }

type optionList []RetryOption

func (list optionList) apply(c retryConfig) (retryConfig, error) {
	err := c.applyAll(list)
	return c, err
}

// WithEnabled(false) switches retries off: the loop makes its first call, and reports a failure or value that it would
// retry as after max_retries. It asks no budget. It is for tests, and for a flag of a program (see SetDefaults).
func WithEnabled(enabled bool) RetryOption {
	return extraOption(func(e *extras) error {
		e.disabled = !enabled
		return nil
	})
}

// WithAllErrors keeps the errors of all attempts in RetryError.Errors, where errors.Is and errors.As find them, too: the
// last 100. Default: the last one alone.
func WithAllErrors() RetryOption {
	return extraOption(func(e *extras) error {
		e.allErrors = true
		return nil
	})
}

// attemptEnded ends the context of an attempt and keeps its error.
func (e *extras) attemptEnded(err error) {
	if e.attempts != nil {
		e.attempts.end()
	}
	e.keep(err)
}

// maxErrors is how many errors WithAllErrors keeps.
const maxErrors = 100

func (e *extras) keep(err error) {
	if !e.allErrors || err == nil {
		return
	}
	if len(e.errors) == maxErrors {
		e.errors = slices.Delete(e.errors, 0, 1)
	}
	e.errors = append(e.errors, unmarked(err))
}

// settle sets the default policy, and changes the policy by the fields beside it and by what else limits the retries.
func (c *retryConfig) settle() (err error) {
	isNamed := c.policy != (Policy{})
	if !isNamed {
		c.policy, err = defaultPolicy()
	}
	e := c.extras
	if err != nil || e == nil {
		return err
	}
	if err := c.change(e.fields); err != nil {
		if of, ok := err.(*PolicyError); ok && !isNamed && of.isBetweenFields() {
			of.message += `; one of them is that of the policy "default"`
		}
		return err
	}
	if e.disabled {
		c.budget, c.shared, e.delays = nil, nil, nil
		return c.limitRetries(0)
	}
	list, isList := e.delays.(delayList)
	switch {
	case !isList:
		return nil
	case !isNamed && !slices.ContainsFunc(e.fields, fieldOption.limitsRetries):
		return c.setMaxRetries(list.count())
	}
	return c.limitRetries(list.count())
}

// limitsRetries reports whether the field says how many retries there may be.
func (o fieldOption) limitsRetries() bool {
	return o.field == engine.MaxRetries || o.field == engine.MaxAttempts
}

func (c *retryConfig) limitRetries(limit uint64) error {
	if c.policy.MaxRetries() <= limit {
		return nil
	}
	return c.setMaxRetries(limit)
}

func (c *retryConfig) setMaxRetries(limit uint64) error {
	return c.change([]fieldOption{{field: engine.MaxRetries, value: countValue(limit)}})
}
