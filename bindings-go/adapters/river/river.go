// Package backoffriver gives the jobs of River (github.com/riverqueue/river) the delays and the limits of a
// policy.
package backoffriver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"time"
	"weak"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/delays"
	"github.com/riverqueue/river/rivertype"
)

// Retries decide when a failed job runs again and when it is given up. Pass them to a client in three places:
//
//	river.Config{
//		RetryPolicy: retries,
//		MaxAttempts: retries.MaxAttempts(),
//		Middleware:  []rivertype.Middleware{retries},
//	}
//
// The delay of a job is that of the policy for the seed, the job's ID in decimal as the key, and the number of
// its earlier attempts as the index. Every worker in every language computes the same delay for them.
//
// As RetryPolicy alone, Retries know nothing of a job's error. As middleware they read its mark: a job whose
// error is marked Permanent is cancelled (river.JobCancel), a RetryAfter follows the retry_after of the policy,
// and a job is cancelled when a retry would exceed max_retries or max_elapsed, which counts from the first
// attempt. The error of the last attempt that MaxAttempts allows discards the job, as always in River. As always
// in River, an error without a mark is retried. A panic has no mark, and neither does a job whose worker was
// lost, which River rescues.
//
// Retries are safe for any number of goroutines and clients.
type Retries struct {
	policy   backoff.Policy
	seed     uint64
	key      func(*rivertype.JobRow) string
	classify func(error) backoff.Verdict // nil without the option

	// The delays that Work decided, by the weak pointer to the row that NextRetry gets.
	delays sync.Map
}

// An Option configures Retries.
type Option func(*Retries) error

// WithKey replaces the key of a job, which is otherwise its ID in decimal, for example by an ID that other
// systems know, too.
func WithKey(key func(*rivertype.JobRow) string) Option {
	return func(r *Retries) error {
		r.key = key
		return delays.NotNil("argument of WithKey", key == nil)
	}
}

// WithClassify classifies errors without a mark. nil is backoff.OutcomeTransient, which is also the default for all of
// them. backoff.OutcomeSuccess counts as backoff.OutcomePermanent, because a failure is not a success.
func WithClassify(classify func(error) backoff.Verdict) Option {
	return func(r *Retries) error {
		r.classify = classify
		return delays.NotNil("argument of WithClassify", classify == nil)
	}
}

// New returns the Retries of a policy string and a seed, which all clients and workers must share.
//
// It fails with a *backoff.PolicyError, or with a *backoff.ArgumentError for a nil function and for attempt_timeout,
// reset_after and elapsed_from=failure, because River makes the attempts.
func New(policy string, seed uint64, options ...Option) (*Retries, error) {
	parsed, err := backoff.ParsePolicy(policy)
	if err != nil {
		return nil, err
	}
	if err := unused(parsed.Fields()); err != nil {
		return nil, err
	}
	r := &Retries{
		policy: parsed,
		seed:   seed,
		key:    func(job *rivertype.JobRow) string { return strconv.FormatInt(job.ID, 10) },
	}
	if err := delays.Configure(r, options); err != nil {
		return nil, err
	}
	return r, nil
}

// unused refuses what River gives no adapter.
func unused(fields backoff.PolicyFields) error {
	refuse := func(field, rule string) error {
		return &backoff.ArgumentError{Code: backoff.ErrUnused, Field: field, Rule: "is unused: " + rule}
	}
	switch {
	case fields.AttemptTimeout != backoff.NoLimit:
		return refuse(fmt.Sprintf("attempt_timeout %v", fields.AttemptTimeout), "River makes the attempts; set JobTimeout of river.Config or Timeout of the worker")
	case fields.ResetAfter != backoff.NoLimit:
		return refuse(fmt.Sprintf("reset_after %v", fields.ResetAfter), "River counts the attempts of a job and never begins anew; leave it out")
	case fields.ElapsedFrom == backoff.ElapsedFromFailure:
		return refuse("elapsed_from failure", "max_elapsed counts from the first attempt; leave it out")
	}
	return nil
}

// MaxAttempts returns the attempts that the policy allows, for MaxAttempts of river.Config or river.InsertOpts:
// max_retries and 1, at most 32767, which is all that River can store.
func (r *Retries) MaxAttempts() int {
	return int(min(r.policy.MaxRetries(), math.MaxInt16-1)) + 1
}

// NextRetry returns when a failed job runs again. It implements river.ClientRetryPolicy.
func (r *Retries) NextRetry(job *rivertype.JobRow) time.Time {
	if delay, ok := r.delays.Load(weak.Make(job)); ok {
		return after(delay.(time.Duration))
	}
	return after(r.policy.Delay(r.stream(job), uint32(retries(job))))
}

// after returns the end of a delay that begins now. PostgreSQL cuts a time to microseconds, so it is rounded up.
func after(delay time.Duration) time.Time {
	return time.Now().Add(delay).Add(time.Microsecond - 1).Truncate(time.Microsecond)
}

// IsMiddleware says that Retries are middleware.
func (r *Retries) IsMiddleware() bool { return true }

// Work works a job and decides what its error means. It implements rivertype.WorkerMiddleware.
func (r *Retries) Work(ctx context.Context, job *rivertype.JobRow, doInner func(context.Context) error) error {
	err := doInner(ctx)
	if err == nil || errors.Is(err, &rivertype.JobCancelError{}) || errors.Is(err, &rivertype.JobSnoozeError{}) {
		return err
	}
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		return err // the client stops, or another one cancels the job
	}
	decision, decideErr := r.decide(job, delays.Verdict(err, r.classify))
	switch {
	case decideErr != nil:
		return fmt.Errorf("%w: %w", decideErr, err)
	case decision.Reason == backoff.StopMaxRetries && job.Attempt >= job.MaxAttempts:
		return err // River discards it
	case !decision.Wait:
		return rivertype.JobCancel(fmt.Errorf("%v: %w", decision.Reason, err))
	}
	key := weak.Make(job)
	r.delays.Store(key, decision.Delay)
	// River does not ask for the delay if something else decided.
	runtime.AddCleanup(job, func(key weak.Pointer[rivertype.JobRow]) { r.delays.Delete(key) }, key)
	return err
}

// decide returns what an operation with as many retries as the job decides.
func (r *Retries) decide(job *rivertype.JobRow, verdict backoff.Verdict) (backoff.Decision, error) {
	operation, err := backoff.ResumeOperation(r.policy, r.stream(job), uint64(retries(job)), 0)
	if err != nil {
		return backoff.Decision{}, err
	}
	return operation.Decide(verdict, elapsed(job))
}

func (r *Retries) stream(job *rivertype.JobRow) backoff.RandomStream {
	return backoff.StreamFromKeyBytes(r.seed, []byte(r.key(job)))
}

// retries returns how often a job was retried before this attempt.
func retries(job *rivertype.JobRow) int { return max(0, job.Attempt-1) }

// elapsed returns the time since the first attempt.
func elapsed(job *rivertype.JobRow) time.Duration {
	switch {
	case len(job.Errors) > 0:
		return max(0, time.Since(job.Errors[0].At))
	case job.AttemptedAt != nil:
		return max(0, time.Since(*job.AttemptedAt))
	}
	return 0
}
