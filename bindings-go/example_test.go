package backoff_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func Example() {
	calls := 0
	greeting, err := backoff.Retry(context.Background(),
		func() (string, error) {
			if calls++; calls < 3 {
				return "", errors.New("connection refused")
			}
			return "hello", nil
		},
		backoff.RetryIf(backoff.AnyError), // this call is safe to retry
		backoff.OnRetry(func(event backoff.Event) {
			fmt.Println(event.Attempts, event.Err)
		}))
	fmt.Println(greeting, err)
	// Output:
	// 1 connection refused
	// 2 connection refused
	// hello <nil>
}

func ExampleRetry() {
	ctx := context.Background()
	save := func() (int, error) { return 0, fmt.Errorf("write: %w", io.ErrClosedPipe) }

	written, err := backoff.Retry(ctx, save,
		backoff.WithPolicyString("full:base=1ms,cap=5ms,max_retries=2"),
		backoff.RetryOn(io.ErrClosedPipe, io.ErrUnexpectedEOF))
	fmt.Println(written, err)
	fmt.Println(errors.Is(err, io.ErrClosedPipe), errors.Is(err, backoff.ErrMaxRetries))
	if gaveUp := (*backoff.RetryError)(nil); errors.As(err, &gaveUp) {
		fmt.Println(gaveUp.Reason, gaveUp.Attempts, gaveUp.Err)
	}
	// Output:
	// 0 gave up after 3 attempts: max_retries: write: io: read/write on closed pipe
	// true true
	// max_retries 3 write: io: read/write on closed pipe
}

func ExampleClassifyResult() {
	ctx, answers := context.Background(), []string{"NOT_READY", "THROTTLED", "SUCCESS"}
	status := func() (string, error) {
		answer := answers[0]
		answers = answers[1:]
		return answer, nil
	}

	got, err := backoff.Retry(ctx, status,
		backoff.WithPolicyString("full:base=1ms,cap=1s,max_retries=20,throttled_base=2ms"),
		backoff.ClassifyResult(func(status string) backoff.Verdict {
			switch status {
			case "SUCCESS":
				return backoff.OutcomeSuccess
			case "NOT_READY":
				return backoff.OutcomeTransient
			case "THROTTLED":
				return backoff.OutcomeThrottled
			}
			return backoff.OutcomePermanent
		}))
	fmt.Println(got, err)
	// Output:
	// SUCCESS <nil>
}

func ExampleNewLoop() {
	ctx, errBusy := context.Background(), errors.New("busy")
	calls := 0
	save := func() error {
		if calls++; calls < 3 {
			return errBusy
		}
		return nil
	}

	store := func() error {
		loop := backoff.NewLoop(ctx, backoff.RetryOn(errBusy))
		for attempt := range loop.Attempts() {
			if loop.Report(save()) {
				fmt.Println("stored by attempt", attempt)
			}
		}
		return loop.Err() // nil, or a *RetryError
	}
	fmt.Println(store())
	// Output:
	// stored by attempt 3
	// <nil>
}

func ExampleLoop_Report() {
	ctx, errBusy, errClosed := context.Background(), errors.New("busy"), errors.New("closed")
	save := func() error { return errClosed }
	printReason := backoff.OnStop(func(event backoff.Event) { fmt.Println(event.Reason) })

	store := func() error {
		loop := backoff.NewLoop(ctx, backoff.RetryOn(errBusy), printReason)
		for range loop.Attempts() {
			if err := save(); !loop.Report(err) && errors.Is(err, errClosed) {
				return err // without Report, the reason would be success
			}
		}
		return loop.Err()
	}
	fmt.Println(store())
	// Output:
	// cancelled
	// closed
}

// A countingClock advances at once in every wait.
type countingClock struct{ now time.Duration }

func (c *countingClock) Now() time.Duration { return c.now }

func (c *countingClock) Sleep(_ context.Context, delay time.Duration) { c.now += delay }

func ExampleWithClock() {
	ctx := context.Background()
	sync := func() error { return errors.New("offline") }

	clock := new(countingClock)
	err := backoff.Do(ctx, sync,
		backoff.WithPolicyString("exponential:base=1h,max_elapsed=1d"),
		backoff.RetryIf(backoff.AnyError),
		backoff.WithClock(clock))
	fmt.Println(err, clock.now)
	// Output:
	// gave up after 5 attempts: max_elapsed: offline 15h0m0s
}

