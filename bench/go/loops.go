package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	avastlib "github.com/avast/retry-go/v5"
	backoff "github.com/backoff-rs/backoff/bindings-go"
	v4 "github.com/cenkalti/backoff/v4"
	v5 "github.com/cenkalti/backoff/v5"
	v7 "github.com/cenkalti/backoff/v7"
	failsafelib "github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	seth "github.com/sethvargo/go-retry"
)

var (
	ctx     = context.Background()
	errBusy = errors.New("busy")
)

// A call is the function that loops retry.
type call func() (int, error)

// A loop retries a call.
type loop struct {
	name string
	run  func(call call) (int, error)
}

// Every loop makes at most 6 attempts, with the same wait between them: nothing, or a time for which all but ours make a timer, which
// needs none without a context that can be cancelled.
func loops(wait time.Duration) []loop {
	policy := must(backoff.ParsePolicy(fmt.Sprintf("constant:base=%dns,max_retries=5", wait)))
	safe := retrypolicy.NewBuilder[int]().WithMaxRetries(5).WithDelay(wait).Build()
	return []loop{
		{ours, func(call call) (int, error) {
			return backoff.Retry(ctx, call, backoff.WithPolicy(policy), backoff.RetryIf(backoff.AnyError))
		}},
		{cenkalti4(), func(call call) (int, error) {
			return v4.RetryWithData(v4.OperationWithData[int](call), v4.WithContext(v4.WithMaxRetries(v4.NewConstantBackOff(wait), 5), ctx))
		}},
		{cenkalti5(), func(call call) (int, error) {
			return v5.Retry(ctx, v5.Operation[int](call), v5.WithBackOff(v5.NewConstantBackOff(wait)), v5.WithMaxTries(6))
		}},
		{cenkalti7(), func(call call) (int, error) {
			return v7.Retry(ctx, v7.Operation[int](call), v7.WithBackOff(v7.NewConstantBackOff(wait)), v7.WithMaxTries(6))
		}},
		{avast(), func(call call) (int, error) {
			return avastlib.NewWithData[int](avastlib.Attempts(6), avastlib.Delay(wait), avastlib.DelayType(avastlib.FixedDelay), avastlib.Context(ctx)).Do(avastlib.RetryableFuncWithData[int](call))
		}},
		{sethvargo(), func(call call) (int, error) {
			constant := seth.BackoffFunc(func() (time.Duration, bool) { return wait, false })
			return seth.DoValue(ctx, seth.WithMaxRetries(5, constant), func(context.Context) (int, error) {
				value, err := call()
				return value, seth.RetryableError(err)
			})
		}},
		{failsafe(), func(call call) (int, error) {
			return failsafelib.With(safe).WithContext(ctx).Get(call)
		}},
	}
}

// The loops of which ours has its policy as a string.
func loopsByString() []loop {
	loops := loops(0)
	loops[0].run = func(call call) (int, error) {
		return backoff.Retry(ctx, call, backoff.WithPolicyString("constant:base=0s,max_retries=5"), backoff.RetryIf(backoff.AnyError))
	}
	return loops
}

// The loops that need no option.
func loopsByDefault() []loop {
	return []loop{
		{ours, func(call call) (int, error) { return backoff.Retry(ctx, call) }},
		{cenkalti4(), func(call call) (int, error) {
			return v4.RetryWithData(v4.OperationWithData[int](call), v4.NewExponentialBackOff())
		}},
		{cenkalti5(), func(call call) (int, error) { return v5.Retry(ctx, v5.Operation[int](call)) }},
		{cenkalti7(), func(call call) (int, error) { return v7.Retry(ctx, v7.Operation[int](call)) }},
		{avast(), func(call call) (int, error) {
			return avastlib.NewWithData[int]().Do(avastlib.RetryableFuncWithData[int](call))
		}},
	}
}

func loopWorks() []work {
	return []work{
		failing("loop, success at once", 0, loops(0)),
		failing("loop by policy string, success at once", 0, loopsByString()),
		failing("loop by default, success at once", 0, loopsByDefault()),
		failing("loop, one failure", 1, loops(0)),
		failing("loop, two failures", 2, loops(0)),
		failing("loop, two failures, waits of 1 ns", 2, loops(1)),
		failing("loop, two failures, waits of 1 ms", 2, loops(time.Millisecond)),
		concurrent("1000 loops", 1000, 2),
	}
}

// after returns a call that fails that many times and then succeeds.
func after(failures int) call {
	calls := 0
	return func() (int, error) {
		if calls++; calls <= failures {
			return 0, errBusy
		}
		return calls, nil
	}
}

// failing is the work of a loop whose call fails a given number of times.
func failing(name string, failures int, loops []loop) work {
	failing := work{name: name}
	for _, loop := range loops {
		failing.by = append(failing.by, contestant{loop.name, func(n int) time.Duration {
			for range n {
				if calls := must(loop.run(after(failures))); calls != failures+1 {
					panic("another number of calls")
				}
			}
			return 0
		}})
	}
	return failing
}

// concurrent is the work of a number of goroutines, each with a loop.
func concurrent(name string, goroutines, failures int) work {
	concurrent := work{name: name}
	for _, loop := range loops(0) {
		concurrent.by = append(concurrent.by, contestant{loop.name, func(n int) time.Duration {
			for range n {
				var group sync.WaitGroup
				for range goroutines {
					group.Go(func() { must(loop.run(after(failures))) })
				}
				group.Wait()
			}
			return 0
		}})
	}
	return concurrent
}
