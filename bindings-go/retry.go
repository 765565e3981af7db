package backoff

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Retry calls op until it succeeds or must not be retried, and returns the result of the last call:
// with nil after a success, otherwise with a *RetryError that holds the last error, the reason and
// the number of attempts (SPEC 18).
//
// Only failures that the caller allows are retried: an error if op marks it with Transient or
// RetryAfter, or if RetryIf, RetryOn or Classify allow it; a value without an error if RetryResult or
// ClassifyResult ask for it. A call that failed may still have had its effect: retry only what is
// safe to repeat (a GET), or what the server recognises as a repetition by a key.
//
// By default the policy is "default" and the stream comes from entropy. Retry waits in this
// goroutine, never shorter than the delay, and not after the last failure. When ctx is done, a wait
// ends at once and op is not called again; the reason is StopCancelled. A running call is not
// interrupted, so pass it the same context. No wait begins that would end after the deadline of ctx;
// the reason is then StopDeadline, and errors.Is also finds context.DeadlineExceeded.
//
// Before any call it fails with the errors of its options, with ErrNoEntropy, ErrNoPolicy or
// ErrNoBudget, and with an *ArgumentError for nil and for a ClassifyResult of another type than op
// returns. An unknown outcome from a classification ends the loop with an *ArgumentError, joined with
// the last error. A panic of op, of a hook or of a classification propagates to the caller; the
// operation is cancelled.
func Retry[T any](ctx context.Context, op func() (T, error), options ...RetryOption) (value T, err error) {
	config, err := newRetryConfig(ctx, options)
	if err != nil {
		return value, err
	}
	classifyResult, err := resultsOf[T](config)
	if err != nil {
		return value, err
	}
	if err := notNil("op", op == nil); err != nil {
		return value, err
	}
	loop, err := newLoop(ctx, config)
	if err != nil {
		return value, err
	}
	defer loop.close()
	for loop.next() {
		value, err = op()
		loop.inCall, loop.value = false, value
		if err != nil {
			loop.callEnded(loop.classifyFailure(err), err)
		} else {
			loop.callEnded(classifyResult(value), nil)
		}
	}
	return value, loop.err
}

// Do is Retry for a function that returns only an error.
func Do(ctx context.Context, op func() error, options ...RetryOption) error {
	if err := notNil("op", op == nil); err != nil {
		return err
	}
	_, err := Retry(ctx, func() (struct{}, error) { return struct{}{}, op() }, options...)
	return err
}

// A RetryError reports why a loop stopped without a success. errors.Is and errors.As find the last
// error and, if the context ended the loop, the context's error and cause. errors.Is also finds the
// error of the reason: errors.Is(err, backoff.ErrMaxRetries).
//
// An enclosing loop treats it as permanent if the last error was marked Permanent; other marks are
// not inherited.
type RetryError struct {
	// Err is the last call's error, without its mark; nil if it had none or no call was made.
	Err error
	// Reason is why the loop stopped, never StopSuccess.
	Reason StopReason
	// Attempts is the number of calls.
	Attempts uint64
	// Elapsed is the time since the loop began.
	Elapsed time.Duration
	// Delay is the wait that was not begun, if a time limit, the deadline or the budget stopped the
	// loop.
	Delay time.Duration

	context, cause error // of a context that ended the loop
	permanent      bool  // the last error was marked Permanent
}

// The errors of the stop reasons. errors.Is finds them in a RetryError.
var (
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

// Error returns a message such as "gave up after 4 attempts: max_retries: connection refused".
func (e *RetryError) Error() string {
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

// Is reports whether target is the error of the reason, such as ErrMaxRetries.
func (e *RetryError) Is(target error) bool { return target == reasonErrors[e.Reason] }

// Unwrap returns the error and the cause of a context that ended the loop, and the last error.
func (e *RetryError) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.context, e.cause, e.Err} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
