// Command queue runs a task that fails, and prints the delays that asynq scheduled, in milliseconds, as a line
// of JSON:
//
//	queue REDIS_URL POLICY SEED ID FAILURES
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	backoffasynq "github.com/backoff-rs/backoff/bindings-go/adapters/asynq"
	"github.com/hibiken/asynq"
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	if len(os.Args) != 6 {
		return errors.New("usage: queue REDIS_URL POLICY SEED ID FAILURES")
	}
	id := os.Args[4]
	var seed uint64
	var failures int
	if _, err := fmt.Sscan(os.Args[3]+" "+os.Args[5], &seed, &failures); err != nil {
		return err
	}
	retries, err := backoffasynq.New(os.Args[2], seed)
	if err != nil {
		return err
	}
	redis, err := asynq.ParseRedisURI(os.Args[1])
	if err != nil {
		return err
	}
	asked := make(chan time.Time, 1)
	server := asynq.NewServer(redis, asynq.Config{
		LogLevel: asynq.FatalLevel,
		RetryDelayFunc: func(retried int, err error, task *asynq.Task) time.Duration {
			asked <- time.Now()
			return retries.Delay(retried, err, task)
		},
		TaskCheckInterval: 100 * time.Millisecond,
	})
	mux := asynq.NewServeMux()
	mux.Use(retries.Middleware)
	mux.HandleFunc("scenario", func(context.Context, *asynq.Task) error { return errors.New("busy") })
	if err := server.Start(mux); err != nil {
		return err
	}
	defer server.Shutdown()
	client, inspector := asynq.NewClient(redis), asynq.NewInspector(redis)
	if _, err := client.Enqueue(retries.NewTask("scenario", nil, id)); err != nil {
		return err
	}
	delays := []float64{}
	for len(delays) < failures {
		from := <-asked
		task, err := inspector.GetTaskInfo("default", id)
		for err == nil && (task.State != asynq.TaskStateRetry || task.Retried != len(delays)+1) {
			time.Sleep(10 * time.Millisecond)
			task, err = inspector.GetTaskInfo("default", id)
		}
		if err != nil {
			return err
		}
		delays = append(delays, float64(task.NextProcessAt.Sub(from))/float64(time.Millisecond))
		if len(delays) == failures {
			break
		}
		if err := inspector.RunTask("default", id); err != nil {
			return err
		}
	}
	// A later run may use the same ID.
	if err := inspector.DeleteTask("default", id); err != nil {
		return err
	}
	if err := errors.Join(client.Close(), inspector.Close()); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"delays": delays})
}
