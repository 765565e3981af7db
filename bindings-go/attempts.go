// NewLoop: the attempts of a loop as the body of a for range.

package backoff

import (
	"context"
	"errors"
	"iter"
)

// A Loop is a retry loop whose body takes the place of Retry's function:
//
//	loop := backoff.NewLoop(ctx, backoff.RetryOn(errBusy))
//	for range loop.Attempts() {
//		loop.Report(save())
//	}
//	return loop.Err()
//
// The body runs once for each attempt, and the loop waits between attempts. Report says how the attempt ended. An
// attempt that reports nothing has succeeded and is the last one, whether the body ends, breaks or returns. A body
// that returns its own error must therefore report it first:
//
//	if err := save(); !loop.Report(err) && errors.Is(err, errClosed) {
//		return err // without Report, the loop would count a success
//	}
//
// Leaving the range after a failure cancels the operation.
//
// A Loop is for one goroutine and for one range. It must not be copied (go vet reports copies), and NewLoop makes the
// only valid ones.
type Loop struct {
	_       noCopy
	inner   loop
	begun   bool
	inBody  bool
	lastErr error   // of the attempt before
	verdict Verdict // of the attempt, as far as it was reported
	failure error
	err     error // of the options
}

// NewLoop returns a loop that has not begun. The options are those of Retry, except RetryResult and ClassifyResult:
// call ReportVerdict instead. If an option is invalid, the loop makes no attempt, and Err returns the error.
func NewLoop(ctx context.Context, options ...RetryOption) *Loop {
	l := new(Loop)
	l.err = l.inner.configure(ctx, options)
	if l.err == nil && l.inner.results != nil {
		l.err = &ArgumentError{Code: ErrUnused, Field: l.inner.results.option, Rule: "has no effect on a Loop: call Loop.ReportVerdict"}
	}
	if l.err == nil && l.inner.extras != nil && l.inner.extras.fallback != nil {
		l.err = &ArgumentError{Code: ErrUnused, Field: l.inner.extras.fallback.option, Rule: "has no effect on a Loop, which has no result"}
	}
	if l.err == nil && l.inner.policy.core().HasAttemptTimeout() {
		l.inner.settingsOfItsOwn().withExtras().attempts = new(attemptContexts)
	}
	return l
}

// Context returns the context of the attempt that runs: that of NewLoop, in which AttemptFromContext finds the attempt. If
// the policy has an attempt_timeout, it is done when the limit of the attempt ends, and when the body has ended: see
// RetryContext. Outside the body it is the context of NewLoop, or context.Background for a Loop that NewLoop did not make.
func (l *Loop) Context() context.Context {
	switch {
	case l == nil || l.inner.ctx == nil:
		return context.Background()
	case !l.inBody:
		return l.inner.ctx
	case l.inner.extras != nil && l.inner.extras.attempts != nil:
		return l.inner.extras.attempts.ctx
	}
	var attempts attemptContexts
	attempts.begin(&l.inner, l.lastErr)
	return attempts.ctx
}

// Attempts returns the attempts to range over, as their numbers, from 1. The loop begins with the range. A second range
// makes no attempt, because the loop has stopped.
func (l *Loop) Attempts() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if l.Err() != nil || l.begun {
			return
		}
		l.begun = true
		if l.err = l.inner.begin(); l.err != nil {
			return
		}
		ended := false
		defer func() {
			if !ended {
				l.panicked()
			}
		}()
		defer l.inner.close()
		for l.inner.next() {
			l.inBody, l.verdict, l.failure, l.lastErr = true, OutcomeSuccess, nil, l.failure
			more := yield(l.inner.calls)
			l.inBody, l.inner.inCall = false, false
			if outcome, _, _ := verdictOf(l.verdict); !more && outcome != OutcomeSuccess {
				l.inner.lastErr = l.failure
				l.inner.cancel()
				break
			}
			l.inner.callEnded(l.verdict, l.failure)
			l.inner.wait()
		}
		ended = true
	}
}

// errPanicked is the cause of the end of a loop whose caller recovers.
var errPanicked = errors.New("the loop ended with a panic")

// panicked sets the error of a loop whose body, hook or classification panics.
func (l *Loop) panicked() {
	gaveUp := &RetryError{
		Err:       unmarked(l.failure),
		Reason:    StopCancelled,
		Attempts:  l.inner.calls,
		cause:     errPanicked,
		permanent: isPermanent(VerdictOf(l.failure)),
	}
	l.err = gaveUp
	gaveUp.Elapsed = l.inner.elapsed(l.inner.clock.Now()) // which may panic, too
}

// Report reports the error of the attempt, or its success with nil, and returns whether it succeeded. Whether the loop
// retries depends on the error's mark, RetryIf, RetryOn and Classify. The last report of an attempt counts. Outside the
// body a report is ignored.
func (l *Loop) Report(err error) (ok bool) {
	if l == nil || !l.inBody {
		return err == nil
	}
	l.verdict, l.failure = OutcomeSuccess, err
	if err != nil {
		// If the classification panics, it is not the call that panicked (SPEC 18.6); and if the body
		// recovers, the failure is permanent.
		l.verdict, l.inner.inCall = OutcomePermanent, false
		l.verdict, l.failure = l.inner.judge(err)
		l.inner.inCall = true
	}
	return err == nil
}

// ReportVerdict reports the verdict of an attempt that has no error: an Outcome, or an Outcome WithRetryAfter. nil is a
// success. It takes the place of Report.
func (l *Loop) ReportVerdict(verdict Verdict) {
	if l != nil && l.inBody {
		l.verdict, l.failure = orSuccess(verdict), nil
	}
}

// Err returns the error that Retry would return: nil after a success, and before the loop has stopped. If the body, a
// hook or a classification panicked and the caller recovered, it is a *RetryError that says so, with the last failure if
// the attempt had one. A Loop that NewLoop did not make returns an *ArgumentError.
func (l *Loop) Err() error {
	switch {
	case l == nil || l.err == nil && l.inner.ctx == nil:
		return &ArgumentError{Code: ErrMissing, Field: "loop", Rule: "was not made by NewLoop"}
	case l.err != nil:
		return l.err
	}
	return l.inner.err
}
