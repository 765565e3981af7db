package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

var (
	errBusy   = errors.New("busy")
	errWrong  = errors.New("wrong")
	errClosed = errors.New("closed")
)

// A fakeClock advances at once in every sleep, and records the sleeps.
type fakeClock struct {
	now    time.Duration
	sleeps []time.Duration
	during func() // called in each sleep
}

func (c *fakeClock) Now() time.Duration { return c.now }

func (c *fakeClock) Sleep(ctx context.Context, delay time.Duration) {
	c.sleeps = append(c.sleeps, delay)
	if c.during != nil {
		c.during()
	}
	if ctx.Err() == nil {
		c.now += delay
	}
}

// A call is the result of a scripted call, which takes some time.
type call struct {
	value string
	err   error
	took  time.Duration
}

// An eventLog records the events of hooks as text.
type eventLog []string

func (l *eventLog) hooks() []backoff.RetryOption {
	return []backoff.RetryOption{
		backoff.OnRetry(func(e backoff.Event) { l.add("retry", e) }),
		backoff.OnStop(func(e backoff.Event) { l.add("stop", e) }),
	}
}

func (l *eventLog) add(hook string, e backoff.Event) {
	*l = append(*l, fmt.Sprintf("%s %d %v %v %v after %v: %v %v", hook, e.Attempts, e.Outcome, e.Reason, e.Delay, e.Elapsed, e.Value, e.Err))
}

// What the vectors of loops do not say: the options of Go, and times that other languages do not have.
func TestRetry(t *testing.T) {
	anything := backoff.RetryIf(backoff.AnyError)
	const second = time.Second
	rows := []struct {
		name    string
		options []backoff.RetryOption
		calls   []call
		want    error // the last error, which is permanent; nil after a success
		events  eventLog
	}{{
		"a clock that goes backwards adds no time", []backoff.RetryOption{anything},
		[]call{{err: errBusy, took: -5 * second}, {err: errWrong, took: second}, {value: "a", took: 4 * second}}, nil,
		eventLog{
			"retry 1 transient none 1s after 0s:  busy",
			"retry 2 transient none 1s after 0s:  wrong",
			"stop 3 success success 0s after 2s: a <nil>",
		},
	}, {
		"a negative retry_after is 0", nil,
		[]call{{err: backoff.RetryAfter(-second, errBusy)}, {err: &markedError{-second}}, {value: "a"}}, nil,
		eventLog{
			"retry 1 throttled none 0s after 0s:  busy",
			"retry 2 timeout none 0s after 0s:  marked",
			"stop 3 success success 0s after 0s: a <nil>",
		},
	}, {
		"RetryResult polls", []backoff.RetryOption{backoff.RetryResult(func(value string) bool { return value == "wait" })},
		[]call{{value: "wait"}, {value: "wait"}, {value: "a"}}, nil,
		eventLog{
			"retry 1 transient none 1s after 0s: wait <nil>",
			"retry 2 transient none 1s after 1s: wait <nil>",
			"stop 3 success success 0s after 2s: a <nil>",
		},
	}, {
		"RetryResult does not see errors", []backoff.RetryOption{backoff.RetryResult(func(string) bool { return true })},
		[]call{{value: "wait"}, {err: errBusy}}, errBusy,
		eventLog{
			"retry 1 transient none 1s after 0s: wait <nil>",
			"stop 2 permanent permanent 0s after 1s:  busy",
		},
	}, {
		"RetryOn finds wrapped errors", []backoff.RetryOption{backoff.RetryOn(io.EOF, errBusy)},
		[]call{{err: fmt.Errorf("read: %w", io.EOF)}, {err: errBusy}, {err: io.ErrUnexpectedEOF}}, io.ErrUnexpectedEOF,
		eventLog{
			"retry 1 transient none 1s after 0s:  read: EOF",
			"retry 2 transient none 1s after 1s:  busy",
			"stop 3 permanent permanent 0s after 2s:  unexpected EOF",
		},
	}, {
		"the first option that is not permanent decides", []backoff.RetryOption{
			backoff.RetryOn(io.EOF),
			backoff.Classify(func(err error) backoff.Verdict {
				if err == errBusy {
					return backoff.OutcomeThrottled.WithRetryAfter(4 * time.Second)
				}
				return backoff.OutcomePermanent
			}),
			backoff.RetryIf(func(err error) bool { return err != errWrong }),
		},
		[]call{{err: errBusy}, {err: io.ErrClosedPipe}, {err: io.EOF}, {err: errWrong}}, errWrong,
		eventLog{
			"retry 1 throttled none 4s after 0s:  busy",
			"retry 2 transient none 1s after 4s:  io: read/write on closed pipe",
			"retry 3 transient none 1s after 5s:  EOF",
			"stop 4 permanent permanent 0s after 6s:  wrong",
		},
	}}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			clock := &fakeClock{now: 100 * second}
			var got eventLog
			calls := 0
			options := append(got.hooks(), backoff.WithPolicyString("constant:base=1s,retry_after=exact"), backoff.WithClock(clock))
			_, err := backoff.Retry(t.Context(), func() (string, error) {
				call := row.calls[calls]
				calls++
				clock.now += call.took
				return call.value, call.err
			}, append(options, row.options...)...)
			if !slices.Equal(got, row.events) {
				t.Errorf("events %q, want %q", got, row.events)
			}
			reason := backoff.StopSuccess
			if row.want != nil {
				reason = backoff.StopPermanent
			}
			checkEnd(t, err, row.want, reason, uint64(len(row.calls)))
		})
	}
}

