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
	errBusy  = errors.New("busy")
	errWrong = errors.New("wrong")
)

// A fakeClock is at the end of every sleep at once, and keeps them.
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

// A call is how a call of a script ends: with a value or an error, after so long.
type call struct {
	value string
	err   error
	took  time.Duration
}

// A told is a list of events as text.
type told []string

func (t *told) hooks() []backoff.RetryOption {
	return []backoff.RetryOption{
		backoff.OnRetry(func(e backoff.Event) { t.add("retry", e) }),
		backoff.OnStop(func(e backoff.Event) { t.add("stop", e) }),
	}
}

func (t *told) add(hook string, e backoff.Event) {
	outcome, reason := "none", "none"
	if e.Outcome != 0 {
		outcome = e.Outcome.String()
	}
	if e.Reason != 0 {
		reason = e.Reason.String()
	}
	*t = append(*t, fmt.Sprintf("%s %d %s %s %v after %v: %v %v", hook, e.Attempts, outcome, reason, e.Delay, e.Elapsed, e.Value, e.Err))
}

// What a loop does is a fact of SPEC 13 and 18: the delays are those of constant policies.
func TestRetry(t *testing.T) {
	anything := backoff.RetryIf(backoff.AnyError)
	const second = time.Second
	rows := []struct {
		name    string
		policy  string
		options []backoff.RetryOption
		calls   []call
		want    error // the last error, nil of a success or of a value
		reason  backoff.StopReason
		told    told
	}{{
		"a success is returned at once", "constant:base=1s", nil,
		[]call{{value: "a", took: 2 * second}}, nil, backoff.StopSuccess,
		told{"stop 1 success success 0s after 2s: a <nil>"},
	}, {
		"failures are repeated until a success", "constant:base=1s", []backoff.RetryOption{anything},
		[]call{{err: errBusy}, {err: errWrong, took: second}, {value: "a"}}, nil, backoff.StopSuccess,
		told{
			"retry 1 transient none 1s after 0s:  busy",
			"retry 2 transient none 1s after 2s:  wrong",
			"stop 3 success success 0s after 3s: a <nil>",
		},
	}, {
		"a clock that goes back adds no time", "constant:base=1s", []backoff.RetryOption{anything},
		[]call{{err: errBusy, took: -5 * second}, {err: errWrong, took: second}, {value: "a", took: 4 * second}}, nil, backoff.StopSuccess,
		told{
			"retry 1 transient none 1s after 0s:  busy",
			"retry 2 transient none 1s after 0s:  wrong",
			"stop 3 success success 0s after 2s: a <nil>",
		},
	}, {
		"the last failure is not waited for", "constant:base=1s,max_retries=2", []backoff.RetryOption{anything},
		[]call{{err: errBusy}, {err: errBusy}, {value: "last", err: errWrong}}, errWrong, backoff.StopMaxRetries,
		told{
			"retry 1 transient none 1s after 0s:  busy",
			"retry 2 transient none 1s after 1s:  busy",
			"stop 3 transient max_retries 0s after 2s: last wrong",
		},
	}, {
		"no retries run once", "constant:base=1s,max_retries=0", []backoff.RetryOption{anything},
		[]call{{err: errBusy}}, errBusy, backoff.StopMaxRetries,
		told{"stop 1 transient max_retries 0s after 0s:  busy"},
	}, {
		"no retries can succeed", "constant:base=1s,max_retries=0", nil,
		[]call{{value: "a"}}, nil, backoff.StopSuccess,
		told{"stop 1 success success 0s after 0s: a <nil>"},
	}, {
		"nothing is repeated that nobody said may be", "constant:base=1s", nil,
		[]call{{value: "partial", err: errBusy}}, errBusy, backoff.StopPermanent,
		told{"stop 1 permanent permanent 0s after 0s: partial busy"},
	}, {
		"what is marked is repeated", "constant:base=1s", nil,
		[]call{{err: backoff.Transient(errBusy)}, {err: backoff.Permanent(errWrong)}}, errWrong, backoff.StopPermanent,
		told{
			"retry 1 transient none 1s after 0s:  busy",
			"stop 2 permanent permanent 0s after 1s:  wrong",
		},
	}, {
		"Permanent is not repeated, whatever RetryIf says", "constant:base=1s", []backoff.RetryOption{anything},
		[]call{{err: backoff.Permanent(errBusy)}}, errBusy, backoff.StopPermanent,
		told{"stop 1 permanent permanent 0s after 0s:  busy"},
	}, {
		"a hint is waited for", "constant:base=1s", nil,
		[]call{{err: backoff.RetryAfter(5*second, errBusy)}, {err: backoff.RetryAfter(second/2, errBusy)}, {value: "a"}}, nil, backoff.StopSuccess,
		told{
			"retry 1 throttled none 5s after 0s:  busy",
			"retry 2 throttled none 1s after 5s:  busy",
			"stop 3 success success 0s after 6s: a <nil>",
		},
	}, {
		"a hint of nothing is one, and a past one is nothing", "constant:base=1s,hint=exact", nil,
		[]call{{err: backoff.RetryAfter(0, errBusy)}, {err: backoff.RetryAfter(-second, errBusy)}, {err: &selfish{-second}}, {value: "a"}}, nil, backoff.StopSuccess,
		told{
			"retry 1 throttled none 0s after 0s:  busy",
			"retry 2 throttled none 0s after 0s:  busy",
			"retry 3 timeout none 0s after 0s:  selfish",
			"stop 4 success success 0s after 0s: a <nil>",
		},
	}, {
		"the policy bounds a hint", "constant:base=1s,hint_max=1m", nil,
		[]call{{err: backoff.RetryAfter(24*time.Hour, errBusy)}, {value: "a"}}, nil, backoff.StopSuccess,
		told{
			"retry 1 throttled none 1m0s after 0s:  busy",
			"stop 2 success success 0s after 1m0s: a <nil>",
		},
	}, {
		"outcomes have their bases", "constant:base=1s,throttled_base=3s", []backoff.RetryOption{backoff.Classify(func(err error) backoff.Verdict {
			if err == errBusy {
				return backoff.OutcomeThrottled
			}
			return backoff.OutcomeTimeout
		})},
		[]call{{err: errBusy}, {err: errWrong}, {value: "a"}}, nil, backoff.StopSuccess,
		told{
			"retry 1 throttled none 3s after 0s:  busy",
			"retry 2 timeout none 1s after 3s:  wrong",
			"stop 3 success success 0s after 4s: a <nil>",
		},
	}, {
		"max_elapsed tells the wait that was not begun", "constant:base=3s,max_elapsed=6s", []backoff.RetryOption{anything},
		[]call{{err: errBusy, took: second}, {err: errBusy}}, errBusy, backoff.StopMaxElapsed,
		told{
			"retry 1 transient none 3s after 1s:  busy",
			"stop 2 transient max_elapsed 3s after 4s:  busy",
		},
	}, {
		"a wait may end at max_elapsed", "constant:base=3s,max_elapsed=6s", []backoff.RetryOption{anything},
		[]call{{err: errBusy}, {err: errBusy}, {value: "a", took: second}}, nil, backoff.StopSuccess,
		told{
			"retry 1 transient none 3s after 0s:  busy",
			"retry 2 transient none 3s after 3s:  busy",
			"stop 3 success success 0s after 7s: a <nil>",
		},
	}, {
		"values that are not there yet", "constant:base=1s", []backoff.RetryOption{backoff.RetryResult(func(value string) bool { return value == "wait" })},
		[]call{{value: "wait"}, {value: "wait"}, {value: "a"}}, nil, backoff.StopSuccess,
		told{
			"retry 1 transient none 1s after 0s: wait <nil>",
			"retry 2 transient none 1s after 1s: wait <nil>",
			"stop 3 success success 0s after 2s: a <nil>",
		},
	}, {
		"values until the retries end", "constant:base=1s,max_retries=1", []backoff.RetryOption{backoff.RetryResult(func(string) bool { return true })},
		[]call{{value: "wait"}, {value: "still"}}, nil, backoff.StopMaxRetries,
		told{
			"retry 1 transient none 1s after 0s: wait <nil>",
			"stop 2 transient max_retries 0s after 1s: still <nil>",
		},
	}, {
		"polling stops at what is wrong", "constant:base=1s", []backoff.RetryOption{backoff.ClassifyResult(func(value string) backoff.Verdict {
			switch value {
			case "wait":
				return backoff.OutcomeTransient
			case "slow":
				return backoff.OutcomeThrottled.WithHint(7 * time.Second)
			}
			return backoff.OutcomePermanent
		})},
		[]call{{value: "wait"}, {value: "slow"}, {value: "broken"}}, nil, backoff.StopPermanent,
		told{
			"retry 1 transient none 1s after 0s: wait <nil>",
			"retry 2 throttled none 7s after 1s: slow <nil>",
			"stop 3 permanent permanent 0s after 8s: broken <nil>",
		},
	}, {
		"an error is no value to poll", "constant:base=1s", []backoff.RetryOption{backoff.RetryResult(func(string) bool { return true })},
		[]call{{value: "wait"}, {err: errBusy}}, errBusy, backoff.StopPermanent,
		told{
			"retry 1 transient none 1s after 0s: wait <nil>",
			"stop 2 permanent permanent 0s after 1s:  busy",
		},
	}, {
		"RetryOn finds what is wrapped", "constant:base=1s", []backoff.RetryOption{backoff.RetryOn(io.EOF, errBusy)},
		[]call{{err: fmt.Errorf("read: %w", io.EOF)}, {err: errBusy}, {err: io.ErrUnexpectedEOF}}, io.ErrUnexpectedEOF, backoff.StopPermanent,
		told{
			"retry 1 transient none 1s after 0s:  read: EOF",
			"retry 2 transient none 1s after 1s:  busy",
			"stop 3 permanent permanent 0s after 2s:  unexpected EOF",
		},
	}, {
		"the first that does not say permanent counts", "constant:base=1s", []backoff.RetryOption{
			backoff.RetryOn(io.EOF),
			backoff.Classify(func(err error) backoff.Verdict {
				if err == errBusy {
					return backoff.OutcomeThrottled.WithHint(4 * time.Second)
				}
				return backoff.OutcomePermanent
			}),
			backoff.RetryIf(func(err error) bool { return err != errWrong }),
		},
		[]call{{err: errBusy}, {err: io.ErrClosedPipe}, {err: io.EOF}, {err: errWrong}}, errWrong, backoff.StopPermanent,
		told{
			"retry 1 throttled none 4s after 0s:  busy",
			"retry 2 transient none 1s after 4s:  io: read/write on closed pipe",
			"retry 3 transient none 1s after 5s:  EOF",
			"stop 4 permanent permanent 0s after 6s:  wrong",
		},
	}, {
		"a failure is never a success", "constant:base=1s", []backoff.RetryOption{backoff.Classify(func(error) backoff.Verdict { return backoff.OutcomeSuccess })},
		[]call{{value: "gone", err: errWrong}}, errWrong, backoff.StopPermanent,
		told{"stop 1 permanent permanent 0s after 0s: gone wrong"},
	}}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			clock := &fakeClock{now: 100 * second}
			var history backoff.History
			var got told
			calls := 0
			options := append([]backoff.RetryOption{backoff.WithPolicyLine(row.policy), backoff.WithClock(clock), backoff.WithHistory(&history)}, got.hooks()...)
			value, err := backoff.Retry(t.Context(), func() (string, error) {
				if calls == len(row.calls) {
					t.Fatal("called once more")
				}
				call := row.calls[calls]
				calls++
				clock.now += call.took
				return call.value, call.err
			}, append(options, row.options...)...)
			if calls != len(row.calls) || value != row.calls[calls-1].value {
				t.Errorf("%d calls return %q", calls, value)
			}
			if !slices.Equal(got, row.told) {
				t.Errorf("told %q, want %q", got, row.told)
			}
			checkEnd(t, err, row.want, row.reason, uint64(calls))
			checkCounted(t, &history, uint64(calls), row.reason)
			if waits := len(row.told) - 1; len(clock.sleeps) != waits {
				t.Errorf("%d sleeps, want %d", len(clock.sleeps), waits)
			}
		})
	}
}

