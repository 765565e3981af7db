// What holds in every form of a loop.

package backoff_test

import (
	"context"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// formsOfLoops are the forms of a loop that retries an op.
func formsOfLoops(ctx context.Context) map[string]func(op func() error, options ...backoff.RetryOption) error {
	return map[string]func(op func() error, options ...backoff.RetryOption) error{
		"Do": func(op func() error, options ...backoff.RetryOption) error {
			return backoff.Do(ctx, op, options...)
		},
		"Retry": func(op func() error, options ...backoff.RetryOption) error {
			_, err := backoff.Retry(ctx, func() (int, error) { return 7, op() }, options...)
			return err
		},
		"Loop": func(op func() error, options ...backoff.RetryOption) error {
			loop := backoff.NewLoop(ctx, options...)
			for range loop.Attempts() {
				loop.Report(op())
			}
			return loop.Err()
		},
	}
}

// The event of a call that panics has nothing of the call before (SPEC 18.4).
func TestTheEventOfAPanic(t *testing.T) {
	for name, form := range formsOfLoops(t.Context()) {
		var events []backoff.Event
		calls := uint64(0)
		recovered, _ := panicking(func() error {
			return form(func() error {
				if calls++; calls == 2 {
					panic(errWrong)
				}
				return backoff.Transient(errBusy)
			}, backoff.WithPolicyString("immediate:max_retries=3"), backoff.OnStop(func(event backoff.Event) { events = append(events, event) }))
		})
		if want := (backoff.Event{Attempts: 2, Reason: backoff.StopCancelled}); recovered != errWrong || len(events) != 1 {
			t.Errorf("%s: recovered %v, %+v", name, recovered, events)
		} else if events[0].Elapsed = 0; events[0] != want {
			t.Errorf("%s: %+v", name, events[0])
		}
	}
}

// A budget learns of a success also from a loop that has no hook.
func TestASuccessReachesTheBudget(t *testing.T) {
	for _, form := range formsOfLoops(t.Context()) {
		budget := parseBudget(t, "concurrent:ratio=0,min_concurrent=1")
		calls := 0
		err := form(func() error {
			if calls++; calls == 1 {
				return backoff.Transient(errBusy)
			}
			return nil
		}, backoff.WithPolicyString("immediate:max_retries=1"), backoff.WithBudget(budget))
		if err != nil {
			t.Error(err)
		}
		checkIdle(t, budget)
	}
}
