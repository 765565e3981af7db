package adapters

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffriver "github.com/backoff-rs/backoff/bindings-go/adapters/river"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

var (
	_ river.ClientRetryPolicy    = (*backoffriver.Retries)(nil)
	_ rivertype.WorkerMiddleware = (*backoffriver.Retries)(nil)
)

var quiet = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))

// prepareRiver makes the tables of River.
func prepareRiver() error {
	pool, err := pgxpool.New(context.Background(), started.urls["postgres"])
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

// connectRiver makes the tables empty.
func connectRiver(t *testing.T) {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url(t, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	const statements = "DELETE FROM river_job; DELETE FROM river_leader; ALTER SEQUENCE river_job_id_seq RESTART WITH 1001"
	if _, err := pool.Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
}

// A riverQueue is the backend of River.
type riverQueue struct {
	retries *backoffriver.Retries
	pool    *pgxpool.Pool
	client  *river.Client[pgx.Tx]
}

func newRiver(policy string, classify func(error) backoff.Verdict) (backend, error) {
	var options []backoffriver.Option
	if classify != nil {
		options = append(options, backoffriver.WithClassify(classify))
	}
	retries, err := backoffriver.New(policy, 42, options...)
	if err != nil || started == nil {
		return &riverQueue{retries: retries}, err
	}
	pool, err := pgxpool.New(context.Background(), started.urls["postgres"])
	if err != nil {
		return nil, err
	}
	q := &riverQueue{retries: retries, pool: pool}
	q.client, err = q.newClient(nil)
	return q, err
}

// A riverTask is a task of a kind.
type riverTask struct{ task }

func (riverTask) Kind() string { return "task" }

type riverWorker struct {
	river.WorkerDefaults[riverTask]
	worker *worker
}

func (w *riverWorker) Work(_ context.Context, job *river.Job[riverTask]) error {
	return w.worker.attempt(job.Attempt, job.Args.task)
}

func (q *riverQueue) newClient(worker *worker) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &riverWorker{worker: worker})
	return river.NewClient(riverpgxv5.New(q.pool), &river.Config{
		FetchCooldown:     10 * time.Millisecond,
		FetchPollInterval: 50 * time.Millisecond,
		Logger:            quiet,
		MaxAttempts:       q.retries.MaxAttempts(),
		Middleware:        []rivertype.Middleware{q.retries},
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}},
		RetryPolicy:       q.retries,
		TestOnly:          true, // maintenance begins at once
		Workers:           workers,
	})
}

func (q *riverQueue) work(worker *worker) (func() error, error) {
	client, err := q.newClient(worker)
	if err != nil {
		return nil, err
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		defer q.pool.Close()
		return client.StopAndCancel(ctx)
	}, client.Start(context.Background())
}

func (q *riverQueue) insert(ctx context.Context, task task) error {
	_, err := q.client.Insert(ctx, riverTask{task}, nil)
	return err
}

func (q *riverQueue) job(ctx context.Context) (job, error) {
	row, err := q.client.JobGet(ctx, 1001)
	if err != nil {
		return job{}, err
	}
	found := job{status: "waits", failures: len(row.Errors), at: row.ScheduledAt}
	switch row.State {
	case rivertype.JobStateRunning:
		found.status = "runs"
	case rivertype.JobStateCompleted:
		found.status = "completed"
	case rivertype.JobStateDiscarded, rivertype.JobStateCancelled:
		found.status, found.err = "gave up", row.Errors[len(row.Errors)-1].Error
	}
	return found, nil
}

func (q *riverQueue) again(ctx context.Context) error {
	_, err := q.client.JobRetry(ctx, 1001)
	return err
}

// River rescues jobs after an hour, and chooses another leader when the time of the last one is up.
func (q *riverQueue) rescue(ctx context.Context) error {
	_, err := q.pool.Exec(ctx, "UPDATE river_job SET attempted_at = attempted_at - interval '61 minutes'; DELETE FROM river_leader")
	return err
}

func (q *riverQueue) decide(ctx context.Context, err error) error {
	return q.retries.Work(ctx, &rivertype.JobRow{Attempt: 1}, func(context.Context) error { return err })
}

func (q *riverQueue) ended(reason, err string) string {
	return "JobCancelError: " + reason + ": " + err
}

