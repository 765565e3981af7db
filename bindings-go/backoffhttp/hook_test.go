// What hooks see of a response, and what they leave of it.

package backoffhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// everyHook returns options with hooks of each kind, and one of the whole program. All of them call the function.
func everyHook(t *testing.T, hook func(backoff.Event)) []backoffhttp.Option {
	t.Helper()
	both := backoff.WithOptions(backoff.OnRetry(hook), backoff.OnStop(hook))
	restore, err := backoff.SetDefaults(both)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(restore)
	ours := func(event backoffhttp.Event) { hook(event.Event) }
	return []backoffhttp.Option{
		backoffhttp.WithRetry(backoff.WithOptions(both, both)),
		backoffhttp.OnRetry(ours), backoffhttp.OnRetry(ours), backoffhttp.OnStop(ours), backoffhttp.OnStop(ours),
	}
}

const hooks = 5 // of everyHook, for each event

// The value of an event is the response, and nil without one, which a hook need not know the type of.
func TestTheValueOfAnEvent(t *testing.T) {
	gone := func(*http.Request) (*http.Response, error) { return nil, io.EOF }
	answer := func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 503}, nil }
	broken := func(*http.Request) (*http.Response, error) { return nil, nil }
	short := func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 503, Body: io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))}, nil
	}
	for name, row := range map[string]struct {
		attempts [2]roundTripper
		statuses []int // of the values, 0 for nil
		readBody bool
	}{
		"a failure":                       {[2]roundTripper{gone, gone}, []int{0, 0}, false},
		"a response":                      {[2]roundTripper{answer, answer}, []int{503, 503}, false},
		"a failure after a response":      {[2]roundTripper{answer, gone}, []int{503, 0}, false},
		"a response after a failure":      {[2]roundTripper{gone, answer}, []int{0, 503}, true},
		"a broken RoundTripper":           {[2]roundTripper{broken, nil}, []int{0}, false},
		"a body that fails":               {[2]roundTripper{short, short}, []int{0, 0}, true},
		"a body that fails after another": {[2]roundTripper{answer, short}, []int{503, 0}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var statuses []int
			options := everyHook(t, func(event backoff.Event) {
				if event.Value == nil {
					statuses = append(statuses, 0)
				} else {
					statuses = append(statuses, event.Value.(*http.Response).StatusCode)
				}
			})
			if row.readBody {
				options = append(options, backoffhttp.WithReadBody())
			}
			calls := 0
			transport := newTransport(t, roundTripper(func(request *http.Request) (*http.Response, error) {
				calls++
				return row.attempts[calls-1](request)
			}), append(options, backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")))...)
			_, _ = transport.RoundTrip(httptest.NewRequest("GET", "http://example.com", nil))
			var want []int
			for _, status := range row.statuses {
				want = append(want, slices.Repeat([]int{status}, hooks)...)
			}
			if !slices.Equal(statuses, want) {
				t.Errorf("the values are %v, want %v", statuses, want)
			}
		})
	}
}

// An attempt that panics has no value, also if its response has come.
func TestEventsWithoutAValue(t *testing.T) {
	for _, base := range []roundTripper{
		func(*http.Request) (*http.Response, error) { panic("a bug") },
		func(*http.Request) (*http.Response, error) { return &http.Response{StatusCode: 503}, nil },
	} {
		seen := 0
		options := append(everyHook(t, func(event backoff.Event) {
			if seen++; event.Value != nil {
				t.Errorf("the value is %v", event.Value)
			}
		}), backoffhttp.WithClassify(func(*http.Request, *http.Response, error) backoff.Verdict { panic("a bug") }))
		transport := newTransport(t, base, options...)
		func() {
			defer func() { _ = recover() }()
			_, _ = transport.RoundTrip(httptest.NewRequest("GET", "http://example.com", nil))
		}()
		if seen != hooks {
			t.Errorf("%d events", seen)
		}
	}
}

// The response stays the value of the last call when its caller cancels in the wait after it.
func TestTheValueOfACancelledWait(t *testing.T) {
	for _, options := range [][]backoffhttp.Option{nil, {backoffhttp.WithReadBody()}} {
		ctx, cancel := context.WithCancel(t.Context())
		var contents []string
		transport := newTransport(t, roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 503, Body: io.NopCloser(strings.NewReader("busy"))}, nil
		}), append(options, backoffhttp.OnRetry(func(backoffhttp.Event) { cancel() }), backoffhttp.OnStop(func(event backoffhttp.Event) {
			response, ok := event.Value.(*http.Response)
			if !ok || response.StatusCode != 503 || event.Status != 503 || event.Reason != backoff.StopCancelled {
				t.Fatalf("the value is %v of %v", event.Value, event)
			}
			if options != nil {
				content, err := io.ReadAll(response.Body)
				if err != nil {
					t.Error(err)
				}
				contents = append(contents, string(content))
			}
		}))...)
		if _, err := transport.RoundTrip(newRequest(t, ctx, "GET", "http://example.com", nil)); err != context.Canceled {
			t.Errorf("failed with %v", err)
		}
		if options != nil && !slices.Equal(contents, []string{"busy"}) {
			t.Errorf("read %q", contents)
		}
	}
}

// With WithReadBody, each hook, the function of WithClassify and the caller get the whole body, whoever has read it before.
func TestHooksReadBodies(t *testing.T) {
	for _, status := range []int{200, 400, 503} {
		var read []string
		note := func(response *http.Response) {
			content, err := io.ReadAll(response.Body)
			if err := errors.Join(err, response.Body.Close()); err != nil {
				t.Error(err)
			}
			read = append(read, string(content))
		}
		options := append(everyHook(t, func(event backoff.Event) { note(event.Value.(*http.Response)) }),
			backoffhttp.WithReadBody(), backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")),
			backoffhttp.WithClassify(func(_ *http.Request, response *http.Response, _ error) backoff.Verdict {
				note(response)
				return nil
			}))
		transport := newTransport(t, roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("why it failed"))}, nil
		}), options...)
		response, err := transport.RoundTrip(httptest.NewRequest("GET", "http://example.com", nil))
		if err != nil {
			t.Fatal(err)
		}
		note(response)
		attempts := 1
		if status == 503 {
			attempts = 2
		}
		if want := slices.Repeat([]string{"why it failed"}, attempts*(hooks+1)+1); !slices.Equal(read, want) {
			t.Errorf("status %d: read %q", status, read)
		}
	}
}
