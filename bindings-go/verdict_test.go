package backoff_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A selfish error says itself how its call ended.
type selfish struct{ hint time.Duration }

func (s *selfish) Error() string { return "selfish" }

func (s *selfish) Verdict() (backoff.Outcome, time.Duration, bool) {
	return backoff.OutcomeTimeout, s.hint, true
}

func TestMarks(t *testing.T) {
	const none = time.Duration(-1)
	rows := []struct {
		err     error
		text    string
		outcome backoff.Outcome
		hint    time.Duration
	}{
		{backoff.Permanent(io.EOF), "EOF", backoff.OutcomePermanent, none},
		{backoff.Transient(io.EOF), "EOF", backoff.OutcomeTransient, none},
		{backoff.RetryAfter(3*time.Second, io.EOF), "EOF", backoff.OutcomeThrottled, 3 * time.Second},
		{backoff.RetryAfter(-1, io.EOF), "EOF", backoff.OutcomeThrottled, 0},
		{backoff.RetryAfter(3*time.Second, nil), "retry after 3s", backoff.OutcomeThrottled, 3 * time.Second},
		{backoff.Mark(io.EOF, backoff.HTTPOutcome(504)), "EOF", backoff.OutcomeTimeout, none},
		{backoff.Mark(io.EOF, backoff.OutcomeTransient.WithHint(0)), "EOF", backoff.OutcomeTransient, 0},
		{fmt.Errorf("read: %w", backoff.Transient(io.EOF)), "read: EOF", backoff.OutcomeTransient, none},
		{errors.Join(io.ErrClosedPipe, backoff.Transient(io.EOF)), "io: read/write on closed pipe\nEOF", backoff.OutcomeTransient, none},
		{backoff.Permanent(backoff.Transient(io.EOF)), "EOF", backoff.OutcomePermanent, none},
		{fmt.Errorf("get: %w", &selfish{4}), "get: selfish", backoff.OutcomeTimeout, 4},
	}
	for _, row := range rows {
		var verdict backoff.Verdict
		if !errors.As(row.err, &verdict) {
			t.Fatalf("%v says nothing", row.err)
		}
		outcome, hint, hinted := verdict.Verdict()
		if !hinted {
			hint = none
		}
		if outcome != row.outcome || hint != row.hint || row.err.Error() != row.text {
			t.Errorf("%v says %v, %v, want %v, %v", row.err, outcome, hint, row.outcome, row.hint)
		}
		if found := errors.Is(row.err, io.EOF); found != (row.text != "retry after 3s" && row.text != "get: selfish") {
			t.Errorf("%v: EOF is found: %t", row.err, found)
		}
		// The loop reads what errors.As does.
		var heard backoff.Outcome
		_ = backoff.Do(t.Context(), func() error { return row.err },
			backoff.WithPolicyLine("none:max_retries=0"), backoff.OnStop(func(e backoff.Event) { heard = e.Outcome }))
		if heard != row.outcome {
			t.Errorf("%v is heard as %v, want %v", row.err, heard, row.outcome)
		}
	}
	for name, err := range map[string]error{"Permanent": backoff.Permanent(nil), "Transient": backoff.Transient(nil), "Mark": backoff.Mark(nil, backoff.OutcomeTimeout)} {
		if err != nil {
			t.Errorf("%s of nil is %v", name, err)
		}
	}
}

// The mark is taken off the last error, however many there are, but for what is nothing else.
func TestTheLastErrorHasNoMark(t *testing.T) {
	wrapped := fmt.Errorf("read: %w", backoff.Permanent(io.EOF))
	bare := backoff.RetryAfter(time.Second, nil)
	rows := []struct{ given, want error }{
		{io.EOF, io.EOF},
		{backoff.Permanent(io.EOF), io.EOF},
		{backoff.Permanent(backoff.RetryAfter(time.Second, backoff.Transient(io.EOF))), io.EOF},
		{wrapped, wrapped},
		{bare, bare},
	}
	for _, row := range rows {
		var told error
		err := backoff.Do(t.Context(), func() error { return row.given },
			backoff.WithPolicyLine("none:max_retries=0"), backoff.OnStop(func(e backoff.Event) { told = e.Err }))
		var gaveUp *backoff.RetryError
		if !errors.As(err, &gaveUp) || gaveUp.Err != row.want || told != row.want {
			t.Errorf("of %v the error is %v and told is %v", row.given, gaveUp.Err, told)
		}
	}
}
