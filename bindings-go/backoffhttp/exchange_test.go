// What an attempt leaves behind, and what it takes from the one before.

package backoffhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// The context of an attempt ends with the attempt, or with the body of its response.
func TestContextsOfAttempts(t *testing.T) {
	answer := func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("text"))}, nil
	}
	for name, row := range map[string]struct {
		base roundTripper
		end  func(*http.Response)
	}{
		"an error":   {func(*http.Request) (*http.Response, error) { return nil, io.EOF }, nil},
		"nothing":    {func(*http.Request) (*http.Response, error) { return nil, nil }, nil},
		"a panic":    {func(*http.Request) (*http.Response, error) { panic("a bug") }, nil},
		"a read":     {answer, func(response *http.Response) { _, _ = io.ReadAll(response.Body) }},
		"a Close":    {answer, func(response *http.Response) { _ = response.Body.Close() }},
		"a bad body": {func(*http.Request) (*http.Response, error) { return badResponse(), nil }, func(response *http.Response) { _, _ = io.ReadAll(response.Body) }},
	} {
		t.Run(name, func(t *testing.T) {
			var contexts []context.Context
			transport := newTransport(t, roundTripper(func(request *http.Request) (*http.Response, error) {
				contexts = append(contexts, request.Context())
				return row.base(request)
			}), backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")))
			func() {
				defer func() { _ = recover() }()
				response, _ := transport.RoundTrip(httptest.NewRequest("GET", "http://example.com", nil))
				if response != nil {
					if contexts[0].Err() != nil {
						t.Error("the context ended before the body")
					}
					row.end(response)
				}
			}()
			for i, ctx := range contexts {
				if ctx.Err() == nil {
					t.Errorf("the context of attempt %d of %d has not ended", i+1, len(contexts))
				}
			}
		})
	}
}

func badResponse() *http.Response {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(iotest.ErrReader(errors.New("the gateway has gone")))}
}

// A RoundTripper that returns a response and an error has failed. The body is closed, if there is one.
func TestAResponseWithAnError(t *testing.T) {
	for _, body := range []*stream{nil, {Reader: strings.NewReader("text")}} {
		client := newClientOver(t, roundTripper(func(*http.Request) (*http.Response, error) {
			response := &http.Response{StatusCode: 200}
			if body != nil {
				response.Body = body
			}
			return response, io.EOF
		}), backoffhttp.WithReadBody(), backoffhttp.WithRetry(backoff.WithPolicyString("off")))
		response, err := client.Transport.RoundTrip(httptest.NewRequest("GET", "http://example.com", nil))
		if response != nil || err != io.EOF {
			t.Errorf("%v, %v", response, err)
		}
		if body != nil && body.closed.Load() != 1 {
			t.Errorf("the body was closed %d times", body.closed.Load())
		}
	}
}

// An event has no status of an attempt before (SPEC 19.9).
func TestTheStatusIsThatOfTheLastAttempt(t *testing.T) {
	calls := 0
	base := roundTripper(func(*http.Request) (*http.Response, error) {
		if calls++; calls == 1 {
			return &http.Response{StatusCode: 503}, nil
		}
		return nil, io.EOF
	})
	var statuses []int
	note := func(event backoffhttp.Event) { statuses = append(statuses, event.Status) }
	transport := newTransport(t, base, backoffhttp.OnRetry(note), backoffhttp.OnStop(note),
		backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")))
	if _, err := transport.RoundTrip(httptest.NewRequest("GET", "http://example.com", nil)); err != io.EOF {
		t.Error(err)
	}
	if len(statuses) != 2 || statuses[0] != 503 || statuses[1] != 0 {
		t.Errorf("statuses %v", statuses)
	}
}

// A response whose body is not read has its own body, whatever an attempt before has read.
func TestAnUpgradeAfterABodyThatWasRead(t *testing.T) {
	connection, other := net.Pipe()
	defer func() { _ = other.Close() }()
	answers := []*http.Response{
		{StatusCode: 503, Body: io.NopCloser(strings.NewReader("text"))},
		{StatusCode: http.StatusSwitchingProtocols, Body: connection},
	}
	calls := 0
	client := newClientOver(t, roundTripper(func(*http.Request) (*http.Response, error) {
		calls++
		return answers[calls-1], nil
	}), backoffhttp.WithReadBody(), backoffhttp.WithClassify(func(*http.Request, *http.Response, error) backoff.Verdict { return nil }))
	response, err := client.Transport.RoundTrip(httptest.NewRequest("GET", "http://example.com", nil))
	if err != nil || calls != 2 {
		t.Fatalf("%v after %d calls", err, calls)
	}
	writer, ok := response.Body.(io.Writer) // and cannot be closed half
	if !ok {
		t.Fatalf("%T is no connection", response.Body)
	}
	go func() {
		_, _ = io.WriteString(writer, "ping")
		_ = response.Body.Close()
	}()
	if sent, err := io.ReadAll(other); string(sent) != "ping" || err != nil {
		t.Errorf("sent %q, %v", sent, err)
	}
}

// The caller gets the error of a body that does not close.
func TestABodyThatDoesNotClose(t *testing.T) {
	wrong := errors.New("it does not close")
	client := newClientOver(t, roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: unclosable{http.NoBody, func() error { return wrong }}}, nil
	}))
	response, err := client.Get("http://example.com")
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != wrong {
		t.Error(err)
	}
}

// unclosable is a body with a Close of its own.
type unclosable struct {
	io.Reader
	onClose func() error
}

func (u unclosable) Close() error { return u.onClose() }

// A request whose body was sent is not closed once more when its caller cancels in a wait.
func TestACancelledWaitClosesNoBody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	base := roundTripper(func(request *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 503}, request.Body.Close()
	})
	client := newClientOver(t, base, backoffhttp.WithRetry(backoff.OnRetry(func(backoff.Event) { cancel() })))
	request := newRequest(t, ctx, "PUT", "http://example.com", strings.NewReader("text"))
	closed := countCloses(request)
	if _, err := client.Transport.RoundTrip(request); !errors.Is(err, context.Canceled) || closed.closed.Load() != 1 {
		t.Errorf("failed with %v, closed the body %d times", err, closed.closed.Load())
	}
}

// Of two limits of an attempt the shorter one counts.
func TestTheShorterLimitCounts(t *testing.T) {
	base := roundTripper(func(request *http.Request) (*http.Response, error) {
		<-request.Context().Done()
		return nil, request.Context().Err()
	})
	client := newClientOver(t, base, backoffhttp.WithAttemptTimeout(20*time.Millisecond),
		backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=0,attempt_timeout=2s")))
	if _, err := client.Get("http://example.com"); err == nil || !strings.HasSuffix(err.Error(), ": no response within the attempt timeout of 20ms") {
		t.Errorf("failed with %v", err)
	}
}
