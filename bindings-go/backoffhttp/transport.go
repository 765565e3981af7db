// Package backoffhttp repeats HTTP requests that fail, with the delays, decisions and budgets of the package
// backoff. It is a RoundTripper for an http.Client.
package backoffhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// DefaultBudget is the budget string of each origin unless an option says otherwise. It stops retries to an
// origin while most of its requests fail.
const DefaultBudget = "grpc-retry"

// ErrOneShotBody is the reason why a request with a body that cannot be sent again was refused.
var ErrOneShotBody = errors.New("the body cannot be sent again: make the request with a bytes.Reader, bytes.Buffer or strings.Reader, set GetBody, or send it once, with backoffhttp.WithoutRetries")

// A Transport is a RoundTripper that repeats requests over another one. It is safe for any number of goroutines.
//
// A request is repeated if its method is idempotent (GET, HEAD, OPTIONS, TRACE, PUT, DELETE) or if it has an
// Idempotency-Key. Any other request is sent once, and nothing about it changes.
//
// A response is classified by backoff.HTTPVerdict, so the wait that a server asks for counts. When retries end,
// the last response is returned, with its whole body, or the error of the RoundTripper, as without retries. A
// redirect is a success: the http.Client follows it with another request.
//
// An error is a timeout, a transient one if the network failed (DNS, connections that were refused, reset or
// closed, streams of HTTP/2), and otherwise permanent: a wrong URL, a certificate that is not trusted. The
// options RetryIf, RetryOn and Classify are asked about the latter.
//
// A body is sent again from GetBody, which http.NewRequest sets for a bytes.Reader, bytes.Buffer and
// strings.Reader. A request that may be repeated and has another body fails with ErrOneShotBody before it is sent.
//
// The http.Transport of net/http sends some requests again by itself, when a connection that it used again was
// closed before an answer. This counts as one attempt.
type Transport struct {
	base           http.RoundTripper
	options        []backoff.RetryOption
	attemptTimeout time.Duration
	budgets        *origins // nil if a budget is among the options, or for none
}

// An Option configures a Transport.
type Option func(*Transport) error

// WithRetry sets options of the loop of each request: those of backoff.Retry for a *http.Response. Default: those of
// backoff.Retry, and a budget for each origin.
//
// backoff.WithBudget and backoff.WithSharedBudget set one budget for all requests; a nil one is none. ClassifyResult and RetryResult replace
// the classification of responses. Hooks have the response as event.Value; its body is drained after the hook.
// WithStream and WithKey make all requests wait for identical times: leave them to tests.
func WithRetry(options ...backoff.RetryOption) Option {
	return func(t *Transport) error {
		for _, option := range options {
			if _, isBudget := option.(backoff.BudgetOption); isBudget {
				t.budgets = nil
			}
		}
		t.options = append(t.options, options...)
		return nil
	}
}

// WithBudgets sets the budget string of each origin (a scheme, a host and a port). Default: DefaultBudget. The
// budgets of the 1000 origins used last are kept.
func WithBudgets(text string) Option {
	return func(t *Transport) error {
		_, err := backoff.ParseBudget(text)
		t.budgets = newOrigins(text)
		return err
	}
}

// WithAttemptTimeout limits the time of each attempt until its headers have come. The outcome is a timeout. It does
// not limit reading the body. Default: no limit but those of the context, of the http.Client and of its transport.
func WithAttemptTimeout(timeout time.Duration) Option {
	return func(t *Transport) error {
		t.attemptTimeout = timeout
		if timeout <= 0 {
			return &backoff.ArgumentError{Code: backoff.ErrNegative, Field: "attempt timeout", Value: timeout, Rule: "is not above 0"}
		}
		return nil
	}
}

// New returns a Transport over another RoundTripper; nil is http.DefaultTransport. Use one for the whole program,
// because it has the budgets:
//
//	transport, err := backoffhttp.New(nil, backoffhttp.WithRetry(backoff.WithPolicyString("full:base=100ms,max_retries=3")))
//	client := &http.Client{Transport: transport}
//
// It fails for an invalid option as backoff.Retry does: with a *backoff.PolicyError, a *backoff.ArgumentError or
// backoff.ErrNoPolicy. The zero Budget fails each request, with backoff.ErrNoBudget.
func New(base http.RoundTripper, options ...Option) (*Transport, error) {
	if base == nil {
		base = http.DefaultTransport
	}
	t := &Transport{base: base, budgets: newOrigins(DefaultBudget)}
	t.options = []backoff.RetryOption{backoff.ClassifyResult(verdictOfResponse)}
	for _, option := range options {
		if option == nil {
			return nil, &backoff.ArgumentError{Code: backoff.ErrMissing, Field: "option", Rule: "is nil"}
		}
		if err := option(t); err != nil {
			return nil, err
		}
	}
	// A loop checks its options before it asks for its function, which is missing here.
	_, err := backoff.Retry[*http.Response](context.Background(), nil, t.options...)
	if invalid := (*backoff.ArgumentError)(nil); !errors.As(err, &invalid) || invalid.Field != "op" {
		return nil, err
	}
	return t, nil
}

// RoundTrip sends a request, perhaps more than once. A Transport that New did not make sends nothing and fails with a
// *backoff.ArgumentError.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t == nil || t.base == nil {
		err := &backoff.ArgumentError{Code: backoff.ErrMissing, Field: "transport", Rule: "was not made by backoffhttp.New"}
		return nil, errors.Join(err, (&exchange{request: request}).closeBody())
	}
	if request.URL == nil || !mayRepeat(request) {
		return t.base.RoundTrip(request)
	}
	if hasBody(request) && request.GetBody == nil {
		err := fmt.Errorf("%s %s: %w", request.Method, request.URL.Redacted(), ErrOneShotBody)
		return nil, errors.Join(err, request.Body.Close())
	}
	options := t.options
	exchange := &exchange{transport: t, request: request}
	options = append(options[:len(options):len(options)], backoff.OnRetry(exchange.drain))
	if t.budgets != nil {
		budget, err := t.budgets.of(request.URL)
		if err != nil {
			return nil, errors.Join(err, exchange.closeBody())
		}
		options = append(options, backoff.WithBudget(budget))
	}
	return exchange.run(options)
}

// CloseIdleConnections closes those of the RoundTripper, for http.Client.
func (t *Transport) CloseIdleConnections() {
	if t == nil {
		return
	}
	if closer, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// WithoutRetries returns a context whose requests are sent once.
func WithoutRetries(ctx context.Context) context.Context {
	return context.WithValue(ctx, withoutRetries{}, true)
}

type withoutRetries struct{}

// mayRepeat reports whether a request may be sent again.
func mayRepeat(request *http.Request) bool {
	if request.Context().Value(withoutRetries{}) != nil {
		return false
	}
	method := request.Method
	if method == "" {
		method = http.MethodGet
	}
	return backoff.IsIdempotentMethod(method) || request.Header.Get("Idempotency-Key") != ""
}

func hasBody(request *http.Request) bool { return request.Body != nil && request.Body != http.NoBody }
