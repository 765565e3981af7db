package backoff

import "time"

// SkipTo moves to an index without taking the delays before it, for the tests of the end.
func (b *Backoff) SkipTo(index uint64) {
	b.first, b.taken, b.fetched = index, 0, 0
}

// BeginAt, DecideAt and FitBaseTo take numbers that a time.Duration cannot be, for the vectors
// that have them.

func (p Policy) BeginAt(stream Stream, now, deadline uint64, budget *Budget) (*Operation, error) {
	return p.begin(stream, now, beginning{deadline, budget})
}

func (o *Operation) DecideAt(outcome Outcome, now, hint uint64) Decision {
	return o.decide(outcome, now, hint)
}

func (p Policy) FitBaseTo(attempts, total uint64) (Policy, error) {
	return policyOf(p.checked.FitBase(attempts, total))
}

func (p Policy) FitCapTo(attempts, total uint64) (Policy, error) {
	return policyOf(p.checked.FitCap(attempts, total))
}

// Origin is the time at which Now is 0.
func Origin() time.Time { return origin }