// reasonErrors are the errors that errors.Is finds in a RetryError.
var reasonErrors = map[backoff.StopReason]error{
	backoff.StopPermanent:  backoff.ErrPermanent,
	backoff.StopMaxRetries: backoff.ErrMaxRetries,
	backoff.StopMaxElapsed: backoff.ErrMaxElapsed,
	backoff.StopDeadline:   backoff.ErrDeadline,
	backoff.StopBudget:     backoff.ErrBudget,
	backoff.StopCancelled:  backoff.ErrCancelled,
}

// checkEnd checks the error of a loop that has stopped.
func checkEnd(t *testing.T, err, last error, reason backoff.StopReason, attempts uint64) {
	t.Helper()
	if reason == backoff.StopSuccess {
		if err != nil {
			t.Errorf("ended with %v", err)
		}
		return
	}
	var gaveUp *backoff.RetryError
	if !errors.As(err, &gaveUp) || gaveUp.Reason != reason || gaveUp.Attempts != attempts || !errors.Is(err, reasonErrors[reason]) {
		t.Fatalf("ended with %#v, want %v after %d attempts", err, reason, attempts)
	}
	for other, sentinel := range reasonErrors {
		if gaveUp.Is(sentinel) != (other == reason) {
			t.Errorf("%v is %v: %t", err, sentinel, other != reason)
		}
	}
	if !errors.Is(gaveUp.Err, last) || last != nil && !errors.Is(err, last) {
		t.Errorf("the last error is %v, want %v", gaveUp.Err, last)
	}
}

// checkCounted checks that the stats count one loop.
func checkCounted(t *testing.T, stats *backoff.RetryStats, attempts uint64, reason backoff.StopReason) {
	t.Helper()
	got := stats.Counts()
	if got.Operations != 1 || got.Attempts != max(1, attempts) || got.Stops[reason] != 1 {
		t.Errorf("counted %+v, want %d attempts and %v", got, attempts, reason)
	}
}

// The waits are the delays of the policy on the stream: the numbers of docs/programs.md.
func TestRetryWaitsTheDelaysOfItsStream(t *testing.T) {
	want := []time.Duration{11399434, 83043876, 229309811}
	stream, err := backoff.StreamFromKey(42, "job-1")
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]backoff.RetryOption{
		"default policy":  {backoff.WithKey(42, "job-1")},
		"stream":          {backoff.WithStream(stream)},
		"last of several": {backoff.WithStream(backoff.StreamFromSeed(7)), backoff.WithPolicyString("immediate"), backoff.WithPolicy(parsePolicy(t, "default")), backoff.WithKey(42, "job-1")},
	} {
		clock := new(fakeClock)
		err := backoff.Do(t.Context(), func() error { return errBusy }, append(options, backoff.RetryIf(backoff.AnyError), backoff.WithClock(clock))...)
		checkEnd(t, err, errBusy, backoff.StopMaxRetries, 4)
		if !slices.Equal(clock.sleeps, want) {
			t.Errorf("%s: slept %v, want %v", name, clock.sleeps, want)
		}
	}
}

// Without a stream, loops differ from each other and from those of other processes.
func TestDefaultStreamsDiffer(t *testing.T) {
	const print = "PRINT_WAITS"
	var waits []string
	for range 20 {
		clock := new(fakeClock)
		_ = backoff.Do(t.Context(), func() error { return errBusy }, backoff.WithPolicyString("full:base=1d,max_retries=1"), backoff.RetryIf(backoff.AnyError), backoff.WithClock(clock))
		waits = append(waits, clock.sleeps[0].String())
	}
	if os.Getenv(print) != "" {
		fmt.Println(strings.Join(waits, "\n"))
		return
	}
	other := exec.Command(os.Args[0], "-test.run=^TestDefaultStreamsDiffer$")
	other.Env = append(os.Environ(), print+"=1")
	printed, err := other.Output()
	if err != nil {
		t.Fatal(err)
	}
	waits = append(waits, strings.Split(string(printed), "\n")[:20]...)
	slices.Sort(waits)
	if seen := len(slices.Compact(waits)); seen != 40 {
		t.Errorf("40 loops have %d different waits", seen)
	}
}

