package adapters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffasynq "github.com/backoff-rs/backoff/bindings-go/adapters/asynq"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

var (
	_ asynq.RetryDelayFunc = (*backoffasynq.Retries)(nil).Delay
	_ asynq.MiddlewareFunc = (*backoffasynq.Retries)(nil).Middleware
)

// An asynqQueue is the backend of asynq.
type asynqQueue struct {
	retries *backoffasynq.Retries
	redis   asynq.RedisConnOpt
}

func newAsynq(policy string, classify func(error) backoff.Verdict) (backend, error) {
	var options []backoffasynq.Option
	if classify != nil {
		options = append(options, backoffasynq.WithClassify(classify))
	}
	retries, err := backoffasynq.New(policy, 42, options...)
	if err != nil || started == nil {
		return &asynqQueue{retries: retries}, err
	}
	redis, err := asynq.ParseRedisURI(started.urls["redis"])
	return &asynqQueue{retries, redis}, err
}

func (q *asynqQueue) work(worker *worker) (func() error, error) {
	server := asynq.NewServer(q.redis, asynq.Config{
		DelayedTaskCheckInterval: 50 * time.Millisecond,
		LogLevel:                 asynq.FatalLevel,
		RetryDelayFunc:           q.retries.Delay,
		ShutdownTimeout:          time.Second,
		TaskCheckInterval:        50 * time.Millisecond,
	})
	mux := asynq.NewServeMux()
	mux.Use(q.retries.Middleware)
	mux.HandleFunc("job", func(ctx context.Context, asked *asynq.Task) error {
		retried, _ := asynq.GetRetryCount(ctx)
		var task task
		if err := json.Unmarshal(asked.Payload(), &task); err != nil {
			return err
		}
		return worker.attempt(retried+1, task)
	})
	return func() error { server.Shutdown(); return nil }, server.Start(mux)
}

func (q *asynqQueue) insert(_ context.Context, task task) error {
	return q.enqueue(q.retries.NewTask("job", payload(task), "1001", asynq.Timeout(time.Second)))
}

func payload(task task) []byte {
	payload, _ := json.Marshal(task) // which has only numbers
	return payload
}

func (q *asynqQueue) enqueue(task *asynq.Task, options ...asynq.Option) error {
	client := asynq.NewClient(q.redis)
	_, err := client.Enqueue(task, append(options, asynq.Retention(time.Hour))...)
	return errors.Join(err, client.Close())
}

func (q *asynqQueue) inspect(look func(*asynq.Inspector) error) error {
	inspector := asynq.NewInspector(q.redis)
	return errors.Join(look(inspector), inspector.Close())
}

func (q *asynqQueue) job(context.Context) (found job, _ error) {
	return found, q.inspect(func(inspector *asynq.Inspector) error {
		task, err := inspector.GetTaskInfo("default", "1001")
		if err != nil {
			return err
		}
		found = job{status: "runs", failures: task.Retried, at: task.NextProcessAt}
		switch task.State {
		case asynq.TaskStateRetry:
			found.status = "waits"
		case asynq.TaskStateCompleted:
			found.status = "completed"
		case asynq.TaskStateArchived:
			found.status, found.failures, found.err = "gave up", task.Retried+1, task.LastErr
		}
		return nil
	})
}

func (q *asynqQueue) again(context.Context) error {
	return q.inspect(func(inspector *asynq.Inspector) error { return inspector.RunTask("default", "1001") })
}

// asynq recovers tasks a minute after a worker's last sign of life.
func (q *asynqQueue) rescue(ctx context.Context) error {
	client := q.redis.MakeRedisClient().(redis.UniversalClient)
	return errors.Join(client.ZAddXX(ctx, "asynq:{default}:lease", redis.Z{Score: 1, Member: "1001"}).Err(), client.Close())
}

func (q *asynqQueue) decide(ctx context.Context, err error) error {
	handler := q.retries.Middleware(asynq.HandlerFunc(func(context.Context, *asynq.Task) error { return err }))
	return handler.ProcessTask(ctx, asynq.NewTask("job", nil))
}

func (q *asynqQueue) ended(reason, err string) string {
	return reason + ": " + err + ": skip retry for the task"
}

func asynqRetries(t *testing.T, policy string) *backoffasynq.Retries {
	t.Helper()
	retries, err := backoffasynq.New(policy, 42)
	if err != nil {
		t.Fatal(err)
	}
	return retries
}

// The middleware knows the ID of a task that was made without the header, and the limit of the policy.
func TestAsynqTasksOfOthers(t *testing.T) {
	q := connect(t, "asynq", policy, nil)
	q.start(fails)
	if err := q.backend.(*asynqQueue).enqueue(asynq.NewTask("job", payload(task{Failures: 100})), asynq.TaskID("1001")); err != nil {
		t.Fatal(err)
	}
	q.checkDelays(delays)
	q.after(4, "gave up")
}

// asynq reports a timeout and a panic without asking the middleware. The header has the key.
func TestAsynqTimeoutsAndPanics(t *testing.T) {
	q := connect(t, "asynq", policy, nil)
	q.start(fails)
	q.add(task{Hangs: 1, Panics: 2, Failures: 100})
	q.checkDelays(delays)
	q.after(4, "gave up")
}

// What asynq decides stays as it is, and other errors stay what they are.
func TestAsynqErrors(t *testing.T) {
	q := &asynqQueue{retries: asynqRetries(t, policy)}
	for _, err := range []error{nil, fmt.Errorf("no: %w", asynq.SkipRetry), asynq.RevokeTask} {
		if got := q.decide(t.Context(), err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// Without a header and without the middleware, tasks with another payload have another key.
func TestAsynqUnknownIDs(t *testing.T) {
	retries := asynqRetries(t, policy)
	delay := func(typename, payload string) time.Duration {
		return retries.Delay(0, errBusy, asynq.NewTask(typename, []byte(payload)))
	}
	first, again := delay("job", "1"), delay("job", "1")
	if payload, typename := delay("job", "2"), delay("bob", "1"); first != again || first == payload || first == typename {
		t.Errorf("delays %v, %v, %v, %v", first, again, payload, typename)
	}
}

// A delay ends at a whole second, and not before its time.
func TestAsynqDelaysAreRoundedUp(t *testing.T) {
	task := asynq.NewTask("job", nil)
	now := time.Now()
	for policy, want := range map[string]time.Duration{
		"none": 0, "constant:base=1ns": 1, "constant:base=1s": time.Second, "constant:base=1500ms": 1500 * time.Millisecond,
		"constant:base=1s,max_retries=0": time.Second, // asynq asked although no retry is left
	} {
		for _, retried := range []int{-1, 0, 7} {
			delay := asynqRetries(t, policy).Delay(retried, errBusy, task)
			if at := now.Add(delay).Truncate(time.Second); at.Before(now.Add(want)) && want > 0 || at.Sub(now) > want+time.Second || want == 0 && delay != 0 {
				t.Errorf("%s: %v becomes %v", policy, delay, at.Sub(now))
			}
		}
	}
	if delay := asynqRetries(t, "constant:base=9223372036854775807ns").Delay(0, errBusy, task); delay != math.MaxInt64 {
		t.Errorf("the longest delay is %v", delay)
	}
}

func TestAsynqHeaders(t *testing.T) {
	task := asynqRetries(t, policy).NewTaskWithHeaders("job", nil, map[string]string{"trace": "1", backoffasynq.KeyHeader: "order-7"}, "1001")
	if headers := task.Headers(); headers["trace"] != "1" || headers[backoffasynq.KeyHeader] != "order-7" {
		t.Errorf("headers %v", headers)
	}
}
