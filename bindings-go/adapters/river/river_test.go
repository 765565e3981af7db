package backoffriver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffriver "github.com/backoff-rs/backoff/bindings-go/adapters/river"
	"github.com/backoff-rs/backoff/bindings-go/internal/servers"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

var (
	_ river.ClientRetryPolicy    = (*backoffriver.Retries)(nil)
	_ rivertype.WorkerMiddleware = (*backoffriver.Retries)(nil)
)

var errBusy = errors.New("busy")

const patience = time.Minute

// policy has these delays for seed 42 and the key "1001", computed by the reference in tests/ of the repository.
const policy = "full:base=1h,cap=1d,max_retries=3"

var delays = []time.Duration{964063599032, 5530032072454, 796172914775}

// A queue is a client that works in this process.
type queue struct {
	*testing.T
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	began  chan attempt
}

// connect returns a pool of connections to the database, without any jobs or leaders in it.
func connect(t *testing.T) *pgxpool.Pool {
	t.Helper()
	if started == nil {
		t.Skip(servers.Variable + " is not set")
	}
	pool, err := pgxpool.New(t.Context(), started.URLs["postgres"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	execute(t, pool, "DELETE FROM river_job")
	execute(t, pool, "DELETE FROM river_leader")
	execute(t, pool, "ALTER SEQUENCE river_job_id_seq RESTART WITH 1001")
	return pool
}

// execute runs a statement, again if the server was restarted.
func execute(t *testing.T, pool *pgxpool.Pool, statement string) {
	t.Helper()
	err := backoff.Do(t.Context(), func() error {
		_, err := pool.Exec(t.Context(), statement)
		return err
	}, backoff.RetryIf(backoff.AnyError))
	if err != nil {
		t.Fatal(err)
	}
}

// start starts a client.
func start(t *testing.T, pool *pgxpool.Pool, retries *backoffriver.Retries, fail func(int) error) *queue {
	t.Helper()
	q := &queue{T: t, pool: pool, began: make(chan attempt, 100)}
	var err error
	if q.client, err = newClient(pool, retries, &taskWorker{began: q.began, fail: fail}); err != nil {
		t.Fatal(err)
	}
	if err := q.client.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := q.client.StopAndCancel(ctx); err != nil {
			t.Error(err)
		}
	})
	return q
}

func insert(t *testing.T, pool *pgxpool.Pool, retries *backoffriver.Retries, args task) {
	t.Helper()
	client, err := newClient(pool, retries, &taskWorker{})
	if err != nil {
		t.Fatal(err)
	}
	inserted, err := client.Insert(t.Context(), args, nil)
	if err != nil {
		t.Fatal(err)
	}
	if inserted.Job.ID != 1001 {
		t.Fatalf("the job has the ID %d", inserted.Job.ID)
	}
}

func (q *queue) job() *rivertype.JobRow {
	q.Helper()
	job, err := backoff.Retry(q.Context(), func() (*rivertype.JobRow, error) { return q.client.JobGet(q.Context(), 1001) },
		backoff.RetryIf(backoff.AnyError))
	if err != nil {
		q.Fatal(err)
	}
	return job
}

// after returns the job once it has this many errors or is completed.
func (q *queue) after(failures int) *rivertype.JobRow {
	q.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		job := q.job()
		if len(job.Errors) > failures || len(job.Errors) == failures && job.State != rivertype.JobStateRunning ||
			job.State == rivertype.JobStateCompleted {
			return job
		}
	}
	q.Fatalf("the job has no %d errors", failures)
	return nil
}

// attempt returns the next attempt that begins.
func (q *queue) attempt() attempt {
	q.Helper()
	select {
	case attempt := <-q.began:
		return attempt
	case <-time.After(patience):
		q.Fatal("no attempt begins")
		panic("unreachable")
	}
}

// again makes a job that waits run now.
func (q *queue) again() {
	q.Helper()
	if _, err := q.client.JobRetry(q.Context(), 1001); err != nil {
		q.Fatal(err)
	}
}

