//go:build go1.25

// The end of the caller's context beside the limit of an attempt.

package backoffhttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

var errShutdown = errors.New("the service shuts down")

// hanging answers nothing until the context of the request is done, as net/http does.
var hanging = roundTripper(func(request *http.Request) (*http.Response, error) {
	<-request.Context().Done()
	return nil, context.Cause(request.Context())
})

// sendUntil sends a request whose context is done after a time.
func sendUntil(t *testing.T, timeout time.Duration, base http.RoundTripper, options ...backoffhttp.Option) (backoffhttp.Event, error) {
	t.Helper()
	var last backoffhttp.Event
	transport := newTransport(t, base, append(options, backoffhttp.OnStop(func(event backoffhttp.Event) { last = event }))...)
	ctx, cancel := context.WithTimeoutCause(t.Context(), timeout, errShutdown)
	defer cancel()
	_, err := transport.RoundTrip(httptest.NewRequestWithContext(ctx, "GET", "http://example.com", nil))
	return last, err
}

// A deadline of the caller is no limit of an attempt, whatever limit an attempt has: the caller gets its cause.
func TestTheDeadlineOfTheCallerIsNoAttemptTimeout(t *testing.T) {
	retry := backoffhttp.WithRetry
	for name, options := range map[string][]backoffhttp.Option{
		"no limit":                          nil,
		"WithAttemptTimeout":                {backoffhttp.WithAttemptTimeout(10 * time.Second)},
		"that of the policy":                {retry(backoff.WithPolicyString("default:attempt_timeout=10s"))},
		"that of the policy, no budget":     {retry(backoff.WithPolicyString("default:attempt_timeout=10s"), backoff.WithBudget(nil))},
		"that of the policy, reset_after":   {retry(backoff.WithPolicyString("default:attempt_timeout=10s,reset_after=1h"), backoff.WithBudget(nil))},
		"that of the policy, and a longer":  {retry(backoff.WithAttemptTimeout(10 * time.Second)), backoffhttp.WithAttemptTimeout(time.Hour)},
		"that of the policy, and a shorter": {retry(backoff.WithAttemptTimeout(time.Hour)), backoffhttp.WithAttemptTimeout(10 * time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				last, err := sendUntil(t, 50*time.Millisecond, hanging, options...)
				if err != errShutdown || time.Since(began) != 50*time.Millisecond {
					t.Errorf("failed with %v after %v", err, time.Since(began))
				}
				if last.Reason != backoff.StopCancelled || last.Attempts != 1 {
					t.Errorf("stopped by %v", last)
				}
			})
		})
	}
	t.Run("the timeout of a client", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			transport := newTransport(t, hanging, retry(backoff.WithAttemptTimeout(10*time.Second)))
			_, err := (&http.Client{Transport: transport, Timeout: 50 * time.Millisecond}).Get("http://example.com")
			if late := (*backoff.AttemptTimeoutError)(nil); !os.IsTimeout(err) || errors.As(err, &late) {
				t.Errorf("failed with %v", err)
			}
		})
	})
	t.Run("max_elapsed is one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, err := sendUntil(t, 3*time.Second, hanging, retry(backoff.WithPolicyString("constant:base=1s,max_elapsed=2s,attempt_timeout=10s")))
			if late := (*backoff.AttemptTimeoutError)(nil); !errors.As(err, &late) || late.Limit != 2*time.Second {
				t.Errorf("failed with %v", err)
			}
		})
	})
}

// Once the caller's context is done, a late attempt has failed with its cause, as without a limit.
func TestTheEndOfTheCallerComesBeforeTheLimit(t *testing.T) {
	slow := roundTripper(func(*http.Request) (*http.Response, error) {
		time.Sleep(3 * time.Second)
		return &http.Response{StatusCode: 200}, nil
	})
	synctest.Test(t, func(t *testing.T) {
		if _, err := sendUntil(t, 2*time.Second, slow, backoffhttp.WithAttemptTimeout(time.Second)); err != errShutdown {
			t.Errorf("failed with %v", err)
		}
	})
}

// A caller who cancels after an attempt that was too long gets both errors.
func TestTheEndOfTheCallerComesAfterTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := sendUntil(t, 2*time.Second, hanging, backoffhttp.WithAttemptTimeout(time.Second), backoffhttp.WithClassify(
			func(request *http.Request, _ *http.Response, _ error) backoff.Verdict {
				<-request.Context().Done()
				return nil
			}))
		if late := (*backoff.AttemptTimeoutError)(nil); !errors.Is(err, errShutdown) || !errors.As(err, &late) || late.Limit != time.Second {
			t.Errorf("failed with %v", err)
		}
	})
}
