// The attempts of one request.

package backoffhttp

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// An exchange is a request and its attempts.
type exchange struct {
	transport *Transport
	request   *http.Request
	caller    context.Context // done when the caller cancels
	once      SentOnce
	sent      bool                    // an attempt owns the request's body
	path      *path                   // of the last attempt, if it matters
	cancel    context.CancelCauseFunc // ends the last attempt
	attempted context.Context         // of the last attempt
	response  *http.Response          // of the last attempt, until it is drained
	shown     *http.Response          // of the last attempt, to hooks
	content   []byte                  // of its body, with WithReadBody
	head      *http.Response          // of the last attempt, with WithReadBody: its status decides also if its body fails
	status    int                     // of the last attempt, 0 after a failure
	decided   backoff.Verdict         // on the response
	limit     time.Duration           // of the next attempt by the policy, 0 for none
}

// run makes attempts until the loop ends, and returns the last response or error.
func (e *exchange) run() (*http.Response, error) {
	ended := false
	defer func() {
		if !ended {
			_ = e.abandon() // a function of the caller or the RoundTripper panics
		}
	}()
	e.once = e.transport.sentOnce(e.request)
	options, err := e.options()
	if err != nil {
		ended = true
		return nil, joined(err, e.closeBody())
	}
	ctx, stop := cancellable(e.request)
	defer stop(nil)
	e.caller = ctx
	if e.transport.limited {
		ctx = context.WithValue(ctx, shared.LimitKey{}, &e.limit)
	}
	_, err = backoff.Retry(ctx, e.attempt, options...)
	ended = true
	gaveUp, isGivenUp := err.(*backoff.RetryError)
	switch {
	case err != nil && !isGivenUp:
		return nil, joined(err, e.abandon())
	case !isGivenUp || e.response != nil:
		e.rewind()
		return e.response, nil
	case gaveUp.Err == nil: // the caller cancelled before the first attempt or in a wait
		return nil, joined(context.Cause(ctx), e.abandon())
	case gaveUp.Reason == backoff.StopCancelled && !isCancelled(ctx, gaveUp.Err):
		return nil, cancelledAfter{context.Cause(ctx), gaveUp.Err}
	default:
		return nil, gaveUp.Err
	}
}

// cancellable returns a context that also the Cancel channel of a request ends, which net/http knows only in attempts.
func cancellable(request *http.Request) (context.Context, context.CancelCauseFunc) {
	//lint:ignore SA1019 deprecated, and still in use
	cancelled := request.Cancel //nolint:staticcheck // deprecated, and still in use
	if cancelled == nil {
		return request.Context(), func(error) {}
	}
	ctx, cancel := context.WithCancelCause(request.Context())
	go func() {
		select {
		case <-cancelled:
			cancel(errCancelled)
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// options returns the options of the loop.
func (e *exchange) options() ([]backoff.RetryOption, error) {
	t := e.transport
	budget, err := t.budgets.of(e.request.URL)
	options := make([]backoff.RetryOption, 0, len(t.options)+4)
	options = append(append(options, t.options[:t.budgetAt]...), backoff.WithBudget(budget))
	options = append(append(options, t.options[t.budgetAt:]...),
		backoff.ClassifyResult(func(*exchange) backoff.Verdict { return e.decided }),
		backoff.OnRetry(func(event backoff.Event) {
			e.callHooks(t.onRetry, event)
			e.drain()
		}))
	if len(t.onStop) > 0 {
		options = append(options, backoff.OnStop(func(event backoff.Event) { e.callHooks(t.onStop, event) }))
	}
	return options, err
}

func (e *exchange) callHooks(hooks []func(Event), event backoff.Event) {
	for _, hook := range hooks {
		e.rewind()
		hook(e.event(event))
	}
}

// ForHook returns the response of the last attempt, with its whole body if it was read, or nil.
func (e *exchange) ForHook() any {
	if e.shown == nil {
		return nil
	}
	e.rewind()
	return e.shown
}

// attempt sends the request and classifies what comes back. Its value is the exchange, which has the response.
func (e *exchange) attempt() (*exchange, error) {
	e.end() // what is left of the last attempt
	body := e.request.Body
	if e.sent && hasBody(e.request) {
		var err error
		if body, err = e.request.GetBody(); err != nil {
			return e, backoff.Permanent(err)
		}
		if body == nil {
			return e, backoff.Permanent(errNoBody)
		}
	}
	e.sent = true
	response, err := e.send(body)
	if response != nil {
		e.response, e.shown, e.status = response, response, response.StatusCode
	}
	verdict := e.verdict(response, err)
	if err != nil {
		return e, backoff.Mark(err, verdict)
	}
	e.decided = verdict
	return e, nil
}

// end forgets the last attempt.
func (e *exchange) end() {
	if e.cancel != nil {
		e.cancel(nil)
	}
	e.shown, e.content, e.head, e.status = nil, nil, nil, 0
}

// send sends the request with a body, and returns a response or an error, or neither for a broken RoundTripper.
func (e *exchange) send(body io.ReadCloser) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(e.request.Context())
	e.attempted, e.cancel = ctx, cancel
	limit := e.transport.attemptTimeout
	if limit == 0 || e.limit > 0 && e.limit < limit {
		limit = e.limit
	}
	stop := func() bool { return true }
	if limit > 0 {
		stop = time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) }).Stop
	}
	if e.once == SentOnceMethod {
		e.path = new(path)
		ctx = e.path.trace(ctx)
	}
	request := e.request.WithContext(ctx)
	// A RoundTripper below may change these, and the next attempt must not see that.
	request.Header = e.request.Header.Clone()
	address := *e.request.URL
	request.URL = &address
	request.Body = body
	response, err := e.transport.base.RoundTrip(request)
	if response != nil && err == nil {
		err = e.receive(response)
	}
	late := !stop()
	switch {
	case late && e.caller.Err() != nil:
		err = context.Cause(e.caller)
	case late:
		err = attemptTimeout{limit, e.head != nil}
	case err == nil && response != nil:
		return response, nil
	}
	if response != nil && response.Body != nil {
		_ = response.Body.Close()
	}
	cancel(nil)
	return nil, err
}

// receive makes the response of the RoundTripper that of the client, and reads its body if it must.
func (e *exchange) receive(response *http.Response) error {
	response.Request = e.request
	if response.Body == nil {
		response.Body = http.NoBody // as http.Client does for test doubles
	}
	if isEmpty(response.Body) && (response.Body == http.NoBody || !hasBody(e.request)) {
		e.cancel(nil) // nobody needs to close it
	} else {
		response.Body = bodyOf(response.Body, e.cancel)
	}
	if !e.transport.readBody || response.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	e.head = response
	content, err := io.ReadAll(response.Body)
	if err := joined(err, response.Body.Close()); err != nil {
		return bodyError{err}
	}
	e.content = content
	response.Body = io.NopCloser(bytes.NewReader(content))
	return nil
}

// rewind gives the response its whole body again, after a function of the caller may have read it.
func (e *exchange) rewind() {
	if e.shown != nil && e.content != nil {
		e.shown.Body = io.NopCloser(bytes.NewReader(e.content))
	}
}

// abandon ends the last attempt and closes what is open.
func (e *exchange) abandon() error {
	if e.cancel != nil {
		defer e.cancel(nil)
	}
	if e.response == nil {
		return e.closeBody()
	}
	return e.response.Body.Close()
}

// closeBody closes the body of a request that was never sent, as a RoundTripper must.
func (e *exchange) closeBody() error {
	if e.sent || e.request.Body == nil {
		return nil
	}
	return e.request.Body.Close()
}
