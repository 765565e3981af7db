package backoff

import (
	"context"
	"iter"
)

// Attempts returns the attempts of a loop for range, where its body is what Retry would call:
//
//	for attempt, err := range backoff.Attempts(ctx, backoff.RetryOn(errBusy)) {
//		if err != nil {
//			return err // gave up
//		}
//		if attempt.Failed(save()) {
//			continue
//		}
//		return nil
//	}
//
// An attempt of which the body tells no failure has succeeded, and is the last, however the body
// ends. The waits are between the attempts. When the loop gives up, it comes once more, with the
// error that Retry would return and a nil attempt. Who leaves it after a failure cancels the
// operation. The options are those of Retry, but for RetryResult and ClassifyResult; they are read
// each time that the range begins.
func Attempts(ctx context.Context, options ...RetryOption) iter.Seq2[*Attempt, error] {
	return func(yield func(*Attempt, error) bool) {
		loop, err := attemptsLoop(ctx, options)
		if err != nil {
			yield(nil, err)
			return
		}
		defer loop.abandon()
		for loop.next() {
			attempt := &Attempt{loop: loop, verdict: OutcomeSuccess}
			goesOn := yield(attempt, nil)
			attempt.loop, loop.calling = nil, false
			if !goesOn && attempt.failed() {
				loop.last = attempt.err
				loop.cancel()
				return
			}
			loop.ended(attempt.verdict, attempt.err)
			if !goesOn {
				return
			}
		}
		if loop.end != nil {
			yield(nil, loop.end)
		}
	}
}

func attemptsLoop(ctx context.Context, options []RetryOption) (*loop, error) {
	with, err := retryingIn(ctx, options)
	if err != nil {
		return nil, err
	}
	if with.results != nil {
		return nil, &ArgumentError{Field: "result", Value: "of Attempts", Rule: "is told by Attempt.Ended"}
	}
	return newLoop(ctx, with)
}

// An Attempt is told by the body of a loop of Attempts how it ended. What is told last counts, and
// what is told after the body has ended does not. It is for one goroutine at a time.
type Attempt struct {
	loop    *loop // nil when the body has ended
	verdict Verdict
	err     error
}

// Failed tells the error of the attempt, nil for none, and reports whether there is one. Whether
// it may be repeated is for its mark, RetryIf, RetryOn and Classify to say.
func (a *Attempt) Failed(err error) bool {
	if a == nil || a.loop == nil {
		return err != nil
	}
	a.verdict, a.err = OutcomeSuccess, err
	if err != nil {
		a.verdict = OutcomePermanent // should judge panic, and the body recover
		a.loop.calling = false       // should judge panic, that is not the call (SPEC 18.6)
		a.verdict = a.loop.judge(err)
		a.loop.calling = true
	}
	return err != nil
}

// Ended tells how the attempt ended, for a result that is no error: an Outcome, or one WithHint.
func (a *Attempt) Ended(verdict Verdict) {
	if a != nil && a.loop != nil {
		a.verdict, a.err = verdict, nil
	}
}

// Number returns how many attempts there were with this one, 0 after its body has ended.
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
