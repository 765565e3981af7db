package backoff

import (
	"math"
	"time"
	"unsafe"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// SkipTo moves to an index without computing all delays before it, for policies without jitter: 8192 steps
// are more than any growth takes to stop.
func (b *Backoff) SkipTo(index uint64) {
	b.core.Index = index - min(index, 8192)
	for b.core.Index < index {
		b.Next()
	}
}

// PolicyOf returns the policy of fields, or the error of NewPolicy.
func PolicyOf(params engine.Params) (Policy, error) { return policyOf(params.Build()) }

// BeginAt, DecideAt and ResumeAt take times that do not fit into a time.Duration, for the
// vectors that have them.

func (p Policy) BeginAt(stream RandomStream, now, deadline uint64, budget *Budget) (*Operation, error) {
	return p.begin(stream, now, beginConfig{deadline, budget})
}

func (o *Operation) DecideAt(verdict Verdict, now uint64) (Decision, error) {
	outcome, retryAfter, ok := verdictOf(verdict)
	return o.decide(outcome, engine.NoTime, orNone(retryAfter, ok), now)
}

// DecideWithDelayAt is DecideAt with a delay of the caller.
func (o *Operation) DecideWithDelayAt(verdict Verdict, delay, now uint64) (Decision, error) {
	outcome, retryAfter, ok := verdictOf(verdict)
	return o.decide(outcome, delay, orNone(retryAfter, ok), now)
}

// LimitAt returns the limit of an attempt that begins at a time and the index of its delay.
func (o *Operation) LimitAt(now uint64) (limit, index uint64) {
	o = orZero(o)
	return o.core.AttemptLimit(now), o.retryIndex(now)
}

func ResumeAt(policy Policy, stream RandomStream, retries, began, deadline uint64) (*Operation, error) {
	return resume(policy, stream, retries, began, deadline)
}

// Damage overwrites the core's memory of the budget behind its first word, which says that it is one.
func (b *Budget) Damage() {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&b.core)), engine.UsedBudgetWords)
	for i := range words[1:] {
		words[i+1] = math.MaxUint64
	}
}

// Origin returns the time at which Now is 0.
func Origin() time.Time { return origin }

// ProcessClock is the default clock.
var ProcessClock Clock = processClock{}

// PolicyOfLoop returns the policy of a loop with these options.
func PolicyOfLoop(options ...RetryOption) (Policy, error) {
	var c retryConfig
	err := c.configure(options)
	return c.policy, err
}
