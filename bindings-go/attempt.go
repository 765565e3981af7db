// Attempt: what a function knows about its attempt, and the limit of an attempt.

package backoff

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// RetryContext is Retry for a function that takes a context: ctx, in which AttemptFromContext finds the attempt. If the
// policy has an attempt_timeout, the context is done when the limit of the attempt ends (SPEC 13.10, 18.2), and when the
// function has returned: read what is behind the result, such as the body of a response, inside the function.
//
// An attempt that fails after its limit has ended has the outcome OutcomeTimeout, and its error is an
// *AttemptTimeoutError; no mark and no classification is asked. A function that ignores its context is not interrupted. Its
// value counts, however late it comes.
func RetryContext[T any](ctx context.Context, op func(context.Context) (T, error), options ...RetryOption) (T, error) {
	if err := notNil("op", op == nil); err != nil {
		var none T
		return none, err
	}
	var attempts attemptContexts
	all := append(make([]RetryOption, 0, len(options)+1), options...)
	return Retry(ctx, func() (T, error) { return op(attempts.ctx) }, append(all, &attempts)...)
}

// DoContext is RetryContext for a function that returns only an error. It accepts the options of Do.
func DoContext(ctx context.Context, op func(context.Context) error, options ...RetryOption) error {
	if err := notNil("op", op == nil); err != nil {
		return err
	}
	_, err := RetryContext(ctx, func(ctx context.Context) (noResult, error) { return noResult{}, op(ctx) }, options...)
	return err
}

// An Attempt is what a function knows about its attempt.
type Attempt struct {
	// Number is 1 for the first attempt.
	Number uint64
	// LastErr is the error of the attempt before, without its mark; nil at the first attempt and after a value.
	LastErr error

	clock Clock // nil without a limit of time
	ends  time.Duration
}

// String returns the attempt for logs, such as "attempt 2 after: connection refused".
func (a Attempt) String() string {
	text := "attempt " + strconv.FormatUint(a.Number, 10)
	if a.LastErr != nil {
		text += " after: " + a.LastErr.Error()
	}
	return text
}

