// The options of loops.

package backoff

import (
	"context"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// A RetryOption configures a loop. WithBudget is one, too, and so is each Option of a field, which changes the policy of
// the loop, whichever comes first: Retry(ctx, op, WithMaxRetries(5)). RetryIf, RetryOn and Classify add up, in
// order, and so do OnRetry and OnStop. Each other option replaces an earlier one of its purpose:
// RetryResult and ClassifyResult replace each other, as do WithPolicy and WithPolicyString,
// WithBudget and WithSharedBudget, and WithStream and WithKey. An invalid option fails even if a later one replaces it.
type RetryOption interface {
	apply(retryConfig) (retryConfig, error)
}

type retryOption func(*settings) error

func (set retryOption) apply(c retryConfig) (retryConfig, error) {
	err := set(c.settingsOfItsOwn()) // Go does not say whether a return copies c before or after such a call
	return c, err
}

// settingsOfItsOwn returns the settings, which it makes at first.
func (c *retryConfig) settingsOfItsOwn() *settings {
	if c.settings == &defaultSettings {
		c.settings = &settings{clock: processClock{}}
	}
	return c.settings
}

// A retryConfig holds the options of a loop. Most loops set only a policy and a classifier, which are its own
// fields, so that they need no allocation.
type retryConfig struct {
	policy    Policy
	given     *parsedText       // the policy, if it was a string
	failures  failureClassifier // nil if there is none
	*settings                   // defaultSettings until an option sets another
}

// The budget and the stats are behind interfaces, so that a program without them does not contain their code.
type settings struct {
	budget    loopBudget    // nil if there is none
	shared    shared.Budget // nil if there is none
	stream    RandomStream
	streamSet bool
	clock     Clock
	stats     loopStats         // nil if there are none
	results   *resultClassifier // nil if there is none
	hooks     *hooks            // nil if there are none
	extras    *extras           // nil if there are none

	// What a loop with a budget knows, which others need not have room for:
	operation loopOperation // nil without a budget of this process
	grant     shared.Grant  // of the shared budget
	local     bool          // the local budget has just decided
}

var defaultSettings = settings{clock: processClock{}}

// hooks are the hooks of a loop, and the value of its last call, which only they see.
type hooks struct {
	onRetry, onStop []hook
	value           any
}

// A hook is a function of OnRetry, OnStop, OnRetryContext or OnStopContext.
type hook interface{ call(context.Context, Event) }

type (
	plainHook   func(Event)
	contextHook func(context.Context, Event)
)

func (hook plainHook) call(_ context.Context, event Event)     { hook(event) }
func (hook contextHook) call(ctx context.Context, event Event) { hook(ctx, event) }

// withHooks returns the hooks, which it makes at first.
func (s *settings) withHooks() *hooks {
	if s.hooks == nil {
		s.hooks = new(hooks)
	}
	return s.hooks
}

// complete completes the policy, once all options are known. Most loops have nothing to complete.
func (c *retryConfig) complete() error {
	if c.policy == (Policy{}) || c.extras != nil {
		return c.settle()
	}
	return nil
}

// applyAll sets the options.
func (c *retryConfig) applyAll(options []RetryOption) (err error) {
	for _, option := range options {
		switch option := option.(type) {
		case nil:
			return notNil("option", true)
		// What most loops have costs no call.
		case policyOption:
			c.policy, c.given, err = Policy(option), nil, orNoPolicy(option)
		case policyString:
			err = c.parse(string(option))
		case retryIf:
			err = c.addClassifier("argument of RetryIf", option == nil, option)
		default:
			*c, err = option.apply(*c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WithStream sets the stream of the delays. Default: a new one for each loop, from entropy.
//
// Loops with the same stream wait for identical times: see WithKey.
func WithStream(stream RandomStream) RetryOption {
	return retryOption(func(s *settings) error {
		s.stream, s.streamSet = stream, true
		return nil
	})
}

// WithKey is WithStream for the stream of a seed and a key, such as a job's ID, which every language
// computes. Do not use the same key for clients that may fail together. The loop fails as StreamFromKey
// does.
func WithKey(seed uint64, key string) RetryOption {
	return retryOption(func(s *settings) (err error) {
		s.stream, err = StreamFromKey(seed, key)
		s.streamSet = true
		return err
	})
}

// WithStats records the loop in stats when it stops; nil records nothing. A loop whose context was done
// before the first call counts as one of 1 attempt. A loop that ends with an *ArgumentError after a call
// counts as cancelled.
func WithStats(stats *RetryStats) RetryOption {
	return retryOption(func(s *settings) error {
		s.stats = nil
		if stats != nil {
			s.stats = stats
		}
		return nil
	})
}

// OnRetry adds a hook that is called before the wait of each retry (SPEC 18.4).
//
// Hooks run in the goroutine of the loop, which waits for them. A hook that panics ends the loop: the
// operation is cancelled and recorded as cancelled, and no other hook is called. The panic propagates as it
// is and takes the place of the failure of the call, which the hook has as event.Err.
func OnRetry(hook func(Event)) RetryOption {
	return onRetry("argument of OnRetry", hook == nil, plainHook(hook))
}

// OnRetryContext is OnRetry with a hook that gets the context of the loop, such as for its span.
func OnRetryContext(hook func(context.Context, Event)) RetryOption {
	return onRetry("argument of OnRetryContext", hook == nil, contextHook(hook))
}

func onRetry(argument string, isNil bool, hook hook) RetryOption {
	return retryOption(func(s *settings) error {
		hooks := s.withHooks()
		hooks.onRetry = append(hooks.onRetry, hook)
		return notNil(argument, isNil)
	})
}

// OnStop adds a hook that is called once when the loop has stopped, whatever the StopReason, also after
// a success. It runs after the stats have recorded the loop and before the caller gets the result.
//
// It is not called if the loop fails with the error of an invalid option or with an *ArgumentError (see Retry), nor after
// a panic of a hook or a classification.
//
// Use it to learn how many attempts a success took: OnStop(func(event Event) { last = event }).
func OnStop(hook func(Event)) RetryOption {
	return onStop("argument of OnStop", hook == nil, plainHook(hook))
}

// OnStopContext is OnStop with a hook that gets the context of the loop.
func OnStopContext(hook func(context.Context, Event)) RetryOption {
	return onStop("argument of OnStopContext", hook == nil, contextHook(hook))
}

func onStop(argument string, isNil bool, hook hook) RetryOption {
	return retryOption(func(s *settings) error {
		hooks := s.withHooks()
		hooks.onStop = append(hooks.onStop, hook)
		return notNil(argument, isNil)
	})
}

// WithClock replaces the clock of the loop, for tests. Default: the clock of Now.
func WithClock(clock Clock) RetryOption {
	return retryOption(func(s *settings) error {
		s.clock = clock
		return notNil("argument of WithClock", clock == nil)
	})
}

// A Clock reads the time and waits. Tests replace the clock of a loop with WithClock, or run the loop
// in testing/synctest, whose time the default clock follows.
type Clock interface {
	// Now returns the time since any origin. It is never negative and never goes back.
	Now() time.Duration
	// Sleep returns when the delay has passed, not before, or as soon as ctx is done.
	Sleep(ctx context.Context, delay time.Duration)
}

// Now returns the time on the default clock of loops, for operations that are driven by hand and
// share a budget with loops. Its origin has no meaning.
func Now() time.Duration { return time.Since(origin) }

// The origin is 80 years ago, so that no time is negative in the bubbles of testing/synctest, which
// begin in 2000. It is not earlier, because a time before 1885 has no monotonic clock reading.
var origin = time.Now().Add(-80 * 365 * 24 * time.Hour)

type processClock struct{}

func (processClock) Now() time.Duration { return Now() }

func (processClock) Sleep(ctx context.Context, delay time.Duration) {
	if delay <= 0 {
		return
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