func ExampleNew() {
	policy, err := backoff.NewPolicy(backoff.Exponential, 100*time.Millisecond,
		backoff.WithCap(20*time.Second), backoff.WithJitter(backoff.FullJitter), backoff.WithMaxRetries(3))
	if err != nil {
		log.Fatal(err)
	}
	stream, err := backoff.StreamFromKey(42, "job-1")
	if err != nil {
		log.Fatal(err)
	}
	b := backoff.New(policy, stream)
	for range 4 {
		delay, ok := b.Next()
		fmt.Println(delay, ok)
	}
	// Output:
	// 11.399434ms true
	// 83.043876ms true
	// 229.309811ms true
	// 0s false
}

func ExampleBackoff_All() {
	policy, stream := examplePolicy()
	connect := func() error { return errors.New("refused") }
	sleep := func(delay time.Duration) { fmt.Println("sleeping", delay) }

	err := connect()
	for delay := range backoff.New(policy, stream).All() {
		if err == nil {
			break
		}
		sleep(delay)
		err = connect()
	}
	fmt.Println("the last error:", err)
	// Output:
	// sleeping 11.399434ms
	// sleeping 83.043876ms
	// sleeping 229.309811ms
	// the last error: refused
}

func ExamplePolicy_Delay() {
	policy, _ := examplePolicy()
	job, retries := "job-1", uint64(2)

	if retries >= policy.MaxRetries() {
		log.Fatal("no retry is left")
	}
	stream, err := backoff.StreamFromKey(42, job)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(policy.Delay(stream, uint32(retries)))
	// Output:
	// 229.309811ms
}

func ExampleBackoff_Reset() {
	policy, stream := examplePolicy()
	b := backoff.New(policy, stream)
	for range 3 {
		b.Next()
	}

	b.Reset()
	delay, _ := b.Next()
	fmt.Println(delay)
	// Output:
	// 10.435804ms
}

func ExamplePolicyError() {
	_, err := backoff.NewPolicy(backoff.Exponential, 2*time.Second, backoff.WithCap(time.Second))
	fmt.Println(err)
	fmt.Println(errors.Is(err, backoff.ErrCapBelowBase))
	if invalid := (*backoff.PolicyError)(nil); errors.As(err, &invalid) {
		fmt.Println(invalid.Code, invalid.Field, invalid.Value, invalid.Limit)
	}
	// Output:
	// cap 1s is below base 2s
	// true
	// cap_below_base cap 1000000000 2000000000
}

func ExampleParsePolicy() {
	policy, err := backoff.ParsePolicy("aws-sdk-standard:max_retries=5")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(policy)
	// Output:
	// exponential:base=1s,cap=20s,jitter=full,max_retries=5
}

func ExamplePolicy_Fields() {
	policy, err := backoff.ParsePolicy("default")
	if err != nil {
		log.Fatal(err)
	}
	fields := policy.Fields()
	fmt.Println(fields.Growth, fields.Base, fields.Cap, fields.Jitter, fields.MaxRetries)
	// Output:
	// exponential 100ms 20s full 3
}

func ExamplePolicy_UnmarshalText() {
	var config struct {
		Retry  backoff.Policy
		Budget *backoff.Budget
	}
	err := json.Unmarshal([]byte(`{"retry": "full:base=100ms,cap=20", "budget": "ratio"}`), &config)
	fmt.Println(err)
	if invalid := (*backoff.PolicyError)(nil); errors.As(err, &invalid) {
		fmt.Println(invalid.Code, invalid.Field, invalid.At)
	}
	// Output:
	// policy "full:base=100ms,cap=20": at 22: cap has no unit; the units are d, h, m, s, ms, us, ns
	// missing_unit cap 22
}

func ExamplePolicy_Begin() {
	policy, stream := parsedPolicy("default:max_retries=2"), exampleStream()
	budget, err := backoff.ParseBudget("aws-sdk-2026")
	if err != nil {
		log.Fatal(err)
	}
	var clock exampleClock
	now, sleep := clock.now, clock.sleep
	call := func() (backoff.Outcome, error) { return backoff.OutcomeTransient, errors.New("refused") }

	retry := func() error {
		operation, err := policy.Begin(stream, now(), backoff.WithBudget(budget))
		if err != nil {
			return err
		}
		defer operation.Cancel()
		for {
			outcome, callErr := call()
			decision, err := operation.Decide(outcome, now())
			if err != nil {
				return err
			}
			if !decision.Wait {
				fmt.Println("stopped:", decision.Reason)
				return callErr
			}
			sleep(decision.Delay)
		}
	}
	fmt.Println("the last error:", retry())
	// Output:
	// sleeping 11.399434ms
	// sleeping 83.043876ms
	// stopped: max_retries
	// the last error: refused
}

