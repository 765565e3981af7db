// What happens to the account of a budget.

package sharedbudget

import (
	"strconv"
	"strings"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An EventKind is what happens to the account of a budget (SPEC 15.6).
type EventKind uint32

const (
	// OperationBegan: an operation began.
	OperationBegan EventKind = 1
	// AttemptOver: an attempt is over, whatever its outcome.
	AttemptOver EventKind = 2
	// AttemptFailed: an attempt failed, and not permanently.
	AttemptFailed EventKind = 3
	// RetryRequested: a retry is requested after all other limits allow it.
	RetryRequested EventKind = 4
	// OperationSucceeded: an operation succeeded.
	OperationSucceeded EventKind = 5
	// OperationEnded: an operation ended, for whatever reason.
	OperationEnded EventKind = 6
)

// String returns the name, such as "retry_requested"; "none" for 0; the number if it is unknown.
func (k EventKind) String() string {
	switch {
	case k == 0:
		return "none"
	case k > OperationEnded:
		return strconv.FormatUint(uint64(k), 10)
	}
	return engine.BudgetEventName(uint32(k))
}

// MarshalText returns the name. It fails with a *backoff.ArgumentError for an unknown number.
func (k EventKind) MarshalText() ([]byte, error) {
	if k > OperationEnded {
		return nil, invalid(backoff.ErrUnknownEvent, "event", uint32(k), "is unknown")
	}
	return []byte(k.String()), nil
}

// UnmarshalText sets the kind of a name. It fails with a *backoff.ArgumentError for any other text and for a nil
// receiver.
func (k *EventKind) UnmarshalText(text []byte) error {
	if k == nil {
		return invalid(backoff.ErrMissing, "event", nil, "is nil")
	}
	var names []string
	for kind := EventKind(0); kind <= OperationEnded; kind++ {
		if kind.String() == string(text) {
			*k = kind
			return nil
		}
		names = append(names, kind.String())
	}
	return invalid(backoff.ErrUnknownEvent, "event", string(text), "is unknown; the names are "+strings.Join(names, ", "))
}

// An Event is an event with what it needs.
type Event struct {
	// Kind is what happened.
	Kind EventKind
	// Outcome is that of the attempt that would be retried. Only RetryRequested uses it. It costs as much as a transient
	// one, unless it is throttled or timeout.
	Outcome backoff.Outcome
	// Held is what the operation holds: the Held of its last granted retry, or 0. Only AttemptOver and OperationSucceeded
	// use it.
	Held uint64
}

// An Answer is the answer to RetryRequested. To other events it is the zero one.
type Answer struct {
	// Granted reports whether the retry may be made.
	Granted bool
	// Held is the tokens or slots that the operation holds after a granted retry.
	Held uint64
}
