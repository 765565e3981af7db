package backoff_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// setDefaults sets defaults until the test ends.
func setDefaults(t *testing.T, options ...backoff.RetryOption) (restore func()) {
	t.Helper()
	restore, err := backoff.SetDefaults(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restore)
	return restore
}

// attempts returns how often a loop calls a function that always fails with errBusy, at most 20 times.
func attempts(t *testing.T, options ...backoff.RetryOption) uint64 {
	t.Helper()
	var made uint64
	err := backoff.Do(t.Context(), func() error {
		if made++; made == 20 {
			return backoff.Permanent(errBusy)
		}
		return errBusy
	}, append(options, backoff.WithDelayFunc(func(uint64, error) (time.Duration, bool) { return 0, true }))...)
	if err == nil {
		t.Error("a success")
	}
	return made
}

func TestDefaultsOfTheProgram(t *testing.T) {
	busy, retryBusy := backoff.RetryOn(errBusy), backoff.RetryOn(errClosed)
	for name, row := range map[string]struct {
		defaults, own []backoff.RetryOption
		want          uint64
	}{
		"none":                      {nil, []backoff.RetryOption{busy}, 4},
		"a field":                   {[]backoff.RetryOption{backoff.WithMaxRetries(1)}, []backoff.RetryOption{busy}, 2},
		"a policy":                  {[]backoff.RetryOption{backoff.WithPolicyString("immediate:max_retries=2")}, []backoff.RetryOption{busy}, 3},
		"a policy and an own field": {[]backoff.RetryOption{backoff.WithPolicyString("immediate:max_retries=2")}, []backoff.RetryOption{busy, backoff.WithMaxRetries(6)}, 7},
		"two names of a field":      {[]backoff.RetryOption{backoff.WithMaxRetries(1)}, []backoff.RetryOption{busy, backoff.WithMaxAttempts(6)}, 6},
		"an own policy":             {[]backoff.RetryOption{backoff.WithMaxRetries(1)}, []backoff.RetryOption{busy, backoff.WithPolicyString("immediate:max_retries=4")}, 5},
		"a classification":          {[]backoff.RetryOption{busy}, nil, 4},
		"an own classification":     {[]backoff.RetryOption{busy}, []backoff.RetryOption{retryBusy}, 1},
		"off":                       {[]backoff.RetryOption{backoff.WithEnabled(false)}, []backoff.RetryOption{busy, backoff.WithMaxRetries(6)}, 1},
		"on again":                  {[]backoff.RetryOption{backoff.WithEnabled(false)}, []backoff.RetryOption{busy, backoff.WithEnabled(true)}, 4},
	} {
		restore := setDefaults(t, row.defaults...)
		if got := attempts(t, row.own...); got != row.want {
			t.Errorf("%s: %d attempts, want %d", name, got, row.want)
		}
		restore()
	}
	if got := attempts(t, busy); got != 4 {
		t.Errorf("%d attempts after the defaults were restored", got)
	}
}

type defaultsCase struct {
	named
	Steps []struct {
		Do      string `json:"do"`
		Call    int    `json:"call"`
		Options struct {
			Policy      string  `json:"policy"`
			MaxRetries  *uint64 `json:"max_retries"`
			MaxAttempts *uint64 `json:"max_attempts"`
			Enabled     *bool   `json:"enabled"`
			Hook        string  `json:"hook"`
		} `json:"options"`
		Waits []number `json:"waits"`
		Hooks []string `json:"hooks"`
	} `json:"steps"`
}

func checkDefaults(t *testing.T, c defaultsCase) {
	restores := make(map[int]func())
	for position, step := range c.Steps {
		called := []string{}
		var options []backoff.RetryOption
		given := step.Options
		if given.Policy != "" {
			options = append(options, backoff.WithPolicyString(given.Policy))
		}
		if given.MaxRetries != nil {
			options = append(options, backoff.WithMaxRetries(*given.MaxRetries))
		}
		if given.MaxAttempts != nil {
			options = append(options, backoff.WithMaxAttempts(*given.MaxAttempts))
		}
		if given.Enabled != nil {
			options = append(options, backoff.WithEnabled(*given.Enabled))
		}
		if given.Hook != "" {
			add := func(hook string) func(backoff.Event) {
				return func(e backoff.Event) { *e.Value.(*[]string) = append(*e.Value.(*[]string), hook+given.Hook) }
			}
			options = append(options, backoff.OnRetry(add("retry ")), backoff.OnStop(add("stop ")))
		}
		switch step.Do {
		case "set":
			restores[step.Call] = setDefaults(t, options...)
		case "restore":
			restores[step.Call]()
		case "loop":
			waits := []number{}
			note := backoff.OnRetry(func(e backoff.Event) { waits = append(waits, number(e.Delay)) })
			// The value says to the hooks of all calls where to write.
			_, err := backoff.Retry(t.Context(), func() (*[]string, error) { return &called, errBusy }, append(options, backoff.RetryOn(errBusy), note)...)
			if !errors.Is(err, errBusy) || !slices.Equal(waits, step.Waits) || !slices.Equal(called, step.Hooks) {
				t.Errorf("step %d: %v, waits %v, want %v; hooks %q, want %q", position, err, waits, step.Waits, called, step.Hooks)
			}
		}
	}
}

