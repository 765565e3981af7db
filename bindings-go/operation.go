// Operation: decides after each attempt whether to wait or to stop (SPEC 13).

package backoff

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A StopReason is why an operation stopped (SPEC 13.3); 0 while it goes on.
type StopReason uint32

const (
	// StopSuccess: an attempt succeeded.
	StopSuccess StopReason = 1
	// StopPermanent: an attempt failed permanently.
	StopPermanent StopReason = 2
	// StopMaxRetries: all retries were made.
	StopMaxRetries StopReason = 3
	// StopMaxElapsed: the next wait would end after max_elapsed.
	StopMaxElapsed StopReason = 4
	// StopDeadline: the next wait would end after the deadline.
	StopDeadline StopReason = 5
	// StopBudget: the budget refused a retry.
	StopBudget StopReason = 6
	// StopCancelled: the caller cancelled the operation.
	StopCancelled StopReason = 7
)

// String returns the name, such as "max_retries"; "none" for 0; the number if it is unknown.
func (r StopReason) String() string { return nameOr(engine.ReasonName(uint32(r)), uint32(r)) }

// MarshalText returns the name. It fails with an *ArgumentError for an unknown number.
func (r StopReason) MarshalText() ([]byte, error) { return marshalName(r, ErrUnknownReason, "reason") }

// UnmarshalText sets the reason of a name. It fails with an *ArgumentError for any other text and for a nil
// receiver.
func (r *StopReason) UnmarshalText(text []byte) error {
	return unmarshalName(r, text, ErrUnknownReason, "reason")
}

// A Decision says what to do after an attempt: wait and attempt again, or stop.
type Decision struct {
	// Wait reports whether to wait for Delay and to attempt again.
	Wait bool
	// Delay is how long to wait. If a time limit, the deadline or the budget stopped the operation,
	// it is the wait that was not begun. Otherwise it is 0.
	Delay time.Duration
	// Reason is why to stop, 0 if Wait is true.
	Reason StopReason
}

// An Operation is what a caller attempts until it succeeds or must stop (SPEC 13). After each
// attempt it decides whether to wait and how long, or why to stop. It never sleeps and reads no
// clock.
//
// The caller passes the time, measured from any origin by a clock that never goes back, the same
// clock for all operations on a budget: Now, or time.Since(start) with one start for the whole
// program. Times must not be negative.
//
// An Operation is for one goroutine at a time: do not share it. It must not be copied (go vet reports
// copies). A nil or zero Operation is not valid: Decide returns ErrNoOperation.
type Operation struct {
	_      noCopy
	core   engine.Operation
	budget *Budget
}

// Begin returns an operation that begins at now. Its delays are those of the policy on the stream:
// use one key per operation, or a stream from entropy.
//
// Defer Cancel: after a stop it does nothing; before one it stops the operation and frees its slot in
// a concurrent budget.
//
// On failure the operation is nil, and the error an *ArgumentError for a negative time or a damaged
// budget, ErrNoPolicy or ErrNoBudget.
func (p Policy) Begin(stream RandomStream, now time.Duration, options ...BeginOption) (*Operation, error) {
	if err := notNegative("now", now); err != nil {
		return nil, err
	}
	config, err := beginConfigOf(options)
	if err != nil {
		return nil, err
	}
	return p.begin(stream, uint64(now), config)
}

// ResumeOperation returns an operation that began at a time and has decided to wait retries times, as it stands now
// (SPEC 13.7). It is for queues and libraries that store no more than a count of retries:
//
//	operation, err := backoff.ResumeOperation(policy, stream, retries, 0)
//	decision, err := operation.Decide(verdict, elapsed)
//
// The cost does not depend on the retries. The operation has no budget, because what it held is not known.
//
// On failure the operation is nil, and the error an *ArgumentError for a negative time and for WithBudget, or
// ErrNoPolicy.
func ResumeOperation(policy Policy, stream RandomStream, retries uint64, beganAt time.Duration, options ...BeginOption) (*Operation, error) {
	if err := notNegative("began", beganAt); err != nil {
		return nil, err
	}
	config, err := beginConfigOf(options)
	if err != nil {
		return nil, err
	}
	if config.budget != nil {
		return nil, &ArgumentError{Code: ErrUnused, Field: "budget", Rule: "has no effect on ResumeOperation: what the operation held is not known"}
	}
	return resume(policy, stream, retries, uint64(beganAt), config.deadline)
}

