// SetDefaults: the options of all loops of the program.

package backoff

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// SetDefaults sets options of all loops of the program that begin from now on, in every goroutine, until restore is called:
//
//	restore, err := backoff.SetDefaults(backoff.OnRetry(logRetry), backoff.WithEnabled(!*noRetries))
//
// A loop's own options win: a policy of its own also takes the place of the fields here, and RetryIf, RetryOn and
// Classify take the place of those here. Hooks of both are called, those here first. WithBudget(nil) in a loop is no budget.
//
// Calls add up: of an option that several calls set, the last one counts, and all hooks are called, those of the first
// call first. So a library, the program and a test can each set some. restore takes back its own options; it may be called
// at any time and more than once. Tests that run in parallel share the defaults.
//
// It fails as a loop does for invalid options, and with an *ArgumentError for options that depend on a type of result:
// RetryResult, ClassifyResult, WithFallback and WithFallbackFunc; and for an attempt_timeout, which not all loops can
// enforce. It then changes nothing, and restore does nothing.
func SetDefaults(options ...RetryOption) (restore func(), err error) {
	c := retryConfig{settings: &defaultSettings}
	if err = c.applyAll(options); err == nil {
		err = c.complete()
	}
	if err == nil && c.policy.core().HasAttemptTimeout() {
		err = &ArgumentError{Code: ErrUnused, Field: "attempt_timeout", Rule: "is no default of all loops, because Retry and Do cannot end an attempt"}
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
	set := &setDefaults{slices.Clone(options)}
	programMutex.Lock()
	defer programMutex.Unlock()
	all := programDefaults{set}
	if before := program.Load(); before != nil {
		all = slices.Concat(*before, all)
	}
	program.Store(&all)
	return set.restore, nil
}

// programDefaults are those of all calls that are not restored, the first call first. It never changes.
type programDefaults []*setDefaults

type setDefaults struct{ options []RetryOption }

var (
	program      atomic.Pointer[programDefaults] // nil if there are none
	programMutex sync.Mutex                      // of its changes
)

func (d *setDefaults) restore() {
	programMutex.Lock()
	defer programMutex.Unlock()
	before := program.Load()
	if before == nil {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(*before), func(other *setDefaults) bool { return other == d })
	if len(rest) == 0 {
		program.Store(nil)
	} else {
		program.Store(&rest)
	}
}

// applyOver sets options whose place the defaults of the program take where they are missing.
func (c *retryConfig) applyOver(defaults programDefaults, options []RetryOption) error {
	if err := c.applyAll(defaults[0].options); err != nil {
		return err
	}
	for _, later := range defaults[1:] {
		if err := c.applyLater(later.options); err != nil {
			return err
		}
	}
	return c.applyLater(options)
}

// applyLater sets options whose place those that are set take where they are missing.
func (c *retryConfig) applyLater(options []RetryOption) error {
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