// checkScheduled checks that a job waits for a delay that began between two times.
func checkScheduled(t *testing.T, job *rivertype.JobRow, delay time.Duration, from, to time.Time) {
	t.Helper()
	// PostgreSQL stores microseconds.
	if at := job.ScheduledAt; at.Before(from.Add(delay)) || at.After(to.Add(delay+time.Microsecond)) {
		t.Errorf("attempt %d: scheduled %v after %v, not %v", job.Attempt, at.Sub(from), from, delay)
	}
	if job.State != rivertype.JobStateRetryable && job.State != rivertype.JobStateAvailable {
		t.Errorf("the job is %s", job.State)
	}
}

func newRetries(t *testing.T, policy string, options ...backoffriver.Option) *backoffriver.Retries {
	t.Helper()
	retries, err := backoffriver.New(policy, 42, options...)
	if err != nil {
		t.Fatal(err)
	}
	return retries
}

func TestDelays(t *testing.T) {
	pool, retries := connect(t), newRetries(t, policy)
	q := start(t, pool, retries, func(int) error { return errBusy })
	insert(t, pool, retries, task{Failures: 100})
	for i, delay := range delays {
		from := q.attempt().at
		checkScheduled(t, q.after(i+1), delay, from, time.Now())
		q.again()
	}
	if job := q.after(4); job.State != rivertype.JobStateDiscarded || job.Attempt != 4 || job.Errors[3].Error != "busy" {
		t.Errorf("the job is %s after attempt %d, %v", job.State, job.Attempt, job.Errors)
	}
}

// The error of a worker decides: its mark, or else the option.
func TestMarks(t *testing.T) {
	const hour = time.Hour
	forbidden := errors.New("forbidden")
	classify := backoffriver.WithClassify(func(err error) backoff.Verdict {
		if errors.Is(err, forbidden) {
			return backoff.OutcomePermanent
		}
		return backoff.OutcomeThrottled
	})
	rows := map[string]struct {
		policy  string
		errs    []error
		delays  []time.Duration
		options []backoffriver.Option
	}{
		"permanent at once": {policy, []error{backoff.Permanent(forbidden)}, nil, nil},
		"permanent later":   {policy, []error{errBusy, fmt.Errorf("save: %w", backoff.Permanent(forbidden))}, delays[:1], nil},
		"classified":        {policy, []error{errBusy, forbidden}, delays[:1], []backoffriver.Option{classify}},
		// These, too, are of the reference.
		"throttled":     {policy + ",throttled_base=2h", []error{errBusy, backoff.RetryAfter(0, errBusy), forbidden}, []time.Duration{1928127198065, 11060064144907}, []backoffriver.Option{classify}},
		"a retry_after": {policy, []error{backoff.RetryAfter(40*time.Minute, errBusy), backoff.RetryAfter(40*time.Minute, errBusy), backoff.Permanent(forbidden)}, []time.Duration{40 * time.Minute, delays[1]}, nil},
		"bounded":       {policy, []error{backoff.RetryAfter(5*hour, errBusy), backoff.Permanent(forbidden)}, []time.Duration{hour}, nil},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			pool, retries := connect(t), newRetries(t, row.policy, row.options...)
			q := start(t, pool, retries, func(attempt int) error { return row.errs[attempt-1] })
			insert(t, pool, retries, task{Failures: len(row.errs)})
			for i, delay := range row.delays {
				from := q.attempt().at
				checkScheduled(t, q.after(i+1), delay, from, time.Now())
				q.again()
			}
			job := q.after(len(row.errs))
			if last := job.Errors[len(job.Errors)-1]; job.State != rivertype.JobStateCancelled || len(job.Errors) != len(row.errs) ||
				last.Error != "JobCancelError: permanent: "+row.errs[len(row.errs)-1].Error() {
				t.Errorf("the job is %s, %v", job.State, job.Errors)
			}
		})
	}
}

