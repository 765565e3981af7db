package adapters

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// The tests of job queues: what is the same for River and asynq.

// policy has these delays for seed 42 and the key "1001", computed by the reference in tests/ of the repository.
const policy = "full:base=1h,cap=1d,max_retries=3"

var delays = []time.Duration{964063599032, 5530032072454, 796172914775}

// A backend is a queue with one job at most, whose ID is 1001.
type backend interface {
	// work starts a worker, and returns a function that stops it.
	work(worker *worker) (stop func() error, err error)
	insert(ctx context.Context, task task) error
	job(ctx context.Context) (job, error)
	// again makes a job that waits run now.
	again(ctx context.Context) error
	// rescue makes the queue notice at once that the worker of a job or the leader of the workers was killed.
	rescue(ctx context.Context) error
	// decide returns what the error of a worker becomes.
	decide(ctx context.Context, err error) error
	// ended returns the text of the error of a job that the policy or an error gave up.
	ended(reason, err string) string
}

// backends are the queues that are tested, the servers that they need, and how exactly they store a time.
var backends = map[string]struct {
	new        func(policy string, classify func(error) backoff.Verdict) (backend, error)
	connect    func(t *testing.T)
	server     string
	resolution time.Duration
}{
	"river": {newRiver, connectRiver, "postgres", time.Microsecond},
	"asynq": {newAsynq, flushRedis, "redis", time.Second},
}

// A task is the payload of a job.
type task struct {
	Failures int `json:"failures"` // the attempts that fail
	Hangs    int `json:"hangs"`    // the attempt that does not end before the test
	Panics   int `json:"panics"`   // the attempt that panics
}

// A job is what a queue knows of its job.
type job struct {
	status   string // "runs", "waits", "gave up" or "completed"
	failures int
	at       time.Time // when it runs again
	err      string    // the last one, if it gave up
}

// A worker works tasks. It fails with the error of fail.
type worker struct {
	fail  func(attempt int) error
	began chan attempt
	ended chan struct{} // ends the attempts that hang
}

// An attempt is the start of an attempt.
type attempt struct {
	number int
	at     time.Time
}

func (w *worker) attempt(number int, task task) error {
	w.began <- attempt{number, time.Now()}
	switch {
	case number == task.Hangs:
		<-w.ended
		return nil
	case number == task.Panics:
		panic("a bug")
	case number <= task.Failures:
		return w.fail(number)
	}
	return nil
}

// A queue is an empty queue of a test.
type queue struct {
	*testing.T
	backend
	server     string
	resolution time.Duration
	worker     *worker
}

func connect(t *testing.T, name, policy string, classify func(error) backoff.Verdict) *queue {
	t.Helper()
	of := backends[name]
	of.connect(t)
	backend, err := of.new(policy, classify)
	if err != nil {
		t.Fatal(err)
	}
	return &queue{t, backend, of.server, of.resolution, &worker{began: make(chan attempt, 100), ended: make(chan struct{})}}
}

// each runs a test with each queue.
func each(t *testing.T, policy string, classify func(error) backoff.Verdict, test func(q *queue)) {
	for name := range backends {
		t.Run(name, func(t *testing.T) { test(connect(t, name, policy, classify)) })
	}
}

// start starts a worker in this process.
func (q *queue) start(fail func(attempt int) error) {
	q.Helper()
	q.worker.fail = fail
	stop, err := q.work(q.worker)
	if err != nil {
		q.Fatal(err)
	}
	q.Cleanup(func() {
		close(q.worker.ended)
		if err := stop(); err != nil {
			q.Error(err)
		}
	})
}

func (q *queue) do(action func(context.Context) error) {
	q.Helper()
	if err := backoff.Do(q.Context(), func() error { return action(q.Context()) }, backoff.RetryIf(backoff.AnyError)); err != nil {
		q.Fatal(err)
	}
}

func (q *queue) add(task task) {
	q.Helper()
	if err := q.insert(q.Context(), task); err != nil {
		q.Fatal(err)
	}
}

