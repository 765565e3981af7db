package backoff_test

import (
	"errors"
	"fmt"
	"log"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func Example() {
	policy, err := backoff.NewPolicy(backoff.Exponential, 100*time.Millisecond,
		backoff.WithCap(20*time.Second), backoff.WithJitter(backoff.FullJitter))
	if err != nil {
		log.Fatal(err)
	}
	stream, err := backoff.KeyStream(42, "job-1")
	if err != nil {
		log.Fatal(err)
	}
	b := backoff.New(policy, stream)
	for range 3 {
		delay, ok := b.Next()
		fmt.Println(delay, ok)
	}
	// Output:
	// 11.399434ms true
	// 83.043876ms true
	// 229.309811ms true
}

func ExampleBackoff_All() {
	policy, stream := examplePolicy()
	connect := func() error { return errors.New("refused") }
	sleep := func(delay time.Duration) { fmt.Println("sleeping", delay) }

	const maxRetries = 3
	var err error
	b := backoff.New(policy, stream)
	for delay := range b.All() {
		if err = connect(); err == nil || b.Index() > maxRetries {
			break
		}
		sleep(delay)
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
	job, retries := "job-1", uint32(2)

	stream, err := backoff.KeyStream(42, job)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(policy.Delay(stream, retries))
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
	if refused := (*backoff.PolicyError)(nil); errors.As(err, &refused) {
		fmt.Println(refused.Code, refused.Field, refused.Value, refused.Limit)
	}
	// Output:
	// cap 1s is below base 2s
	// true
	// cap_below_base cap 1000000000 2000000000
}

func examplePolicy() (backoff.Policy, backoff.Stream) {
	policy, err := backoff.NewPolicy(backoff.Exponential, 100*time.Millisecond,
		backoff.WithCap(20*time.Second), backoff.WithJitter(backoff.FullJitter))
	if err != nil {
		log.Fatal(err)
	}
	stream, err := backoff.KeyStream(42, "job-1")
	if err != nil {
		log.Fatal(err)
	}
	return policy, stream
}