// LogValue returns the number and the text of the error for slog.
func (a Attempt) LogValue() slog.Value {
	attrs := []slog.Attr{slog.Uint64("number", a.Number)}
	if a.LastErr != nil {
		attrs = append(attrs, slog.String("last_err", a.LastErr.Error()))
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON returns the members of LogValue as JSON.
func (a Attempt) MarshalJSON() ([]byte, error) { return shared.JSON(a.LogValue()) }

// TimeLeft returns the time until the limit of the attempt, the policy's max_elapsed or the deadline of the loop's context
// ends, whichever is first: 0 once that is over. It reports false if there is none of them.
func (a Attempt) TimeLeft() (time.Duration, bool) {
	if a.clock == nil {
		return 0, false
	}
	return max(0, a.ends-a.clock.Now()), true
}

// AttemptFromContext returns the attempt that a context belongs to: one of RetryContext, DoContext and Loop.Context, or
// made from it. It reports false for another context. Of loops inside each other it is that of the innermost.
func AttemptFromContext(ctx context.Context) (Attempt, bool) {
	if ctx == nil {
		return Attempt{}, false
	}
	attempt, ok := ctx.Value(attemptKey{}).(*attemptContext)
	if !ok {
		return Attempt{}, false
	}
	return attempt.Attempt, true
}

type attemptKey struct{}

// An attemptContext is the context of an attempt.
type attemptContext struct {
	context.Context
	Attempt
}

func (c *attemptContext) Value(key any) any {
	if key == (attemptKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// An AttemptTimeoutError reports that an attempt took longer than its limit. It is the cause of the attempt's context,
// and what the attempt failed with. errors.Is finds context.DeadlineExceeded in it.
type AttemptTimeoutError struct {
	// Limit is the policy's attempt_timeout, or less if max_elapsed or the deadline would have ended sooner.
	Limit time.Duration
	// Err is the error that the function returned, without its mark; nil in the cause of a context.
	Err error
}

// Error returns a message such as "the attempt took longer than 2s: connection refused", and "<nil>" for nil.
func (e *AttemptTimeoutError) Error() string {
	if e == nil {
		return "<nil>"
	}
	text := "the attempt took longer than " + e.Limit.String()
	if e.Err != nil && e.Err != context.DeadlineExceeded {
		text += ": " + e.Err.Error()
	}
	return text
}

// Timeout returns true, as that of a net.Error.
func (*AttemptTimeoutError) Timeout() bool { return true }

// Is reports whether target is context.DeadlineExceeded.
func (e *AttemptTimeoutError) Is(target error) bool {
	return e != nil && target == context.DeadlineExceeded
}

// Unwrap returns Err.
func (e *AttemptTimeoutError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// attemptContexts are the contexts of attempts, of which one is in use.
type attemptContexts struct {
	ctx     context.Context
	cancel  context.CancelFunc   // nil without a limit
	timeout *AttemptTimeoutError // the cause of the end by the limit
}

func (a *attemptContexts) apply(c retryConfig) (retryConfig, error) {
	return extraOption(func(e *extras) error {
		e.attempts = a
		return nil
	}).apply(c)
}

// begin makes the context of an attempt that begins after another one failed with err.
func (a *attemptContexts) begin(l *loop, err error) {
	attempt := Attempt{Number: l.calls, LastErr: unmarked(err)}
	a.ctx, a.cancel, a.timeout = l.ctx, nil, nil
	policy := l.policy.core()
	if policy.HasAttemptTimeout() || policy.HasMaxElapsed() || l.deadline != engine.NoTime {
		now := max(0, l.clock.Now())
		limits := l.limits()
		if left := limits.TimeLeft(uint64(now)); left != engine.NoTime {
			attempt.clock, attempt.ends = l.clock, now+time.Duration(min(left, uint64(NoLimit-now)))
		}
		if limit := limits.AttemptLimit(uint64(now)); limit != engine.NoTime {
			a.timeout = &AttemptTimeoutError{Limit: time.Duration(limit)}
			a.ctx, a.cancel = context.WithTimeoutCause(l.ctx, a.timeout.Limit, a.timeout)
		}
	}
	a.ctx = &attemptContext{a.ctx, attempt}
}

// late returns the error of an attempt that has met its limit and failed with err, nil for another one.
func (a *attemptContexts) late(l *loop, err error) error {
	if a.timeout == nil || l.ctx.Err() != nil || context.Cause(a.ctx) != error(a.timeout) {
		return nil
	}
	if errors.Is(err, a.timeout) {
		return a.timeout
	}
	return &AttemptTimeoutError{a.timeout.Limit, unmarked(err)}
}

// end ends the context of the attempt if it has a limit.
func (a *attemptContexts) end() {
	if a.cancel != nil {
		a.cancel()
	}
}

// timeLimits are what the core knows about the time of an attempt.
type timeLimits interface {
	AttemptLimit(now uint64) uint64
	TimeLeft(now uint64) uint64
}

// limits returns the limits of the next attempt. Without an operation they depend on the begin and the deadline alone.
func (l *loop) limits() timeLimits {
	if l.operation != nil {
		return l.operation.timeLimits()
	}
	alone := new(engine.Alone)
	alone.Begin(l.policy.core(), 0, uint64(l.beganAt), l.deadline)
	return alone
}

// checkAttemptTimeout returns the error of a loop that cannot end its attempts, if the policy has a limit for them.
func (c *retryConfig) checkAttemptTimeout(ctx context.Context) error {
	if !c.policy.core().HasAttemptTimeout() || c.extras != nil && c.extras.attempts != nil {
		return nil
	}
	if told, ok := ctx.Value(shared.LimitKey{}).(*time.Duration); ok {
		c.settingsOfItsOwn().withExtras().told = told
		return nil
	}
	return &ArgumentError{Code: ErrUnused, Field: "attempt_timeout", Rule: "needs RetryContext, DoContext or a Loop: Retry and Do cannot end an attempt"}
}

// tell passes the limit of the next attempt to a function that ends its attempts itself. The deadline of the loop's context
// is no such limit: the context ends by itself, with its cause.
func (l *loop) tell() {
	now := uint64(max(0, l.clock.Now()))
	limit := l.limits().AttemptLimit(now)
	if now < l.deadline && limit >= l.deadline-now {
		limit = 0
	}
	*l.extras.told = time.Duration(limit)
}