// after returns the job once it has a status after this many failures.
func (q *queue) after(failures int, status string) (job job) {
	q.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		q.do(func(ctx context.Context) (err error) { job, err = q.job(ctx); return err })
		if job.failures == failures && job.status == status {
			return job
		}
	}
	q.Fatalf("the job is %+v, and not %s after %d failures", job, status, failures)
	return job
}

// attempt returns the next attempt that begins.
func (q *queue) attempt() attempt {
	q.Helper()
	select {
	case attempt := <-q.worker.began:
		return attempt
	case <-time.After(patience):
		q.Fatal("no attempt begins")
		panic("unreachable")
	}
}

// checkWaits checks that the job waits, after this many failures, for a delay that began between a time and now.
func (q *queue) checkWaits(failures int, delay time.Duration, from time.Time) job {
	q.Helper()
	job := q.after(failures, "waits")
	if to := time.Now(); job.at.Before(from.Add(delay)) || job.at.After(to.Add(delay+q.resolution)) {
		q.Errorf("failure %d: scheduled %v after %v, not %v", failures, job.at.Sub(from), from, delay)
	}
	return job
}

// checkDelays checks that the job waits for its delay after each attempt, and runs it again.
func (q *queue) checkDelays(delays []time.Duration) {
	q.Helper()
	for i, delay := range delays {
		q.checkWaits(i+1, delay, q.attempt().at)
		q.do(q.again)
	}
}

func fails(int) error { return errBusy }

func TestDelaysOfJobs(t *testing.T) {
	each(t, policy, nil, func(q *queue) {
		q.start(fails)
		q.add(task{Failures: 100})
		q.checkDelays(delays)
		if job := q.after(4, "gave up"); job.err != "busy" && job.err != q.ended("max_retries", "busy") {
			q.Errorf("gave up because of %s", job.err)
		}
	})
}

// The error of a worker decides: its mark, or else the option.
func TestMarksOfJobs(t *testing.T) {
	forbidden := errors.New("forbidden")
	classify := func(err error) backoff.Verdict {
		if errors.Is(err, forbidden) {
			return backoff.OutcomePermanent
		}
		return backoff.OutcomeThrottled
	}
	for name, row := range map[string]struct {
		policy   string
		classify func(error) backoff.Verdict
		errs     []error
		delays   []time.Duration
	}{
		"permanent at once": {policy, nil, []error{backoff.Permanent(forbidden)}, nil},
		"permanent later":   {policy, nil, []error{errBusy, fmt.Errorf("save: %w", backoff.Permanent(forbidden))}, delays[:1]},
		"classified":        {policy, classify, []error{errBusy, forbidden}, delays[:1]},
		// These, too, are of the reference.
		"throttled":     {policy + ",throttled_base=2h", classify, []error{errBusy, backoff.RetryAfter(0, errBusy), forbidden}, []time.Duration{1928127198065, 11060064144907}},
		"a retry_after": {policy, nil, []error{backoff.RetryAfter(40*time.Minute, errBusy), backoff.RetryAfter(40*time.Minute, errBusy), backoff.Permanent(forbidden)}, []time.Duration{40 * time.Minute, delays[1]}},
		"bounded":       {policy, nil, []error{backoff.RetryAfter(5*time.Hour, errBusy), backoff.Permanent(forbidden)}, []time.Duration{time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, row.policy, row.classify, func(q *queue) {
				q.start(func(attempt int) error { return row.errs[attempt-1] })
				q.add(task{Failures: len(row.errs)})
				q.checkDelays(row.delays)
				if job, want := q.after(len(row.errs), "gave up"), q.ended("permanent", row.errs[len(row.errs)-1].Error()); job.err != want {
					q.Errorf("gave up because of %s, not %s", job.err, want)
				}
			})
		})
	}
}

