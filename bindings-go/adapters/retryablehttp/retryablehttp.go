// Package backoffretryablehttp gives go-retryablehttp (github.com/hashicorp/go-retryablehttp) the delays and the
// limits of a policy.
package backoffretryablehttp

import (
	"math"
	"net/http"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/delays"
	"github.com/hashicorp/go-retryablehttp"
)

// Delays are the delays of a policy. They are safe for any number of goroutines.
//
// go-retryablehttp does not say which call a delay is for. Each delay therefore has a random stream of its own.
type Delays struct{ delays *delays.Delays }

// An Option configures Delays.
type Option = delays.Option

// WithStream sets the stream of all delays. All calls then wait for identical times: leave it to tests.
func WithStream(stream backoff.RandomStream) Option { return delays.WithStream(stream) }

// New returns the delays of a policy string.
//
// It fails with a *backoff.PolicyError, with a *backoff.ArgumentError for a nil option and for max_elapsed, which
// go-retryablehttp limits by itself, and with backoff.ErrNoEntropy.
func New(policy string, options ...Option) (*Delays, error) {
	made, err := delays.New(policy, "go-retryablehttp", options...)
	if err != nil {
		return nil, err
	}
	return &Delays{made}, nil
}

// Configure sets RetryMax and Backoff of a client. Its CheckRetry decides what is retried, as always.
func (d *Delays) Configure(client *retryablehttp.Client) {
	client.RetryMax = d.RetryMax()
	client.Backoff = d.Backoff
}

// RetryMax returns the max_retries of the policy, at most 2^31 - 1.
func (d *Delays) RetryMax() int { return int(min(d.delays.MaxRetries(), math.MaxInt32)) }

// Backoff returns the delay before a retry; attempt is 0 after the first failure. It is a retryablehttp.Backoff. The
// policy bounds it, not shortest and longest, which are RetryWaitMin and RetryWaitMax of the client. The wait that
// the response asks for counts (backoff.HTTPVerdict).
func (d *Delays) Backoff(shortest, longest time.Duration, attempt int, response *http.Response) time.Duration {
	var verdict backoff.Verdict = backoff.OutcomeTransient
	if response != nil {
		verdict = backoff.HTTPVerdict(response.StatusCode, response.Header, time.Now())
		// The client retries what its CheckRetry says.
		if outcome, retryAfter, asked := verdict.Verdict(); outcome == backoff.OutcomePermanent || outcome == backoff.OutcomeSuccess {
			verdict = backoff.OutcomeTransient
			if asked {
				verdict = backoff.OutcomeTransient.WithRetryAfter(retryAfter)
			}
		}
	}
	return d.delays.After(attempt, verdict)
}
