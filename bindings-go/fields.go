// The values of the fields of policies and budgets.

package backoff

import (
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A Ratio is a ratio in lowest terms, such as a multiplier of 8/5.
type Ratio struct{ Numerator, Denominator uint32 }

// BudgetFields are the values of the fields of a Budget (SPEC 5.4, 15.1), whether set or by default. A field that the
// kind does not use is zero.
type BudgetFields struct {
	MaxTokens                        uint64
	Cost, CostThrottled, CostTimeout uint64
	Ratio                            Ratio
	Per, TTL                         time.Duration
	MinPerSecond, MinConcurrent      uint64
}

// Fields returns the values of the fields, which no retry changes; all are zero for a nil, a zero and a damaged Budget.
func (b *Budget) Fields() BudgetFields {
	f := fieldsOf{&orZero(b).core}
	return BudgetFields{
		MaxTokens:     f.count(engine.FieldMaxTokens),
		Cost:          f.count(engine.FieldCost),
		CostThrottled: f.count(engine.FieldCostThrottled),
		CostTimeout:   f.count(engine.FieldCostTimeout),
		Ratio:         f.ratio(engine.FieldRatio),
		Per:           f.duration(engine.FieldPer),
		TTL:           f.duration(engine.FieldTtl),
		MinPerSecond:  f.count(engine.FieldMinPerSecond),
		MinConcurrent: f.count(engine.FieldMinConcurrent),
	}
}

// Kind returns the name of the kind, such as "concurrent"; empty for a nil, a zero and a damaged Budget.
func (b *Budget) Kind() string {
	kind, ok := orZero(b).core.Get(engine.FieldBudget)
	if !ok {
		return ""
	}
	return engine.KindName(engine.FieldBudget, uint32(kind))
}

// fieldsOf reads the fields of a policy or a budget.
type fieldsOf struct {
	core interface {
		Get(engine.Field) (uint64, bool)
		GetRatio(engine.Field) (numerator, denominator uint32, ok bool)
	}
}

func (f fieldsOf) count(field engine.Field) uint64 {
	value, _ := f.core.Get(field)
	return value
}

func (f fieldsOf) duration(field engine.Field) time.Duration { return time.Duration(f.count(field)) }

// waits returns the list of a policy.
func (f fieldsOf) waits(engine.Field) []time.Duration {
	policy, ok := f.core.(*engine.Policy)
	if !ok {
		return nil
	}
	var waits []time.Duration
	for _, wait := range policy.Waits() {
		waits = append(waits, time.Duration(wait))
	}
	return waits
}

func (f fieldsOf) ratio(field engine.Field) Ratio {
	numerator, denominator, _ := f.core.GetRatio(field)
	return Ratio{numerator, denominator}
}
