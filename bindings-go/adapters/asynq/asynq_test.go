package backoffasynq_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffasynq "github.com/backoff-rs/backoff/bindings-go/adapters/asynq"
	"github.com/backoff-rs/backoff/bindings-go/internal/servers"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

var (
	_ asynq.RetryDelayFunc = (*backoffasynq.Retries)(nil).Delay
	_ asynq.MiddlewareFunc = (*backoffasynq.Retries)(nil).Middleware
)

var errBusy = errors.New("busy")

const patience = time.Minute

// policy has these delays for seed 42 and the key "1001", computed by the reference in tests/ of the repository.
const policy = "full:base=1h,cap=1d,max_retries=3"

var delays = []time.Duration{964063599032, 5530032072454, 796172914775}

const id = "1001"

// A queue is the tasks of an empty Redis.
type queue struct {
	*testing.T
	retries   *backoffasynq.Retries
	client    *asynq.Client
	inspector *asynq.Inspector
	redis     redis.UniversalClient
	began     chan attempt
}

func connect(t *testing.T, retries *backoffasynq.Retries) *queue {
	t.Helper()
	if started == nil {
		t.Skip(servers.Variable + " is not set")
	}
	options, err := asynq.ParseRedisURI(started.URLs["redis"])
	if err != nil {
		t.Fatal(err)
	}
	client := options.MakeRedisClient().(redis.UniversalClient)
	q := &queue{
		T: t, retries: retries, redis: client, client: asynq.NewClientFromRedisClient(client),
		inspector: asynq.NewInspectorFromRedisClient(client), began: make(chan attempt, 100),
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return q
}

// start starts a server in this process.
func (q *queue) start(fail func(int) error) {
	q.Helper()
	ended := make(chan struct{})
	server, err := startServer(started.URLs["redis"], q.retries, &worker{fail: fail, began: q.began, ended: ended})
	if err != nil {
		q.Fatal(err)
	}
	q.Cleanup(func() { close(ended); server.Shutdown() })
}

func (q *queue) enqueue(task *asynq.Task, options ...asynq.Option) {
	q.Helper()
	if _, err := q.client.Enqueue(task, options...); err != nil {
		q.Fatal(err)
	}
}

func (q *queue) task() *asynq.TaskInfo {
	q.Helper()
	task, err := backoff.Retry(q.Context(), func() (*asynq.TaskInfo, error) { return q.inspector.GetTaskInfo("default", id) },
		backoff.RetryIf(func(err error) bool { return !errors.Is(err, asynq.ErrTaskNotFound) }))
	if err != nil {
		q.Fatal(err)
	}
	return task
}

// after returns the task once it is in a state after this many retries.
func (q *queue) after(retried int, state asynq.TaskState) *asynq.TaskInfo {
	q.Helper()
	var task *asynq.TaskInfo
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if task = q.task(); task.Retried == retried && task.State == state {
			return task
		}
	}
	q.Fatalf("the task is %v after %d retries, not %v after %d", task.State, task.Retried, state, retried)
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

// again makes a task that waits run now.
func (q *queue) again() {
	q.Helper()
	if err := q.inspector.RunTask("default", id); err != nil {
		q.Fatal(err)
	}
}

// checkScheduled checks that a task waits for a delay that began between two times.
func checkScheduled(t *testing.T, task *asynq.TaskInfo, delay time.Duration, from, to time.Time) {
	t.Helper()
	if at := task.NextProcessAt; at.Before(from.Add(delay)) || at.After(to.Add(delay+time.Second)) {
		t.Errorf("retry %d: scheduled %v after %v, not %v", task.Retried, at.Sub(from), from, delay)
	}
}

// checkWaits checks that the task of each attempt waits for its delay, and runs it again.
func (q *queue) checkWaits(delays []time.Duration) {
	q.Helper()
	for i, delay := range delays {
		from := q.attempt().at
		checkScheduled(q.T, q.after(i+1, asynq.TaskStateRetry), delay, from, time.Now())
		q.again()
	}
}

func newRetries(t *testing.T, policy string, options ...backoffasynq.Option) *backoffasynq.Retries {
	t.Helper()
	retries, err := backoffasynq.New(policy, 42, options...)
	if err != nil {
		t.Fatal(err)
	}
	return retries
}

func TestDelays(t *testing.T) {
	retries := newRetries(t, policy)
	q := connect(t, retries)
	q.start(func(int) error { return errBusy })
	q.enqueue(retries.NewTask("job", job{Failures: 100}.payload(), id))
	q.checkWaits(delays)
	if task := q.after(3, asynq.TaskStateArchived); task.MaxRetry != 3 || task.LastErr != "max_retries: busy: skip retry for the task" {
		t.Errorf("archived after %d retries: %s", task.MaxRetry, task.LastErr)
	}
}

// The middleware knows the ID of a task that was made without the header, and the limit of the policy.
func TestTasksOfOthers(t *testing.T) {
	retries := newRetries(t, policy)
	q := connect(t, retries)
	q.start(func(int) error { return errBusy })
	q.enqueue(asynq.NewTask("job", job{Failures: 100}.payload()), asynq.TaskID(id))
	q.checkWaits(delays)
	if task := q.after(3, asynq.TaskStateArchived); task.MaxRetry != 25 {
		t.Errorf("archived after %d of %d retries", task.Retried, task.MaxRetry)
	}
}

// asynq reports a timeout and a panic without asking the middleware. The header has the key.
func TestTimeoutsAndPanics(t *testing.T) {
	retries := newRetries(t, policy)
	q := connect(t, retries)
	q.start(func(int) error { return errBusy })
	q.enqueue(retries.NewTask("job", job{Hangs: 1, Panics: 2, Failures: 100}.payload(), id, asynq.Timeout(time.Second)))
	q.checkWaits(delays)
	q.after(3, asynq.TaskStateArchived)
}

// The error of a handler decides: its mark, or else the option.
func TestMarks(t *testing.T) {
	const hour = time.Hour
	forbidden := errors.New("forbidden")
	classify := backoffasynq.WithClassify(func(err error) backoff.Verdict {
		if errors.Is(err, forbidden) {
			return backoff.OutcomePermanent
		}
		return backoff.OutcomeThrottled
	})
	rows := map[string]struct {
		policy  string
		errs    []error
		delays  []time.Duration
		options []backoffasynq.Option
	}{
		"permanent at once": {policy, []error{backoff.Permanent(forbidden)}, nil, nil},
		"permanent later":   {policy, []error{errBusy, fmt.Errorf("save: %w", backoff.Permanent(forbidden))}, delays[:1], nil},
		"classified":        {policy, []error{errBusy, forbidden}, delays[:1], []backoffasynq.Option{classify}},
		// These, too, are of the reference.
		"throttled":     {policy + ",throttled_base=2h", []error{errBusy, backoff.RetryAfter(0, errBusy), forbidden}, []time.Duration{1928127198065, 11060064144907}, []backoffasynq.Option{classify}},
		"a retry_after": {policy, []error{backoff.RetryAfter(40*time.Minute, errBusy), backoff.RetryAfter(40*time.Minute, errBusy), backoff.Permanent(forbidden)}, []time.Duration{40 * time.Minute, delays[1]}, nil},
		"bounded":       {policy, []error{backoff.RetryAfter(5*hour, errBusy), backoff.Permanent(forbidden)}, []time.Duration{hour}, nil},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			retries := newRetries(t, row.policy, row.options...)
			q := connect(t, retries)
			q.start(func(attempt int) error { return row.errs[attempt-1] })
			q.enqueue(retries.NewTask("job", job{Failures: len(row.errs)}.payload(), id))
			q.checkWaits(row.delays)
			task := q.after(len(row.delays), asynq.TaskStateArchived)
			if want := "permanent: " + row.errs[len(row.errs)-1].Error() + ": skip retry for the task"; task.LastErr != want {
				t.Errorf("archived because of %s, not %s", task.LastErr, want)
			}
		})
	}
}

