// Package backoffhttp repeats HTTP requests that fail, with the delays, decisions and budgets of the package
// backoff. It is a RoundTripper for an http.Client. SPEC 19 defines its rules, which are those of every language.
package backoffhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// A Transport is a RoundTripper that repeats requests over another one. It is safe for any number of goroutines.
//
// A request may be repeated if its method is idempotent or if it has an Idempotency-Key; every other request is sent once
// (see SentOnce), unless it never reached the server. backoff.HTTPVerdict classifies a response, so the wait that a server
// asks for counts. An error of the network is transient or a timeout, and any other is permanent. When retries end, the
// last response is returned with its whole body, or the error of the RoundTripper, as without retries.
//
// https://github.com/backoff-rs/backoff/blob/main/bindings-go/ADAPTERS.md#http has all rules, those of redirects, of bodies
// and of connections among them.
type Transport struct {
	base            http.RoundTripper
	options         []backoff.RetryOption
	onRetry, onStop []func(Event)
	methods         []string // nil for those of SPEC 14.6
	mayRepeat       func(*http.Request) bool
	statuses        map[int]backoff.Outcome
	classify        func(*http.Request, *http.Response, error) backoff.Verdict
	attemptTimeout  time.Duration
	limited         bool // the policy has an attempt_timeout
	readBody        bool
	budgets         *origins
	budgetAt        int // among the options: the loop takes a later budget in place of that of the origin
}

// New returns a Transport over another RoundTripper; nil is http.DefaultTransport. Use one for the whole program,
// because it has the budgets:
//
//	transport, err := backoffhttp.New(nil, backoffhttp.WithRetry(backoff.WithPolicyString("default:max_retries=5")))
//	client := &http.Client{Transport: transport}
//
// It fails for an invalid option as backoff.Retry does: with an error that errors.As finds to be a *backoff.PolicyError
// or a *backoff.ArgumentError, or with backoff.ErrNoPolicy. The zero Budget fails each request, with backoff.ErrNoBudget.
func New(base http.RoundTripper, options ...Option) (*Transport, error) {
	if base == nil {
		base = http.DefaultTransport
	} else if shared.IsNil(base) {
		return nil, &backoff.ArgumentError{Code: backoff.ErrMissing, Field: "RoundTripper", Rule: fmt.Sprintf("is a nil %T", base)}
	}
	t := &Transport{base: base, budgets: newOrigins(DefaultBudget)}
	for _, option := range options {
		if option == nil {
			return nil, missing("option")
		}
		if err := option(t); err != nil {
			return nil, err
		}
	}
	if err := t.checkRetryOptions(); err != nil {
		return nil, err
	}
	return t, nil
}

// checkRetryOptions checks the options of the loop. A loop checks them before it asks for its function, which is missing
// here. No option can classify values of an unknown type.
func (t *Transport) checkRetryOptions() error {
	type unknown struct{}
	ctx := context.Background()
	_, err := backoff.Retry[unknown](ctx, nil, t.options...)
	invalid, wrong := (*backoff.ArgumentError)(nil), (*backoff.PolicyError)(nil)
	if errors.As(err, &invalid) && invalid.Field == "attempt_timeout" {
		t.limited = true // and another option may be wrong as well
		_, err = backoff.Retry[unknown](context.WithValue(ctx, shared.LimitKey{}, new(time.Duration)), nil, t.options...)
	}
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("the policy of WithRetry: %w", err)
	case !errors.As(err, &invalid):
		return err
	case invalid.Code == backoff.ErrWrongType && strings.HasPrefix(invalid.Field, "WithFallback"):
		return &backoff.ArgumentError{Code: backoff.ErrUnused, Field: invalid.Field, Rule: "has no effect on requests: look at the response or the error of the client"}
	case invalid.Code == backoff.ErrWrongType:
		return &backoff.ArgumentError{Code: backoff.ErrUnused, Field: invalid.Field, Rule: "has no effect on requests: use backoffhttp.WithClassify"}
	case invalid.Field != "op":
		return err
	}
	return nil
}

// RoundTrip sends a request, perhaps more than once. A Transport that New did not make sends nothing and fails with a
// *backoff.ArgumentError.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	exchange := &exchange{transport: t, request: request}
	switch {
	case t == nil || t.base == nil:
		err := &backoff.ArgumentError{Code: backoff.ErrMissing, Field: "transport", Rule: "was not made by backoffhttp.New"}
		return nil, joined(err, exchange.closeBody())
	case request.URL == nil:
		return t.base.RoundTrip(request) // which says what is wrong
	}
	return exchange.run()
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
