package adapters

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/avast/retry-go/v5"
	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffasynq "github.com/backoff-rs/backoff/bindings-go/adapters/asynq"
	backoffavast "github.com/backoff-rs/backoff/bindings-go/adapters/avast"
	backoffaws "github.com/backoff-rs/backoff/bindings-go/adapters/aws"
	backoffclientgo "github.com/backoff-rs/backoff/bindings-go/adapters/clientgo"
	backofffailsafe "github.com/backoff-rs/backoff/bindings-go/adapters/failsafe"
	backoffretryablehttp "github.com/backoff-rs/backoff/bindings-go/adapters/retryablehttp"
	backoffriver "github.com/backoff-rs/backoff/bindings-go/adapters/river"
	"github.com/failsafe-go/failsafe-go"
	"github.com/hashicorp/go-retryablehttp"
)

// numbers are the delays of docs/programs.md, and short those with 1 ms, of the reference.
var (
	numbers = []time.Duration{11399434, 83043876, 229309811}
	short   = []time.Duration{113994, 830439, 2293098}
)

// withStream is the option for the stream of these numbers.
func withStream(t *testing.T) backoffavast.Option {
	t.Helper()
	stream, err := backoff.StreamFromKey(42, "job-1")
	if err != nil {
		t.Fatal(err)
	}
	return backoffavast.WithStream(stream)
}