// A job may allow more attempts than the policy.
func TestLimitsOfThePolicyCancel(t *testing.T) {
	now := time.Now()
	for name, row := range map[string]struct {
		policy string
		job    rivertype.JobRow
		want   string // empty to retry
	}{
		"a retry is left":             {policy, rivertype.JobRow{Attempt: 3, MaxAttempts: 25}, ""},
		"no retry is left":            {policy, rivertype.JobRow{Attempt: 4, MaxAttempts: 25}, "JobCancelError: max_retries: busy"},
		"River discards":              {policy, rivertype.JobRow{Attempt: 4, MaxAttempts: 4}, ""},
		"time is left":                {"constant:base=1m,max_elapsed=1h", rivertype.JobRow{Attempt: 1, MaxAttempts: 25, AttemptedAt: &now}, ""},
		"time is left, later":         {"constant:base=1m,max_elapsed=1h", rivertype.JobRow{Attempt: 2, MaxAttempts: 25, AttemptedAt: &now, Errors: []rivertype.AttemptError{{At: now.Add(-30 * time.Minute)}}}, ""},
		"no time is left":             {"constant:base=1m,max_elapsed=1h", rivertype.JobRow{Attempt: 2, MaxAttempts: 25, AttemptedAt: &now, Errors: []rivertype.AttemptError{{At: now.Add(-59*time.Minute - time.Second)}}}, "JobCancelError: max_elapsed: busy"},
		"no time is left at once":     {"constant:base=1m,max_elapsed=1h", rivertype.JobRow{Attempt: 1, MaxAttempts: 25, AttemptedAt: ago(now)}, "JobCancelError: max_elapsed: busy"},
		"a queued job has not begun":  {"constant:base=1m,max_elapsed=1h", rivertype.JobRow{Attempt: 1, MaxAttempts: 25, AttemptedAt: &now, CreatedAt: now.Add(-2 * time.Hour)}, ""},
		"a clock that went back":      {"constant:base=1m,max_elapsed=1h", rivertype.JobRow{Attempt: 2, MaxAttempts: 25, Errors: []rivertype.AttemptError{{At: now.Add(time.Hour)}}}, ""},
		"an attempt that is not that": {policy, rivertype.JobRow{Attempt: 0, MaxAttempts: 25}, ""},
	} {
		err := newRetries(t, row.policy).Work(t.Context(), &row.job, func(context.Context) error { return errBusy })
		if row.want == "" && err != errBusy || row.want != "" && err.Error() != row.want || !errors.Is(err, errBusy) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}

func ago(now time.Time) *time.Time {
	ago := now.Add(-59*time.Minute - time.Second)
	return &ago
}

// What River decides stays as it is.
func TestErrorsOfRiverPass(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("the client stops")
	cancel(stopped)
	classify := backoffriver.WithClassify(func(error) backoff.Verdict { return backoff.OutcomePermanent })
	for name, row := range map[string]struct {
		ctx context.Context
		err error
	}{
		"nil":                 {t.Context(), nil},
		"JobCancel":           {t.Context(), river.JobCancel(errBusy)},
		"JobSnooze":           {t.Context(), fmt.Errorf("later: %w", river.JobSnooze(time.Hour))},
		"a client that stops": {cancelled, fmt.Errorf("query: %w", context.Canceled)},
		"its cause":           {cancelled, stopped},
	} {
		retries := newRetries(t, policy, classify)
		if err := retries.Work(row.ctx, &rivertype.JobRow{Attempt: 1}, func(context.Context) error { return row.err }); err != row.err {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, row := range map[string]struct {
		ctx context.Context
		err error
	}{
		"another error in a client that stops": {cancelled, errBusy},
		"a cancellation of something else":     {t.Context(), context.Canceled},
	} {
		retries := newRetries(t, policy, classify)
		if err := retries.Work(row.ctx, &rivertype.JobRow{Attempt: 1}, func(context.Context) error { return row.err }); !errors.Is(err, &rivertype.JobCancelError{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The key of the option, and a job whose error nobody saw: the numbers of docs/programs.md.
func TestKey(t *testing.T) {
	retries := newRetries(t, "full:base=100ms,cap=20s", backoffriver.WithKey(func(*rivertype.JobRow) string { return "job-1" }))
	for i, want := range []time.Duration{11399434, 83043876, 229309811} {
		job := &rivertype.JobRow{ID: 7, Attempt: i + 1}
		from := time.Now()
		checkScheduled(t, &rivertype.JobRow{State: rivertype.JobStateAvailable, Attempt: job.Attempt, ScheduledAt: retries.NextRetry(job)}, want, from, time.Now())
	}
}

func TestMaxAttempts(t *testing.T) {
	for policy, want := range map[string]int{
		policy: 4, "none:max_retries=0": 1, "none:max_retries=32766": 32767, "none:max_retries=32767": 32767, "none": 32767,
	} {
		if got := newRetries(t, policy).MaxAttempts(); got != want {
			t.Errorf("%s: %d, want %d", policy, got, want)
		}
	}
}

func TestInvalidOptions(t *testing.T) {
	for want, make := range map[string]func() (*backoffriver.Retries, error){
		"at 11: base has no unit; the units are d, h, m, s, ms, us, ns": func() (*backoffriver.Retries, error) { return backoffriver.New("full:base=1", 42) },
		"option is nil":              func() (*backoffriver.Retries, error) { return backoffriver.New(policy, 42, nil) },
		"argument of WithKey is nil": func() (*backoffriver.Retries, error) { return backoffriver.New(policy, 42, backoffriver.WithKey(nil)) },
		"argument of WithClassify is nil": func() (*backoffriver.Retries, error) {
			return backoffriver.New(policy, 42, backoffriver.WithClassify(nil))
		},
	} {
		if retries, err := make(); retries != nil || err == nil || err.Error() != want {
			t.Errorf("made %v, %v, want %s", retries, err, want)
		}
	}
}

// A classification that is wrong does not lose the job.
func TestUnknownOutcomes(t *testing.T) {
	retries := newRetries(t, policy, backoffriver.WithClassify(func(error) backoff.Verdict { return backoff.Outcome(9) }))
	err := retries.Work(t.Context(), &rivertype.JobRow{Attempt: 1}, func(context.Context) error { return errBusy })
	if !errors.Is(err, backoff.ErrUnknownOutcome) || !errors.Is(err, errBusy) || errors.Is(err, &rivertype.JobCancelError{}) {
		t.Errorf("got %v", err)
	}
}

// A classification may leave an error to the queue, and a failure is never a success.
func TestClassificationsWithoutFailures(t *testing.T) {
	for verdict, want := range map[backoff.Verdict]string{nil: "busy", backoff.OutcomeSuccess: "JobCancelError: permanent: busy"} {
		retries := newRetries(t, policy, backoffriver.WithClassify(func(error) backoff.Verdict { return verdict }))
		err := retries.Work(t.Context(), &rivertype.JobRow{Attempt: 1}, func(context.Context) error { return errBusy })
		if err == nil || err.Error() != want {
			t.Errorf("%v: %v, not %s", verdict, err, want)
		}
	}
}

// Delays that River does not ask for, because another middleware or a handler of errors decided, vanish with
// the row.
func TestNoDelayIsLeftBehind(t *testing.T) {
	retries := newRetries(t, policy)
	for range 100 {
		_ = retries.Work(t.Context(), &rivertype.JobRow{Attempt: 1}, func(context.Context) error { return errBusy })
	}
	asked := &rivertype.JobRow{Attempt: 1}
	_ = retries.Work(t.Context(), asked, func(context.Context) error { return errBusy })
	retries.NextRetry(asked)
	for end := time.Now().Add(patience); backoffriver.Delays(retries) > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if left := backoffriver.Delays(retries); left > 0 {
		t.Errorf("%d delays are left", left)
	}
}

// A process is a worker that is killed, at the latest when patience is over.
type process struct {
	command *exec.Cmd
	output  *bufio.Scanner
}

func startProcess(t *testing.T, policy string) *process {
	t.Helper()
	p := &process{command: exec.Command(os.Args[0], policy)}
	p.command.Env = append(os.Environ(), workerVariable+"="+started.URLs["postgres"])
	p.command.Stderr = os.Stderr
	output, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.output = bufio.NewScanner(output)
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = p.command.Process.Kill() }
	silent := time.AfterFunc(patience, kill)
	t.Cleanup(func() { silent.Stop(); kill() })
	return p
}

// attempt waits for the start of an attempt.
func (p *process) attempt(t *testing.T, number string) {
	t.Helper()
	if !p.output.Scan() || p.output.Text() != number {
		t.Fatalf("the worker prints %q, not %q: %v", p.output.Text(), number, p.output.Err())
	}
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.command.Wait()
}

// A worker is killed while a job waits, and then the server. The job runs at its time, on another worker.
func TestKilledInMidWait(t *testing.T) {
	const policy = "constant:base=4s,max_retries=3"
	pool, retries := connect(t), newRetries(t, policy)
	insert(t, pool, retries, task{Failures: 1})
	worker := startProcess(t, policy)
	worker.attempt(t, "1")
	began := time.Now()
	q := &queue{T: t, pool: pool}
	var err error
	if q.client, err = newClient(pool, retries, &taskWorker{}); err != nil {
		t.Fatal(err)
	}
	waits := q.after(1)
	checkScheduled(t, waits, 4*time.Second, *waits.AttemptedAt, time.Now())
	worker.kill(t)
	if err := started.Do("kill postgres"); err != nil {
		t.Fatal(err)
	}
	if err := started.Do("start postgres"); err != nil {
		t.Fatal(err)
	}
	if again := q.job(); !again.ScheduledAt.Equal(waits.ScheduledAt) || again.State != waits.State {
		t.Errorf("the job is %s for %v, and was %s for %v", again.State, again.ScheduledAt, waits.State, waits.ScheduledAt)
	}
	execute(t, pool, "DELETE FROM river_leader") // as if it had expired
	q = start(t, pool, retries, func(int) error { return errBusy })
	second := q.attempt()
	if second.number != 2 || second.at.Before(waits.ScheduledAt) {
		t.Errorf("attempt %d began at %v, scheduled at %v; the first began before %v", second.number, second.at, waits.ScheduledAt, began)
	}
	if job := q.after(2); job.State != rivertype.JobStateCompleted || len(job.Errors) != 1 {
		t.Errorf("the job is %s, %v", job.State, job.Errors)
	}
}

// A worker is killed in the middle of a job. River rescues the job, and all its delays are those of the policy.
func TestKilledInMidJob(t *testing.T) {
	pool, retries := connect(t), newRetries(t, policy)
	insert(t, pool, retries, task{Failures: 2, Hangs: 1})
	worker := startProcess(t, policy)
	worker.attempt(t, "1")
	worker.kill(t)
	// River rescues jobs after an hour, and chooses another leader when the time of the last one is up.
	execute(t, pool, "UPDATE river_job SET attempted_at = attempted_at - interval '61 minutes'")
	execute(t, pool, "DELETE FROM river_leader")
	from := time.Now()
	q := start(t, pool, retries, func(int) error { return errBusy })
	checkScheduled(t, q.after(1), delays[0], from, time.Now())
	q.again()
	from = q.attempt().at
	checkScheduled(t, q.after(2), delays[1], from, time.Now())
	// The server is killed while a client runs.
	if err := started.Do("kill postgres"); err != nil {
		t.Fatal(err)
	}
	if err := started.Do("start postgres"); err != nil {
		t.Fatal(err)
	}
	checkScheduled(t, q.after(2), delays[1], from, time.Now())
	execute(t, pool, "UPDATE river_job SET scheduled_at = now(), state = 'available'")
	if third := q.attempt(); third.number != 3 {
		t.Errorf("attempt %d", third.number)
	}
	for end := time.Now().Add(patience); q.job().State != rivertype.JobStateCompleted; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the job is %s", q.job().State)
		}
	}
}
