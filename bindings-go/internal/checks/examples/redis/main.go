// Command example shares a budget in Redis between two workers, which could be processes on two machines:
//
//	REDIS_URL=redis://localhost:6379 example
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffredis "github.com/backoff-rs/backoff/bindings-go/adapters/redis"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
	"github.com/redis/go-redis/v9"
)

func main() {
	options, err := redis.ParseURL(os.Getenv("REDIS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	options.ContextTimeoutEnabled = true // a call ends at the timeout of the budget
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	store, err := backoffredis.NewStore(client)
	if err != nil {
		log.Fatal(err)
	}
	for _, worker := range []string{"first", "second"} {
		// A request that succeeds without a retry gives 1 token, and a retry costs 5 of the 20.
		budget, err := sharedbudget.New(store, "payments", "quota:max_tokens=20,cost=5",
			sharedbudget.WithStoreTimeout(5*time.Second)) // for the same output on a busy machine; leave it out in production
		if err != nil {
			log.Fatal(err)
		}
		err = backoff.Do(context.Background(), func() error { return errors.New("unavailable") },
			backoff.WithPolicyString("full:base=1ms,max_retries=3"),
			backoff.RetryIf(backoff.AnyError),
			backoff.WithSharedBudget(budget))
		fmt.Printf("%s: %v\n", worker, err)
		if err := budget.Flush(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
}
