// Outcome and Verdict: how an attempt ended, and the marks of errors.

package backoff

import (
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An Outcome is how an attempt ended (SPEC 13.2).
type Outcome uint32

const (
	// OutcomeSuccess: the attempt succeeded.
	OutcomeSuccess Outcome = 1
	// OutcomeTransient: the attempt failed, and another may succeed.
	OutcomeTransient Outcome = 2
	// OutcomeThrottled: the attempt failed because the server is overloaded.
	OutcomeThrottled Outcome = 3
	// OutcomeTimeout: the attempt got no answer in time.
	OutcomeTimeout Outcome = 4
	// OutcomePermanent: the attempt failed, and another would fail too or is not safe.
	OutcomePermanent Outcome = 5
)

// String returns the name, such as "throttled"; "none" for 0; the number if it is unknown.
func (o Outcome) String() string { return nameOr(engine.OutcomeName(uint32(o)), uint32(o)) }

// MarshalText returns the name. It fails with an *ArgumentError for an unknown number.
func (o Outcome) MarshalText() ([]byte, error) { return marshalName(o, ErrUnknownOutcome, "outcome") }

// UnmarshalText sets the outcome of a name. It fails with an *ArgumentError for any other text and for a nil
// receiver.
func (o *Outcome) UnmarshalText(text []byte) error {
	return unmarshalName(o, text, ErrUnknownOutcome, "outcome")
}

func (o Outcome) isKnown() bool { return o >= OutcomeSuccess && o <= OutcomePermanent }

// A Verdict is how an attempt ended: an Outcome, or an Outcome WithRetryAfter (SPEC 18.3).
//
// An error that implements Verdict counts as marked with it, anywhere in the tree of the Unwrap methods;
// As and Is methods are not asked. Of several marks the first counts, but a mark that is permanent wins
// over every other. Permanent, Transient, RetryAfter and Mark mark an error.
type Verdict interface {
	// Verdict returns the outcome and the wait that the server asked for, with false if it asked for
	// none. A negative wait counts as 0.
	Verdict() (outcome Outcome, retryAfter time.Duration, ok bool)
}

// Verdict returns the outcome, without a wait that the server asked for.
func (o Outcome) Verdict() (Outcome, time.Duration, bool) { return o, 0, false }

// WithRetryAfter returns the verdict of this outcome and the wait that the server asked for. A
// negative wait, such as that of a date in the past, is 0. The verdict prints as "throttled after 5s".
func (o Outcome) WithRetryAfter(retryAfter time.Duration) Verdict {
	return outcomeAfter{o, max(0, retryAfter)}
}

type outcomeAfter struct {
	outcome    Outcome
	retryAfter time.Duration
}

func (o outcomeAfter) Verdict() (Outcome, time.Duration, bool) { return o.outcome, o.retryAfter, true }

// String and MarshalText are for logs.
func (o outcomeAfter) String() string { return o.outcome.String() + " after " + o.retryAfter.String() }

func (o outcomeAfter) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// verdictOf returns the outcome and retry_after of v; for nil, the zero Outcome. A negative
// retry_after is 0.
func verdictOf(v Verdict) (Outcome, time.Duration, bool) {
	if v == nil {
		return 0, 0, false
	}
	outcome, retryAfter, ok := v.Verdict()
	return outcome, max(0, retryAfter), ok
}

// isPermanent reports whether v is permanent for a failure, which cannot be a success.
func isPermanent(v Verdict) bool {
	outcome, _, _ := verdictOf(v)
	return outcome == OutcomePermanent || outcome == OutcomeSuccess
}

// Permanent marks an error that must not be retried, neither by the loop that made the call nor by
// any loop around it, whatever their options say. Permanent(nil) is nil. Only an attempt that met its limit is retried all
// the same: nothing asks what its function returned (RetryContext).
//
// It wins over every other mark, wherever both are in the error: in errors.Join(Transient(a),
// Permanent(b)), in fmt.Errorf("%w: %w", Transient(a), Permanent(b)), in Transient(Permanent(err)) and
// in the *RetryError of an inner loop.
//
// A *PolicyError, an *ArgumentError, ErrNoPolicy, ErrNoBudget, ErrNoOperation and sharedbudget.ErrNoState, such as
// those of a loop inside the function, count as marked Permanent, because another attempt does not mend them. To retry
// one all the same, return an error that does not wrap it.
//
// The errors that Permanent and RetryAfter of github.com/cenkalti/backoff v4 to v7 make, and Unrecoverable of
// github.com/avast/retry-go, count as marks, too, so that a program can change its loops before its functions.
func Permanent(err error) error { return Mark(err, OutcomePermanent) }

// Transient marks an error that the loop retries, unless it contains a Permanent. The mark does not
// apply to a loop around that loop. Transient(nil) is nil.
func Transient(err error) error { return Mark(err, OutcomeTransient) }

// RetryAfter marks an error that the loop retries as throttled, because the server asked to wait.
// The policy's retry_after and retry_after_max decide how long to wait. A negative wait is 0. The
// result wraps cause, which may be nil. A Permanent in cause wins.
//
// ParseRetryAfter reads the wait from an HTTP header.
func RetryAfter(retryAfter time.Duration, cause error) error {
	return &marked{cause, OutcomeThrottled.WithRetryAfter(retryAfter)}
}

// Mark marks an error with a verdict, such as Mark(err, HTTPOutcome(504)). The result has the message
// of err and wraps it. A Permanent in err wins over the verdict. A verdict of OutcomeSuccess counts as
// OutcomePermanent, because a failure is not a success.
//
// Mark(nil, verdict) is nil, and Mark(err, nil) is err, unmarked.
func Mark(err error, verdict Verdict) error {
	if err == nil || verdict == nil {
		return err
	}
	return &marked{err, verdict}
}

type marked struct {
	err     error
	verdict Verdict
}

func (m *marked) Error() string {
	if m.err != nil {
		return m.err.Error()
	}
	_, retryAfter, _ := m.verdict.Verdict()
	return "retry after " + retryAfter.String()
}

func (m *marked) Unwrap() error { return m.err }

func (m *marked) Verdict() (Outcome, time.Duration, bool) { return verdictOf(m.verdict) }

// VerdictOf returns the verdict that a mark gives to an error, nil if it has no mark. It is what a loop asks
// before RetryIf, RetryOn and Classify. It is for code that decides without a loop, such as a job queue:
//
//	if verdict = backoff.VerdictOf(err); verdict == nil {
//		verdict = backoff.OutcomeTransient // as the queue does with every error
//	}
//
// A Permanent anywhere in the error wins over other marks, and the errors of this package that no retry mends
// are permanent (see Permanent). Without a Permanent the first mark counts. A RetryError has no mark but Permanent
// (SPEC 18.3). A mark of OutcomeSuccess is OutcomePermanent. VerdictOf(nil) is nil.
func VerdictOf(err error) Verdict {
	retryErr, isRetryError := err.(*RetryError)
	if isMisuse(err) || retryErr != nil && retryErr.permanent {
		return OutcomePermanent
	}
	mark, _ := err.(Verdict)
	if mark == nil {
		mark = foreignMark(err)
	}
	if isPermanent(mark) {
		return OutcomePermanent
	}
	for _, wrapped := range wrappedBy(err) {
		inner := VerdictOf(wrapped)
		if isPermanent(inner) {
			return OutcomePermanent
		}
		if mark == nil && !isRetryError {
			mark = inner
		}
	}
	return mark
}

// wrappedBy returns the errors that err wraps.
func wrappedBy(err error) []error {
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return []error{err.Unwrap()}
	case interface{ Unwrap() []error }:
		return err.Unwrap()
	}
	return nil
}

// unmarked returns the error without the marks around it. A mark without an error stays.
func unmarked(err error) error {
	for {
		mark, ok := err.(*marked)
		if !ok || mark.err == nil {
			return err
		}
		err = mark.err
	}
}
