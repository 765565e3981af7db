package backoff

import "time"

// A Verdict is how a call ended: an Outcome is one, and so is an Outcome WithHint (SPEC 18.3).
//
// An error with this method, anywhere in the tree that errors.Is walks, is marked: it says itself
// how its call ended. Permanent, Transient, RetryAfter and Mark make such errors of any.
type Verdict interface {
	// Verdict returns the outcome, and the time that the server asked to wait if it did; a negative
	// one is 0.
	Verdict() (outcome Outcome, hint time.Duration, hinted bool)
}

// Verdict returns the outcome, without a hint.
func (o Outcome) Verdict() (Outcome, time.Duration, bool) { return o, 0, false }

// WithHint returns the verdict of this outcome and of the time that the server asked to wait. A
// negative one, as of a date that has passed, is 0.
func (o Outcome) WithHint(hint time.Duration) Verdict { return hinted{o, max(0, hint)} }

type hinted struct {
	outcome Outcome
	hint    time.Duration
}

func (h hinted) Verdict() (Outcome, time.Duration, bool) { return h.outcome, h.hint, true }

// Permanent returns an error that Retry does not repeat, whatever else it is told, and no loop around
// that one; nil of nil.
func Permanent(err error) error { return Mark(err, OutcomePermanent) }

// Transient returns an error that Retry repeats, but not a loop around that one; nil of nil.
func Transient(err error) error { return Mark(err, OutcomeTransient) }

// RetryAfter returns an error that Retry repeats as throttled, with the hint to wait so long: how
// long it waits then is for the policy to say, by its hint and hint_max. A negative hint is 0. The
// cause is the error, if there is one.
//
// Of the header of an HTTP response the hint is that of ParseRetryAfter.
func RetryAfter(hint time.Duration, cause error) error {
	return &marked{cause, OutcomeThrottled.WithHint(hint)}
}

// Mark returns an error that says how its call ended, such as Mark(err, HTTPOutcome(504)); nil of
// nil. It reads as the error itself, which errors.Is, errors.As and errors.Unwrap find.
func Mark(err error, verdict Verdict) error {
	if err == nil {
		return nil
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
	_, hint, _ := m.verdict.Verdict()
	return "retry after " + hint.String()
}

func (m *marked) Unwrap() error { return m.err }

func (m *marked) Verdict() (Outcome, time.Duration, bool) { return verdictOf(m.verdict) }

// verdictOf returns what a verdict says, the outcome 0, which is none, of nil. A negative hint is 0.
func verdictOf(verdict Verdict) (Outcome, time.Duration, bool) {
	if verdict == nil {
		return 0, 0, false
	}
	outcome, hint, hinted := verdict.Verdict()
	return outcome, max(0, hint), hinted
}

// isPermanent reports whether a verdict is so for a failure, of which it may not say success.
func isPermanent(verdict Verdict) bool {
	outcome, _, _ := verdictOf(verdict)
	return outcome == OutcomePermanent || outcome == OutcomeSuccess
}

// markOf returns what an error says of itself, nil if nothing. Of what was said to a loop, one around
// it hears Permanent alone (SPEC 18.3).
func markOf(err error) Verdict {
	switch err := err.(type) {
	case *RetryError:
		if err.permanent {
			return OutcomePermanent
		}
		return nil
	case Verdict:
		return err
	case interface{ Unwrap() error }:
		return markOf(err.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range err.Unwrap() {
			if mark := markOf(err); mark != nil {
				return mark
			}
		}
	}
	return nil
}

// unmarked returns the error without the marks around it; one that is nothing but a mark stays.
func unmarked(err error) error {
	for {
		mark, ok := err.(*marked)
		if !ok || mark.err == nil {
			return err
		}
		err = mark.err
	}
}

// AnyError returns true: with RetryIf, every failure may be repeated that is not marked as
// Permanent. Say so only of calls that may be made twice.
func AnyError(error) bool { return true }