// The delays of a loop without a stream are all those of one stream. Only then is each at most three times the one before
// (SPEC 6.3).
func TestALoopHasOneStream(t *testing.T) {
	clock := new(fakeClock)
	err := backoff.Do(t.Context(), func() error { return errBusy }, backoff.WithPolicyString("decorrelated:base=1ms,cap=1d,max_retries=50"),
		backoff.RetryIf(backoff.AnyError), backoff.WithClock(clock))
	checkEnd(t, err, errBusy, backoff.StopMaxRetries, 51)
	before := time.Millisecond
	for i, delay := range clock.sleeps {
		if delay > 3*before {
			t.Fatalf("delay %d is %v after %v", i, delay, before)
		}
		before = delay
	}
}

func TestRetryError(t *testing.T) {
	clock := &fakeClock{now: time.Second}
	ctx, cancel := context.WithCancelCause(t.Context())
	retry := func(err error, options ...backoff.RetryOption) error {
		_, err = backoff.Retry(ctx, func() (int, error) {
			clock.now += time.Minute
			return 0, err
		}, append(options, backoff.WithClock(clock), backoff.WithPolicyString("constant:base=3s,max_elapsed=62s"))...)
		return err
	}
	err := retry(fmt.Errorf("dial: %w", io.ErrClosedPipe), backoff.RetryIf(backoff.AnyError))
	want := "gave up after 1 attempt: max_elapsed: dial: io: read/write on closed pipe"
	var gaveUp *backoff.RetryError
	if !errors.As(err, &gaveUp) || err.Error() != want || gaveUp.Elapsed != time.Minute || gaveUp.Delay != 3*time.Second || !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v: %#v", err, gaveUp)
	}
	err = retry(nil, backoff.RetryResult(func(int) bool { return true }))
	if want := "gave up after 1 attempt: max_elapsed"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for want, returned := range map[string]error{
		"gave up after 1 attempt: cancelled: shutting down: busy":             errBusy,
		"gave up after 1 attempt: cancelled: call: shutting down":             fmt.Errorf("call: %w", errShutdown),
		"gave up after 1 attempt: cancelled: shutting down: context canceled": context.Canceled,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		err := backoff.Do(ctx, func() error { cancel(errShutdown); return returned })
		if err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	cancel(io.ErrNoProgress)
	err = retry(nil)
	if want := "gave up after 0 attempts: cancelled: multiple Read calls return no data or error"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Of the marks of a loop, an enclosing loop inherits only Permanent (SPEC 18.3).
func TestNestedRetry(t *testing.T) {
	anything, nothing := backoff.RetryIf(backoff.AnyError), backoff.RetryOn()
	rows := []struct {
		name         string
		err          error
		cancels      bool // the function cancels its loop
		inner, outer backoff.RetryOption
		reason       backoff.StopReason // of the outer loop
		calls        uint64             // of the function
	}{
		{"Transient applies to one loop", fmt.Errorf("wrapped: %w", backoff.Transient(errBusy)), false, nothing, nothing, backoff.StopPermanent, 2},
		{"the options of the outer loop allow a retry", backoff.Transient(errBusy), false, nothing, anything, backoff.StopMaxRetries, 4},
		{"RetryAfter applies to one loop", backoff.RetryAfter(0, errBusy), false, nothing, nothing, backoff.StopPermanent, 2},
		{"Permanent applies to both", backoff.Permanent(errBusy), false, anything, anything, backoff.StopPermanent, 1},
		{"a wrapped Permanent applies to both", fmt.Errorf("wrapped: %w", backoff.Permanent(errBusy)), false, anything, anything, backoff.StopPermanent, 1},
		{"a mark of success counts as permanent", backoff.Mark(errBusy, backoff.OutcomeSuccess), false, anything, anything, backoff.StopPermanent, 1},
		{"Permanent in a cancelled loop", backoff.Permanent(errBusy), true, anything, anything, backoff.StopPermanent, 1},
		{"options apply to their loop alone", errBusy, false, nothing, anything, backoff.StopMaxRetries, 2},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			policy := backoff.WithPolicyString("constant:base=0s,max_retries=1")
			calls, outerCalls := uint64(0), uint64(0)
			err := backoff.Do(t.Context(), func() error {
				outerCalls++
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				return fmt.Errorf("within: %w", backoff.Do(ctx, func() error {
					if calls++; row.cancels {
						cancel()
					}
					return row.err
				}, policy, row.inner))
			}, policy, row.outer)
			checkEnd(t, err, errBusy, row.reason, outerCalls)
			if calls != row.calls {
				t.Errorf("%d calls, want %d", calls, row.calls)
			}
			// A third loop sees the same mark as the second.
			third := backoff.Do(t.Context(), func() error { return err }, policy, anything)
			if row.calls == 1 {
				checkEnd(t, third, errBusy, backoff.StopPermanent, 1)
			} else {
				checkEnd(t, third, errBusy, backoff.StopMaxRetries, 2)
			}
		})
	}
}
