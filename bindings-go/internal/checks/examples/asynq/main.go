// Command example sends an email with asynq, which fails three times:
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
	backoffasynq "github.com/backoff-rs/backoff/bindings-go/adapters/asynq"
	"github.com/hibiken/asynq"
)

func send(ctx context.Context, task *asynq.Task) error {
	retried, _ := asynq.GetRetryCount(ctx)
	fmt.Println("attempt", retried+1, "to", string(task.Payload()))
	switch retried {
	case 0:
		return errors.New("connection refused") // the task waits as the policy says
	case 1:
		return backoff.RetryAfter(time.Second, errors.New("try again in a second"))
	}
	return backoff.Permanent(errors.New("no such address")) // no other attempt
}

func main() {
	retries, err := backoffasynq.New("full:base=100ms,cap=1h,max_retries=10", 42)
	if err != nil {
		log.Fatal(err)
	}
	redis, err := asynq.ParseRedisURI(os.Getenv("REDIS_URL"))
	if err != nil {
		log.Fatal(err)
	}
	archived := make(chan error)
	server := asynq.NewServer(redis, asynq.Config{
		RetryDelayFunc: retries.Delay,
		ErrorHandler: asynq.ErrorHandlerFunc(func(_ context.Context, _ *asynq.Task, err error) {
			if errors.Is(err, asynq.SkipRetry) {
				archived <- err
			}
		}),
		LogLevel: asynq.ErrorLevel,
	})
	mux := asynq.NewServeMux()
	mux.Use(retries.Middleware)
	mux.HandleFunc("email", send)
	if err := server.Start(mux); err != nil {
		log.Fatal(err)
	}
	defer server.Shutdown()
	client := asynq.NewClient(redis)
	defer func() { _ = client.Close() }()
	if _, err := client.Enqueue(retries.NewTask("email", []byte("ada@example.com"), "email-7")); err != nil {
		log.Fatal(err)
	}
	fmt.Println("archived:", <-archived)
}
