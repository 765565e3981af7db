// BudgetLevel: what a budget has left.

package backoff

import (
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A BudgetLevel is what a budget has left (SPEC 15.9), in parts of a token or, for the kinds "ttl" and "concurrent", of a
// retry: Unit parts are one.
type BudgetLevel struct {
	// Level is what is left.
	Level uint64
	// Max is the level of a full budget. For "ttl" it is the reserve, which what operations earn exceeds; for
	// "concurrent" it is the number of retries that may be active now.
	Max uint64
	// Unit is at least 1.
	Unit uint64
}

// Left returns the tokens or retries that are left, for a gauge.
func (l BudgetLevel) Left() float64 { return float64(l.Level) / float64(max(l.Unit, 1)) }

// Most returns the tokens or retries of a full budget, for a gauge.
func (l BudgetLevel) Most() float64 { return float64(l.Max) / float64(max(l.Unit, 1)) }

// Level returns what the budget has left at a time of the clock of its operations, which is Now() by default. It changes
// nothing. It fails with ErrNoBudget, and with an *ArgumentError for a negative time and a damaged budget.
func (b *Budget) Level(now time.Duration) (BudgetLevel, error) {
	if err := notNegative("now", now); err != nil {
		return BudgetLevel{}, err
	}
	level, most, unit, code := orZero(b).core.Level(uint64(now))
	if code != engine.OK {
		return BudgetLevel{}, budgetError(code)
	}
	return BudgetLevel{Level: level, Max: most, Unit: unit}, nil
}