func ExampleParseRetryAfter() {
	stream, now := exampleStream(), new(exampleClock).now

	policy, err := backoff.ParsePolicy("full:base=100ms,cap=20s,retry_after_max=1m")
	if err != nil {
		log.Fatal(err)
	}
	operation, err := policy.Begin(stream, now())
	if err != nil {
		log.Fatal(err)
	}
	defer operation.Cancel()
	var verdict backoff.Verdict = backoff.OutcomeThrottled
	if retryAfter, ok := backoff.ParseRetryAfter("86400", time.Now()); ok {
		verdict = backoff.OutcomeThrottled.WithRetryAfter(retryAfter)
	}
	decision, err := operation.Decide(verdict, now())
	fmt.Println(decision.Delay, err)
	// Output:
	// 1m0s <nil>
}

func ExamplePolicy_Preview() {
	policy, err := backoff.ParsePolicy("full:base=100ms,cap=20s,max_retries=3")
	if err != nil {
		log.Fatal(err)
	}
	for row := range policy.Preview() {
		fmt.Println(row.Min, row.Mean, row.Max, row.TotalMax)
	}
	// Output:
	// 0s 50ms 100ms 100ms
	// 0s 100ms 200ms 300ms
	// 0s 200ms 400ms 700ms
}

func ExamplePolicy_FitBase() {
	policy := parsedPolicy("full:base=1s,cap=20s")

	fitted, err := policy.FitBase(4, 700*time.Millisecond)
	fmt.Println(fitted, err)
	// Output:
	// exponential:base=100ms,cap=20s,jitter=full <nil>
}

func ExampleWithBudget() {
	ctx := context.Background()
	call := func() error { return errors.New("refused") }

	budget, err := backoff.ParseBudget("quota:max_tokens=10,cost=5")
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		err := backoff.Do(ctx, call,
			backoff.WithPolicyString("full:base=1ms,max_retries=5"),
			backoff.RetryIf(backoff.AnyError),
			backoff.WithBudget(budget))
		fmt.Println(err)
	}
	// Output:
	// gave up after 3 attempts: budget: refused
	// gave up after 1 attempt: budget: refused
}

func ExampleResumeOperation() {
	policy, stream := examplePolicy()
	retries, elapsed := uint64(2), time.Minute // of a job, as its queue stored them

	operation, err := backoff.ResumeOperation(policy, stream, retries, 0)
	if err != nil {
		log.Fatal(err)
	}
	decision, err := operation.Decide(backoff.OutcomeTransient, elapsed)
	fmt.Println(decision.Wait, decision.Delay, err)
	// Output:
	// true 229.309811ms <nil>
}

func ExampleWithStats() {
	ctx, calls := context.Background(), 0
	call := func() error {
		if calls++; calls < 3 {
			return errors.New("refused")
		}
		return nil
	}

	var stats backoff.RetryStats
	err := backoff.Do(ctx, call,
		backoff.WithPolicyString("full:base=1ms,max_retries=5"),
		backoff.RetryIf(backoff.AnyError),
		backoff.WithStats(&stats),
		backoff.OnStop(func(event backoff.Event) {
			fmt.Println(event.Reason, "after attempt", event.Attempts)
		}))
	counts := stats.Counts()
	fmt.Println(err, counts.Operations, counts.Retries, counts.Stops[backoff.StopSuccess])
	// Output:
	// success after attempt 3
	// <nil> 1 2 1
}

// An exampleClock advances at once in every sleep, and prints it.
type exampleClock struct{ time time.Duration }

func (c *exampleClock) now() time.Duration { return c.time }

func (c *exampleClock) sleep(delay time.Duration) {
	fmt.Println("sleeping", delay)
	c.time += delay
}

func parsedPolicy(text string) backoff.Policy {
	policy, err := backoff.ParsePolicy(text)
	if err != nil {
		log.Fatal(err)
	}
	return policy
}

func exampleStream() backoff.RandomStream {
	stream, err := backoff.StreamFromKey(42, "job-1")
	if err != nil {
		log.Fatal(err)
	}
	return stream
}

