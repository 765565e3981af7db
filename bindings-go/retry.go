package backoff

import "context"

// Retry calls op until it succeeds or is given up, and returns what its last call returned: with
// nil after a success, else with a *RetryError that holds the last error, the reason and the
// attempts (SPEC 18).
//
// Nothing is repeated that the caller did not say may be: an error is if op marks it as Transient
// or RetryAfter, or if RetryIf, RetryOn or Classify say so; a value that comes without an error is
// if RetryResult or ClassifyResult say so. A call that failed may have had its effect: repeat
// what can be done twice (a GET), or what the server knows again by a key.
//
// The policy is "default" and the stream one from entropy unless given. Retry waits in this
// goroutine, never shorter than the delay and not after the last failure. When ctx is done, it
// calls op no more and a wait ends at once, with the reason StopCancelled; a call that goes on is
// waited for: give it the same context. No wait is begun that would end after the deadline of ctx;
// the reason is StopDeadline then, in which errors.Is finds context.DeadlineExceeded, too.
//
// It fails before any call with what the options fail with, with ErrNoEntropy, ErrNoPolicy and
// ErrNoBudget, and with an *ArgumentError for what is nil or a ClassifyResult of another type than
// op returns. A verdict that is none ends the loop with an *ArgumentError, beside which errors.Is and
// errors.As find the last error. A panic of op, of a hook or of a classification goes on to the
// caller; the operation is cancelled.
func Retry[T any](ctx context.Context, op func() (T, error), options ...RetryOption) (value T, err error) {
	with, err := retryingIn(ctx, options)
	if err != nil {
		return value, err
	}
	results, err := resultsOf[T](with)
	if err != nil {
		return value, err
	}
	if err := notNil("op", op == nil); err != nil {
		return value, err
	}
	loop, err := newLoop(ctx, with)
	if err != nil {
		return value, err
	}
	defer loop.abandon()
	for loop.next() {
		value, err = op()
		loop.calling, loop.value = false, value
		if err != nil {
			loop.ended(loop.judge(err), err)
		} else {
			loop.ended(results(value), nil)
		}
	}
	return value, loop.end
}

// Do is Retry for what returns an error and nothing else.
func Do(ctx context.Context, op func() error, options ...RetryOption) error {
	if err := notNil("op", op == nil); err != nil {
		return err
	}
	_, err := Retry(ctx, func() (struct{}, error) { return struct{}{}, op() }, options...)
	return err
}
