package sharedbudget_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

var errBusy = errors.New("busy")

func newBudget(t *testing.T, store sharedbudget.Store, budget string, options ...sharedbudget.Option) *sharedbudget.Budget {
	t.Helper()
	made, err := sharedbudget.New(store, "test", budget, options...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func parseBudget(t *testing.T, text string) *backoff.Budget {
	t.Helper()
	budget, err := backoff.ParseBudget(text)
	if err != nil {
		t.Fatal(err)
	}
	return budget
}

// checkArgument checks a *backoff.ArgumentError.
func checkArgument(t *testing.T, err error, code backoff.Code, want string) {
	t.Helper()
	var invalid *backoff.ArgumentError
	if !errors.As(err, &invalid) || err.Error() != want || invalid.Code != code || !strings.HasPrefix(want, invalid.Field+" ") {
		t.Errorf("got %v, want %v: %s", err, code, want)
	}
}

// A full state does not depend on what the budget itself has spent, and a step leaves its state as it is.
func TestFullState(t *testing.T) {
	budget := parseBudget(t, "quota:max_tokens=10")
	_ = backoff.Do(t.Context(), func() error { return errBusy }, backoff.WithPolicyString("none:max_retries=1"),
		backoff.RetryIf(backoff.AnyError), backoff.WithBudget(budget))
	state, err := sharedbudget.FullState(budget)
	if err != nil || state.String() != "0 10" || state.Version() != 0 {
		t.Errorf("%v, %v", state, err)
	}
	next, answer, err := state.Step(sharedbudget.Event{Kind: sharedbudget.RetryRequested, Outcome: backoff.OutcomeTransient}, time.Hour)
	if err != nil || next.String() != "1 5" || next.Version() != 1 || answer != (sharedbudget.Answer{Granted: true, Held: 5}) || state.String() != "0 10" {
		t.Errorf("%v, %+v, %v", next, answer, err)
	}
}

func TestInvalidStates(t *testing.T) {
	budget := parseBudget(t, "rate")
	state, err := sharedbudget.FullState(budget)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		event sharedbudget.Event
		now   time.Duration
		code  backoff.Code
		want  string
	}{
		{sharedbudget.Event{}, 0, backoff.ErrUnknownEvent, "event 0 is unknown"},
		{sharedbudget.Event{Kind: 7}, 0, backoff.ErrUnknownEvent, "event 7 is unknown"},
		{sharedbudget.Event{Kind: sharedbudget.RetryRequested}, 0, backoff.ErrUnknownOutcome, "outcome 0 is unknown"},
		{sharedbudget.Event{Kind: sharedbudget.RetryRequested, Outcome: 6}, 0, backoff.ErrUnknownOutcome, "outcome 6 is unknown"},
		{sharedbudget.Event{Kind: sharedbudget.OperationBegan}, -1, backoff.ErrNegative, "now -1ns is below 0s"},
	} {
		next, answer, err := state.Step(row.event, row.now)
		checkArgument(t, err, row.code, row.want)
		if next != state || answer != (sharedbudget.Answer{}) {
			t.Errorf("%s: %v, %+v", row.want, next, answer)
		}
	}
	long := strings.Repeat("1", 2000)
	for text, want := range map[string]string{long: long[:128] + "...", "no state": "no state"} {
		_, err = sharedbudget.ParseState(budget, text)
		checkArgument(t, err, backoff.ErrNotAState, fmt.Sprintf("state %q is not a state of the budget rate", want))
	}
}

func TestZeroStates(t *testing.T) {
	var zero sharedbudget.State
	_, marshalErr := zero.MarshalText()
	_, _, stepErr := zero.Step(sharedbudget.Event{Kind: sharedbudget.OperationBegan}, 0)
	if marshalErr != sharedbudget.ErrNoState || stepErr != sharedbudget.ErrNoState || zero.String() != "no state" || zero.Version() != 0 {
		t.Errorf("%v, %v, %v", zero, marshalErr, stepErr)
	}
	if verdict := backoff.VerdictOf(fmt.Errorf("%w", stepErr)); verdict != backoff.OutcomePermanent {
		t.Errorf("a loop takes the error as %v", verdict)
	}
	for _, budget := range []*backoff.Budget{nil, new(backoff.Budget)} {
		_, fullErr := sharedbudget.FullState(budget)
		if _, err := sharedbudget.ParseState(budget, "0 1"); err != backoff.ErrNoBudget || fullErr != backoff.ErrNoBudget {
			t.Errorf("%v, %v", fullErr, err)
		}
	}
}

func TestEventKinds(t *testing.T) {
	for kind, name := range []string{"none", "operation_began", "attempt_over", "attempt_failed", "retry_requested", "operation_succeeded", "operation_ended"} {
		var read sharedbudget.EventKind
		text, err := sharedbudget.EventKind(kind).MarshalText()
		if readErr := read.UnmarshalText([]byte(name)); string(text) != name || err != nil || readErr != nil || read != sharedbudget.EventKind(kind) {
			t.Errorf("%d is %s, %v, want %s; read as %v, %v", kind, text, err, name, read, readErr)
		}
	}
	unknown := sharedbudget.EventKind(7)
	_, err := unknown.MarshalText()
	checkArgument(t, err, backoff.ErrUnknownEvent, "event 7 is unknown")
	checkArgument(t, unknown.UnmarshalText(nil), backoff.ErrUnknownEvent,
		`event "" is unknown; the names are none, operation_began, attempt_over, attempt_failed, retry_requested, operation_succeeded, operation_ended`)
	checkArgument(t, (*sharedbudget.EventKind)(nil).UnmarshalText([]byte("none")), backoff.ErrMissing, "event is nil")
	if unknown.String() != "7" {
		t.Errorf("prints %v", unknown)
	}
}

func TestInvalidBudgets(t *testing.T) {
	store, lease := new(memoryStore), sharedbudget.WithLease(1)
	for _, row := range []struct {
		store        sharedbudget.Store
		name, budget string
		option       sharedbudget.Option
		want         string
	}{
		{nil, "a", "rate", lease, "store is nil"},
		{(*memoryStore)(nil), "a", "rate", lease, "store is a nil *sharedbudget_test.memoryStore"},
		{store, "", "rate", lease, "name is empty"},
		{store, "\xff", "rate", lease, `name "\xff" is not valid UTF-8`},
		{store, "a\x00", "rate", lease, `name "a\x00" has a control character`},
		{store, "a\u0085", "rate", lease, `name "a\u0085" has a control character`},
		{store, strings.Repeat("é", 128), "rate", lease, "length of the name 256 is above 255 bytes"},
		{store, "a", "rate:cost=1", lease, "at 5: cost 1 is not used by budget rate"},
		{store, "a", "envoy", lease, `budget "envoy" is of kind concurrent, which cannot be shared: a process that is killed would hold its slots for ever`},
		{store, "a", "rate", sharedbudget.WithLocalBudget("concurrent"), `local budget "concurrent" is of kind concurrent: a local budget of this kind cannot know when an operation ends that the store counts`},
		{store, "a", "rate", sharedbudget.WithLocalBudget("x"), `local budget: at 0: unknown name "x"; the names are quota, throttle, ratio, rate, ttl, concurrent, aws-sdk-standard, aws-sdk-2026, grpc-retry, sre, sre-process, finagle, envoy`},
		{store, "a", "rate", sharedbudget.WithFallback("x"), `fallback "x" is not share, whole or refuse`},
		{store, "a", "rate", sharedbudget.WithLease(0), "lease 0 is below 1"},
		{store, "a", "rate", sharedbudget.WithLease(1001), "lease 1001 is above 1000"},
		{store, "a", "rate", sharedbudget.WithProcesses(0), "processes 0 is below 1"},
		{store, "a", "rate", sharedbudget.WithProcesses(1_000_001), "processes 1000001 is above 1000000"},
		{store, "a", "rate", sharedbudget.WithStoreTimeout(0), "store timeout 0s is not above 0s"},
		{store, "a", "rate", sharedbudget.OnExchange(nil), "argument of OnExchange is nil"},
		{store, "a", "rate", nil, "option is nil"},
	} {
		if made, err := sharedbudget.New(row.store, row.name, row.budget, row.option); made != nil || err == nil || err.Error() != row.want {
			t.Errorf("made %v, %v, want %s", made, err, row.want)
		}
	}
	_, err := sharedbudget.New(store, "a", "rate", sharedbudget.WithProcesses(3), sharedbudget.WithFallback(sharedbudget.FallbackRefuse))
	checkArgument(t, err, backoff.ErrUnused, "processes 3 is only for the fallback share, and the fallback is refuse")
}

// Only what New has made is a budget, and only a loop takes it.
func TestMisusedBudgets(t *testing.T) {
	for _, zero := range []*sharedbudget.Budget{nil, new(sharedbudget.Budget)} {
		if err := zero.Flush(t.Context()); err != backoff.ErrNoBudget || zero.Key() != "" || zero.LastError() != nil || zero.Stats() != (sharedbudget.Stats{}) || fmt.Sprint(zero) != "no budget" {
			t.Errorf("%v, %v", zero, err)
		}
	}
	succeed := func() error { return nil }
	if err := backoff.Do(t.Context(), succeed, backoff.WithSharedBudget(new(sharedbudget.Budget))); err != backoff.ErrNoBudget {
		t.Error(err)
	}
	budget := newBudget(t, new(memoryStore), "rate")
	_, err := backoff.Policy{}.Begin(backoff.StreamFromSeed(42), 0, backoff.WithSharedBudget(budget))
	checkArgument(t, err, backoff.ErrUnused, "shared budget backoff:test:rate has no effect on an operation: loops alone accept it")
	err = backoff.Do(t.Context(), succeed, backoff.WithSharedBudget(foreign{}))
	checkArgument(t, err, backoff.ErrWrongType, "shared budget {} is not one of package sharedbudget")
	var none context.Context
	checkArgument(t, budget.Flush(none), backoff.ErrMissing, "ctx is nil")
	if text := fmt.Sprintf("%v %+v %#v", budget, budget, budget); text != "backoff:test:rate backoff:test:rate backoff:test:rate" {
		t.Error(text)
	}
}

type foreign struct{}

func (foreign) ForLoops() (any, error) { return 7, nil }
