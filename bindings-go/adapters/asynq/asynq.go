// Package backoffasynq gives the tasks of asynq (github.com/hibiken/asynq) the delays and the limits of a
// policy.
package backoffasynq

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/delays"
	"github.com/hibiken/asynq"
)

// KeyHeader is the header of a task that has its key.
const KeyHeader = "backoff-key"

// Retries decide when a failed task runs again and when it is given up. A server gets them in two places, and a
// client makes its tasks with them:
//
//	server := asynq.NewServer(redis, asynq.Config{RetryDelayFunc: retries.Delay})
//	mux.Use(retries.Middleware)
//	client.Enqueue(retries.NewTask("email", payload, id))
//
// The delay of a task is that of the policy for the seed, the task's ID as the key, and the number of its
// retries as the index. Every worker in every language computes the same delay for them. asynq stores whole
// seconds, so a delay is rounded up to the next one and never shortened.
//
// asynq does not tell its RetryDelayFunc the ID. NewTask therefore puts it into a header. Of a task without the
// header, the middleware knows the ID, but asynq reports some failures without asking it: a timeout that the
// handler ignores, a panic, and a worker that was lost. Then the key is the type and the payload of the task.
//
// The middleware reads the mark of an error: a task whose error is marked Permanent goes to the archive
// (asynq.SkipRetry), a RetryAfter follows the retry_after of the policy, and a task goes to the archive when a
// retry would exceed max_retries. As always in asynq, an error without a mark is retried.
//
// Retries are safe for any number of goroutines, servers and clients.
type Retries struct {
	policy   backoff.Policy
	seed     uint64
	classify func(error) backoff.Verdict // nil without the option
}

// An Option configures Retries.
type Option func(*Retries) error

// WithClassify classifies errors without a mark. nil is backoff.OutcomeTransient, which is also the default for all of
// them. backoff.OutcomeSuccess counts as backoff.OutcomePermanent, because a failure is not a success.
func WithClassify(classify func(error) backoff.Verdict) Option {
	return func(r *Retries) error {
		r.classify = classify
		return delays.NotNil("argument of WithClassify", classify == nil)
	}
}

// New returns the Retries of a policy string and a seed, which all clients and servers must share.
//
// It fails with a *backoff.PolicyError, or with a *backoff.ArgumentError for a nil function, and for max_elapsed,
// because asynq does not know when a task began.
func New(policy string, seed uint64, options ...Option) (*Retries, error) {
	parsed, err := delays.WithoutMaxElapsed(policy, "asynq does not know when a task began")
	if err != nil {
		return nil, err
	}
	r := &Retries{
		policy: parsed,
		seed:   seed,
	}
	if err := delays.Configure(r, options); err != nil {
		return nil, err
	}
	return r, nil
}

// NewTask returns a task with an ID, which is its key, too, and with the max_retries of the policy. Later options
// replace these.
func (r *Retries) NewTask(typename string, payload []byte, id string, options ...asynq.Option) *asynq.Task {
	return r.NewTaskWithHeaders(typename, payload, nil, id, options...)
}

// NewTaskWithHeaders is NewTask for a task with headers of its own. A KeyHeader among them is the key.
func (r *Retries) NewTaskWithHeaders(typename string, payload []byte, headers map[string]string, id string, options ...asynq.Option) *asynq.Task {
	all := map[string]string{KeyHeader: id}
	maps.Copy(all, headers)
	ours := []asynq.Option{asynq.TaskID(id), r.MaxRetry()}
	return asynq.NewTaskWithHeaders(typename, payload, all, append(ours, options...)...)
}

// MaxRetry returns the option of a task with the max_retries of the policy, at most 2^31 - 1, which is all that
// asynq can store.
func (r *Retries) MaxRetry() asynq.Option {
	return asynq.MaxRetry(int(min(r.policy.MaxRetries(), math.MaxInt32)))
}

// Delay returns how long a failed task waits. It is an asynq.RetryDelayFunc.
func (r *Retries) Delay(retried int, err error, task *asynq.Task) time.Duration {
	var failed *failure
	if errors.As(err, &failed) {
		return roundedUp(failed.delay)
	}
	key, ok := task.Headers()[KeyHeader]
	if !ok {
		key = task.Type() + "\x00" + string(task.Payload())
	}
	return roundedUp(r.policy.Delay(r.stream(key), uint32(max(0, retried))))
}

// roundedUp returns a delay whose end is not before that of the given one when asynq has cut it to whole seconds.
func roundedUp(delay time.Duration) time.Duration {
	const almost = time.Second - 1
	if delay == 0 {
		return 0
	}
	return min(delay, math.MaxInt64-almost) + almost
}

// Middleware is an asynq.MiddlewareFunc that decides what the error of a handler means.
func (r *Retries) Middleware(next asynq.Handler) asynq.Handler {
	return asynq.HandlerFunc(func(ctx context.Context, task *asynq.Task) error {
		err := next.ProcessTask(ctx, task)
		if err == nil || errors.Is(err, asynq.SkipRetry) || errors.Is(err, asynq.RevokeTask) {
			return err
		}
		decision, decideErr := r.decide(ctx, task, delays.Verdict(err, r.classify))
		switch {
		case decideErr != nil:
			return fmt.Errorf("%w: %w", decideErr, err)
		case !decision.Wait:
			return fmt.Errorf("%v: %w: %w", decision.Reason, err, asynq.SkipRetry)
		}
		return &failure{err, decision.Delay}
	})
}

// A failure is the error of a handler, with the delay that follows.
type failure struct {
	err   error
	delay time.Duration
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// decide returns what an operation with as many retries as the task decides.
func (r *Retries) decide(ctx context.Context, task *asynq.Task, verdict backoff.Verdict) (backoff.Decision, error) {
	key, ok := task.Headers()[KeyHeader]
	if !ok {
		key, _ = asynq.GetTaskID(ctx)
	}
	retried, _ := asynq.GetRetryCount(ctx)
	operation, err := backoff.ResumeOperation(r.policy, r.stream(key), uint64(max(0, retried)), 0)
	if err != nil {
		return backoff.Decision{}, err
	}
	return operation.Decide(verdict, 0)
}

func (r *Retries) stream(key string) backoff.RandomStream {
	return backoff.StreamFromKeyBytes(r.seed, []byte(key))
}
