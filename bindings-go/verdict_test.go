package backoff_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A markedError is an error type with a mark of its own.
type markedError struct{ retryAfter time.Duration }

func (m *markedError) Error() string { return "marked" }

func (m *markedError) Verdict() (backoff.Outcome, time.Duration, bool) {
	return backoff.OutcomeTimeout, m.retryAfter, true
}

func TestMarks(t *testing.T) {
	const none = time.Duration(-1)
	rows := []struct {
		err        error
		text       string
		outcome    backoff.Outcome
		retryAfter time.Duration
	}{
		{backoff.Permanent(io.EOF), "EOF", backoff.OutcomePermanent, none},
		{backoff.Transient(io.EOF), "EOF", backoff.OutcomeTransient, none},
		{backoff.RetryAfter(3*time.Second, io.EOF), "EOF", backoff.OutcomeThrottled, 3 * time.Second},
		{backoff.RetryAfter(-1, io.EOF), "EOF", backoff.OutcomeThrottled, 0},
		{backoff.RetryAfter(3*time.Second, nil), "retry after 3s", backoff.OutcomeThrottled, 3 * time.Second},
		{backoff.Mark(io.EOF, backoff.HTTPOutcome(504)), "EOF", backoff.OutcomeTimeout, none},
		{backoff.Mark(io.EOF, backoff.OutcomeTransient.WithRetryAfter(0)), "EOF", backoff.OutcomeTransient, 0},
		{fmt.Errorf("read: %w", backoff.Transient(io.EOF)), "read: EOF", backoff.OutcomeTransient, none},
		{errors.Join(io.ErrClosedPipe, backoff.Transient(io.EOF)), "io: read/write on closed pipe\nEOF", backoff.OutcomeTransient, none},
		{backoff.Permanent(backoff.Transient(io.EOF)), "EOF", backoff.OutcomePermanent, none},
		{fmt.Errorf("get: %w", &markedError{4}), "get: marked", backoff.OutcomeTimeout, 4},
	}
	for _, row := range rows {
		var verdict backoff.Verdict
		if !errors.As(row.err, &verdict) {
			t.Fatalf("%v has no mark", row.err)
		}
		outcome, retryAfter, ok := verdict.Verdict()
		if !ok {
			retryAfter = none
		}
		if outcome != row.outcome || retryAfter != row.retryAfter || row.err.Error() != row.text {
			t.Errorf("%v is marked %v, %v, want %v, %v", row.err, outcome, retryAfter, row.outcome, row.retryAfter)
		}
		outcome, retryAfter, ok = backoff.VerdictOf(row.err).Verdict()
		if outcome != row.outcome || ok != (row.retryAfter != none) || ok && retryAfter != row.retryAfter {
			t.Errorf("the verdict of %v is %v, %v, %t", row.err, outcome, retryAfter, ok)
		}
		if found := errors.Is(row.err, io.EOF); found != (row.text != "retry after 3s" && row.text != "get: marked") {
			t.Errorf("%v: EOF is found: %t", row.err, found)
		}
		// The loop finds the same mark as errors.As.
		var seen backoff.Outcome
		_ = backoff.Do(t.Context(), func() error { return row.err },
			backoff.WithPolicyString("immediate:max_retries=0"), backoff.OnStop(func(e backoff.Event) { seen = e.Outcome }))
		if seen != row.outcome {
			t.Errorf("the outcome of %v is %v, want %v", row.err, seen, row.outcome)
		}
	}
	for name, err := range map[string]error{"Permanent": backoff.Permanent(nil), "Transient": backoff.Transient(nil), "Mark": backoff.Mark(nil, backoff.OutcomeTimeout)} {
		if err != nil {
			t.Errorf("%s of nil is %v", name, err)
		}
	}
}