func examplePolicy() (backoff.Policy, backoff.RandomStream) {
	policy, err := backoff.NewPolicy(backoff.Exponential, 100*time.Millisecond,
		backoff.WithCap(20*time.Second), backoff.WithJitter(backoff.FullJitter), backoff.WithMaxRetries(3))
	if err != nil {
		log.Fatal(err)
	}
	return policy, exampleStream()
}

func ExampleWithMaxRetries() {
	ctx := context.Background()
	save := func() error { return fmt.Errorf("write: %w", io.ErrClosedPipe) }

	err := backoff.Do(ctx, save,
		backoff.WithMaxRetries(2), backoff.WithBase(time.Millisecond), // beside the default policy
		backoff.RetryOn(io.ErrClosedPipe))
	fmt.Println(err)
	// Output:
	// gave up after 3 attempts: max_retries: write: io: read/write on closed pipe
}

func ExampleRetryContext() {
	background := context.Background()
	fetch := func(ctx context.Context, server int) (string, error) {
		if server == 0 {
			<-ctx.Done() // as a request to a server that hangs does
			return "", ctx.Err()
		}
		return "hello", nil
	}

	got, err := backoff.RetryContext(background, func(ctx context.Context) (string, error) {
		attempt, _ := backoff.AttemptFromContext(ctx)
		fmt.Println(attempt.Number, attempt.LastErr)
		return fetch(ctx, int(attempt.Number-1)%2) // another server for each attempt
	}, backoff.WithPolicyString("full:base=1ms,max_retries=3,attempt_timeout=20ms"))
	fmt.Println(got, err)
	// Output:
	// 1 <nil>
	// 2 the attempt took longer than 20ms
	// hello <nil>
}

func ExampleWithDelays() {
	ctx := context.Background()
	deliver := func() error { return errors.New("not found") }
	printDelay := backoff.OnRetry(func(event backoff.Event) { fmt.Println(event.Delay) })

	err := backoff.Do(ctx, deliver, backoff.RetryIf(backoff.AnyError), printDelay,
		backoff.WithDelays(time.Millisecond, 5*time.Millisecond))
	fmt.Println(err)
	// Output:
	// 1ms
	// 5ms
	// gave up after 3 attempts: max_retries: not found
}

func ExampleWithFallback() {
	ctx := context.Background()
	load := func() (string, error) { return "", errors.New("no answer") }
	printReason := backoff.OnStop(func(event backoff.Event) { fmt.Println(event.Reason) })

	theme, err := backoff.Retry(ctx, load, backoff.WithFallback("light"), printReason)
	fmt.Println(theme, err)
	// Output:
	// permanent
	// light <nil>
}

func ExampleWithAllErrors() {
	ctx, servers := context.Background(), []error{errors.New("primary: refused"), errors.New("replica: out of date")}
	read := func() error {
		err := servers[0]
		servers = servers[1:]
		return err
	}

	err := backoff.Do(ctx, read, backoff.WithMaxRetries(1), backoff.RetryIf(backoff.AnyError), backoff.WithAllErrors())
	if gaveUp := (*backoff.RetryError)(nil); errors.As(err, &gaveUp) {
		fmt.Println(errors.Join(gaveUp.Errors...))
	}
	// Output:
	// primary: refused
	// replica: out of date
}

func ExampleWithOptions() {
	ctx, errBusy := context.Background(), errors.New("busy")
	read := func() error { return errBusy }

	reads := backoff.WithOptions(backoff.WithPolicyString("full:base=1ms,max_retries=5"), backoff.RetryOn(errBusy))
	fmt.Println(backoff.Do(ctx, read, reads))
	fmt.Println(backoff.Do(ctx, read, reads, backoff.WithMaxRetries(1))) // only here
	// Output:
	// gave up after 6 attempts: max_retries: busy
	// gave up after 2 attempts: max_retries: busy
}

func ExampleSetDefaults() {
	ctx := context.Background()
	call := func() error { return errors.New("refused") }

	restore, err := backoff.SetDefaults(
		backoff.OnStop(func(event backoff.Event) { fmt.Println("stopped:", event.Reason) }),
		backoff.WithEnabled(false))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(backoff.Do(ctx, call, backoff.RetryIf(backoff.AnyError)))
	restore()
	// Output:
	// stopped: max_retries
	// gave up after 1 attempt: max_retries: refused
}