// checkEnd looks at the error of a loop that has stopped.
func checkEnd(t *testing.T, err, last error, reason backoff.StopReason, attempts uint64) {
	t.Helper()
	if reason == backoff.StopSuccess {
		if err != nil {
			t.Errorf("ended with %v", err)
		}
		return
	}
	var gaveUp *backoff.RetryError
	if !errors.As(err, &gaveUp) || gaveUp.Reason != reason || gaveUp.Attempts != attempts || !errors.Is(err, reason) {
		t.Fatalf("ended with %#v, want %v after %d attempts", err, reason, attempts)
	}
	if !errors.Is(gaveUp.Err, last) || last != nil && !errors.Is(err, last) {
		t.Errorf("the last error is %v, want %v", gaveUp.Err, last)
	}
}

// checkCounted looks for one loop in a history.
func checkCounted(t *testing.T, history *backoff.History, attempts uint64, reason backoff.StopReason) {
	t.Helper()
	got := history.Counts()
	if got.Operations != 1 || got.Attempts != max(1, attempts) || got.Stops[reason] != 1 {
		t.Errorf("counted %+v, want %d attempts and %v", got, attempts, reason)
	}
}

// The delays are those of the policy on the stream: the numbers of the README.
func TestRetryWaitsTheDelaysOfItsStream(t *testing.T) {
	want := []time.Duration{11399434, 83043876, 229309811}
	stream, err := backoff.KeyStream(42, "job-1")
	if err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]backoff.RetryOption{
		"default policy": {backoff.WithKey(42, "job-1")},
		"stream":         {backoff.WithStream(stream)},
		"last given":     {backoff.WithStream(backoff.SeedStream(7)), backoff.WithPolicyLine("none"), backoff.WithPolicy(parsePolicy(t, "default")), backoff.WithKey(42, "job-1")},
	} {
		clock := new(fakeClock)
		err := backoff.Do(t.Context(), func() error { return errBusy }, append(options, backoff.RetryIf(backoff.AnyError), backoff.WithClock(clock))...)
		checkEnd(t, err, errBusy, backoff.StopMaxRetries, 4)
		if !slices.Equal(clock.sleeps, want) {
			t.Errorf("%s: slept %v, want %v", name, clock.sleeps, want)
		}
	}
}

