// The loop behind Retry, Do and NewLoop (SPEC 18).

package backoff

import (
	"context"
	"fmt"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// A loop makes the attempts of one operation (SPEC 18): it counts calls, asks for decisions, waits,
// and calls the hooks. Its owner makes the calls:
//
//	defer loop.close()
//	for loop.next() { loop.callEnded(...); loop.wait() }
//
// A loop is made for every call, and most calls succeed at once. So a loop does nothing for a retry
// before a call has failed: without a budget, its operation begins then, as if it had begun with the loop.
//
// Because most calls succeed at once, it is also a local variable of Retry, which needs no allocation.
type loop struct {
	retryConfig
	ctx      context.Context
	drawn    RandomStream // without a budget of this process, once a call has failed
	beganAt  time.Duration
	deadline uint64 // of the context, on the clock
	calls    uint64
	delay    time.Duration // of the wait that follows
	timer    *time.Timer   // of all waits, nil if there is none
	waits    bool
	inCall   bool
	stopped  bool
	lastErr  error // of the last call, with its mark; nil while a call runs
	err      error // what the caller gets
}

// A loopBudget is a *Budget.
type loopBudget interface {
	beginIn(policy Policy, stream RandomStream, now, deadline uint64) (loopOperation, error)
}

// A loopOperation is an *Operation.
type loopOperation interface {
	decide(outcome Outcome, ownDelay, retryAfter, now uint64) (Decision, error)
	retryIndex(now uint64) uint64
	timeLimits() timeLimits
	Cancel() StopReason
}

// A loneOperation is an operation without a budget, for loops whose decisions depend on more than DecideAlone knows.
type loneOperation struct{ engine.Alone }

func (o *loneOperation) decide(outcome Outcome, ownDelay, retryAfter, now uint64) (Decision, error) {
	if !outcome.isKnown() {
		return Decision{}, unknownOutcome(outcome)
	}
	return decisionOf(o.Decide(uint32(outcome), ownDelay, retryAfter, now)), nil
}

func (o *loneOperation) retryIndex(now uint64) uint64 { return o.RetryIndex(now) }

func (o *loneOperation) timeLimits() timeLimits { return &o.Alone }

func (o *loneOperation) Cancel() StopReason { return StopCancelled }

// loopStats are *RetryStats.
type loopStats interface {
	Record(attempts uint64, reason StopReason) error
}

func (b *Budget) beginIn(policy Policy, stream RandomStream, now, deadline uint64) (loopOperation, error) {
	operation, err := policy.begin(stream, now, beginConfig{deadline, b})
	if err != nil {
		return nil, err
	}
	return operation, nil
}

// configure sets the options of a loop that has not begun.
func (l *loop) configure(ctx context.Context, options []RetryOption) error {
	if err := notNil("ctx", ctx == nil); err != nil {
		return err
	}
	l.ctx, l.settings = ctx, &defaultSettings
	var err error
	if defaults := program.Load(); defaults == nil {
		err = l.applyAll(options)
	} else {
		err = l.applyOver(defaults, options)
	}
	if err != nil {
		return err
	}
	return l.complete()
}

// loopStream returns the stream of the option, or that of the next number. A loop needs it once.
func (l *loop) loopStream() RandomStream {
	if l.streamSet {
		return l.stream
	}
	return nextLoopStream()
}

// begin begins the loop now. A context that is done stops it before any call.
func (l *loop) begin() error {
	l.beganAt = l.clock.Now()
	if err := notNegative("now", l.beganAt); err != nil {
		return err
	}
	if l.ctx.Err() != nil {
		l.cancel()
		return nil
	}
	l.deadline = deadlineOf(l.ctx, l.beganAt)
	if l.shared != nil {
		l.shared.Report(engine.BudgetEventOperationBegan, shared.Grant{})
	}
	if l.budget == nil {
		if l.extras != nil || l.policy.given.IsRare() {
			l.beginAlone()
		}
		return nil
	}
	var err error
	l.operation, err = l.budget.beginIn(l.policy, l.loopStream(), uint64(l.beganAt), l.deadline)
	return err
}

// beginAlone begins an operation without a budget, if the loop needs one.
func (l *loop) beginAlone() {
	if !l.policy.core().HasProgress() && (l.extras == nil || l.extras.delays == nil) {
		return
	}
	operation := new(loneOperation)
	operation.Begin(l.policy.core(), l.loopStream().state, uint64(l.beganAt), l.deadline)
	l.settingsOfItsOwn().operation = operation
}

// deadlineOf returns the deadline of a context on a clock that reads now, as the last time at which a call may begin: at
// its deadline the context is done. A deadline at NoLimit or beyond is none.
func deadlineOf(ctx context.Context, now time.Duration) uint64 {
	deadline, ok := ctx.Deadline()
	if !ok {
		return engine.NoTime
	}
	left := time.Until(deadline)
	if left == NoLimit {
		return engine.NoTime
	}
	return uint64(now) + uint64(max(0, left-1))
}

// next reports whether to make a call, and counts it.
func (l *loop) next() bool {
	if l.stopped {
		return false
	}
	l.calls++
	if l.extras != nil {
		l.beginAttempt()
	}
	l.inCall, l.lastErr = true, nil
	if l.hooks != nil {
		l.hooks.value = nil
	}
	return true
}

// beginAttempt makes what an attempt gets to know.
func (l *loop) beginAttempt() {
	switch {
	case l.extras.attempts != nil:
		l.extras.attempts.begin(l, l.lastErr)
	case l.extras.told != nil:
		l.tell()
	}
}

// judge returns the verdict on the error of a call, and the error that it has failed with.
func (l *loop) judge(err error) (Verdict, error) {
	if l.extras != nil && l.extras.attempts != nil {
		if late := l.extras.attempts.late(l, err); late != nil {
			return OutcomeTimeout, late
		}
	}
	return l.classifyFailure(err), err
}

// succeeded is callEnded for a success, which is short for most loops.
func (l *loop) succeeded() {
	if l.operation != nil || l.shared != nil || l.hooks != nil {
		l.callEnded(OutcomeSuccess, nil)
		return
	}
	l.record(StopSuccess)
}

// callEnded decides to wait or stops after a call.
func (l *loop) callEnded(verdict Verdict, err error) {
	l.lastErr = err
	if l.extras != nil {
		l.extras.attemptEnded(err)
	}
	l.decidedAnew()
	outcome, retryAfter, ok := verdictOf(verdict)
	// A success stays a success although the caller has cancelled. An unknown outcome is an error of
	// the classification, which the decision reports (SPEC 18.6).
	if outcome != OutcomeSuccess && outcome.isKnown() && l.ctx.Err() != nil {
		l.cancel()
		return
	}
	if outcome == OutcomeSuccess && l.shared != nil {
		l.shared.Report(engine.BudgetEventOperationSucceeded, l.grant)
	}
	if outcome == OutcomeSuccess && l.operation == nil && l.hooks == nil {
		l.record(StopSuccess) // and nobody asks for the time
		return
	}
	now := l.clock.Now()
	decision, decideErr := l.decide(outcome, orNone(retryAfter, ok), now)
	switch {
	case decideErr != nil:
		l.err = decideErr
		if err != nil {
			l.err = fmt.Errorf("%w: %w", decideErr, unmarked(err))
		}
		l.close()
	case !decision.Wait:
		l.stop(decision.Reason, outcome, decision.Delay, now)
	case l.shared != nil && !l.requestRetry(outcome):
		if l.ctx.Err() != nil {
			l.cancel()
			return
		}
		// The operation is asked nothing more, so it need not know that its last retry is refused.
		l.stop(StopBudget, outcome, decision.Delay, now)
	default:
		l.warnOfNoLimit()
		l.callHooks(Event{Outcome: outcome, Delay: decision.Delay}, now)
		l.waits, l.delay = true, decision.Delay
	}
}

// wait waits if callEnded has decided so. It is no part of that, and makes few calls, so that the frames of a loop that
// waits fit on the first stack of a goroutine. It makes one timer for all waits, and none if nothing can interrupt one.
func (l *loop) wait() {
	if !l.waits {
		return
	}
	l.waits = false
	if l.ctx.Err() == nil {
		done := l.ctx.Done()
		_, isDefault := l.clock.(processClock)
		switch {
		case !isDefault:
			l.clock.Sleep(l.ctx, l.delay)
		case l.delay <= 0:
		case done == nil:
			time.Sleep(l.delay)
		default:
			if l.timer == nil {
				l.timer = time.NewTimer(l.delay)
			} else {
				l.timer.Reset(l.delay)
			}
			select {
			case <-l.timer.C:
			case <-done:
				l.timer.Stop()
			}
		}
	}
	if l.ctx.Err() != nil {
		l.cancel()
	}
}

func (l *loop) decide(outcome Outcome, retryAfter uint64, now time.Duration) (Decision, error) {
	if err := notNegative("now", now); err != nil {
		return Decision{}, err
	}
	if l.operation != nil {
		if l.shared != nil {
			l.reportFailure(outcome)
		}
		return l.operation.decide(outcome, l.ownDelay(outcome, now), retryAfter, uint64(now))
	}
	if outcome == OutcomeSuccess {
		return Decision{Reason: StopSuccess}, nil
	}
	if !outcome.isKnown() {
		return Decision{}, unknownOutcome(outcome)
	}
	if l.calls == 1 {
		l.drawn = l.loopStream()
	}
	if l.shared != nil {
		l.reportFailure(outcome)
	}
	reason, delay := engine.DecideAlone(l.policy.core(), l.drawn.state, l.calls-1, uint64(l.beganAt), l.deadline, uint32(outcome), retryAfter, uint64(now))
	return decisionOf(reason, delay), nil
}

// reportFailure tells the shared budget of an attempt that is perhaps retried.
func (l *loop) reportFailure(outcome Outcome) {
	if outcome.isKnown() && outcome != OutcomeSuccess && outcome != OutcomePermanent {
		l.shared.Report(engine.BudgetEventAttemptFailed, shared.Grant{})
	}
}

// requestRetry asks the shared budget for a retry.
func (l *loop) requestRetry(outcome Outcome) bool {
	grant, granted := l.shared.Request(l.ctx, uint32(outcome))
	l.grant, l.local = grant, grant.Local
	return granted
}

// cancel stops the loop for its caller.
func (l *loop) cancel() {
	l.cancelOperation()
	l.decidedAnew()
	l.stop(StopCancelled, 0, 0, l.clock.Now())
}

// decidedAnew forgets that the local budget has decided.
func (l *loop) decidedAnew() {
	if l.shared != nil {
		l.local = false
	}
}

func (l *loop) cancelOperation() {
	if l.operation != nil {
		l.operation.Cancel()
	}
}

// stop records the loop, calls the hooks and sets the error that the caller gets.
func (l *loop) stop(reason StopReason, outcome Outcome, delay, now time.Duration) {
	l.record(reason)
	l.callHooks(Event{Outcome: outcome, Reason: reason, Delay: delay}, now)
	if reason == StopSuccess {
		return
	}
	err := &RetryError{
		Err:       unmarked(l.lastErr),
		Reason:    reason,
		Attempts:  l.calls,
		Elapsed:   l.elapsed(now),
		Delay:     delay,
		permanent: isPermanent(VerdictOf(l.lastErr)),
	}
	if l.extras != nil {
		err.Errors = l.extras.errors
	}
	switch reason {
	case StopCancelled:
		err.context, err.cause = l.ctx.Err(), context.Cause(l.ctx)
	case StopDeadline:
		err.context = context.DeadlineExceeded
	}
	l.err = err
}

// close ends a loop that has not stopped, because of a panic or a failed classification. If the call
// panicked the loop is cancelled; otherwise no other hook is called (SPEC 18.5, 18.6).
func (l *loop) close() {
	if l.extras != nil && l.extras.attempts != nil {
		l.extras.attempts.end()
	}
	switch {
	case l.stopped:
	case l.inCall:
		l.cancel()
	default:
		l.cancelOperation()
		l.record(StopCancelled)
	}
}

func (l *loop) record(reason StopReason) {
	l.stopped = true
	if l.stats != nil {
		_ = l.stats.Record(l.calls, reason) // fails only for unknown reasons
	}
}

// callHooks completes an event and calls the hooks for stops if it has a reason, otherwise those for
// retries.
func (l *loop) callHooks(event Event, now time.Duration) {
	if l.hooks == nil {
		return
	}
	event.Attempts, event.Elapsed = l.calls, l.elapsed(now)
	event.BudgetIsLocal = l.local
	event.Err, event.Value = unmarked(l.lastErr), l.hooks.value
	hooks := l.hooks.onRetry
	if event.Reason != 0 {
		hooks = l.hooks.onStop
	}
	for _, hook := range hooks {
		if value, ok := l.hooks.value.(shared.HookValue); ok {
			event.Value = value.ForHook()
		}
		hook.call(l.ctx, event)
	}
}

func (l *loop) elapsed(now time.Duration) time.Duration { return max(0, now-l.beganAt) }
