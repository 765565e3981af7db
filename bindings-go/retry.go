// Retry and Do, and RetryError.

package backoff

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// Retry calls op until it succeeds or must not be retried, and returns the result of the last call:
// with nil after a success, otherwise with a *RetryError that holds the last error, the reason and
// the number of attempts (SPEC 18).
//
// Only failures that the caller allows are retried: an error if op marks it with Transient or
// RetryAfter, or if RetryIf, RetryOn or Classify allow it; a value without an error if RetryResult or
// ClassifyResult ask for it. A call that failed may still have had its effect: retry only what is
// safe to retry (a GET), or what the server recognises as a repetition by a key.
//
// By default the policy is "default" and the stream comes from entropy. Retry waits in this
// goroutine: at least the policy's delay between calls, and not after the last failure.
//
// When ctx is done, a wait ends at once and op is not called again. The loop does not interrupt a running call: use the
// same context inside op. It never starts a wait that would end at the deadline of ctx or later.
//
// A policy with an attempt_timeout is an invalid option: RetryContext can end an attempt.
//
// An invalid option fails before the first call, with a *PolicyError, an *ArgumentError, ErrNoPolicy or
// ErrNoBudget; so do nil arguments, with an *ArgumentError. An unknown outcome from a classification, a damaged budget or a negative time of the
// clock ends the loop with an *ArgumentError, joined with the last error. A panic of op, of a hook or of a
// classification propagates to the caller. In both cases the operation is cancelled; no OnStop hook is called after
// an *ArgumentError.
func Retry[T any](ctx context.Context, op func() (T, error), options ...RetryOption) (value T, err error) {
	var loop loop
	if err := loop.configure(ctx, options); err != nil {
		return value, err
	}
	classifyResult, err := resultsOf[T](&loop.retryConfig)
	if err != nil {
		return value, err
	}
	if loop.extras != nil || loop.policy.given.IsRare() {
		if err := checkExtras[T](&loop.retryConfig, ctx); err != nil {
			return value, err
		}
	}
	if err := notNil("op", op == nil); err != nil {
		return value, err
	}
	if err := loop.begin(); err != nil {
		return value, err
	}
	defer loop.close()
	for loop.next() {
		value, err = op()
		loop.inCall = false
		if loop.hooks != nil {
			if _, isNone := any(value).(noResult); !isNone {
				loop.hooks.value = value
			}
		}
		switch {
		case err != nil:
			loop.callEnded(loop.judge(err))
		case classifyResult != nil:
			loop.callEnded(orSuccess(classifyResult(value)), nil)
		default:
			loop.succeeded()
		}
		loop.wait()
	}
	if loop.extras != nil {
		return orFallback(loop.extras, value, loop.err)
	}
	return value, loop.err
}

// Do is Retry for a function that returns only an error. It has no result, so it fails with an
// *ArgumentError for RetryResult and ClassifyResult.
func Do(ctx context.Context, op func() error, options ...RetryOption) error {
	if err := notNil("op", op == nil); err != nil {
		return err
	}
	_, err := Retry(ctx, func() (noResult, error) { return noResult{}, op() }, options...)
	return err
}

// noResult is the type of the result of Do.
type noResult struct{}

// A RetryError reports why a loop stopped without a success. errors.Is and errors.As find the last
// error and, if the context ended the loop, the context's error and cause. errors.Is also finds the
// error of the reason: errors.Is(err, backoff.ErrMaxRetries).
//
// An enclosing loop treats it as permanent if it contains an error marked Permanent; it does not
// inherit other marks, and classifies the RetryError with its own options. There, test the Reason:
// errors.Is(err, ErrMaxRetries) finds the reason of any loop in the error.
//
// If the deadline of the context ended the loop, the reason is StopCancelled during a call or a wait,
// and StopDeadline before a wait that would end too late. errors.Is(err, context.DeadlineExceeded)
// finds both.
type RetryError struct {
	// Err is the last call's error, without its mark; nil if it had none or no call was made.
	Err error
	// Reason is why the loop stopped, never StopSuccess.
	Reason StopReason
	// Attempts is the number of calls: 0 if the context was done before the first.
	Attempts uint64
	// Elapsed is the time since the loop began.
	Elapsed time.Duration
	// Delay is the wait that was not begun, if a time limit, the deadline or the budget stopped the
	// loop.
	Delay time.Duration
	// Errors are those of all attempts that returned one, in order and without their marks, with WithAllErrors: the last
	// 100. The last one is Err, unless the last attempt returned a value. errors.Is and errors.As look at Err first.
	Errors []error

	context, cause error // of a context that ended the loop
	permanent      bool  // the last error was marked Permanent
}

// The errors of the stop reasons. errors.Is finds them in a RetryError.
//
// They name why a loop stopped and are not marks: to a loop, an error that wraps one of them, such as
// fmt.Errorf("404: %w", ErrPermanent), is like any other. To stop the loop, return Permanent(err).
var (
	// ErrPermanent is the reason StopPermanent. It marks nothing: Permanent does.
	ErrPermanent  = errors.New("the failure was permanent")
	ErrMaxRetries = errors.New("all retries were made")
	ErrMaxElapsed = errors.New("the next wait would exceed max_elapsed")
	ErrDeadline   = errors.New("the next wait would exceed the deadline")
	ErrBudget     = errors.New("the budget refused a retry")
	ErrCancelled  = errors.New("the caller cancelled")
)

var reasonErrors = map[StopReason]error{
	StopPermanent:  ErrPermanent,
	StopMaxRetries: ErrMaxRetries,
	StopMaxElapsed: ErrMaxElapsed,
	StopDeadline:   ErrDeadline,
	StopBudget:     ErrBudget,
	StopCancelled:  ErrCancelled,
}

// Error returns a message such as "gave up after 4 attempts: max_retries: connection refused", and
// "<nil>" for nil.
func (e *RetryError) Error() string {
	if e == nil {
		return "<nil>"
	}
	attempts := "attempts"
	if e.Attempts == 1 {
		attempts = "attempt"
	}
	text := fmt.Sprintf("gave up after %d %s: %v", e.Attempts, attempts, e.Reason)
	if e.cause != nil && !errors.Is(e.Err, e.cause) {
		text += ": " + e.cause.Error()
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// LogValue returns the message and the members of the error for slog, with the name of the reason and
// the texts of the errors.
func (e *RetryError) LogValue() slog.Value {
	if e == nil {
		return slog.StringValue("<nil>")
	}
	attrs := []slog.Attr{
		slog.String("message", e.Error()),
		slog.String("reason", e.Reason.String()),
		slog.Uint64("attempts", e.Attempts),
		slog.Duration("elapsed", e.Elapsed),
		slog.Duration("delay", e.Delay),
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("err", e.Err.Error()))
	}
	if len(e.Errors) > 0 {
		texts := make([]string, 0, len(e.Errors))
		for _, err := range e.Errors {
			texts = append(texts, err.Error())
		}
		attrs = append(attrs, slog.Any("errors", texts))
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON returns the members of LogValue as JSON, with durations in nanoseconds.
func (e *RetryError) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	return shared.JSON(e.LogValue())
}

// Is reports whether target is the error of the reason, such as ErrMaxRetries.
func (e *RetryError) Is(target error) bool {
	return e != nil && target != nil && target == reasonErrors[e.Reason]
}

// Unwrap returns the error and the cause of a context that ended the loop, and the last error.
func (e *RetryError) Unwrap() []error {
	if e == nil {
		return nil
	}
	var errs []error
	for _, err := range []error{e.context, e.cause, e.Err} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return append(errs, e.Errors...)
}
