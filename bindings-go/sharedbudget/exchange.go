// The exchanges of a Budget with its store, and what OnExchange receives.

package sharedbudget

import (
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// An Exchange is what a Budget and its store have told each other.
type Exchange struct {
	// Key is that of the account.
	Key string
	// Before is the text that was loaded, nil if there was none or the load failed.
	Before *string
	// Now is the time of the store's clock, the zero Time if the load failed.
	Now time.Time
	// Steps are what the process told the store and asked for, in their order.
	Steps []Step
	// After is the text after the steps, empty if there were none, because the exchange failed before.
	After string
	// Stored says whether it was stored.
	Stored SwapOutcome
	// Err says why the exchange failed, nil if it did not.
	Err error
}

// A Step is a step of an Exchange that happened Count times in a row.
type Step struct {
	// Event is what happened.
	Event Event
	// Count is how often. It is never 0.
	Count uint64
	// Granted is how many of the retries that were requested the budget granted: the first.
	Granted uint64
}

// A SwapOutcome says what became of the state of an Exchange.
type SwapOutcome string

const (
	// SwapDone: the state is in the store.
	SwapDone SwapOutcome = "yes"
	// SwapUnchanged: the steps changed nothing, so there was nothing to store.
	SwapUnchanged SwapOutcome = "unchanged"
	// SwapLost: other processes changed the state until the timeout, so nothing was stored.
	SwapLost SwapOutcome = "lost"
	// SwapUnknown: the store did not say whether it has stored the state.
	SwapUnknown SwapOutcome = "unknown"
	// SwapNone: the load failed, or the text is no account of the budget.
	SwapNone SwapOutcome = "no"
)

// LogValue returns the members of the exchange for slog.
func (e Exchange) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("key", e.Key),
		slog.String("stored", string(e.Stored)),
		slog.Time("now", e.Now),
		slog.Any("steps", e.Steps),
		slog.String("after", e.After),
	}
	if e.Before != nil {
		attrs = append(attrs, slog.String("before", *e.Before))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("err", e.Err.Error()))
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON returns the exchange for logs. The time is the decimal text of its nanoseconds since 1970.
func (e Exchange) MarshalJSON() ([]byte, error) {
	failure := ""
	if e.Err != nil {
		failure = e.Err.Error()
	}
	return json.Marshal(struct {
		Key    string      `json:"key"`
		Before *string     `json:"before"`
		Now    string      `json:"now"`
		Steps  []Step      `json:"steps"`
		After  string      `json:"after"`
		Stored SwapOutcome `json:"stored"`
		Err    string      `json:"err,omitempty"`
	}{e.Key, e.Before, strconv.FormatUint(shared.UnixNano(e.Now), 10), append([]Step{}, e.Steps...), e.After, e.Stored, failure})
}

// MarshalJSON returns the step for logs. Only a retry that was requested has an outcome and a number of granted ones.
func (s Step) MarshalJSON() ([]byte, error) {
	step := struct {
		Event   EventKind        `json:"event"`
		Outcome *backoff.Outcome `json:"outcome"`
		Held    uint64           `json:"held"`
		Count   uint64           `json:"count"`
		Granted *uint64          `json:"granted"`
	}{Event: s.Event.Kind, Held: s.Event.Held, Count: s.Count}
	if s.Event.Kind == RetryRequested {
		step.Outcome, step.Granted = &s.Event.Outcome, &s.Granted
	}
	return json.Marshal(step)
}
