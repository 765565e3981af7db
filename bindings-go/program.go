// SetDefaults: the options of all loops of the program.

package backoff

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// SetDefaults sets options of all loops of the program that begin from now on, in every goroutine. They replace those of
// an earlier call until restore is called:
//
//	restore, err := backoff.SetDefaults(backoff.OnRetry(logRetry), backoff.WithEnabled(!*noRetries))
//
// A loop's own options win: a policy of its own also takes the place of the fields here, and RetryIf, RetryOn and
// Classify take the place of those here. Hooks of both are called, those here first. WithBudget(nil) in a loop is no budget.
//
// restore may be called at any time and more than once. Of several defaults the last ones that are not restored count.
// Tests that run in parallel share them.
//
// It fails as a loop does for invalid options, and with an *ArgumentError for options that depend on a type of result:
// RetryResult, ClassifyResult, WithFallback and WithFallbackFunc. It then changes nothing, and restore does nothing.
func SetDefaults(options ...RetryOption) (restore func(), err error) {
	c := retryConfig{settings: &defaultSettings}
	if err = c.applyAll(options); err == nil {
		err = c.complete()
	}
	option := ""
	if c.results != nil {
		option = c.results.option
	} else if c.extras != nil && c.extras.fallback != nil {
		option = c.extras.fallback.option
	}
	if err == nil && option != "" {
		err = &ArgumentError{Code: ErrUnused, Field: option, Rule: "depends on the result of one function, so it is no default of all loops"}
	}
	if err != nil {
		return func() {}, err
	}
	set := &programDefaults{slices.Clone(options)}
	programMutex.Lock()
	defer programMutex.Unlock()
	programStack = append(programStack, set)
	program.Store(set)
	return set.restore, nil
}

type programDefaults struct{ options []RetryOption }

var (
	program      atomic.Pointer[programDefaults] // nil if there are none
	programMutex sync.Mutex
	programStack []*programDefaults // all that are not restored
)

func (d *programDefaults) restore() {
	programMutex.Lock()
	defer programMutex.Unlock()
	programStack = slices.DeleteFunc(programStack, func(other *programDefaults) bool { return other == d })
	if len(programStack) == 0 {
		program.Store(nil)
	} else {
		program.Store(programStack[len(programStack)-1])
	}
}

// applyOver sets options whose place the defaults of the program take where they are missing.
func (c *retryConfig) applyOver(defaults *programDefaults, options []RetryOption) error {
	if err := c.applyAll(defaults.options); err != nil {
		return err
	}
	of := *c
	var fields []fieldOption
	if c.extras != nil {
		fields, c.extras.fields = c.extras.fields, nil
	}
	c.policy, c.given, c.failures = Policy{}, nil, nil
	if err := c.applyAll(options); err != nil {
		return err
	}
	if c.failures == nil {
		c.failures = of.failures
	}
	if c.policy != (Policy{}) {
		return nil
	}
	c.policy, c.given = of.policy, of.given
	if len(fields) > 0 {
		own := c.extras.fields
		fields = slices.DeleteFunc(slices.Clone(fields), func(o fieldOption) bool { return slices.ContainsFunc(own, o.excludes) })
		c.extras.fields = append(fields, own...)
	}
	return nil
}

// excludes reports whether a policy cannot have both options.
func (o fieldOption) excludes(other fieldOption) bool {
	count := func(f engine.Field) engine.Field {
		if f == engine.MaxAttempts {
			return engine.MaxRetries
		}
		return f
	}
	return count(o.field) == count(other.field)
}
