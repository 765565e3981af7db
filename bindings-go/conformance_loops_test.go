//go:build go1.25

package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A loopCase is a case of loops, which run one after the other.
type loopCase struct {
	named
	Policy string   `json:"policy"`
	Budget *string  `json:"budget"`
	Seed   uint64   `json:"seed,string"`
	Key    *string  `json:"key"`
	Loops  []script `json:"loops"`
	Stats  struct {
		Operations uint64             `json:"operations"`
		Attempts   uint64             `json:"attempts"`
		Stops      backoff.StopCounts `json:"stops"`
	} `json:"stats"`
}

// A script says what happens in a loop, and what the loop must do.
type script struct {
	Calls []struct {
		Takes      time.Duration   `json:"takes,string"`
		Ends       string          `json:"ends"`
		Mark       *string         `json:"mark"`
		Outcome    backoff.Outcome `json:"outcome"`
		RetryAfter *time.Duration  `json:"retry_after,string"`
	} `json:"calls"`
	Classified bool           `json:"classified"`
	Deadline   *time.Duration `json:"deadline,string"`
	Delays     *struct {
		List     []string  `json:"list"`
		Function []*string `json:"function"`
	} `json:"delays"`
	Limits   []*string `json:"limits"`
	TimeLeft []*string `json:"time_left"`
	Cancel   *point    `json:"cancel"`
	Fail     *point    `json:"fail"`
	Waits    []string  `json:"waits"`
	Events   []struct {
		Hook     string             `json:"hook"`
		Attempts uint64             `json:"attempts"`
		Outcome  backoff.Outcome    `json:"outcome"`
		Reason   backoff.StopReason `json:"reason"`
		Delay    time.Duration      `json:"delay,string"`
		Elapsed  time.Duration      `json:"elapsed,string"`
	} `json:"events"`
	Reason backoff.StopReason `json:"reason"`
	Ends   string             `json:"ends"`
}

// A point is where a loop is cancelled or fails.
type point struct {
	Where string        `json:"where"`
	Call  int           `json:"call"`
	After time.Duration `json:"after,string"`
}

func (p *point) is(where string, call int) bool {
	return p != nil && p.Where == where && p.Call == call
}

// failed is the error of a call, by its number.
type failed uint64

func (f failed) Error() string { return fmt.Sprintf("call %d failed", uint64(f)) }

// timedOut is the error of a call that met its limit.
type timedOut time.Duration

func (d timedOut) Error() string {
	return fmt.Sprintf("the attempt took longer than %v", time.Duration(d))
}

// inForm returns the error of a call in a form that can be compared.
func inForm(err error) error {
	if late, ok := err.(*backoff.AttemptTimeoutError); ok {
		return timedOut(late.Limit)
	}
	return err
}

type hooked struct {
	hook  string
	event backoff.Event
}

// A player plays a script: it is the function, its classification, the hooks and the clock of a loop.
type player struct {
	script
	t         *testing.T
	ctx       context.Context
	cancel    context.CancelCauseFunc
	options   []backoff.RetryOption
	hasValues bool
	calls     uint64
	waits     []time.Duration
	events    []hooked
}

// at cancels or panics, if it is time to.
func (p *player) at(where string) {
	call := int(max(p.calls, 1)) - 1
	switch {
	case !p.Cancel.is(where, call):
	case p.Cancel.After > 0:
		time.AfterFunc(p.Cancel.After, func() { p.cancel(errShutdown) })
	default:
		p.cancel(errShutdown)
	}
	if p.Fail.is(where, call) {
		panic(errWrong)
	}
}

// limit returns the limit of the attempt at an index, or -1.
func (p *player) limit(index uint64) time.Duration { return p.orNone(p.Limits[index]) }

func (p *player) orNone(time *string) time.Duration {
	if time == nil {
		return -1
	}
	return durations(p.t, []string{*time})[0]
}

// isLate reports whether the call at an index meets its limit.
func (p *player) isLate(index uint64) bool {
	limit := p.limit(index)
	return limit >= 0 && p.Calls[index].Takes > limit
}

// delay is the function of the caller that returns its delays.
func (p *player) delay(index uint64, err error) (time.Duration, bool) {
	if want := failed(p.calls); !p.isLate(p.calls-1) && p.Calls[p.calls-1].Ends == "failure" && err != want {
		p.t.Errorf("the loop asks for the delay of index %d after %v, want %v", index, err, want)
	}
	if of := p.Delays.Function; index < uint64(len(of)) && of[index] != nil {
		return durations(p.t, []string{*of[index]})[0], true
	}
	return 0, false
}

func (p *player) addDelays() {
	switch {
	case p.Delays == nil:
	case p.Delays.Function != nil:
		p.options = append(p.options, backoff.WithDelayFunc(p.delay))
	default:
		p.options = append(p.options, backoff.WithDelays(durations(p.t, p.Delays.List)...))
	}
}

