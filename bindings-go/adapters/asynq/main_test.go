package backoffasynq_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	backoffasynq "github.com/backoff-rs/backoff/bindings-go/adapters/asynq"
	"github.com/backoff-rs/backoff/bindings-go/internal/servers"
	"github.com/hibiken/asynq"
)

// workerVariable makes this program a worker of the server that it names, for tests that kill it.
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
	if started, err = servers.Start("redis"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if started != nil {
		if err := started.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// A job is the payload of the tasks of the tests.
type job struct {
	Failures int `json:"failures"` // the attempts that fail
	Hangs    int `json:"hangs"`    // the attempt that never ends
	Panics   int `json:"panics"`   // the attempt that panics
}

func (j job) payload() []byte {
	payload, err := json.Marshal(j)
	if err != nil {
		panic(err)
	}
	return payload
}

// A worker works tasks. It fails with the error of fail.
type worker struct {
	fail  func(attempt int) error
	began chan<- attempt
	ended <-chan struct{} // ends the attempts that hang
}

// An attempt is the start of an attempt.
type attempt struct {
	number int
	at     time.Time
}

func (w *worker) ProcessTask(ctx context.Context, task *asynq.Task) error {
	retried, _ := asynq.GetRetryCount(ctx)
	number := retried + 1
	w.began <- attempt{number, time.Now()}
	var job job
	if err := json.Unmarshal(task.Payload(), &job); err != nil {
		return err
	}
	switch {
	case number == job.Hangs:
		<-w.ended
		return nil
	case number == job.Panics:
		panic("a bug")
	case number <= job.Failures:
		return w.fail(number)
	}
	return nil
}

// startServer starts a server that works tasks.
func startServer(url string, retries *backoffasynq.Retries, worker *worker) (*asynq.Server, error) {
	redis, err := asynq.ParseRedisURI(url)
	if err != nil {
		return nil, err
	}
	server := asynq.NewServer(redis, asynq.Config{
		DelayedTaskCheckInterval: 50 * time.Millisecond,
		LogLevel:                 asynq.FatalLevel,
		RetryDelayFunc:           retries.Delay,
		ShutdownTimeout:          time.Second,
		TaskCheckInterval:        50 * time.Millisecond,
	})
	mux := asynq.NewServeMux()
	mux.Use(retries.Middleware)
	mux.Handle("job", worker)
	return server, server.Start(mux)
}

// work is a worker process. It prints the number of each attempt that begins.
func work(url string) error {
	retries, err := backoffasynq.New(os.Args[1], 42)
	if err != nil {
		return err
	}
	began := make(chan attempt)
	if _, err := startServer(url, retries, &worker{began: began, fail: func(int) error { return errBusy }}); err != nil {
		return err
	}
	for attempt := range began {
		fmt.Println(attempt.number)
	}
	return nil
}
