package backoffriver_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	backoffriver "github.com/backoff-rs/backoff/bindings-go/adapters/river"
	"github.com/backoff-rs/backoff/bindings-go/internal/servers"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// workerVariable makes this program a worker of the database that it names, for tests that kill it.
const workerVariable = "BACKOFF_TEST_WORKER"

// started are the servers of all tests, nil without a program that starts them.
var started *servers.Servers

func TestMain(m *testing.M) {
	if url := os.Getenv(workerVariable); url != "" {
		if err := work(url); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	var err error
	if started, err = servers.Start("postgres"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := 1
	if err = prepare(); err == nil {
		code = m.Run()
	}
	if started != nil {
		if stopErr := started.Stop(); err == nil {
			err = stopErr
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// prepare makes the tables of River.
func prepare() error {
	if started == nil {
		return nil
	}
	pool, err := pgxpool.New(context.Background(), started.URLs["postgres"])
	if err != nil {
		return err
	}
	defer pool.Close()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quiet})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(context.Background(), rivermigrate.DirectionUp, nil)
	return err
}

var quiet = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))

// A task is a job of the tests.
type task struct {
	Failures int    `json:"failures"` // the attempts that fail
	Hangs    int    `json:"hangs"`    // the attempt that never ends
	Name     string `json:"name"`
}

func (task) Kind() string { return "task" }

// A taskWorker works tasks. It fails with the error of fail.
type taskWorker struct {
	river.WorkerDefaults[task]
	fail  func(attempt int) error
	began chan<- attempt
}

// An attempt is the start of an attempt.
type attempt struct {
	id     int64
	number int
	at     time.Time
}

func (w *taskWorker) Work(ctx context.Context, job *river.Job[task]) error {
	w.began <- attempt{job.ID, job.Attempt, time.Now()}
	switch {
	case job.Attempt == job.Args.Hangs:
		<-ctx.Done()
		return ctx.Err()
	case job.Attempt <= job.Args.Failures:
		return w.fail(job.Attempt)
	}
	return nil
}

// newClient returns a client that works tasks.
func newClient(pool *pgxpool.Pool, retries *backoffriver.Retries, worker *taskWorker) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, worker)
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		FetchCooldown:     10 * time.Millisecond,
		FetchPollInterval: 50 * time.Millisecond,
		Logger:            quiet,
		MaxAttempts:       retries.MaxAttempts(),
		Middleware:        []rivertype.Middleware{retries},
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}},
		RetryPolicy:       retries,
		TestOnly:          true, // maintenance begins at once
		Workers:           workers,
	})
}

// work is a worker process. It prints the number of each attempt that begins.
func work(url string) error {
	ctx := context.Background()
	retries, err := backoffriver.New(os.Args[1], 42)
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	began := make(chan attempt)
	client, err := newClient(pool, retries, &taskWorker{began: began, fail: func(int) error { return errBusy }})
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	for attempt := range began {
		fmt.Println(attempt.number)
	}
	return nil
}
