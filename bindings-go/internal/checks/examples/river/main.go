// Command example sends an email with River, which fails three times:
//
//	DATABASE_URL=postgres://localhost/app example
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffriver "github.com/backoff-rs/backoff/bindings-go/adapters/river"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

type Email struct {
	To string `json:"to"`
}

func (Email) Kind() string { return "email" }

type Sender struct{ river.WorkerDefaults[Email] }

func (*Sender) Work(_ context.Context, job *river.Job[Email]) error {
	fmt.Println("attempt", job.Attempt, "to", job.Args.To)
	switch job.Attempt {
	case 1:
		return errors.New("connection refused") // the job waits as the policy says
	case 2:
		return backoff.RetryAfter(time.Second, errors.New("try again in a second"))
	}
	return backoff.Permanent(errors.New("no such address")) // no other attempt
}

func main() {
	ctx := context.Background()
	retries, err := backoffriver.New("full:base=100ms,cap=1h,max_retries=10", 42)
	if err != nil {
		log.Fatal(err)
	}
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	workers := river.NewWorkers()
	river.AddWorker(workers, &Sender{})
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Logger:      slog.New(slog.NewTextHandler(os.Stderr, nil)),
		RetryPolicy: retries,
		MaxAttempts: retries.MaxAttempts(),
		Middleware:  []rivertype.Middleware{retries},
		Queues:      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}},
		Workers:     workers,
	})
	if err != nil {
		log.Fatal(err)
	}
	ended, cancel := client.Subscribe(river.EventKindJobCompleted, river.EventKindJobCancelled)
	defer cancel()
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	if _, err := client.Insert(ctx, Email{To: "ada@example.com"}, nil); err != nil {
		log.Fatal(err)
	}
	job := (<-ended).Job
	fmt.Println(job.State, "after", len(job.Errors), "errors:", job.Errors[len(job.Errors)-1].Error)
	if err := client.Stop(ctx); err != nil {
		log.Fatal(err)
	}
}
