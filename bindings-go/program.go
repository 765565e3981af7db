// SetDefaults: the options of all loops of the program.

package backoff

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// SetDefaults sets options of all loops of the program that begin from now on, in every goroutine. They add to those of
// earlier calls until restore is called, so a telemetry library, the program and a test can each call it:
//
//	restore, err := backoff.SetDefaults(backoff.OnRetry(logRetry), backoff.WithEnabled(!*noRetries))
//
// A loop's own options win. A policy, also that of a loop, takes the place of the policy and the fields that were set
// before it, and RetryIf, RetryOn and Classify of a loop take the place of those here. Hooks of both are called, those here first. WithBudget(nil) in a loop is no budget.
// The budget that a backoffhttp.Transport has for each origin is an option of its loops, so a budget here does not reach
// them: see backoffhttp.WithBudgets.
//
// Of an option that several calls set, the last call counts, by the same rules as between those here and those of a
// loop. restore takes back its own call and nothing else. It may be called at any time and more than once. Tests that run
// in parallel share the defaults.
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
	set := &programDefaults{calls: [][]RetryOption{slices.Clone(options)}}
	programMutex.Lock()
	defer programMutex.Unlock()
	stack := append(slices.Clone(programStack), set)
	all := together(stack)
	c = retryConfig{settings: &defaultSettings}
	if err = c.applyOver(all, nil); err == nil {
		err = c.complete()
	}
	if err != nil { // the options are valid alone, but not with those of another call
		return func() {}, err
	}
	programStack = stack
	program.Store(all)
	return set.restore, nil
}

type programDefaults struct{ calls [][]RetryOption }

// together returns the defaults of several calls as one, nil if there are none.
func together(stack []*programDefaults) *programDefaults {
	if len(stack) == 0 {
		return nil
	}
	all := new(programDefaults)
	for _, set := range stack {
		all.calls = append(all.calls, set.calls...)
	}
	return all
}

var (
	program      atomic.Pointer[programDefaults] // nil if there are none
	programMutex sync.Mutex
	programStack []*programDefaults // all that are not restored
)

func (d *programDefaults) restore() {
	programMutex.Lock()
	defer programMutex.Unlock()
	programStack = slices.DeleteFunc(programStack, func(other *programDefaults) bool { return other == d })
	program.Store(together(programStack))
}

// applyOver sets options whose place the defaults of the program take where they are missing.
func (c *retryConfig) applyOver(defaults *programDefaults, options []RetryOption) error {
	for _, call := range defaults.calls {
		if err := c.applyNext(call); err != nil {
			return err
		}
	}
	return c.applyNext(options)
}

// applyNext sets options that win over those before.
func (c *retryConfig) applyNext(options []RetryOption) error {
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
