package backoffhttp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// A context that is done before the first attempt, or in a wait, gives the error that net/http gives.
func TestErrorsOfContexts(t *testing.T) {
	expired := func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), -1) }
	cancelled := func() (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return ctx, cancel
	}
	// The deadline is not in sight when the wait begins, and the wait lasts until the context is done.
	expires := func() (context.Context, context.CancelFunc) {
		late := lateContext{t.Context(), make(chan struct{})}
		return late, func() {}
	}
	lost := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	unavailable := roundTripper(func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 503}, nil })
	for name, row := range map[string]struct {
		ctx       func() (context.Context, context.CancelFunc)
		base      http.RoundTripper
		want      error
		isTimeout bool
		failure   error // that is kept
	}{
		"cancelled before":            {cancelled, failing{io.EOF}, context.Canceled, false, nil},
		"expired before":              {expired, failing{io.EOF}, context.DeadlineExceeded, true, nil},
		"expired in a wait":           {expires, unavailable, context.DeadlineExceeded, true, nil},
		"expired after a lost answer": {expires, failing{lost}, context.DeadlineExceeded, true, syscall.ECONNRESET},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := row.ctx()
			defer cancel()
			client := newClientOver(t, row.base, backoffhttp.WithRetry(
				backoff.WithPolicyString("constant:base=1h,max_retries=1"),
				backoff.OnRetry(func(backoff.Event) { close(ctx.(lateContext).done) })))
			request := newRequest(t, ctx, "GET", "http://example.com", nil)
			_, err := client.Transport.RoundTrip(request)
			if !errors.Is(err, row.want) || row.failure == nil && err != row.want || row.failure != nil && !errors.Is(err, row.failure) {
				t.Errorf("RoundTrip failed with %#v", err)
			}
			if os.IsTimeout(err) != row.isTimeout {
				t.Errorf("a timeout: %v", os.IsTimeout(err))
			}
		})
	}
	t.Run("in the client", func(t *testing.T) {
		ctx, cancel := expired()
		defer cancel()
		request := newRequest(t, ctx, "GET", "http://example.com", nil)
		if _, err := newClientOver(t, failing{io.EOF}).Do(request); !os.IsTimeout(err) {
			t.Errorf("no timeout: %v", err)
		}
	})
}

// A lateContext expires when its channel is closed.
type lateContext struct {
	context.Context
	done chan struct{}
}

func (c lateContext) Done() <-chan struct{} { return c.done }

func (c lateContext) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A caller who cancels in the wait after a failure of the network gets both errors, as from backoff.Retry.
func TestCancelAfterAFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	client := newClientOver(t, failing{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, backoffhttp.WithRetry(
		backoff.WithPolicyString("constant:base=1h,max_retries=1"), backoff.OnRetry(func(backoff.Event) { cancel() })))
	request := newRequest(t, ctx, "GET", "http://example.com", nil)
	_, err := client.Do(request)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, syscall.ECONNREFUSED) || os.IsTimeout(err) {
		t.Errorf("failed with %v", err)
	}
	if want := `Get "http://example.com": context canceled after a failure: dial: connection refused`; err.Error() != want {
		t.Errorf("failed with %s", err)
	}
}

// With WithReadBody, a body that ends with a deadline is a timeout to the loop and to the caller.
func TestTimeoutOfABody(t *testing.T) {
	for name, row := range map[string]struct {
		end     error
		outcome backoff.Outcome
	}{
		"a deadline": {context.DeadlineExceeded, backoff.OutcomeTimeout},
		"a socket":   {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, backoff.OutcomeTimeout},
		"an end":     {io.ErrUnexpectedEOF, backoff.OutcomeTransient},
		"any other":  {errors.New("the gateway has gone"), backoff.OutcomeTransient},
	} {
		base := roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(row.end)))}, nil
		})
		client := newClientOver(t, base, backoffhttp.WithReadBody(), backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")))
		_, err := client.Get("http://example.com")
		if timeout := row.outcome == backoff.OutcomeTimeout; !errors.Is(err, row.end) || os.IsTimeout(err) != timeout || client.events[0].Outcome != row.outcome {
			t.Errorf("%s: a timeout %v, %v, %v", name, os.IsTimeout(err), err, client.events)
		}
	}
}

// An answer that is not HTTP is transient, whenever it comes and however net/http words it.
func TestAnswersThatAreNotHTTP(t *testing.T) {
	for _, answer := range []string{
		"garbage\r\n\r\n",
		"HTTP/1.1 what\r\n\r\n",
		"HTTP/one 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
		"HTTP/1.1 200 OK\r\n indented: 1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: strange\r\n\r\n",
	} {
		// The error of a connection that is not yet closed, which net/http does not decorate.
		response, plain := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
		if plain == nil {
			_ = response.Body.Close()
			t.Errorf("%q is HTTP", answer)
			continue
		}
		client := newClientOver(t, failing{plain}, backoffhttp.WithRetry(backoff.WithPolicyString("off")))
		if _, err := client.Get("http://example.com"); !errors.Is(err, plain) || client.events[0].Outcome != backoff.OutcomeTransient {
			t.Errorf("%q: %v", answer, client.events)
		}
		// As it comes: the server answers before it is asked, or after.
		client = newClient(t, false, backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")))
		if _, err := client.Get("http://" + answerAtOnce(t, answer)); err == nil || len(client.events) != 2 {
			t.Errorf("%q: %v, %v", answer, err, client.events)
		}
	}
	// Of a connection that got more than was asked for, before it was asked; and of HTTP/2.
	for _, text := range []string{
		"readLoopPeekFailLocked: %!w(<nil>)",
		"http: persistConn.readLoop exiting",
		"malformed response from server: missing status pseudo header",
		"net/http: server response headers exceeded 10485760 bytes; aborted",
	} {
		client := newClientOver(t, failing{errors.New(text)}, backoffhttp.WithRetry(backoff.WithPolicyString("off")))
		if _, err := client.Get("http://example.com"); err == nil || client.events[0].Outcome != backoff.OutcomeTransient {
			t.Errorf("%s: %v", text, client.events)
		}
	}
}

// answerAtOnce starts a server that answers every connection without reading, and returns its address.
func answerAtOnce(t *testing.T, answer string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(connection, answer)
			_ = connection.Close()
		}
	}()
	return listener.Addr().String()
}
