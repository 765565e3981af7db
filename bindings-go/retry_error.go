package backoff

import (
	"errors"
	"fmt"
	"time"
)

// A RetryError says why a loop gave up. errors.Is and errors.As find in it the last error, the
// Reason, and of a context that ended the loop its error and its cause.
//
// To a loop around that loop it is permanent if the last error was marked so, and has no mark else.
type RetryError struct {
	// Err is the last call's error, without its mark; nil if that had none, or none was made.
	Err error
	// Reason is why the loop stopped, never StopSuccess.
	Reason StopReason
	// Attempts is how many calls were made.
	Attempts uint64
	// Elapsed is the time since the loop began.
	Elapsed time.Duration
	// Delay is the wait that was not begun, if a limit of time or the budget stopped the loop.
	Delay time.Duration

	context, cause error // of a context that ended the loop
	permanent      bool  // the mark of the last call's error was
}

// Error returns such as "gave up after 4 attempts: max_retries: connection refused".
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

// Unwrap returns the reason, the error and the cause of a context, and the last error.
func (e *RetryError) Unwrap() []error {
	errs := []error{e.Reason}
	for _, err := range []error{e.context, e.cause, e.Err} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
