package backoff

import (
	"context"
	"fmt"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An Event is what the hooks of a loop are told (SPEC 18.4).
type Event struct {
	// Attempts is how many calls were made so far.
	Attempts uint64
	// Outcome is that of the last call, 0 if the loop was cancelled.
	Outcome Outcome
	// Reason is why the loop stopped, 0 if it waits.
	Reason StopReason
	// Delay is the wait that follows, or the one that was not begun because a limit of time or the
	// budget stopped the loop; else 0.
	Delay time.Duration
	// Elapsed is the time since the loop began.
	Elapsed time.Duration
	// Err is the last call's error, without its mark, and nil if it had none.
	Err error
	// Value is what the last call returned, of the type that Retry returns; nil if no call was
	// made, and in a loop of Attempts.
	Value any
}

// A loop makes the attempts of one operation (SPEC 18): it counts calls, asks for decisions, waits
// and tells. Who has it makes the calls:
//
//	for loop.next() { loop.ended(...) }
type loop struct {
	*retrying
	ctx       context.Context
	operation *Operation
	begun     time.Duration
	calls     uint64
	calling   bool  // a call goes on
	last      error // of the last call, with its mark; nil while it goes on
	value     any   // of the last call
	stopped   bool
	end       error // what the caller gets
}

// newLoop returns a loop that begins now. A context that is done stops it, before any call.
func newLoop(ctx context.Context, with *retrying) (*loop, error) {
	l := &loop{retrying: with, ctx: ctx, begun: with.clock.Now()}
	if err := notBelowZero("now", l.begun); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		l.cancel()
		return l, nil
	}
	operation, err := l.policy.begin(l.stream, uint64(l.begun), beginning{deadlineOf(ctx, l.begun), l.budget})
	l.operation = operation
	return l, err
}

// deadlineOf returns the deadline of a context on a clock on which it is now.
func deadlineOf(ctx context.Context, now time.Duration) uint64 {
	end, ok := ctx.Deadline()
	if !ok {
		return engine.None
	}
	return uint64(now) + uint64(max(0, time.Until(end)))
}

// next reports whether to make a call, and counts it.
func (l *loop) next() bool {
	if l.stopped {
		return false
	}
	l.calls++
	l.calling, l.last, l.value = true, nil, nil
	return true
}

// ended takes how the last call ended, with its error, if it had one; it waits or stops.
func (l *loop) ended(verdict Verdict, err error) {
	l.last = err
	outcome, hint, hinted := verdictOf(verdict)
	// What has succeeded was done, whether the caller still waits for it or not. An outcome that is
	// none is a classification that failed, which the decision tells (SPEC 18.6).
	if outcome != OutcomeSuccess && outcome.isKnown() && l.ctx.Err() != nil {
		l.cancel()
		return
	}
	var hints []time.Duration
	if hinted {
		hints = []time.Duration{hint}
	}
	now := l.clock.Now()
	decision := l.operation.Decide(outcome, now, hints...)
	switch {
	case decision.Err != nil:
		l.end = decision.Err
		if err != nil {
			l.end = fmt.Errorf("%w: %w", l.end, unmarked(err))
		}
		l.abandon()
	case !decision.Wait:
		l.stop(decision.Reason, outcome, decision.Delay, now)
	default:
		l.tell(l.onRetry, Event{Outcome: outcome, Delay: decision.Delay}, now)
		if l.ctx.Err() == nil {
			l.clock.Sleep(l.ctx, decision.Delay)
		}
		if l.ctx.Err() != nil {
			l.cancel()
		}
	}
}

// cancel gives up for the caller.
func (l *loop) cancel() {
	l.operation.Cancel()
	l.stop(StopCancelled, 0, 0, l.clock.Now())
}

// stop ends the loop: the history counts it, the hooks are told, and the caller gets the end.
func (l *loop) stop(reason StopReason, outcome Outcome, delay, now time.Duration) {
	l.count(reason)
	event := Event{Outcome: outcome, Reason: reason, Delay: delay}
	l.tell(l.onStop, event, now)
	if reason == StopSuccess {
		return
	}
	end := &RetryError{Err: unmarked(l.last), Reason: reason, Attempts: l.calls, Elapsed: l.elapsed(now), Delay: delay, permanent: isPermanent(markOf(l.last))}
	switch {
	case reason == StopCancelled:
		end.context, end.cause = l.ctx.Err(), context.Cause(l.ctx)
	case reason == StopDeadline:
		end.context = context.DeadlineExceeded
	}
	l.end = end
}

// abandon ends a loop that a panic ends or a failure of its own. No further hook is told, unless
// it was the call that panicked, which gives the loop up (SPEC 18.5, 18.6).
func (l *loop) abandon() {
	switch {
	case l.stopped:
	case l.calling:
		l.cancel()
	default:
		l.operation.Cancel()
		l.count(StopCancelled)
	}
}

func (l *loop) count(reason StopReason) {
	l.stopped = true
	if l.history != nil {
		_ = l.history.Record(l.calls, reason) // which fails for what is no reason
	}
}

func (l *loop) tell(hooks []func(Event), event Event, now time.Duration) {
	event.Attempts, event.Elapsed = l.calls, l.elapsed(now)
	event.Err, event.Value = unmarked(l.last), l.value
	for _, hook := range hooks {
		hook(event)
	}
}

func (l *loop) elapsed(now time.Duration) time.Duration { return max(0, now-l.begun) }