func riverRetries(t *testing.T, policy string, options ...backoffriver.Option) *backoffriver.Retries {
	t.Helper()
	retries, err := backoffriver.New(policy, 42, options...)
	if err != nil {
		t.Fatal(err)
	}
	return retries
}

// A job may allow more attempts than the policy.
func TestRiverLimitsOfThePolicyCancel(t *testing.T) {
	now := time.Now()
	const bounded = "constant:base=1m,max_elapsed=1h"
	almost := now.Add(-59*time.Minute - time.Second)
	for name, row := range map[string]struct {
		policy string
		job    rivertype.JobRow
		want   string // empty to retry
	}{
		"a retry is left":             {policy, rivertype.JobRow{Attempt: 3, MaxAttempts: 25}, ""},
		"no retry is left":            {policy, rivertype.JobRow{Attempt: 4, MaxAttempts: 25}, "JobCancelError: max_retries: busy"},
		"River discards":              {policy, rivertype.JobRow{Attempt: 4, MaxAttempts: 4}, ""},
		"time is left":                {bounded, rivertype.JobRow{Attempt: 1, MaxAttempts: 25, AttemptedAt: &now}, ""},
		"time is left, later":         {bounded, rivertype.JobRow{Attempt: 2, MaxAttempts: 25, AttemptedAt: &now, Errors: []rivertype.AttemptError{{At: now.Add(-30 * time.Minute)}}}, ""},
		"no time is left":             {bounded, rivertype.JobRow{Attempt: 2, MaxAttempts: 25, AttemptedAt: &now, Errors: []rivertype.AttemptError{{At: almost}}}, "JobCancelError: max_elapsed: busy"},
		"no time is left at once":     {bounded, rivertype.JobRow{Attempt: 1, MaxAttempts: 25, AttemptedAt: &almost}, "JobCancelError: max_elapsed: busy"},
		"a queued job has not begun":  {bounded, rivertype.JobRow{Attempt: 1, MaxAttempts: 25, AttemptedAt: &now, CreatedAt: now.Add(-2 * time.Hour)}, ""},
		"a clock that went back":      {bounded, rivertype.JobRow{Attempt: 2, MaxAttempts: 25, Errors: []rivertype.AttemptError{{At: now.Add(time.Hour)}}}, ""},
		"an attempt that is not that": {policy, rivertype.JobRow{Attempt: 0, MaxAttempts: 25}, ""},
	} {
		err := riverRetries(t, row.policy).Work(t.Context(), &row.job, func(context.Context) error { return errBusy })
		if row.want == "" && err != errBusy || row.want != "" && err.Error() != row.want || !errors.Is(err, errBusy) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

// What River decides stays as it is.
func TestRiverErrorsPass(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("the client stops")
	cancel(stopped)
	retries := riverRetries(t, policy, backoffriver.WithClassify(func(error) backoff.Verdict { return backoff.OutcomePermanent }))
	for name, row := range map[string]struct {
		ctx    context.Context
		err    error
		passes bool
	}{
		"nil":                                  {t.Context(), nil, true},
		"JobCancel":                            {t.Context(), river.JobCancel(errBusy), true},
		"JobSnooze":                            {t.Context(), fmt.Errorf("later: %w", river.JobSnooze(time.Hour)), true},
		"a client that stops":                  {cancelled, fmt.Errorf("query: %w", context.Canceled), true},
		"its cause":                            {cancelled, stopped, true},
		"another error in a client that stops": {cancelled, errBusy, false},
		"a cancellation of something else":     {t.Context(), context.Canceled, false},
	} {
		err := retries.Work(row.ctx, &rivertype.JobRow{Attempt: 1}, func(context.Context) error { return row.err })
		if row.passes && err != row.err || !row.passes && !errors.Is(err, &rivertype.JobCancelError{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The key of the option, and a job whose error nobody saw: the numbers of docs/programs.md.
func TestRiverKey(t *testing.T) {
	retries := riverRetries(t, "full:base=100ms,cap=20s", backoffriver.WithKey(func(*rivertype.JobRow) string { return "job-1" }))
	for i, want := range numbers {
		from := time.Now()
		at := retries.NextRetry(&rivertype.JobRow{ID: 7, Attempt: i + 1})
		if to := time.Now(); at.Before(from.Add(want)) || at.After(to.Add(want+time.Microsecond)) {
			t.Errorf("retry %d: %v after %v, not %v", i, at.Sub(from), from, want)
		}
	}
}
