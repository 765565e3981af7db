package backoff

import (
	"strconv"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An Outcome is how an attempt ended (SPEC 13.2).
type Outcome uint32

const (
	// OutcomeSuccess is an attempt that did what it should.
	OutcomeSuccess Outcome = engine.OutcomeSuccess
	// OutcomeTransient is a failure that may pass.
	OutcomeTransient Outcome = engine.OutcomeTransient
	// OutcomeThrottled is a failure because the server has too much to do.
	OutcomeThrottled Outcome = engine.OutcomeThrottled
	// OutcomeTimeout is no answer in time.
	OutcomeTimeout Outcome = engine.OutcomeTimeout
	// OutcomePermanent is a failure that another attempt would not mend, or that may not be repeated.
	OutcomePermanent Outcome = engine.OutcomePermanent
)

// String returns the name of the outcome, such as "throttled", or the number of none.
func (o Outcome) String() string {
	if !o.isKnown() {
		return strconv.FormatUint(uint64(o), 10)
	}
	return engine.OutcomeName(uint32(o))
}

func (o Outcome) isKnown() bool { return o >= OutcomeSuccess && o <= OutcomePermanent }

// A StopReason is why an operation stopped (SPEC 13.3); 0 if it goes on.
type StopReason uint32

const (
	// StopSuccess is an attempt that succeeded.
	StopSuccess StopReason = engine.ReasonSuccess
	// StopPermanent is a failure that was permanent.
	StopPermanent StopReason = engine.ReasonPermanent
	// StopMaxRetries is that all retries were made.
	StopMaxRetries StopReason = engine.ReasonMaxRetries
	// StopMaxElapsed is a wait that would end later after the beginning than the policy allows.
	StopMaxElapsed StopReason = engine.ReasonMaxElapsed
	// StopDeadline is a wait that would end after the deadline.
	StopDeadline StopReason = engine.ReasonDeadline
	// StopBudget is that the budget refused.
	StopBudget StopReason = engine.ReasonBudget
	// StopCancelled is that the caller gave up.
	StopCancelled StopReason = engine.ReasonCancelled
)

// String returns the name of the reason, such as "max_retries", or the number of none.
func (r StopReason) String() string {
	if r < StopSuccess || r > StopCancelled {
		return strconv.FormatUint(uint64(r), 10)
	}
	return engine.ReasonName(uint32(r))
}

// Error returns the name of the reason: errors.Is(err, backoff.StopBudget) finds it in a RetryError.
func (r StopReason) Error() string { return r.String() }

// A Decision is what to do after an attempt: to wait and to attempt again, or to stop. A loop
// that goes on only while Wait is true ends for every other reason, an error too.
type Decision struct {
	// Wait says whether to wait for Delay and to attempt again.
	Wait bool
	// Delay is how long to wait; or, where a limit of time, the deadline or the budget stopped
	// the operation, the wait that was not begun; else 0.
	Delay time.Duration
	// Reason is why to stop, 0 with Wait or Err.
	Reason StopReason
	// Err is what was wrong with what Decide was given; the operation is as it was before. It
	// is an *ArgumentError or ErrNoOperation.
	Err error
}

// An Operation is what a caller attempts until it succeeds or is given up (SPEC 13): told how
// each attempt ended, it decides whether to wait and how long, or why to stop. It never sleeps
// and reads no clock.
//
// Times are those since any origin, of a clock that never goes back, the same one for all
// operations on a budget: time.Since(start) with one start for the whole program. They are not
// negative.
//
// It is not for use by two goroutines at once, and must not be copied, which go vet tells. The
// zero Operation, and nil, is none: it decides with ErrNoOperation.
type Operation struct {
	_      noCopy
	core   engine.Operation
	budget *Budget
}

// A BeginOption gives an operation what it need not have: WithDeadline and WithBudget.
type BeginOption interface{ begin(*beginning) error }

type beginning struct {
	deadline uint64
	budget   *Budget
}

// WithDeadline gives the time of Now(), or of the clock that the operation is told, after which no
// wait may end: Now() + time.Minute, and not a span. That of a loop is its context's.
func WithDeadline(deadline time.Duration) BeginOption { return deadlineOption(deadline) }

type deadlineOption time.Duration

func (o deadlineOption) begin(b *beginning) error {
	b.deadline = uint64(o)
	return notBelowZero("deadline", time.Duration(o))
}

// A BudgetOption is for operations and for loops.
type BudgetOption struct{ budget *Budget }

// WithBudget gives the budget that the retries are to spend from; nil is none.
func WithBudget(budget *Budget) BudgetOption { return BudgetOption{budget} }

func (o BudgetOption) begin(b *beginning) error { b.budget = o.budget; return nil }
func (o BudgetOption) apply(r *retrying) error  { r.budget = o.budget; return nil }

// Begin returns an operation that begins now. Its delays are those of the policy on the
// stream: give each operation a key of its own, or a stream from entropy.
//
// Whatever began is to stop: by a Decision, or by Cancel, say in a defer, which changes nothing
// after a stop. A budget of the kind "concurrent" counts the operation until then.
//
// It fails with an *ArgumentError for a negative time, with ErrNoPolicy and ErrNoBudget. Then
// the operation is nil.
func (p Policy) Begin(stream Stream, now time.Duration, options ...BeginOption) (*Operation, error) {
	if err := notBelowZero("now", now); err != nil {
		return nil, err
	}
	with := beginning{deadline: engine.None}
	for _, option := range options {
		if option == nil {
			return nil, nilOption()
		}
		if err := option.begin(&with); err != nil {
			return nil, err
		}
	}
	return p.begin(stream, uint64(now), with)
}

func (p Policy) begin(stream Stream, now uint64, with beginning) (*Operation, error) {
	if p == (Policy{}) {
		return nil, ErrNoPolicy
	}
	operation := &Operation{budget: with.budget}
	if !operation.core.Begin(&p.checked, stream.state, now, with.deadline, operation.account()) {
		return nil, ErrNoBudget
	}
	return operation, nil
}

// Decide returns what to do after an attempt that ended so, now, maybe with a hint: the time
// that the server asked to wait (see ParseRetryAfter). Of several hints the last counts. An
// operation that has stopped answers why, whatever it is told. Decide does not allocate.
//
// A hint is bounded by the policy's hint_max and hint_max_extra alone: without one of them a
// server can ask for 292 years.
func (o *Operation) Decide(outcome Outcome, now time.Duration, hint ...time.Duration) Decision {
	if err := notBelowZero("now", now); err != nil {
		return Decision{Err: err}
	}
	asked := engine.None
	for _, hint := range hint {
		if err := notBelowZero("hint", hint); err != nil {
			return Decision{Err: err}
		}
		asked = uint64(hint)
	}
	return o.decide(outcome, uint64(now), asked)
}

func (o *Operation) decide(outcome Outcome, now, hint uint64) Decision {
	o = orZero(o)
	reason, delay, code := o.core.Decide(uint32(outcome), hint, now, o.account())
	switch code {
	case engine.OK:
		return Decision{Wait: reason == 0, Delay: time.Duration(delay), Reason: StopReason(reason)}
	case engine.UnknownOutcome:
		return Decision{Err: &ArgumentError{Field: "outcome", Value: outcome, Rule: "is unknown"}}
	}
	return Decision{Err: ErrNoOperation}
}

// Cancel gives up, at any time, and returns why the operation stopped: StopCancelled, or why
// it had stopped before; 0 of no operation.
//
// While a wait goes on, what the retry took from a budget stays taken, but for a budget of the
// kind "concurrent", and the attempt that was waited for counts as one.
func (o *Operation) Cancel() StopReason {
	o = orZero(o)
	return StopReason(o.core.Cancel(o.account()))
}

// Retries returns the number of waits decided so far.
func (o *Operation) Retries() uint64 {
	retries, _, _ := orZero(o).core.State()
	return retries
}

// Attempts returns the number of attempts, with the one that goes on or is waited for.
func (o *Operation) Attempts() uint64 {
	retries, _, ok := orZero(o).core.State()
	if !ok {
		return 0
	}
	return retries + 1
}

// Stopped returns why the operation stopped, or 0 if it goes on.
func (o *Operation) Stopped() StopReason {
	_, reason, _ := orZero(o).core.State()
	return StopReason(reason)
}

// account returns what the core keeps of the budget, nil if there is none.
func (o *Operation) account() *engine.Budget {
	if o.budget == nil {
		return nil
	}
	return &o.budget.core
}
