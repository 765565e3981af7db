// BudgetState: the state of a budget as a value, which a store can keep (SPEC 15.5, 15.6).

package backoff

import (
	"encoding"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A BudgetEventKind is what happens to the account of a budget (SPEC 15.6).
type BudgetEventKind uint32

const (
	// BudgetOperationBegan: an operation began.
	BudgetOperationBegan BudgetEventKind = 1
	// BudgetAttemptOver: an attempt is over, whatever its outcome.
	BudgetAttemptOver BudgetEventKind = 2
	// BudgetAttemptFailed: an attempt failed, and not permanently.
	BudgetAttemptFailed BudgetEventKind = 3
	// BudgetRetryRequested: a retry is requested after all other limits allow it.
	BudgetRetryRequested BudgetEventKind = 4
	// BudgetOperationSucceeded: an operation succeeded.
	BudgetOperationSucceeded BudgetEventKind = 5
	// BudgetOperationEnded: an operation ended, for whatever reason.
	BudgetOperationEnded BudgetEventKind = 6
)

// String returns the name, such as "retry_requested"; "none" for 0; the number if it is unknown.
func (k BudgetEventKind) String() string {
	if k == 0 {
		return "none"
	}
	return nameOr(engine.BudgetEventName(uint32(k)), uint32(k))
}

// MarshalText returns the name. It fails with an *ArgumentError for an unknown number.
func (k BudgetEventKind) MarshalText() ([]byte, error) {
	return marshalName(k, ErrUnknownEvent, "event")
}

// UnmarshalText sets the kind of a name. It fails with an *ArgumentError for any other text and for a nil
// receiver.
func (k *BudgetEventKind) UnmarshalText(text []byte) error {
	return unmarshalName(k, text, ErrUnknownEvent, "event")
}

// A BudgetEvent is an event with what it needs.
type BudgetEvent struct {
	// Kind is what happened.
	Kind BudgetEventKind
	// Outcome is that of the attempt that would be retried: transient, throttled or timeout. Only
	// BudgetRetryRequested uses it.
	Outcome Outcome
	// Held is what the operation holds: the Held of its last granted retry, or 0. Only BudgetAttemptOver and
	// BudgetOperationSucceeded use it.
	Held uint64
}

// A BudgetAnswer is the answer to BudgetRetryRequested. To other events it is the zero one.
type BudgetAnswer struct {
	// Granted reports whether the retry may be made.
	Granted bool
	// Held is the tokens or slots that the operation holds after a granted retry.
	Held uint64
}

// A BudgetState is the state of a budget as a value, which a pure function changes (SPEC 15.5, 15.6). Its text
// can be kept in any store that compares and swaps, and all processes that use the store then share one budget.
// SharedBudget does so; a BudgetState is for loops of your own, simulations and checks.
//
// It is a plain value: copy it and compare it with ==. It knows the budget that it is a state of. Its text does not,
// so reading it needs the budget. The zero BudgetState is not valid: Step returns ErrNoBudgetState.
type BudgetState struct{ core engine.BudgetState }

var (
	_ encoding.TextAppender  = BudgetState{}
	_ encoding.TextMarshaler = BudgetState{}
)

// FullBudgetState returns the state of a budget that is full, with version 0, whatever the budget itself has spent.
//
// It fails with ErrNoBudget for a nil or zero Budget, and with an *ArgumentError for a damaged one.
func FullBudgetState(budget *Budget) (BudgetState, error) {
	var state BudgetState
	if code := state.core.Full(&orZero(budget).core); code != engine.OK {
		return BudgetState{}, budgetError(code)
	}
	return state, nil
}

// ParseBudgetState returns the state of a text that String returned for a budget with the same budget string. Any
// text is safe to pass.
//
// It fails with an *ArgumentError of ErrNotAState for any other text, with ErrNoBudget for a nil or zero Budget, and
// with an *ArgumentError for a damaged one.
func ParseBudgetState(budget *Budget, text string) (BudgetState, error) {
	var state BudgetState
	switch code := state.core.Parse(&orZero(budget).core, text); code {
	case engine.OK:
		return state, nil
	case engine.NotAState, engine.TooLong:
		return BudgetState{}, &ArgumentError{Code: ErrNotAState, Field: "state", Value: shortened(text), Rule: "is not a state of the budget " + budget.String()}
	default:
		return BudgetState{}, budgetError(code)
	}
}

// shortened returns a text that fits into a message.
func shortened(text string) string {
	const most = 128
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}

// Step returns the state after an event at now, and whether a retry is granted. now is a reading of the clock that all
// users of the state share, measured from any origin, such as that of the store. If nothing has changed, the
// result equals the state.
//
// It fails with an *ArgumentError for an unknown kind, for an unknown outcome of BudgetRetryRequested and for a
// negative time, and with ErrNoBudgetState.
func (s BudgetState) Step(event BudgetEvent, now time.Duration) (BudgetState, BudgetAnswer, error) {
	if err := notNegative("now", now); err != nil {
		return s, BudgetAnswer{}, err
	}
	return s.step(event, uint64(now))
}

func (s BudgetState) step(event BudgetEvent, now uint64) (BudgetState, BudgetAnswer, error) {
	next := s
	granted, held, code := next.core.Step(uint32(event.Kind), uint32(event.Outcome), event.Held, now)
	switch code {
	case engine.OK:
		return next, BudgetAnswer{granted, held}, nil
	case engine.UnknownEvent:
		return s, BudgetAnswer{}, &ArgumentError{Code: ErrUnknownEvent, Field: "event", Value: uint32(event.Kind), Rule: "is unknown"}
	case engine.UnknownOutcome:
		return s, BudgetAnswer{}, unknownOutcome(event.Outcome)
	}
	return s, BudgetAnswer{}, ErrNoBudgetState
}

// Version returns how many changes led to this state, modulo 2^64; 0 for the zero BudgetState.
func (s BudgetState) Version() uint64 {
	digits, _, _ := strings.Cut(s.String(), " ")
	version, _ := strconv.ParseUint(digits, 10, 64) // "no" of the zero one is 0
	return version
}

// String returns the text of the state, such as "2 490". For the zero BudgetState it returns "no state", which
// ParseBudgetState rejects.
func (s BudgetState) String() string {
	text, err := s.AppendText(nil)
	if err != nil {
		return "no state"
	}
	return string(text)
}

// AppendText appends the text of the state. It fails with ErrNoBudgetState.
func (s BudgetState) AppendText(text []byte) ([]byte, error) {
	text, code := s.core.AppendText(text)
	if code != engine.OK {
		return text, ErrNoBudgetState
	}
	return text, nil
}

// MarshalText returns the text of the state. It fails with ErrNoBudgetState.
func (s BudgetState) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// LogValue returns String, for slog.
func (s BudgetState) LogValue() slog.Value { return slog.StringValue(s.String()) }
