package backoffhttp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// Hooks know the request, also when the network failed. No secret of the URL is shown.
func TestEventsNameTheRequest(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	answers := []func() (*http.Response, error){
		func() (*http.Response, error) { return nil, refused },
		func() (*http.Response, error) { return &http.Response{StatusCode: 503}, nil },
		func() (*http.Response, error) { return &http.Response{StatusCode: 404}, nil },
	}
	double := roundTripper(func(*http.Request) (*http.Response, error) {
		answer := answers[0]
		answers = answers[1:]
		return answer()
	})
	var lines, logs []string
	var requests []*http.Request
	var stats backoff.RetryStats
	hook := func(event backoffhttp.Event) {
		event.Elapsed = 0
		requests = append(requests, event.Request)
		text, err := json.Marshal(event)
		if err != nil {
			t.Error(err)
		}
		lines = append(lines, event.String(), string(text))
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})).Info("retry", "http", event)
		logs = append(logs, log.String())
	}
	transport := newTransport(t, double, backoffhttp.OnRetry(hook), backoffhttp.OnStop(hook),
		backoffhttp.WithRetry(backoff.WithPolicyString("constant:base=1ns,max_retries=5"), backoff.WithStats(&stats)))
	request := newRequest(t, t.Context(), "GET", "http://user:secret@example.com/a%2Fb/c?key=secret#secret", nil)
	if _, err := transport.RoundTrip(request); err != nil {
		t.Fatal(err)
	}
	post := newRequest(t, t.Context(), "POST", "https://example.com/", strings.NewReader("text"))
	answers = []func() (*http.Response, error){func() (*http.Response, error) { return nil, io.EOF }}
	if _, err := transport.RoundTrip(post); err != io.EOF {
		t.Error(err)
	}
	want := []string{
		"GET http://example.com/a%2Fb/c: attempt 1: dial tcp: connection refused: transient, waiting 1ns",
		`{"method":"GET","url":"http://example.com/a%2Fb/c","attempts":1,"outcome":"transient","reason":"none","delay":1,"elapsed":0,"err":"dial tcp: connection refused"}`,
		"GET http://example.com/a%2Fb/c: attempt 2: status 503: throttled, waiting 1ns",
		`{"method":"GET","url":"http://example.com/a%2Fb/c","status":503,"attempts":2,"outcome":"throttled","reason":"none","delay":1,"elapsed":0}`,
		"GET http://example.com/a%2Fb/c: attempt 3: status 404: stopped: permanent",
		`{"method":"GET","url":"http://example.com/a%2Fb/c","status":404,"attempts":3,"outcome":"permanent","reason":"permanent","delay":0,"elapsed":0}`,
		"POST https://example.com/: attempt 1: EOF: not repeatable (method): stopped: permanent",
		`{"method":"POST","url":"https://example.com/","sent_once":"method","attempts":1,"outcome":"permanent","reason":"permanent","delay":0,"elapsed":0,"err":"EOF"}`,
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
	if want := "level=INFO msg=retry http.method=POST http.url=https://example.com/ http.sent_once=method http.attempts=1 http.outcome=permanent http.reason=permanent http.delay=0s http.elapsed=0s http.err=EOF\n"; logs[3] != want {
		t.Errorf("logged %s", logs[3])
	}
	if requests[0] != request || requests[3] != post {
		t.Error("the events have other requests")
	}
	if counts := stats.Counts(); counts.Operations != 2 || counts.Attempts != 4 {
		t.Errorf("counted %+v", counts)
	}
}

// The text of an error shows no secret of a URL either. The error itself stays as it is.
func TestEventsShowNoSecretsOfErrors(t *testing.T) {
	inner := &url.Error{Op: "Get", URL: "http://user:secret@example.com/a?key=secret#secret", Err: io.EOF}
	for _, row := range []struct {
		err  error
		want string
	}{
		{inner, `Get "http://example.com/a": EOF`},
		{fmt.Errorf("calling (https://me@example.com?secret), then http://user:sec@ret@b/c#secret: %w", inner), `calling (https://example.com), then http://b/c: Get "http://example.com/a": EOF`},
		{errors.New("mail to me@example.com failed"), "mail to me@example.com failed"},
	} {
		var shown []string
		transport, err := backoffhttp.New(failing{row.err}, backoffhttp.OnStop(func(event backoffhttp.Event) {
			text, err := json.Marshal(event)
			if err != nil {
				t.Error(err)
			}
			var decoded struct{ Err string }
			if err := json.Unmarshal(text, &decoded); err != nil {
				t.Error(err)
			}
			shown = append(shown, decoded.Err)
			for _, attr := range event.LogValue().Group() {
				if attr.Key == "err" {
					shown = append(shown, attr.Value.String())
				}
			}
			line := strings.TrimSuffix(strings.TrimPrefix(event.String(), "GET http://example.com/: attempt 1: "), ": stopped: permanent")
			shown = append(shown, line)
			if event.Err != row.err {
				t.Errorf("the error is %v", event.Err)
			}
		}), backoffhttp.WithRetry(backoff.WithPolicyString("off")), backoffhttp.WithClassify(
			func(*http.Request, *http.Response, error) backoff.Verdict { return backoff.OutcomePermanent }))
		if err != nil {
			t.Fatal(err)
		}
		request := newRequest(t, t.Context(), "GET", "http://example.com/", nil)
		if _, err := transport.RoundTrip(request); err != row.err {
			t.Errorf("failed with %v", err)
		}
		if want := []string{row.want, row.want, row.want}; !slices.Equal(shown, want) {
			t.Errorf("shown %q, want %q", shown, row.want)
		}
	}
}

// An opaque URL may have all that is not shown.
func TestOpaqueURLs(t *testing.T) {
	for opaque, want := range map[string]string{
		"//user:secret@example.com/a?secret#secret": "http://example.com/a",
		"mailbox": "http://proxy",
		"//%":     "http://proxy",
	} {
		var last backoffhttp.Event
		transport := newTransport(t, failing{errors.New("a failure")}, backoffhttp.OnStop(func(event backoffhttp.Event) { last = event }))
		if _, err := transport.RoundTrip(&http.Request{URL: &url.URL{Scheme: "http", Host: "proxy", Opaque: opaque}}); err == nil {
			t.Error("no error")
		}
		if last.URL != want || last.Method != "GET" {
			t.Errorf("%s: %s %s", opaque, last.Method, last.URL)
		}
	}
}

// A budget and an attempt timeout see the requests that are sent once, too.
func TestBudgetsSeeRequestsThatAreSentOnce(t *testing.T) {
	budget, err := backoff.ParseBudget("ratio:max_tokens=1,ratio=0.5")
	if err != nil {
		t.Fatal(err)
	}
	statuses := []int{503, 503, 200, 503, 200}
	double := roundTripper(func(*http.Request) (*http.Response, error) {
		status := statuses[0]
		statuses = statuses[1:]
		return &http.Response{StatusCode: status}, nil
	})
	transport := newTransport(t, double, backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=9"), backoff.WithBudget(budget)))
	for _, row := range []struct {
		method string
		want   int
	}{
		{"GET", 503},  // its retry takes the only token, and the next one is refused
		{"POST", 200}, // adds a half
		{"GET", 200},  // adds the other half and needs both
	} {
		request := newRequest(t, t.Context(), row.method, "http://example.com", nil)
		response, err := transport.RoundTrip(request)
		if err != nil || response.StatusCode != row.want {
			t.Errorf("%s: %v, %v", row.method, response, err)
		}
	}
	if len(statuses) != 0 {
		t.Errorf("%d answers are left", len(statuses))
	}
}