// The hooks of the program are called first.
func TestHooksOfTheProgram(t *testing.T) {
	var called []string
	hook := func(name string) backoff.RetryOption {
		return backoff.OnStop(func(backoff.Event) { called = append(called, name) })
	}
	setDefaults(t, hook("program"))
	for range 2 {
		if err := backoff.Do(t.Context(), func() error { return nil }, hook("loop")); err != nil {
			t.Error(err)
		}
	}
	loop := backoff.NewLoop(t.Context())
	for range loop.Attempts() {
	}
	if want := []string{"program", "loop", "program", "loop", "program"}; !slices.Equal(called, want) {
		t.Errorf("called %v, want %v", called, want)
	}
}

// Defaults of several calls add up: of an option of two calls that of the last one counts, and all hooks are called.
func TestDefaultsAddUp(t *testing.T) {
	var called []string
	hook := func(name string) backoff.RetryOption {
		return backoff.OnStop(func(backoff.Event) { called = append(called, name) })
	}
	first := setDefaults(t, hook("first"), backoff.WithMaxRetries(1))
	second := setDefaults(t, hook("second"), backoff.WithMaxRetries(5))
	third := setDefaults(t, hook("third"), backoff.RetryOn(errBusy))
	for _, row := range []struct {
		restore func()
		want    uint64
		called  []string
	}{
		{func() {}, 6, []string{"first", "second", "third", "loop"}},
		{second, 2, []string{"first", "third", "loop"}},
		{first, 4, []string{"third", "loop"}},
		{third, 1, []string{"loop"}},
	} {
		row.restore()
		called = nil
		if got := attempts(t, hook("loop")); got != row.want || !slices.Equal(called, row.called) {
			t.Errorf("%d attempts and %v, want %d and %v", got, called, row.want, row.called)
		}
	}
}

// A hook of the program gets the context of the loop, also in the attempts of a Loop.
func TestHooksOfTheProgramGetTheContext(t *testing.T) {
	type key struct{}
	var found []any
	note := func(ctx context.Context, _ backoff.Event) { found = append(found, ctx.Value(key{})) }
	setDefaults(t, backoff.OnRetryContext(note), backoff.OnStopContext(note), backoff.RetryOn(errBusy), backoff.WithPolicyString("immediate:max_retries=1"))
	for i := range 2 {
		_ = backoff.Do(context.WithValue(t.Context(), key{}, i), func() error { return errBusy })
	}
	loop := backoff.NewLoop(context.WithValue(t.Context(), key{}, 2))
	for range loop.Attempts() {
	}
	if want := []any{0, 0, 1, 1, 2}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	for _, option := range []backoff.RetryOption{backoff.OnRetryContext(nil), backoff.OnStopContext(nil)} {
		if err := backoff.Do(t.Context(), func() error { return nil }, option); !errors.Is(err, backoff.ErrMissing) {
			t.Error(err)
		}
	}
}

// Options that are valid alone may be invalid with those of an earlier call.
func TestDefaultsThatDoNotFitEarlierOnes(t *testing.T) {
	setDefaults(t, backoff.WithBase(10*time.Second))
	restore, err := backoff.SetDefaults(backoff.WithCap(time.Second))
	if restore(); !errors.Is(err, backoff.ErrCapBelowBase) {
		t.Error(err)
	}
	if got := attempts(t, backoff.RetryOn(errBusy)); got != 4 {
		t.Errorf("%d attempts", got)
	}
}

// Defaults may be restored in any order, and twice.
func TestDefaultsAreRestored(t *testing.T) {
	busy := backoff.RetryOn(errBusy)
	first, second := setDefaults(t, backoff.WithMaxRetries(1)), setDefaults(t, backoff.WithMaxRetries(5))
	for _, row := range []struct {
		restore func()
		want    uint64
	}{{func() {}, 6}, {first, 6}, {first, 6}, {second, 4}, {second, 4}} {
		if row.restore(); attempts(t, busy) != row.want {
			t.Errorf("%d attempts, want %d", attempts(t, busy), row.want)
		}
	}
}

func TestInvalidDefaultsChangeNothing(t *testing.T) {
	for code, option := range map[backoff.Code]backoff.RetryOption{
		backoff.ErrUnknownHead: backoff.WithPolicyString("rato"),
		backoff.ErrMissing:     nil,
		backoff.ErrNegative:    backoff.WithDelays(-1),
		backoff.ErrUnused:      backoff.WithFallback(7),
		backoff.ErrTooLarge:    backoff.WithMaxRetries(1 << 33),
	} {
		restore, err := backoff.SetDefaults(option)
		if restore(); !errors.Is(err, code) {
			t.Errorf("%v, want %v", err, code)
		}
	}
	if _, err := backoff.SetDefaults(backoff.WithAttemptTimeout(time.Second)); !errors.Is(err, backoff.ErrUnused) {
		t.Error(err)
	}
	for field, option := range map[string]backoff.RetryOption{
		"RetryResult":  backoff.RetryResult(func(int) bool { return true }),
		"WithFallback": backoff.WithFallback(7),
	} {
		_, err := backoff.SetDefaults(option)
		checkArgument(t, err, backoff.ErrUnused, field, field+" depends on the result of one function, so it is no default of all loops")
	}
	if got := attempts(t, backoff.RetryOn(errBusy)); got != 4 {
		t.Errorf("%d attempts", got)
	}
}

// Loops may begin while defaults are set and restored.
func TestDefaultsAreSafeForGoroutines(t *testing.T) {
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 100 {
				restore, err := backoff.SetDefaults(backoff.WithMaxRetries(1))
				if got := attempts(t, backoff.RetryOn(errBusy)); err != nil || got != 2 {
					t.Errorf("%d attempts, %v", got, err)
				}
				restore()
			}
		}()
	}
	group.Wait()
	if got := attempts(t, backoff.RetryOn(errBusy)); got != 4 {
		t.Errorf("%d attempts after all", got)
	}
}
