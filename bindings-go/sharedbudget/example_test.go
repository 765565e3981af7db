package sharedbudget_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

func ExampleNew() {
	ctx := context.Background()
	store := new(memoryStore)
	call := func() error { return errors.New("refused") }

	// In each process:
	budget, err := sharedbudget.New(store, "payments", "quota:max_tokens=10,cost=5")
	if err != nil {
		log.Fatal(err)
	}
	err = backoff.Do(ctx, call,
		backoff.WithPolicyString("full:base=1ms,max_retries=5"),
		backoff.RetryIf(backoff.AnyError),
		backoff.WithSharedBudget(budget),
		backoff.OnRetry(func(event backoff.Event) { fmt.Println("local budget:", event.BudgetIsLocal) }))
	fmt.Println(err)
	if err := budget.Flush(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// local budget: false
	// local budget: false
	// gave up after 3 attempts: budget: refused
}

func ExampleState_Step() {
	budget, err := backoff.ParseBudget("rate:max_tokens=2,per=1s")
	if err != nil {
		log.Fatal(err)
	}
	state, err := sharedbudget.FullState(budget)
	if err != nil {
		log.Fatal(err)
	}
	request := sharedbudget.Event{Kind: sharedbudget.RetryRequested, Outcome: backoff.OutcomeTransient}
	for _, now := range []time.Duration{0, 0, 0, 500 * time.Millisecond} {
		next, answer, err := state.Step(request, now)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(answer.Granted, next)
		state = next // compare and swap in a store: next.String() for state.String()
	}
	// Output:
	// true 1 1000000000 0
	// true 2 0 0
	// false 2 0 0
	// true 3 0 500000000
}
