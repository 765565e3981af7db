package backoffhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

const (
	// drainMost is how much of a body is read so that its connection can be used again.
	drainMost = 64 << 10
	// drainTimeout is how long that may take. A new connection is faster.
	drainTimeout = time.Second
)

// An exchange is a request and its attempts.
type exchange struct {
	transport *Transport
	request   *http.Request
	began     bool                    // an attempt owns the request's body
	response  *http.Response          // of the last attempt, unless it was drained
	cancel    context.CancelCauseFunc // ends the last attempt
}

// run makes attempts until the loop ends, and returns the last response or error.
func (e *exchange) run(options []backoff.RetryOption) (*http.Response, error) {
	ended := false
	defer func() {
		if !ended {
			_ = e.abandon() // a hook or the RoundTripper panics
			if e.cancel != nil {
				e.cancel(nil)
			}
		}
	}()
	response, err := backoff.Retry(e.request.Context(), e.attempt, options...)
	ended = true
	gaveUp, isGivenUp := err.(*backoff.RetryError)
	switch {
	case err != nil && !isGivenUp:
		return nil, errors.Join(err, e.abandon())
	case !isGivenUp || e.response != nil:
		return response, nil
	case gaveUp.Err != nil:
		return nil, gaveUp.Err
	default: // the caller cancelled before the first attempt or in a wait
		return nil, errors.Join(context.Cause(e.request.Context()), e.closeBody())
	}
}

// attempt sends the request.
func (e *exchange) attempt() (*http.Response, error) {
	body := e.request.Body
	if e.began && hasBody(e.request) {
		var err error
		if body, err = e.request.GetBody(); err != nil {
			return nil, backoff.Permanent(err)
		}
	}
	e.began = true
	ctx, cancel := context.WithCancelCause(e.request.Context())
	e.cancel = cancel
	stop := func() bool { return true }
	if limit := e.transport.attemptTimeout; limit > 0 {
		stop = time.AfterFunc(limit, func() { cancel(attemptTimeout{limit}) }).Stop
	}
	request := e.request.WithContext(ctx)
	request.Body = body
	response, err := e.transport.base.RoundTrip(request)
	switch inTime := stop(); {
	case !inTime:
		if response != nil {
			_ = response.Body.Close() // the headers came too late
		}
		return nil, backoff.Mark(attemptTimeout{e.transport.attemptTimeout}, backoff.OutcomeTimeout)
	case err != nil:
		cancel(nil)
		return nil, backoff.Mark(err, verdictOfError(err))
	case response == nil: // of a broken RoundTripper; http.Client says so
		cancel(nil)
		return nil, nil
	}
	response.Request = e.request
	if response.Body == nil {
		response.Body = http.NoBody // as http.Client does for test doubles
	}
	response.Body = bodyOf(response.Body, cancel)
	e.response = response
	return response, nil
}

// drain reads the rest of the last response, if it is short, so that its connection can be used again. It is a hook
// of the loop.
func (e *exchange) drain(backoff.Event) {
	if e.response == nil {
		return
	}
	cancel := e.cancel
	timer := time.AfterFunc(drainTimeout, func() { cancel(nil) })
	defer timer.Stop()
	// A body that cannot be read closes its connection, which is all there is to do.
	_, _ = io.Copy(io.Discard, io.LimitReader(e.response.Body, drainMost))
	_ = e.abandon()
}

// abandon closes the last response.
func (e *exchange) abandon() error {
	if e.response == nil {
		return e.closeBody()
	}
	body := e.response.Body
	e.response = nil
	return body.Close()
}

// closeBody closes the body of a request that was never sent, as a RoundTripper must.
func (e *exchange) closeBody() error {
	if e.began || e.request.Body == nil {
		return nil
	}
	return e.request.Body.Close()
}

// An attemptTimeout is the error of an attempt that took too long.
type attemptTimeout struct{ limit time.Duration }

func (e attemptTimeout) Error() string {
	return "no response headers within the attempt timeout of " + e.limit.String()
}
func (attemptTimeout) Timeout() bool   { return true }
func (attemptTimeout) Temporary() bool { return true }

// Is says that it is a deadline that was exceeded, as the timeouts of net/http do.
func (attemptTimeout) Is(target error) bool { return target == context.DeadlineExceeded }

// bodyOf returns a body that frees the context of its attempt at its end.
func bodyOf(inner io.ReadCloser, cancel context.CancelCauseFunc) io.ReadCloser {
	b := &body{inner, cancel}
	if writer, ok := inner.(io.Writer); ok { // of 101 Switching Protocols
		return struct {
			*body
			io.Writer
		}{b, writer}
	}
	return b
}

type body struct {
	inner  io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	if err != nil {
		b.cancel(nil)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.inner.Close()
	b.cancel(nil)
	return err
}