func resume(policy Policy, stream RandomStream, retries, beganAt, deadline uint64) (*Operation, error) {
	operation := new(Operation)
	if operation.core.Resume(policy.core(), stream.state, retries, beganAt, deadline) != engine.OK {
		return nil, ErrNoPolicy
	}
	return operation, nil
}

func (p Policy) begin(stream RandomStream, now uint64, config beginConfig) (*Operation, error) {
	if p == (Policy{}) {
		return nil, ErrNoPolicy
	}
	operation := &Operation{budget: config.budget}
	if code := operation.core.Begin(p.core(), stream.state, now, config.deadline, operation.coreBudget()); code != engine.OK {
		return nil, budgetError(code)
	}
	return operation, nil
}

// Decide returns what to do after an attempt that ended at now with a verdict: an Outcome, or an
// Outcome WithRetryAfter if the server asked to wait (see ParseRetryAfter). After a stop it returns
// the same reason for every verdict. It does not allocate.
//
// On failure the operation is unchanged. The error is an *ArgumentError for an unknown outcome, a nil
// verdict, a negative time or a damaged budget, ErrNoOperation, or ErrNoBudget if the budget was
// overwritten with the zero Budget since Begin.
func (o *Operation) Decide(verdict Verdict, now time.Duration) (Decision, error) {
	if err := notNegative("now", now); err != nil {
		return Decision{}, err
	}
	outcome, retryAfter, ok := verdictOf(verdict)
	return o.decide(outcome, engine.NoTime, orNone(retryAfter, ok), uint64(now))
}

// DecideWithDelay is Decide with a delay of the caller in place of the one that the policy computes (SPEC 13.9). Jitter,
// cap and floor do not change it; a wait that the server asked for, the limits and the budget count as always. It also
// fails with an *ArgumentError for a negative delay.
func (o *Operation) DecideWithDelay(verdict Verdict, delay, now time.Duration) (Decision, error) {
	if err := notNegative("now", now); err != nil {
		return Decision{}, err
	}
	if err := notNegative("delay", delay); err != nil {
		return Decision{}, err
	}
	outcome, retryAfter, ok := verdictOf(verdict)
	return o.decide(outcome, uint64(delay), orNone(retryAfter, ok), uint64(now))
}

// RetryIndex returns the index of the delay that Decide will return if the attempt fails at now: the number of the
// retries so far, or 0 if the count begins anew by reset_after. It is 0 for a negative time and the zero Operation.
func (o *Operation) RetryIndex(now time.Duration) uint64 {
	if now < 0 {
		return 0
	}
	return o.retryIndex(uint64(now))
}

func (o *Operation) retryIndex(now uint64) uint64 { return orZero(o).core.RetryIndex(now) }

// AttemptLimit returns the longest that an attempt may take that begins at now (SPEC 13.10). It reports false if the
// policy has no attempt_timeout, and for a negative time and the zero Operation.
func (o *Operation) AttemptLimit(now time.Duration) (time.Duration, bool) {
	return o.limit(now, timeLimits.AttemptLimit)
}

// TimeLeft returns the time until attempt_timeout, max_elapsed or the deadline ends, whichever is first, for an attempt
// that begins at now: 0 once that is over. It reports false if there is none of them, and for a negative time and the
// zero Operation.
func (o *Operation) TimeLeft(now time.Duration) (time.Duration, bool) {
	return o.limit(now, timeLimits.TimeLeft)
}

func (o *Operation) timeLimits() timeLimits { return &o.core }

