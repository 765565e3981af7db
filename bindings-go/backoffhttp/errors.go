// The errors that RoundTrip returns beside those of net/http.

package backoffhttp

import (
	"context"
	"errors"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// The errors that are not those of the RoundTripper. An http.Client asks an error itself whether it is a timeout, not
// the errors in it, so each one says it.

// errNoBody is the error of a request whose GetBody is broken.
var errNoBody = errors.New("GetBody of the request returned neither a body nor an error")

// errCancelled has the text of net/http for a request whose Cancel channel is closed.
var errCancelled = errors.New("net/http: request canceled")

// isCancelled reports whether an error already says that the caller cancelled. That of a limit of an attempt does not, though
// it is a deadline, too.
func isCancelled(ctx context.Context, err error) bool {
	if _, isLimit := err.(attemptTimeout); isLimit {
		return false
	}
	return errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx)) ||
		context.Cause(ctx) == errCancelled && strings.HasPrefix(err.Error(), errCancelled.Error())
}

// An attemptTimeout is the error of an attempt that took too long.
type attemptTimeout struct {
	limit  time.Duration
	inBody bool
}

func (e attemptTimeout) Error() string {
	if e.inBody {
		return "the body did not end within the attempt timeout of " + e.limit.String()
	}
	return "no response within the attempt timeout of " + e.limit.String()
}
func (attemptTimeout) Timeout() bool   { return true }
func (attemptTimeout) Temporary() bool { return true }

// Is says that it is a deadline that was exceeded, as the timeouts of net/http do.
func (attemptTimeout) Is(target error) bool { return target == context.DeadlineExceeded }

// Unwrap returns what backoff.RetryContext returns, for errors.As.
func (e attemptTimeout) Unwrap() error { return &backoff.AttemptTimeoutError{Limit: e.limit} }

// A bodyError is the error of a body that was read in the attempt.
type bodyError struct{ err error }

func (e bodyError) Error() string   { return "reading the body of the response: " + e.err.Error() }
func (e bodyError) Unwrap() error   { return e.err }
func (e bodyError) Timeout() bool   { return isTimeout(e.err) }
func (e bodyError) Temporary() bool { return isTimeout(e.err) }

// A cancelledAfter is the error of a request whose caller cancelled after a failure, most often in the wait.
type cancelledAfter struct{ cause, failure error }

func (e cancelledAfter) Error() string {
	return e.cause.Error() + " after a failure: " + e.failure.Error()
}
func (e cancelledAfter) Unwrap() []error { return []error{e.cause, e.failure} }
func (e cancelledAfter) Timeout() bool   { return isTimeout(e.cause) }
func (e cancelledAfter) Temporary() bool { return isTimeout(e.cause) }

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// joined is errors.Join, which hides the type of a single error.
func joined(first, second error) error {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return errors.Join(first, second)
}