// What asynq decides stays as it is, and other errors stay what they are.
func TestErrors(t *testing.T) {
	retries := newRetries(t, policy)
	run := func(err error) error {
		handler := retries.Middleware(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { return err }))
		return handler.ProcessTask(t.Context(), asynq.NewTask("job", nil))
	}
	for _, err := range []error{nil, fmt.Errorf("no: %w", asynq.SkipRetry), asynq.RevokeTask} {
		if got := run(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
	if got := run(errBusy); !errors.Is(got, errBusy) || got.Error() != "busy" {
		t.Errorf("busy became %v", got)
	}
}

// Without a header and without the middleware, tasks with another payload have another key.
func TestUnknownIDs(t *testing.T) {
	retries := newRetries(t, policy)
	delay := func(typename, payload string) time.Duration {
		return retries.Delay(0, errBusy, asynq.NewTask(typename, []byte(payload)))
	}
	first, again := delay("job", "1"), delay("job", "1")
	if payload, typename := delay("job", "2"), delay("bob", "1"); first != again || first == payload || first == typename {
		t.Errorf("delays %v, %v, %v, %v", first, again, payload, typename)
	}
}

// A delay ends at a whole second, and not before its time.
func TestDelaysAreRoundedUp(t *testing.T) {
	task := asynq.NewTask("job", nil)
	now := time.Now()
	for policy, want := range map[string]time.Duration{
		"none": 0, "constant:base=1ns": 1, "constant:base=1s": time.Second, "constant:base=1500ms": 1500 * time.Millisecond,
		"constant:base=1s,max_retries=0": time.Second, // asynq asked although no retry is left
	} {
		for _, retried := range []int{-1, 0, 7} {
			delay := newRetries(t, policy).Delay(retried, errBusy, task)
			if at := now.Add(delay).Truncate(time.Second); at.Before(now.Add(want)) && want > 0 || at.Sub(now) > want+time.Second {
				t.Errorf("%s: %v becomes %v", policy, delay, at.Sub(now))
			}
		}
	}
	if delay := newRetries(t, "none").Delay(0, errBusy, task); delay != 0 {
		t.Errorf("no delay becomes %v", delay)
	}
	if delay := newRetries(t, "constant:base=9223372036854775807ns").Delay(0, errBusy, task); delay != math.MaxInt64 {
		t.Errorf("the longest delay is %v", delay)
	}
}

func TestTaskOptions(t *testing.T) {
	for policy, want := range map[string]int{policy: 3, "none:max_retries=0": 0, "none:max_retries=2147483648": math.MaxInt32, "none": math.MaxInt32} {
		if got := newRetries(t, policy).MaxRetry().Value(); got != want {
			t.Errorf("%s: %v, want %d", policy, got, want)
		}
	}
	task := newRetries(t, policy).NewTaskWithHeaders("job", nil, map[string]string{"trace": "1", backoffasynq.KeyHeader: "order-7"}, id)
	if headers := task.Headers(); headers["trace"] != "1" || headers[backoffasynq.KeyHeader] != "order-7" {
		t.Errorf("headers %v", headers)
	}
}

func TestInvalidOptions(t *testing.T) {
	for want, make := range map[string]func() (*backoffasynq.Retries, error){
		"at 11: base has no unit; the units are d, h, m, s, ms, us, ns": func() (*backoffasynq.Retries, error) { return backoffasynq.New("full:base=1", 42) },
		"max_elapsed is unused: asynq does not know when a task began":  func() (*backoffasynq.Retries, error) { return backoffasynq.New("full:base=1s,max_elapsed=1m", 42) },
		"option is nil": func() (*backoffasynq.Retries, error) { return backoffasynq.New(policy, 42, nil) },
		"argument of WithClassify is nil": func() (*backoffasynq.Retries, error) {
			return backoffasynq.New(policy, 42, backoffasynq.WithClassify(nil))
		},
	} {
		if retries, err := make(); retries != nil || err == nil || err.Error() != want {
			t.Errorf("made %v, %v, want %s", retries, err, want)
		}
	}
}

// A classification that is wrong does not lose the task.
func TestUnknownOutcomes(t *testing.T) {
	retries := newRetries(t, policy, backoffasynq.WithClassify(func(error) backoff.Verdict { return backoff.Outcome(9) }))
	handler := retries.Middleware(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { return errBusy }))
	err := handler.ProcessTask(t.Context(), asynq.NewTask("job", nil))
	if !errors.Is(err, backoff.ErrUnknownOutcome) || !errors.Is(err, errBusy) || errors.Is(err, asynq.SkipRetry) {
		t.Errorf("got %v", err)
	}
}