// must returns what a function made for a policy.
func must[T any](t *testing.T, create func(string, ...backoffavast.Option) (T, error), policy string) T {
	t.Helper()
	made, err := create(policy, withStream(t))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// The loops of the libraries call, wait and end as the policy and the marks of the errors say.
func TestLoops(t *testing.T) {
	libraries := map[string]func(t *testing.T, policy string, call func() error) (waits []time.Duration, err error){
		"retry-go": func(t *testing.T, policy string, call func() error) (waits []time.Duration, err error) {
			timer := new(clock)
			options := append(must(t, backoffavast.New, policy).Options(), retry.WithTimer(timer), retry.LastErrorOnly(true))
			err = retry.New(options...).Do(call)
			return timer.waits, err
		},
		"failsafe-go": func(t *testing.T, policy string, call func() error) (waits []time.Duration, err error) {
			built := backofffailsafe.Builder[int](must(t, backofffailsafe.New, policy)).
				OnRetryScheduled(func(event failsafe.ExecutionScheduledEvent[int]) { waits = append(waits, event.Delay) }).
				Build()
			_, err = failsafe.With(built).Get(func() (int, error) { return 0, call() })
			return waits, err
		},
	}
	fails := slices.Repeat([]error{errBusy}, 5)
	for name, row := range map[string]struct {
		policy string
		errs   []error
		waits  []time.Duration
	}{
		"max_retries":   {"full:base=1ms,max_retries=3", fails, short},
		"no retries":    {"full:base=1ms,max_retries=0", fails, nil},
		"no limit":      {"full:base=1ms", []error{errBusy, errBusy, errBusy, nil}, short},
		"no delay":      {"none", []error{errBusy, errBusy, nil}, []time.Duration{0, 0}},
		"permanent":     {"full:base=1ms", []error{errBusy, backoff.Permanent(errBusy)}, short[:1]},
		"a retry_after": {"full:base=1ms", []error{errBusy, backoff.RetryAfter(7*time.Millisecond, errBusy), nil}, []time.Duration{short[0], 7 * time.Millisecond}},
	} {
		for library, run := range libraries {
			calls := 0
			waits, err := run(t, row.policy, func() error { calls++; return row.errs[calls-1] })
			if last := row.errs[len(row.waits)]; (err == nil) != (last == nil) || !slices.Equal(waits, row.waits) || calls != len(row.waits)+1 {
				t.Errorf("%s, %s: %d calls, waits %d, %v", library, name, calls, waits, err)
			}
		}
	}
	if backoffavast.RetryIf(retry.Unrecoverable(errBusy)) || !backoffavast.RetryIf(errBusy) {
		t.Error("retry-go retries what it calls unrecoverable")
	}
}

// A clock is a timer that fires at once and records the waits.
type clock struct{ waits []time.Duration }

func (c *clock) After(wait time.Duration) <-chan time.Time {
	c.waits = append(c.waits, wait)
	fired := make(chan time.Time, 1)
	fired <- time.Time{}
	return fired
}

// What a library knows of max_retries, as far as it can express it.
func TestLimits(t *testing.T) {
	for name, row := range map[string]struct {
		limit func(policy string) int
		want  map[string]int
	}{
		"retry-go": {func(policy string) int { return int(must(t, backoffavast.New, policy).Attempts()) },
			map[string]int{"none:max_retries=0": 1, "none:max_retries=7": 8, "none": 0, "none:max_retries=4294967294": math.MaxUint32}},
		"failsafe-go": {func(policy string) int { return must(t, backofffailsafe.New, policy).MaxRetries() },
			map[string]int{"none:max_retries=0": 0, "none:max_retries=7": 7, "none": -1, "none:max_retries=2147483647": math.MaxInt32}},
		"aws": {func(policy string) int { return standard(t, policy, "").MaxAttempts() },
			map[string]int{"none:max_retries=0": 1, "none:max_retries=7": 8, "none": math.MaxInt32}},
		"go-retryablehttp": {func(policy string) int { return must(t, backoffretryablehttp.New, policy).RetryMax() },
			map[string]int{"none:max_retries=0": 0, "none:max_retries=7": 7, "none": math.MaxInt32}},
		"client-go": {func(policy string) int { return limiter[int](t, policy).MaxRetries() },
			map[string]int{"none:max_retries=0": 0, "none:max_retries=7": 7, "none": math.MaxInt32}},
		"river": {func(policy string) int { return riverRetries(t, policy).MaxAttempts() },
			map[string]int{policy: 4, "none:max_retries=0": 1, "none:max_retries=32766": 32767, "none:max_retries=32767": 32767, "none": 32767}},
		"asynq": {func(policy string) int { return asynqRetries(t, policy).MaxRetry().Value().(int) },
			map[string]int{policy: 3, "none:max_retries=0": 0, "none:max_retries=2147483648": math.MaxInt32, "none": math.MaxInt32}},
	} {
		for policy, want := range row.want {
			if got := row.limit(policy); got != want {
				t.Errorf("%s, %s: %d, not %d", name, policy, got, want)
			}
		}
	}
}

func TestInvalidOptions(t *testing.T) {
	made := func(value any, isNil bool, err error) error {
		if !isNil {
			t.Errorf("made %v beside %v", value, err)
		}
		return err
	}
	type creator = func(policy string, options ...backoffavast.Option) error
	creators := map[string]creator{
		"retry-go limits the time by itself": func(policy string, options ...backoffavast.Option) error {
			d, err := backoffavast.New(policy, options...)
			return made(d, d == nil, err)
		},
		"aws-sdk-go-v2 limits the time by itself": func(policy string, options ...backoffavast.Option) error {
			d, err := backoffaws.New(policy, options...)
			return made(d, d == nil, err)
		},
		"failsafe-go limits the time by itself": func(policy string, options ...backoffavast.Option) error {
			d, err := backofffailsafe.New(policy, options...)
			return made(d, d == nil, err)
		},
		"go-retryablehttp limits the time by itself": func(policy string, options ...backoffavast.Option) error {
			d, err := backoffretryablehttp.New(policy, options...)
			return made(d, d == nil, err)
		},
		"a work queue does not know when an item failed first": func(policy string, _ ...backoffavast.Option) error {
			l, err := backoffclientgo.New[int](policy, 42)
			return made(l, l == nil, err)
		},
		"asynq does not know when a task began": func(policy string, _ ...backoffavast.Option) error {
			r, err := backoffasynq.New(policy, 42)
			return made(r, r == nil, err)
		},
	}
	check := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for reason, create := range creators {
		check(create("full:base=1"), "at 11: base has no unit; the units are d, h, m, s, ms, us, ns")
		check(create("full:base=1s,max_elapsed=1m"), "max_elapsed is unused: "+reason)
	}
	for _, library := range []string{"retry-go", "aws-sdk-go-v2", "failsafe-go", "go-retryablehttp"} {
		check(creators[library+" limits the time by itself"]("default", nil), "option is nil")
	}
	river := func(policy string, options ...backoffriver.Option) error {
		r, err := backoffriver.New(policy, 42, options...)
		return made(r, r == nil, err)
	}
	check(river("full:base=1"), "at 11: base has no unit; the units are d, h, m, s, ms, us, ns")
	check(river(policy, nil), "option is nil")
	check(river(policy, backoffriver.WithKey(nil)), "argument of WithKey is nil")
	check(river(policy, backoffriver.WithClassify(nil)), "argument of WithClassify is nil")
	_, err := backoffasynq.New(policy, 42, nil)
	check(err, "option is nil")
	_, err = backoffasynq.New(policy, 42, backoffasynq.WithClassify(nil))
	check(err, "argument of WithClassify is nil")
}

// The zero Delays have no delays and no retries.
func TestZeroDelays(t *testing.T) {
	delay, _ := new(backoffaws.Delays).BackoffDelay(1, errBusy)
	if new(backoffavast.Delays).DelayType(1, errBusy, nil) != 0 || delay != 0 || new(backofffailsafe.Delays).MaxRetries() != 0 ||
		new(backoffretryablehttp.Delays).Backoff(0, 0, 0, nil) != 0 {
		t.Error("the zero Delays have a delay or a retry")
	}
}

var _ retryablehttp.Backoff = (*backoffretryablehttp.Delays)(nil).Backoff
