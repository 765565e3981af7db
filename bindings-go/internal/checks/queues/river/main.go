// Command queue runs a job that fails, and prints the delays that River scheduled, in milliseconds, as a line
// of JSON:
//
//	queue DATABASE_URL POLICY SEED KEY FAILURES
//
// River stores when a job runs again. A delay is the time from before River asked for it, and late says how long the
// answer took.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	backoffriver "github.com/backoff-rs/backoff/bindings-go/adapters/river"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

type args struct{}

func (args) Kind() string { return "scenario" }

type worker struct{ river.WorkerDefaults[args] }

func (*worker) Work(context.Context, *river.Job[args]) error { return errors.New("busy") }

// A watched retry policy says when River asked it, and when it had answered.
type watched struct {
	*backoffriver.Retries
	asked chan<- [2]time.Time
}

func (w watched) NextRetry(job *rivertype.JobRow) time.Time {
	before := time.Now()
	next := w.Retries.NextRetry(job)
	w.asked <- [2]time.Time{before, time.Now()}
	return next
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) != 6 {
		return errors.New("usage: queue DATABASE_URL POLICY SEED KEY FAILURES")
	}
	var seed uint64
	var failures int
	if _, err := fmt.Sscan(os.Args[3]+" "+os.Args[5], &seed, &failures); err != nil {
		return err
	}
	// River chooses the ID of a job, so the key of this scenario is not the ID.
	retries, err := backoffriver.New(os.Args[2], seed, backoffriver.WithKey(func(*rivertype.JobRow) string { return os.Args[4] }))
	if err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, os.Args[1])
	if err != nil {
		return err
	}
	defer pool.Close()
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	asked := make(chan [2]time.Time, 1)
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{})
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		FetchPollInterval: 100 * time.Millisecond,
		Logger:            slog.New(slog.DiscardHandler),
		MaxAttempts:       retries.MaxAttempts(),
		Middleware:        []rivertype.Middleware{retries},
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}},
		RetryPolicy:       watched{retries, asked},
		Workers:           workers,
	})
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	failed, cancel := client.Subscribe(river.EventKindJobFailed)
	defer cancel()
	inserted, err := client.Insert(ctx, args{}, nil)
	if err != nil {
		return err
	}
	delays, late := []float64{}, []float64{}
	for len(delays) < failures {
		if len(delays) > 0 {
			if _, err := client.JobRetry(ctx, inserted.Job.ID); err != nil {
				return err
			}
		}
		asked := <-asked
		scheduled := (<-failed).Job.ScheduledAt
		delays = append(delays, inMilliseconds(scheduled.Sub(asked[0])))
		late = append(late, inMilliseconds(asked[1].Sub(asked[0])))
	}
	if err := client.Stop(ctx); err != nil {
		return err
	}
	if _, err := client.JobDelete(ctx, inserted.Job.ID); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"delays": delays, "late": late})
}

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