// Without a stream each loop has its own, and those of one process are not those of another.
func TestRetryWaitsLikeNobodyElse(t *testing.T) {
	const print = "PRINT_WAITS"
	var waits []string
	for range 20 {
		clock := new(fakeClock)
		_ = backoff.Do(t.Context(), func() error { return errBusy }, backoff.WithPolicyLine("full:base=1d,max_retries=1"), backoff.RetryIf(backoff.AnyError), backoff.WithClock(clock))
		waits = append(waits, clock.sleeps[0].String())
	}
	if os.Getenv(print) != "" {
		fmt.Println(strings.Join(waits, "\n"))
		return
	}
	other := exec.Command(os.Args[0], "-test.run=^TestRetryWaitsLikeNobodyElse$")
	other.Env = append(os.Environ(), print+"=1")
	printed, err := other.Output()
	if err != nil {
		t.Fatal(err)
	}
	waits = append(waits, strings.Split(string(printed), "\n")[:20]...)
	slices.Sort(waits)
	if seen := len(slices.Compact(waits)); seen != 40 {
		t.Errorf("40 loops have %d waits", seen)
	}
}

// Loops, and an operation driven by hand on the same clock, share a budget.
func TestRetryShareABudget(t *testing.T) {
	budget := parseBudget(t, "quota:max_tokens=10,cost=5")
	clock := new(fakeClock)
	attempt := func(err error) error {
		return backoff.Do(t.Context(), func() error { return err }, backoff.WithPolicyLine("constant:base=1s,max_retries=1"), backoff.WithBudget(budget), backoff.WithClock(clock))
	}
	checkEnd(t, attempt(backoff.Transient(errBusy)), errBusy, backoff.StopMaxRetries, 2)
	operation := beginOrFail(t, parsePolicy(t, "constant:base=1s"), backoff.WithBudget(budget))
	if !operation.Decide(backoff.OutcomeTransient, backoff.Now()).Wait {
		t.Error("the second 5 of 10 tokens are refused")
	}
	err := attempt(backoff.Transient(errBusy))
	checkEnd(t, err, errBusy, backoff.StopBudget, 1)
	if gaveUp := (*backoff.RetryError)(nil); !errors.As(err, &gaveUp) || gaveUp.Delay != time.Second {
		t.Errorf("the wait that was not begun is told as %v", gaveUp)
	}
	operation.Decide(backoff.OutcomeSuccess, backoff.Now())
	checkEnd(t, attempt(backoff.Transient(errBusy)), errBusy, backoff.StopMaxRetries, 2)
}