// Permanent wins over every other mark, wherever both are in the error, also for enclosing loops.
func TestPermanentWins(t *testing.T) {
	permanent := backoff.Permanent(io.EOF)
	transient := backoff.Transient(io.ErrClosedPipe)
	policy, anything := backoff.WithPolicyString("constant:base=0s,max_retries=1"), backoff.RetryIf(backoff.AnyError)
	loop := func(err error) error {
		return backoff.Do(t.Context(), func() error { return err }, policy, anything)
	}
	forms := map[string]error{
		"Permanent":                   permanent,
		"Join":                        errors.Join(transient, permanent),
		"Join, without another mark":  errors.Join(io.ErrClosedPipe, permanent),
		"two %w":                      fmt.Errorf("%w: %w", transient, permanent),
		"deep in two trees":           errors.Join(transient, fmt.Errorf("b: %w", fmt.Errorf("%w %w", io.ErrClosedPipe, permanent))),
		"Transient":                   backoff.Transient(permanent),
		"RetryAfter":                  backoff.RetryAfter(time.Hour, permanent),
		"RetryAfter around a wrapper": backoff.RetryAfter(time.Hour, fmt.Errorf("read: %w", permanent)),
		"Mark":                        backoff.Mark(permanent, backoff.OutcomeTimeout),
		"beside an error type":        errors.Join(&markedError{}, permanent),
		"a mark of success":           errors.Join(transient, backoff.Mark(io.EOF, backoff.OutcomeSuccess)),
		"a mark of success, alone":    backoff.Mark(io.EOF, backoff.OutcomeSuccess),
		"an inner loop":               loop(permanent),
		"an inner loop, marked":       backoff.Transient(loop(permanent)),
		"an inner loop, joined":       errors.Join(transient, loop(errors.Join(transient, permanent))),
		"a loop in an inner loop":     loop(fmt.Errorf("outer: %w", loop(permanent))),
	}
	for form, err := range forms {
		t.Run(form, func(t *testing.T) {
			if verdict := backoff.VerdictOf(err); verdict != backoff.OutcomePermanent {
				t.Errorf("the verdict of %v is %v", err, verdict)
			}
			calls := 0
			err := backoff.Do(t.Context(), func() error { calls++; return err }, policy, anything)
			checkEnd(t, err, io.EOF, backoff.StopPermanent, 1)
			loop := backoff.NewLoop(t.Context(), policy, anything)
			for range loop.Attempts() {
				loop.Report(fmt.Errorf("again: %w", err))
			}
			checkEnd(t, loop.Err(), io.EOF, backoff.StopPermanent, 1)
		})
	}
	// A loop does not inherit another mark of an inner loop, even if the inner error contains it.
	inner := loop(fmt.Errorf("wrapped: %w", transient))
	for _, unmarked := range []error{nil, io.EOF, inner, asError{}} {
		if verdict := backoff.VerdictOf(unmarked); verdict != nil {
			t.Errorf("the verdict of %v is %v", unmarked, verdict)
		}
	}
	err := backoff.Do(t.Context(), func() error { return inner }, policy)
	checkEnd(t, err, io.ErrClosedPipe, backoff.StopPermanent, 1)
}

// Errors that say that this package was misused are permanent, also in an inner loop: no retry mends
// them.
func TestMisuseIsPermanent(t *testing.T) {
	op := func() error { return io.EOF }
	policy, anything := backoff.WithPolicyString("constant:base=0s,max_retries=1"), backoff.RetryIf(backoff.AnyError)
	_, policyErr := backoff.ParsePolicy("constant:base=0s,bse=1s")
	damaged := parseBudget(t, "ratio")
	damaged.Damage()
	for what, err := range map[string]error{
		"a PolicyError":        policyErr,
		"a PolicyError of fit": func() error { _, err := parsePolicy(t, "constant:base=1s").FitBase(3, 1); return err }(),
		"an ArgumentError":     backoff.Do(t.Context(), op, backoff.WithKey(42, "\xff")),
		"a nil op":             backoff.Do(t.Context(), nil),
		"an unknown outcome":   backoff.Do(t.Context(), func() error { return fmt.Errorf("read: %w", backoff.Mark(io.EOF, backoff.Outcome(9))) }),
		"a damaged budget":     backoff.Do(t.Context(), op, backoff.WithBudget(damaged)),
		"no policy":            backoff.Do(t.Context(), op, backoff.WithPolicy(backoff.Policy{})),
		"no budget":            backoff.Do(t.Context(), op, backoff.WithBudget(new(backoff.Budget))),
		"no operation":         func() error { _, err := new(backoff.Operation).Decide(backoff.OutcomeTransient, 0); return err }(),
	} {
		for _, err := range []error{err, fmt.Errorf("outer: %w", err), errors.Join(backoff.Transient(io.EOF), err)} {
			middle := backoff.Do(t.Context(), func() error { return err }, policy, anything)
			checkEnd(t, middle, err, backoff.StopPermanent, 1)
			outer := backoff.Do(t.Context(), func() error { return middle }, policy, anything)
			checkEnd(t, outer, middle, backoff.StopPermanent, 1)
		}
		// An error that does not wrap it is like any other.
		text := errors.New(what + ": " + err.Error())
		checkEnd(t, backoff.Do(t.Context(), func() error { return text }, policy, anything), text, backoff.StopMaxRetries, 2)
	}
}