func (o *Operation) limit(now time.Duration, of func(timeLimits, uint64) uint64) (time.Duration, bool) {
	if o == nil || now < 0 {
		return 0, false
	}
	limit := of(&o.core, uint64(now))
	if limit == engine.NoTime {
		return 0, false
	}
	return time.Duration(min(limit, uint64(NoLimit))), true
}

// orNone returns the nanoseconds of an optional duration for the core.
func orNone(d time.Duration, ok bool) uint64 {
	if !ok {
		return engine.NoTime
	}
	return uint64(d)
}

func (o *Operation) decide(outcome Outcome, ownDelay, retryAfter, now uint64) (Decision, error) {
	o = orZero(o)
	var reason, code uint32
	var delay uint64
	if ownDelay == engine.NoTime {
		reason, delay, code = o.core.Decide(uint32(outcome), retryAfter, now, o.coreBudget())
	} else {
		reason, delay, code = o.core.DecideWithDelay(uint32(outcome), ownDelay, retryAfter, now, o.coreBudget())
	}
	switch code {
	case engine.OK:
		return decisionOf(reason, delay), nil
	case engine.UnknownOutcome:
		return Decision{}, unknownOutcome(outcome)
	}
	if _, attempts, _ := o.core.State(); attempts > 0 {
		return Decision{}, budgetError(code)
	}
	return Decision{}, ErrNoOperation
}

func decisionOf(reason uint32, delay uint64) Decision {
	return Decision{Wait: reason == 0, Delay: time.Duration(delay), Reason: StopReason(reason)}
}

func unknownOutcome(outcome Outcome) error {
	return &ArgumentError{Code: ErrUnknownOutcome, Field: "outcome", Value: uint32(outcome), Rule: "is unknown"}
}

// Cancel stops the operation at any time. It returns StopCancelled, or the earlier reason if the
// operation had already stopped, or 0 for the zero Operation.
//
// Budget tokens spent on a granted retry are not refunded, except that a budget of kind "concurrent"
// releases its slot. An attempt whose wait is cancelled counts as made.
func (o *Operation) Cancel() StopReason {
	if o == nil {
		return 0
	}
	return StopReason(o.core.Cancel(o.coreBudget()))
}

// RefuseRetry stops the operation right after a decision to wait, because a budget that is kept elsewhere refuses
// the retry, such as a sharedbudget.State in a store (SPEC 13.8). The retry does not count. It returns StopBudget, or the
// earlier reason if the operation had already stopped, or 0 for the zero Operation.
func (o *Operation) RefuseRetry() StopReason {
	if o == nil {
		return 0
	}
	return StopReason(o.core.RefuseRetry(o.coreBudget()))
}

// Retries returns the number of waits decided so far.
func (o *Operation) Retries() uint64 {
	retries, _, _ := orZero(o).core.State()
	return retries
}

// Attempts returns the number of attempts, including the one running or about to run.
func (o *Operation) Attempts() uint64 {
	_, attempts, _ := orZero(o).core.State()
	return attempts
}

// Reason returns why the operation stopped, 0 while it goes on.
func (o *Operation) Reason() StopReason {
	_, _, reason := orZero(o).core.State()
	return StopReason(reason)
}

// String returns the number of attempts and, after a stop, the reason, for logs; "no operation" for the
// zero Operation.
func (o *Operation) String() string {
	switch attempts, reason := o.Attempts(), o.Reason(); {
	case attempts == 0:
		return "no operation"
	case reason == 0:
		return fmt.Sprintf("operation at attempt %d", attempts)
	default:
		return fmt.Sprintf("operation stopped at attempt %d: %v", attempts, reason)
	}
}

// LogValue returns String, for slog.
func (o *Operation) LogValue() slog.Value { return slog.StringValue(o.String()) }

// coreBudget returns the core's budget, nil if there is none.
func (o *Operation) coreBudget() *engine.Budget {
	if o.budget == nil {
		return nil
	}
	return &o.budget.core
}