func TestTheErrorOfRetry(t *testing.T) {
	clock := &fakeClock{now: time.Second}
	ctx, cancel := context.WithCancelCause(t.Context())
	retry := func(err error, options ...backoff.RetryOption) error {
		_, err = backoff.Retry(ctx, func() (int, error) {
			clock.now += time.Minute
			return 0, err
		}, append(options, backoff.WithClock(clock), backoff.WithPolicyLine("constant:base=3s,max_elapsed=62s"))...)
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

// Of what one loop was told of an error, a loop around it hears Permanent alone (SPEC 18.3).
func TestRetryWithinRetry(t *testing.T) {
	anything, nothing := backoff.RetryIf(backoff.AnyError), backoff.RetryOn()
	rows := []struct {
		name         string
		err          error
		cancels      bool                // the function gives its loop up
		says, around backoff.RetryOption // of its loop and of the one around it
		reason       backoff.StopReason  // of that one
		calls        uint64              // of the function
	}{
		{"Transient is for one loop", fmt.Errorf("wrapped: %w", backoff.Transient(errBusy)), false, nothing, nothing, backoff.StopPermanent, 2},
		{"the options of the other may say it, too", backoff.Transient(errBusy), false, nothing, anything, backoff.StopMaxRetries, 4},
		{"RetryAfter is for one loop", backoff.RetryAfter(0, errBusy), false, nothing, nothing, backoff.StopPermanent, 2},
		{"Permanent is for both", backoff.Permanent(errBusy), false, anything, anything, backoff.StopPermanent, 1},
		{"so it is within another", fmt.Errorf("wrapped: %w", backoff.Permanent(errBusy)), false, anything, anything, backoff.StopPermanent, 1},
		{"a mark of success is one of permanent", backoff.Mark(errBusy, backoff.OutcomeSuccess), false, anything, anything, backoff.StopPermanent, 1},
		{"Permanent in a loop that was given up", backoff.Permanent(errBusy), true, anything, anything, backoff.StopPermanent, 1},
		{"options speak for their loop alone", errBusy, false, nothing, anything, backoff.StopMaxRetries, 2},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			policy := backoff.WithPolicyLine("constant:base=0s,max_retries=1")
			calls, around := uint64(0), uint64(0)
			err := backoff.Do(t.Context(), func() error {
				around++
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				return fmt.Errorf("within: %w", backoff.Do(ctx, func() error {
					if calls++; row.cancels {
						cancel()
					}
					return row.err
				}, policy, row.says))
			}, policy, row.around)
			checkEnd(t, err, errBusy, row.reason, around)
			if calls != row.calls {
				t.Errorf("%d calls, want %d", calls, row.calls)
			}
			// A third loop hears what the second did.
			third := backoff.Do(t.Context(), func() error { return err }, policy, anything)
			if row.calls == 1 {
				checkEnd(t, third, errBusy, backoff.StopPermanent, 1)
			} else {
				checkEnd(t, third, errBusy, backoff.StopMaxRetries, 2)
			}
		})
	}
}
