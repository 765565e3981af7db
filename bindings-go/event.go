// Event: what hooks receive, and how logs show it.

package backoff

import (
	"log/slog"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// An Event is what the hooks of a loop receive (SPEC 18.4).
type Event struct {
	// Attempts is the number of calls so far.
	Attempts uint64
	// Outcome is that of the last call, 0 if the loop was cancelled.
	Outcome Outcome
	// Reason is why the loop stopped, 0 if it waits.
	Reason StopReason
	// Delay is the wait that follows, or the wait that was not begun because a time limit, the
	// deadline or the budget stopped the loop. Otherwise it is 0.
	Delay time.Duration
	// Elapsed is the time since the loop began.
	Elapsed time.Duration
	// Err is the last call's error, without its mark; nil if it had none.
	Err error
	// BudgetIsLocal reports that the store of the shared budget was away, so that the local budget decided on this
	// retry.
	BudgetIsLocal bool
	// Value is the last call's value, of the type that Retry returns; nil if no call was made, and in
	// a Loop and the loops of Do. After an error it is what the function returned beside it: a nil *T there is a value of
	// type *T, so Value == nil is false.
	Value any
}

// LogValue returns the members of the event for slog, with the names of the outcome and the reason and
// the text of the error. It leaves out Value, which may be large or secret: log it yourself.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.Uint64("attempts", e.Attempts),
		slog.String("outcome", e.Outcome.String()),
		slog.String("reason", e.Reason.String()),
		slog.Duration("delay", e.Delay),
		slog.Duration("elapsed", e.Elapsed),
	}
	if e.BudgetIsLocal {
		attrs = append(attrs, slog.Bool("budget_is_local", true))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("err", e.Err.Error()))
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON returns the members of LogValue as JSON, with durations in nanoseconds. It is for logs, so
// it leaves out Value, too.
func (e Event) MarshalJSON() ([]byte, error) { return shared.JSON(e.LogValue()) }