// call returns its number as the value, also with a failure. A call that the context ends fails.
func (p *player) call(ctx context.Context) (uint64, error) {
	call, limit, began := p.Calls[p.calls], p.limit(p.calls), time.Now()
	deadline, ok := ctx.Deadline()
	if limit >= 0 && (!ok || deadline.Sub(began) != limit) {
		p.t.Errorf("call %d has until %v, want %v", p.calls, deadline.Sub(began), limit)
	}
	if attempt, ok := backoff.AttemptFromContext(ctx); ok {
		want := p.orNone(p.TimeLeft[p.calls])
		if left, ok := attempt.TimeLeft(); ok != (want >= 0) || ok && left != want {
			p.t.Errorf("call %d has %v left, %t, want %v", p.calls, left, ok, want)
		}
	} else if p.hasTimes() {
		p.t.Errorf("call %d has no attempt", p.calls)
	}
	if p.calls++; limit >= 0 {
		select {
		case <-time.After(call.Takes):
		case <-ctx.Done():
			call.Ends = "failure"
		}
	} else {
		time.Sleep(call.Takes)
	}
	p.at("call")
	switch {
	case call.Ends == "value":
		return p.calls, nil
	case call.Mark != nil:
		return p.calls, backoff.Permanent(failed(p.calls))
	}
	return p.calls, failed(p.calls)
}

// verdict returns that of the last call.
func (p *player) verdict() backoff.Verdict {
	p.at("classification")
	call := p.Calls[p.calls-1]
	if call.RetryAfter != nil {
		return call.Outcome.WithRetryAfter(*call.RetryAfter)
	}
	return call.Outcome
}

func (p *player) hook(name string) func(backoff.Event) {
	return func(event backoff.Event) {
		event.Err = inForm(event.Err)
		p.events = append(p.events, hooked{name, event})
		p.at(name + "_hook")
	}
}

func (p *player) Now() time.Duration { return backoff.Now() }

func (p *player) Sleep(ctx context.Context, delay time.Duration) {
	p.at("wait")
	began := time.Now()
	backoff.ProcessClock.Sleep(ctx, delay)
	if ctx.Err() == nil {
		p.waits = append(p.waits, time.Since(began))
	}
}

func (p *player) addClassify() {
	if p.Classified {
		p.options = append(p.options, backoff.Classify(func(error) backoff.Verdict { return p.verdict() }))
	}
}

// retry plays in Retry, or in RetryContext if the calls have a time.
func (p *player) retry(op func(context.Context) (uint64, error)) error {
	p.hasValues = true
	if p.Classified {
		p.options = append(p.options, backoff.ClassifyResult(func(uint64) backoff.Verdict { return p.verdict() }))
	}
	var value uint64
	var err error
	if p.hasTimes() {
		value, err = backoff.RetryContext(p.ctx, op, p.options...)
	} else {
		value, err = backoff.Retry(p.ctx, func() (uint64, error) { return op(p.ctx) }, p.options...)
	}
	if value != p.calls {
		p.t.Errorf("the value of call %d is returned after %d calls", value, p.calls)
	}
	return err
}

func (p *player) hasTimes() bool {
	return slices.ContainsFunc(p.TimeLeft, func(left *string) bool { return left != nil })
}

// The forms of a loop, which calls they cannot play, and how many cases remain.
var loopForms = map[string]struct {
	play  func(*player) error
	skips func(isValue, isRetried, isPoint bool) bool // isPoint: its classification cancels or fails
	plays int
}{
	"Retry": {func(p *player) error {
		p.addClassify()
		return p.retry(p.call)
	}, func(_, _, _ bool) bool { return false }, 133},
	// A function that marks its failures classifies them itself: a panic there is one of the call.
	"Retry of marks": {func(p *player) error {
		return p.retry(func(ctx context.Context) (uint64, error) {
			value, err := p.call(ctx)
			if err != nil && p.Classified {
				err = backoff.Mark(err, p.verdict())
			}
			return value, err
		})
	}, func(isValue, _, isPoint bool) bool { return isPoint && !isValue }, 129},
	"Do": {func(p *player) error {
		p.addClassify()
		op := func(ctx context.Context) error { _, err := p.call(ctx); return err }
		if p.hasTimes() {
			return backoff.DoContext(p.ctx, op, p.options...)
		}
		return backoff.Do(p.ctx, func() error { return op(p.ctx) }, p.options...)
	}, func(isValue, isRetried, isPoint bool) bool { return isValue && (isRetried || isPoint) }, 117},
	// The body classifies its values itself.
	"Loop": {func(p *player) error {
		p.addClassify()
		loop := backoff.NewLoop(p.ctx, p.options...)
		for attempt := range loop.Attempts() {
			if _, err := p.call(loop.Context()); loop.Report(err) && p.Classified {
				loop.ReportVerdict(p.verdict())
			}
			if attempt != p.calls {
				p.t.Errorf("call %d has number %d", p.calls, attempt)
			}
		}
		return loop.Err()
	}, func(isValue, _, isPoint bool) bool { return isValue && isPoint }, 129},
}

