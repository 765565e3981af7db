// State: the account of a budget as a value, which a store can keep (SPEC 15.5, 15.6).

package sharedbudget

import (
	"encoding"
	"log/slog"
	"strconv"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A State is the state of a budget as a value, which a pure function changes (SPEC 15.5, 15.6). Its text can be kept in
// any store that compares and swaps, and all processes that use the store then share one budget. Budget does so; a State
// is for loops of your own, simulations and checks.
//
// It is a plain value: copy it and compare it with ==. It knows the budget that it is a state of. Its text does not,
// so reading it needs the budget. The zero State is not valid: Step returns ErrNoState.
type State struct{ core engine.BudgetState }

var (
	_ encoding.TextAppender  = State{}
	_ encoding.TextMarshaler = State{}
)

// ErrNoState reports the use of the zero State. A loop does not retry it.
var ErrNoState error = noState{}

type noState struct{}

func (noState) Error() string { return "the zero State is not valid" }

// Verdict marks the error, because another attempt does not mend it.
func (noState) Verdict() (backoff.Outcome, time.Duration, bool) {
	return backoff.OutcomePermanent.Verdict()
}

// FullState returns the state of a budget that is full, with version 0, whatever the budget itself has spent.
//
// It fails with backoff.ErrNoBudget for a nil or zero Budget, and with a *backoff.ArgumentError for a damaged one.
func FullState(budget *backoff.Budget) (State, error) {
	core, err := coreOf(budget)
	if err != nil {
		return State{}, err
	}
	var state State
	state.core.Full(core)
	return state, nil
}

// ParseState returns the state of a text that String returned for a budget with the same budget string. Any text is safe
// to pass.
//
// It fails with a *backoff.ArgumentError of backoff.ErrNotAState for any other text, and as FullState does.
func ParseState(budget *backoff.Budget, text string) (State, error) {
	core, err := coreOf(budget)
	if err != nil {
		return State{}, err
	}
	var state State
	if state.core.Parse(core, text) != engine.OK {
		return State{}, notAState(text, "is not a state of the budget "+budget.String())
	}
	return state, nil
}

// coreOf returns the core's budget, full.
func coreOf(budget *backoff.Budget) (*engine.Budget, error) {
	text, err := budget.MarshalText()
	if err != nil {
		return nil, err
	}
	core := new(engine.Budget)
	core.Parse(string(text)) // it has been parsed before
	return core, nil
}

// notAState returns the error of a text, of which it has no more than the beginning.
func notAState(text, rule string) error {
	const limit = 128
	if len(text) > limit {
		text = text[:limit] + "..."
	}
	return invalid(backoff.ErrNotAState, "state", text, rule)
}

// Step returns the state after an event at now, and whether a retry is granted. now is a reading of the clock that all
// users of the state share, measured from any origin, such as that of the store. If nothing has changed, the
// result equals the state.
//
// It fails with a *backoff.ArgumentError for an unknown kind, for an unknown outcome of RetryRequested and for a negative
// time, and with ErrNoState.
func (s State) Step(event Event, now time.Duration) (State, Answer, error) {
	if now < 0 {
		return s, Answer{}, invalid(backoff.ErrNegative, "now", now, "is below 0s")
	}
	next := s
	granted, held, code := next.core.Step(uint32(event.Kind), uint32(event.Outcome), event.Held, uint64(now))
	switch code {
	case engine.OK:
		return next, Answer{granted, held}, nil
	case engine.UnknownEvent:
		return s, Answer{}, invalid(backoff.ErrUnknownEvent, "event", uint32(event.Kind), "is unknown")
	case engine.UnknownOutcome:
		return s, Answer{}, invalid(backoff.ErrUnknownOutcome, "outcome", uint32(event.Outcome), "is unknown")
	}
	return s, Answer{}, ErrNoState
}

// Version returns how many changes led to this state, modulo 2^64; 0 for the zero State.
func (s State) Version() uint64 {
	digits, _, _ := strings.Cut(s.String(), " ")
	version, _ := strconv.ParseUint(digits, 10, 64) // "no" of the zero one is 0
	return version
}

// String returns the text of the state, such as "2 490". For the zero State it returns "no state", which ParseState
// rejects.
func (s State) String() string {
	text, err := s.AppendText(nil)
	if err != nil {
		return "no state"
	}
	return string(text)
}

// AppendText appends the text of the state. It fails with ErrNoState.
func (s State) AppendText(text []byte) ([]byte, error) {
	text, code := s.core.AppendText(text)
	if code != engine.OK {
		return text, ErrNoState
	}
	return text, nil
}

// MarshalText returns the text of the state. It fails with ErrNoState.
func (s State) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// LogValue returns String, for slog.
func (s State) LogValue() slog.Value { return slog.StringValue(s.String()) }
