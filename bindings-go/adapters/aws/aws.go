// Package backoffaws gives the retryer of the AWS SDK for Go (github.com/aws/aws-sdk-go-v2) the delays, the limits and
// the budget of this project.
package backoffaws

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/delays"
)

// Delays are the delays of a policy. They are safe for any number of goroutines.
//
// aws-sdk-go-v2 does not say which call a delay is for. Each delay therefore has a random stream of its own.
type Delays struct{ delays *delays.Delays }

// An Option configures Delays.
type Option = delays.Option

// WithStream sets the stream of all delays. All calls then wait for identical times: leave it to tests.
func WithStream(stream backoff.RandomStream) Option { return delays.WithStream(stream) }

// New returns the delays of a policy string.
//
// It fails with a *backoff.PolicyError, with a *backoff.ArgumentError for a nil option and for max_elapsed, which
// aws-sdk-go-v2 limits by itself, and with backoff.ErrNoEntropy.
func New(policy string, options ...Option) (*Delays, error) {
	made, err := delays.New(policy, "aws-sdk-go-v2", options...)
	if err != nil {
		return nil, err
	}
	return &Delays{made}, nil
}

// Standard returns an option of retry.NewStandard and retry.NewAdaptiveMode with the delays and the max_retries of the
// policy, and a budget string; an empty one is no budget. The SDK decides which errors are retried, as always.
//
//	standard, err := delays.Standard("aws-sdk-2026")
//	retryer := retry.NewStandard(standard) // one for all clients that share the budget
//	config.LoadDefaultConfig(ctx, config.WithRetryer(func() aws.Retryer { return retryer }))
//
// Each retryer that gets the option shares the budget. It must be a quota or a rate, because the SDK says nothing about
// the start of a request and about its last failure.
//
// It fails with a *backoff.PolicyError, or with a *backoff.ArgumentError for another kind of budget.
func (d *Delays) Standard(budget string) (func(*retry.StandardOptions), error) {
	limiter, err := newLimiter(budget)
	if err != nil {
		return nil, err
	}
	return func(o *retry.StandardOptions) {
		o.MaxAttempts = int(min(d.delays.MaxRetries(), math.MaxInt32-1)) + 1
		o.Backoff = retry.BackoffDelayerFunc(d.BackoffDelay)
		o.RateLimiter = limiter
		// The limiter gets these back as the outcome of the attempt.
		o.RetryCost = uint(backoff.OutcomeTransient)
		o.ThrottlingRetryCost = uint(backoff.OutcomeThrottled)
		o.NoRetryIncrement = 1
	}, nil
}

// BackoffDelay returns the delay before a retry; attempt is 1 after the first failure. An error that the SDK takes for
// throttling uses the throttled_base of the policy. It never fails. It is a retry.BackoffDelayerFunc.
func (d *Delays) BackoffDelay(attempt int, err error) (time.Duration, error) {
	outcome := backoff.OutcomeTransient
	if retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err).Bool() {
		outcome = backoff.OutcomeThrottled
	}
	return d.delays.After(attempt-1, outcome), nil
}

// A limiter is a retry.RateLimiter over a budget.
type limiter struct {
	policy  backoff.Policy // without delays and limits
	options []backoff.BeginOption
}

func newLimiter(text string) (*limiter, error) {
	policy, err := backoff.ParsePolicy("none")
	if err != nil || text == "" {
		return &limiter{policy: policy}, err
	}
	budget, err := backoff.ParseBudget(text)
	if err != nil {
		return nil, err
	}
	if kind := budget.Kind(); kind != "quota" && kind != "rate" {
		return nil, &backoff.ArgumentError{Code: backoff.ErrUnused, Field: "budget", Value: text, Rule: "is neither a quota nor a rate"}
	}
	return &limiter{policy, []backoff.BeginOption{backoff.WithBudget(budget)}}, nil
}

// errBudget is the error of a refused retry.
var errBudget = errors.New("the budget refused a retry")

// GetToken asks the budget for a retry after an outcome. The result reports its success.
func (l *limiter) GetToken(ctx context.Context, outcome uint) (func() error, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	operation, err := l.policy.Begin(backoff.RandomStream{}, backoff.Now(), l.options...)
	if err != nil {
		return nil, err
	}
	decision, err := operation.Decide(backoff.Outcome(outcome), backoff.Now())
	switch {
	case err != nil:
		return nil, err
	case !decision.Wait:
		return nil, errBudget
	}
	return func() error {
		_, err := operation.Decide(backoff.OutcomeSuccess, backoff.Now())
		return err
	}, nil
}

// AddTokens reports the success of a request without a retry.
func (l *limiter) AddTokens(uint) error {
	operation, err := l.policy.Begin(backoff.RandomStream{}, backoff.Now(), l.options...)
	if err != nil {
		return err
	}
	_, err = operation.Decide(backoff.OutcomeSuccess, backoff.Now())
	return err
}