// A classification may leave an error to the queue, a failure is never a success, and a classification that is wrong
// does not lose the job.
func TestClassificationsOfJobs(t *testing.T) {
	for name, of := range backends {
		for verdict, ends := range map[backoff.Verdict]bool{nil: false, backoff.OutcomeSuccess: true} {
			backend, err := of.new(policy, func(error) backoff.Verdict { return verdict })
			if err != nil {
				t.Fatal(err)
			}
			want := "busy"
			if ends {
				want = backend.ended("permanent", "busy")
			}
			if err := backend.decide(t.Context(), errBusy); !errors.Is(err, errBusy) || err.Error() != want {
				t.Errorf("%s, %v: %v, not %s", name, verdict, err, want)
			}
		}
		backend, err := of.new(policy, func(error) backoff.Verdict { return backoff.Outcome(9) })
		if err != nil {
			t.Fatal(err)
		}
		if err := backend.decide(t.Context(), errBusy); !errors.Is(err, backoff.ErrUnknownOutcome) || !errors.Is(err, errBusy) || err.Error() != "outcome 9 is unknown: busy" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// workerVariable makes this program a worker of the queue that it names, for tests that kill it.
const workerVariable = "BACKOFF_TEST_WORKER"

// work is a worker process for a policy and a server. It prints the number of each attempt that begins.
func work(queue string) error {
	of := backends[queue]
	started = &servers{urls: map[string]string{of.server: os.Args[2]}}
	backend, err := of.new(os.Args[1], nil)
	if err != nil {
		return err
	}
	worker := &worker{began: make(chan attempt), fail: fails}
	if _, err := backend.work(worker); err != nil {
		return err
	}
	for attempt := range worker.began {
		fmt.Println(attempt.number)
	}
	return nil
}

// killedIn starts a worker process, and returns a function that kills it, when the first attempt has begun. It is killed at
// the latest when patience is over.
func (q *queue) killedIn(policy string) (kill func()) {
	q.Helper()
	name := "river"
	if q.server == "redis" {
		name = "asynq"
	}
	command := exec.Command(os.Args[0], policy, started.urls[q.server])
	command.Env = append(os.Environ(), workerVariable+"="+name)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		q.Fatal(err)
	}
	if err := command.Start(); err != nil {
		q.Fatal(err)
	}
	stop := func() { _ = command.Process.Kill() }
	silent := time.AfterFunc(patience, stop)
	q.Cleanup(func() { silent.Stop(); stop() })
	if lines := bufio.NewScanner(output); !lines.Scan() || lines.Text() != "1" {
		q.Fatalf("the worker prints %q: %v", lines.Text(), lines.Err())
	}
	return func() {
		stop()
		_ = command.Wait()
	}
}

// A worker is killed while a job waits, and then the server. The job runs at its time, on another worker.
func TestKilledInMidWait(t *testing.T) {
	const policy = "constant:base=4s,max_retries=3"
	each(t, policy, nil, func(q *queue) {
		q.add(task{Failures: 1})
		from := time.Now()
		kill := q.killedIn(policy)
		waits := q.checkWaits(1, 4*time.Second, from)
		kill()
		tell(t, "kill "+q.server, "start "+q.server)
		if again := q.after(1, "waits"); !again.at.Equal(waits.at) {
			q.Errorf("the job waits until %v, and did until %v", again.at, waits.at)
		}
		q.do(q.rescue)
		q.start(fails)
		if second := q.attempt(); second.number != 2 || second.at.Before(waits.at) {
			q.Errorf("attempt %d began at %v, scheduled at %v", second.number, second.at, waits.at)
		}
		q.after(1, "completed")
	})
}

// A worker is killed in the middle of a job. The queue rescues it, and all its delays are those of the policy.
func TestKilledInMidJob(t *testing.T) {
	each(t, policy, nil, func(q *queue) {
		q.add(task{Failures: 2, Hangs: 1})
		q.killedIn(policy)()
		q.do(q.rescue)
		from := time.Now()
		q.start(fails)
		q.checkWaits(1, delays[0], from)
		q.do(q.again)
		from = q.attempt().at
		q.checkWaits(2, delays[1], from)
		tell(t, "kill "+q.server, "start "+q.server) // while a worker runs
		q.checkWaits(2, delays[1], from)
		q.do(q.again)
		if third := q.attempt(); third.number != 3 {
			q.Errorf("attempt %d", third.number)
		}
		q.after(2, "completed")
	})
}