func (c loopCase) has(skipped func(isValue, isRetried, isPoint bool) bool) bool {
	for _, loop := range c.Loops {
		for i, call := range loop.Calls {
			isPoint := loop.Cancel.is("classification", i) || loop.Fail.is("classification", i)
			if skipped(call.Ends == "value", call.Outcome > backoff.OutcomeSuccess, isPoint) {
				return true
			}
		}
	}
	return false
}

func TestRetryLoops(t *testing.T) {
	for name, form := range loopForms {
		plays := 0
		for _, c := range load[loopCase](t, "loops") {
			if c.ID == "attempt_timeout-deadline-over" || c.has(form.skips) { // a context whose deadline is over is done
				continue
			}
			plays++
			t.Run(name+"/"+c.ID, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { c.play(t, form.play) })
			})
		}
		if plays != form.plays {
			t.Errorf("%s plays %d cases, want %d", name, plays, form.plays)
		}
	}
}

func (c loopCase) play(t *testing.T, form func(*player) error) {
	var stats backoff.RetryStats
	shared := []backoff.RetryOption{backoff.WithPolicyString(c.Policy), backoff.WithStream(streamOf(t, c.Seed, c.Key)), backoff.WithStats(&stats)}
	if c.Budget != nil {
		shared = append(shared, backoff.WithBudget(parseBudget(t, *c.Budget)))
	}
	begun := time.Now()
	for _, script := range c.Loops {
		p := &player{script: script, t: t}
		p.ctx, p.cancel = context.WithCancelCause(t.Context())
		if script.Deadline != nil {
			// A call may begin at the deadline of the vector, and must begin before that of a context.
			p.ctx = bound{p.ctx, begun.Add(*script.Deadline + 1)}
		}
		p.options = append(slices.Clone(shared), backoff.WithClock(p), backoff.OnRetry(p.hook("retry")), backoff.OnStop(p.hook("stop")))
		p.addDelays()
		p.at("before")
		recovered, err := panicking(func() error { return form(p) })
		p.check(err, recovered)
		p.cancel(nil)
	}
	got, want := stats.Counts(), c.Stats
	if got.Operations != want.Operations || got.Attempts != want.Attempts || got.Stops != want.Stops {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// panicking returns the error of a loop, or what its panic says.
func panicking(loop func() error) (recovered any, err error) {
	defer func() { recovered = recover() }()
	return nil, loop()
}

func (p *player) check(err error, recovered any) {
	if want := durations(p.t, p.Waits); int(p.calls) != len(p.Calls) || !slices.Equal(p.waits, want) {
		p.t.Errorf("%d calls and waits of %v, want %d and %v", p.calls, p.waits, len(p.Calls), want)
	}
	failure := func(call uint64) error {
		if call > 0 && p.isLate(call-1) {
			return timedOut(p.limit(call - 1))
		}
		if call > 0 && p.Calls[call-1].Ends == "failure" {
			return failed(call)
		}
		return nil
	}
	var want []hooked
	for _, e := range p.Events {
		event := backoff.Event{Attempts: e.Attempts, Outcome: e.Outcome, Reason: e.Reason, Delay: e.Delay, Elapsed: e.Elapsed, Err: failure(e.Attempts)}
		if p.hasValues && e.Attempts > 0 {
			event.Value = e.Attempts
		}
		want = append(want, hooked{e.Hook, event})
	}
	if !slices.Equal(p.events, want) {
		p.t.Errorf("events %+v, want %+v", p.events, want)
	}
	if p.Ends == "caller" {
		if recovered != errWrong {
			p.t.Errorf("ended with %v, panic %v", err, recovered)
		}
		return
	}
	if recovered != nil {
		p.t.Fatalf("panic %v", recovered)
	}
	last := failure(p.calls)
	if p.Ends == "timeout" {
		gaveUp := (*backoff.RetryError)(nil)
		if !errors.As(err, &gaveUp) || inForm(gaveUp.Err) != last || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, failed(p.calls)) {
			p.t.Errorf("ended with %v, want %v", err, last)
		}
		last = failed(p.calls)
	}
	checkEnd(p.t, err, last, p.Reason, p.calls)
	stop := want[len(want)-1].event
	if gaveUp := (*backoff.RetryError)(nil); errors.As(err, &gaveUp) && (gaveUp.Delay != stop.Delay || gaveUp.Elapsed != stop.Elapsed) {
		p.t.Errorf("the error has %v after %v, want %v after %v", gaveUp.Delay, gaveUp.Elapsed, stop.Delay, stop.Elapsed)
	}
	for of, reason := range map[error]backoff.StopReason{context.Canceled: backoff.StopCancelled, errShutdown: backoff.StopCancelled, context.DeadlineExceeded: backoff.StopDeadline} {
		if isTimeout := p.Ends == "timeout" && of == context.DeadlineExceeded; !isTimeout && errors.Is(err, of) != (p.Reason == reason) {
			p.t.Errorf("%v is in %v: %t", of, err, p.Reason != reason)
		}
	}
}