// The errors of the reasons and of the codes are not marks: an error that wraps one is like any other.
func TestReasonsAreNotMarks(t *testing.T) {
	policy := backoff.WithPolicyString("constant:base=0s,max_retries=1")
	for _, reason := range []error{
		backoff.ErrPermanent, backoff.ErrMaxRetries, backoff.ErrMaxElapsed, backoff.ErrDeadline, backoff.ErrBudget,
		backoff.ErrCancelled, backoff.ErrMissing, backoff.ErrNoEntropy,
	} {
		op := func() error { return fmt.Errorf("404: %w", reason) }
		for want, options := range map[backoff.StopReason][]backoff.RetryOption{
			backoff.StopMaxRetries: {policy, backoff.RetryIf(backoff.AnyError)},
			backoff.StopPermanent:  {policy},
		} {
			var gaveUp *backoff.RetryError
			if err := backoff.Do(t.Context(), op, options...); !errors.As(err, &gaveUp) || gaveUp.Reason != want {
				t.Errorf("ended with %v, want %v", err, want)
			}
		}
	}
}

// An asError has an As method that finds a mark in it, and wraps nothing.
type asError struct{}

func (asError) Error() string { return "as" }

func (asError) As(target any) bool {
	verdict, ok := target.(*backoff.Verdict)
	if ok {
		*verdict = backoff.OutcomeTransient
	}
	return ok
}

// A mark must be in the tree of the Unwrap methods; an As method is not asked.
func TestMarksOfAsMethodsDoNotCount(t *testing.T) {
	if mark := backoff.Verdict(nil); !errors.As(error(asError{}), &mark) {
		t.Fatal("errors.As does not ask")
	}
	checkEnd(t, backoff.Do(t.Context(), func() error { return asError{} }), asError{}, backoff.StopPermanent, 1)
}

// All marks are removed from the last error, unless the mark is the whole error.
func TestLastErrorHasNoMark(t *testing.T) {
	wrapped := fmt.Errorf("read: %w", backoff.Permanent(io.EOF))
	bare := backoff.RetryAfter(time.Second, nil)
	rows := []struct{ err, want error }{
		{io.EOF, io.EOF},
		{backoff.Permanent(io.EOF), io.EOF},
		{backoff.Permanent(backoff.RetryAfter(time.Second, backoff.Transient(io.EOF))), io.EOF},
		{wrapped, wrapped},
		{bare, bare},
	}
	for _, row := range rows {
		var eventErr error
		err := backoff.Do(t.Context(), func() error { return row.err },
			backoff.WithPolicyString("immediate:max_retries=0"), backoff.OnStop(func(e backoff.Event) { eventErr = e.Err }))
		var gaveUp *backoff.RetryError
		if !errors.As(err, &gaveUp) || gaveUp.Err != row.want || eventErr != row.want {
			t.Errorf("%v: the error is %v, and that of the event %v", row.err, gaveUp.Err, eventErr)
		}
	}
}

// Delays of one's own: the policy adds nothing, and no default limits them.
func TestDelaysOfOnesOwn(t *testing.T) {
	own := []time.Duration{3 * time.Hour, 0, 7 * time.Second}
	clock := new(fakeClock)
	err := backoff.Do(t.Context(), func() error { return errBusy },
		backoff.WithPolicyString("immediate:retry_after=exact,retry_after_max=none,max_retries=3"), backoff.WithClock(clock),
		backoff.Classify(func(error) backoff.Verdict {
			return backoff.OutcomeTransient.WithRetryAfter(own[len(clock.sleeps)%len(own)])
		}))
	checkEnd(t, err, errBusy, backoff.StopMaxRetries, 4)
	if !slices.Equal(clock.sleeps, own) {
		t.Errorf("slept %v", clock.sleeps)
	}
}