// A classification may leave an error to the queue, and a failure is never a success.
func TestClassificationsWithoutFailures(t *testing.T) {
	for verdict, ends := range map[backoff.Verdict]bool{nil: false, backoff.OutcomeSuccess: true} {
		retries := newRetries(t, policy, backoffasynq.WithClassify(func(error) backoff.Verdict { return verdict }))
		handler := retries.Middleware(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { return errBusy }))
		err := handler.ProcessTask(t.Context(), asynq.NewTask("job", nil))
		if !errors.Is(err, errBusy) || errors.Is(err, asynq.SkipRetry) != ends || ends && err.Error() != "permanent: busy: skip retry for the task" {
			t.Errorf("%v: %v", verdict, err)
		}
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
	p.command.Env = append(os.Environ(), workerVariable+"="+started.URLs["redis"])
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

// A worker is killed while a task waits, and then the server. The task runs at its time, on another worker.
func TestKilledInMidWait(t *testing.T) {
	const policy = "constant:base=3s,max_retries=3"
	retries := newRetries(t, policy)
	q := connect(t, retries)
	q.enqueue(retries.NewTask("job", job{Failures: 1}.payload(), id, asynq.Retention(time.Hour)))
	worker, from := startProcess(t, policy), time.Now()
	worker.attempt(t, "1")
	waits := q.after(1, asynq.TaskStateRetry)
	checkScheduled(t, waits, 3*time.Second, from, time.Now())
	worker.kill(t)
	if err := started.Do("kill redis"); err != nil {
		t.Fatal(err)
	}
	if err := started.Do("start redis"); err != nil {
		t.Fatal(err)
	}
	if again := q.task(); !again.NextProcessAt.Equal(waits.NextProcessAt) || again.State != waits.State {
		t.Errorf("the task is %v for %v, and was %v for %v", again.State, again.NextProcessAt, waits.State, waits.NextProcessAt)
	}
	q.start(func(int) error { return errBusy })
	if second := q.attempt(); second.number != 2 || second.at.Before(waits.NextProcessAt) {
		t.Errorf("attempt %d began at %v, scheduled at %v", second.number, second.at, waits.NextProcessAt)
	}
	q.after(1, asynq.TaskStateCompleted)
}

// A worker is killed in the middle of a task. asynq recovers the task, and all its delays are those of the policy.
func TestKilledInMidTask(t *testing.T) {
	retries := newRetries(t, policy)
	q := connect(t, retries)
	q.enqueue(retries.NewTask("job", job{Failures: 2, Hangs: 1}.payload(), id, asynq.Retention(time.Hour)))
	worker := startProcess(t, policy)
	worker.attempt(t, "1")
	worker.kill(t)
	// asynq recovers tasks a minute after a worker's last sign of life.
	if err := q.redis.ZAdd(t.Context(), "asynq:{default}:lease", redis.Z{Score: 1, Member: id}).Err(); err != nil {
		t.Fatal(err)
	}
	from := time.Now()
	q.start(func(int) error { return errBusy })
	checkScheduled(t, q.after(1, asynq.TaskStateRetry), delays[0], from, time.Now())
	q.again()
	from = q.attempt().at
	checkScheduled(t, q.after(2, asynq.TaskStateRetry), delays[1], from, time.Now())
	// Redis is killed while a server runs.
	if err := started.Do("kill redis"); err != nil {
		t.Fatal(err)
	}
	if err := started.Do("start redis"); err != nil {
		t.Fatal(err)
	}
	checkScheduled(t, q.after(2, asynq.TaskStateRetry), delays[1], from, time.Now())
	q.again()
	if third := q.attempt(); third.number != 3 {
		t.Errorf("attempt %d", third.number)
	}
	q.after(2, asynq.TaskStateCompleted)
}
