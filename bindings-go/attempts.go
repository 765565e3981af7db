package backoff

import (
	"context"
	"iter"
)

// Attempts returns a retry loop to range over. The loop body takes the place of Retry's function:
//
//	for attempt, err := range backoff.Attempts(ctx, backoff.RetryOn(errBusy)) {
//		if err != nil {
//			return err // the loop stopped
//		}
//		if attempt.Failed(save()) {
//			continue
//		}
//		return nil
//	}
//
// An attempt whose body reports no failure has succeeded and is the last one, whether the body
// breaks, continues or returns. A body that returns its own error must therefore report it first:
//
//	if err := save(); attempt.Failed(err) && !isTemporary(err) {
//		return err // without Failed, the loop would count a success
//	}
//
// The loop waits between attempts. When it stops without a success, it yields once more, with a nil
// attempt and the error that Retry would return. Do not leave out the second variable: "for attempt :=
// range" yields the nil attempt, too, and loses the error. The methods of a nil attempt do nothing.
//
// Leaving the range after a failure cancels the operation.
//
// The options are those of Retry, except RetryResult and ClassifyResult. They are read each time a
// range begins.
func Attempts(ctx context.Context, options ...RetryOption) iter.Seq2[*Attempt, error] {
	return func(yield func(*Attempt, error) bool) {
		loop, err := newAttemptsLoop(ctx, options)
		if err != nil {
			yield(nil, err)
			return
		}
		defer loop.close()
		for loop.next() {
			attempt := &Attempt{loop: loop, verdict: OutcomeSuccess}
			more := yield(attempt, nil)
			attempt.loop, loop.inCall = nil, false
			if !more && attempt.failed() {
				loop.lastErr = attempt.err
				loop.cancel()
				return
			}
			loop.callEnded(attempt.verdict, attempt.err)
			if !more {
				return
			}
		}
		if loop.err != nil {
			yield(nil, loop.err)
		}
	}
}

func newAttemptsLoop(ctx context.Context, options []RetryOption) (*loop, error) {
	loop := new(loop)
	if err := loop.configure(ctx, options); err != nil {
		return nil, err
	}
	if loop.results != nil {
		return nil, &ArgumentError{Code: ErrUnused, Field: loop.results.option, Rule: "has no effect on Attempts: call Attempt.Ended"}
	}
	return loop, loop.begin()
}

// An Attempt receives the result of the body of a loop of Attempts. The last report wins; reports
// after the body has ended are ignored. It is for one goroutine at a time.
type Attempt struct {
	loop    *loop // nil after the body has ended
	verdict Verdict
	err     error
}

// Failed reports an error of the attempt, or a success with nil, and returns whether err is an error.
// Whether the loop retries depends on the error's mark, RetryIf, RetryOn and Classify.
func (a *Attempt) Failed(err error) bool {
	if a == nil || a.loop == nil {
		return err != nil
	}
	a.verdict, a.err = OutcomeSuccess, err
	if err != nil {
		// If the classification panics, it is not the call that panicked (SPEC 18.6); and if the body
		// recovers, the failure is permanent.
		a.verdict, a.loop.inCall = OutcomePermanent, false
		a.verdict = a.loop.classifyFailure(err)
		a.loop.inCall = true
	}
	return err != nil
}

// Ended reports the verdict of an attempt that returned no error: an Outcome, or an Outcome
// WithRetryAfter. nil is a success.
func (a *Attempt) Ended(verdict Verdict) {
	if a != nil && a.loop != nil {
		a.verdict, a.err = orSuccess(verdict), nil
	}
}

// Number returns the number of this attempt, from 1; 0 after its body has ended.
func (a *Attempt) Number() uint64 {
	if a == nil || a.loop == nil {
		return 0
	}
	return a.loop.calls
}

func (a *Attempt) failed() bool {
	outcome, _, _ := verdictOf(a.verdict)
	return outcome != OutcomeSuccess
}
