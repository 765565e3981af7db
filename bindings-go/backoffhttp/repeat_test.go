package backoffhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// The caller's predicate is above methods and keys, and the switch for a request is above the predicate. Nothing makes a
// body repeatable.
func TestMayRepeat(t *testing.T) {
	search := func(request *http.Request) bool { return strings.HasSuffix(request.URL.Path, "/_search") }
	none := func(*http.Request) bool { return false }
	once, repeated := backoffhttp.WithoutRetries(t.Context()), backoffhttp.WithRetries(t.Context())
	for name, row := range map[string]struct {
		ctx          context.Context
		method, path string
		predicate    func(*http.Request) bool
		body         io.Reader
		want         backoffhttp.SentOnce
	}{
		"a search":                 {t.Context(), "POST", "/_search", search, strings.NewReader("text"), ""},
		"no search":                {t.Context(), "GET", "/", search, nil, backoffhttp.SentOnceCaller},
		"a stream":                 {t.Context(), "POST", "/_search", search, io.MultiReader(), backoffhttp.SentOnceBody},
		"once":                     {once, "POST", "/_search", search, nil, backoffhttp.SentOnceCaller},
		"repeated":                 {repeated, "DELETE", "/", none, nil, ""},
		"repeated, without a rule": {repeated, "PATCH", "/", nil, nil, ""},
		"the last switch counts":   {backoffhttp.WithRetries(once), "PATCH", "/", nil, nil, ""},
		"a method":                 {t.Context(), "PATCH", "/", nil, nil, backoffhttp.SentOnceMethod},
	} {
		t.Run(name, func(t *testing.T) {
			var options []backoffhttp.Option
			if row.predicate != nil {
				options = append(options, backoffhttp.WithMayRepeat(row.predicate))
			}
			var last backoffhttp.Event
			options = append(options, backoffhttp.OnStop(func(event backoffhttp.Event) { last = event }),
				backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")))
			transport := newTransport(t, failing{io.EOF}, options...)
			request := newRequest(t, row.ctx, row.method, "http://example.com"+row.path, row.body)
			if _, err := transport.RoundTrip(request); err != io.EOF {
				t.Error(err)
			}
			if attempts := map[bool]uint64{true: 2, false: 1}[row.want == ""]; last.SentOnce != row.want || last.Attempts != attempts {
				t.Errorf("%q after %d attempts", last.SentOnce, last.Attempts)
			}
		})
	}
}

// A request that got no connection was never sent, so it is repeated whatever its method. One that got a connection may
// have been sent.
func TestRequestsThatWereNeverSent(t *testing.T) {
	// A busy machine may end a shorter attempt before net/http asks for a connection.
	const dialLimit = 500 * time.Millisecond
	end := make(chan struct{}) // http.Transport does not cancel a dial
	defer close(end)
	hangs := func(context.Context, string, string) (net.Conn, error) {
		<-end
		return nil, errors.New("the test has ended")
	}
	server := serve(t, aborted)
	refusing := httptest.NewServer(status(502))
	defer refusing.Close()
	for name, row := range map[string]struct {
		base     http.RoundTripper
		url      string
		attempts uint64
		outcome  backoff.Outcome
	}{
		"a dial that hangs": {&http.Transport{DialContext: hangs}, "http://example.com", 3, backoff.OutcomeTimeout},
		"a proxy that is away": {&http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
			return url.Parse("http://127.0.0.1:1")
		}}, "http://example.com", 3, backoff.OutcomeTransient},
		"a proxy that refuses": {&http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
			return url.Parse(refusing.URL)
		}}, "https://example.com", 3, backoff.OutcomeTransient},
		"another RoundTripper, a lookup":        {failing{&net.DNSError{Name: "example.com", IsNotFound: true}}, "http://example.com", 3, backoff.OutcomeTransient},
		"another RoundTripper, refused":         {failing{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, "http://example.com", 3, backoff.OutcomeTransient},
		"another RoundTripper, reset":           {failing{&net.OpError{Op: "read", Err: syscall.ECONNRESET}}, "http://example.com", 1, backoff.OutcomePermanent},
		"another RoundTripper, no connection":   {asking(false, nil, io.EOF), "http://example.com", 3, backoff.OutcomeTransient},
		"another RoundTripper, a connection":    {asking(true, nil, io.EOF), "http://example.com", 1, backoff.OutcomePermanent},
		"another RoundTripper, lost connection": {failing{io.EOF}, "http://example.com", 1, backoff.OutcomePermanent},
		"a lost connection":                     {&http.Transport{DisableKeepAlives: true}, server.URL, 1, backoff.OutcomePermanent},
	} {
		t.Run(name, func(t *testing.T) {
			var last backoffhttp.Event
			transport := newTransport(t, row.base, backoffhttp.OnStop(func(event backoffhttp.Event) { last = event }),
				backoffhttp.WithAttemptTimeout(map[bool]time.Duration{true: dialLimit, false: time.Minute}[row.outcome == backoff.OutcomeTimeout]),
				backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=2")))
			client := &http.Client{Transport: transport}
			if _, err := client.Post(row.url, "text/plain", strings.NewReader("text")); err == nil {
				t.Error("no error")
			}
			if last.Attempts != row.attempts || last.Outcome != row.outcome || last.SentOnce != backoffhttp.SentOnceMethod {
				t.Errorf("%v", last)
			}
		})
	}
}

// asking is a RoundTripper that asks for a connection, perhaps gets one, and writes nothing.
func asking(connects bool, response *http.Response, err error) roundTripper {
	return func(request *http.Request) (*http.Response, error) {
		hooks := httptrace.ContextClientTrace(request.Context())
		if hooks.GetConn("example.com:80"); connects {
			hooks.GotConn(httptrace.GotConnInfo{})
		}
		return response, err
	}
}

// A response, even of a RoundTripper that got no connection, is no sign that the request was never sent.
func TestAResponseWithoutAConnection(t *testing.T) {
	client := newClientOver(t, asking(false, &http.Response{StatusCode: 503}, nil))
	response, err := client.Post("http://example.com", "text/plain", strings.NewReader("text"))
	if status, _ := read(t, response, err); status != 503 || len(client.events) != 1 || client.events[0].Outcome != backoff.OutcomePermanent {
		t.Errorf("status %d, %v", status, client.events)
	}
}

// A reverse proxy and an SDK that streams work as over any other RoundTripper.
func TestStreamsGoThrough(t *testing.T) {
	behind := serve(t, hello)
	target, err := url.Parse(behind.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := newTransport(t, &http.Transport{DisableKeepAlives: true})
	proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
	defer proxy.Close()
	request := newRequest(t, t.Context(), "PUT", proxy.URL, io.NopCloser(strings.NewReader("text")))
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if status, _ := read(t, response, err); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if got := behind.bodies(); !slices.Equal(got, []string{"text"}) {
		t.Errorf("the server got %q", got)
	}
}

// Each attempt has the header of the caller, whatever a RoundTripper below adds to it.
func TestHeadersOfAttempts(t *testing.T) {
	var got [][]string
	base := roundTripper(func(request *http.Request) (*http.Response, error) {
		request.Header.Add("X-Trace", "inner")
		got = append(got, request.Header["X-Trace"])
		return nil, io.EOF
	})
	transport := newTransport(t, base, backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")))
	request := httptest.NewRequest("GET", "http://example.com", nil)
	request.Header.Set("X-Trace", "outer")
	if _, err := transport.RoundTrip(request); err != io.EOF {
		t.Error(err)
	}
	for _, values := range got {
		if !slices.Equal(values, []string{"outer", "inner"}) {
			t.Errorf("an attempt has %q", values)
		}
	}
	if len(got) != 2 || !slices.Equal(request.Header["X-Trace"], []string{"outer"}) {
		t.Errorf("%d attempts, and the caller has %q", len(got), request.Header["X-Trace"])
	}
}

// The function of WithClassify sees the request and how the attempt ended, before any rule. With WithReadBody it may read
// the body, which the caller gets all the same.
func TestClassify(t *testing.T) {
	server := serve(t, status(200), status(404), aborted, status(500))
	wrong := errors.New("no request")
	var seen []string
	classify := func(request *http.Request, response *http.Response, err error) backoff.Verdict {
		if request.URL.Path != "/a" {
			t.Error(wrong)
		}
		if err != nil {
			seen = append(seen, "error")
			return nil
		}
		content, err := io.ReadAll(response.Body)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, string(content))
		return map[int]backoff.Verdict{200: backoff.OutcomeThrottled.WithRetryAfter(2 * time.Millisecond), 404: backoff.OutcomeTransient, 500: backoff.OutcomeSuccess}[response.StatusCode]
	}
	client := newClient(t, false, backoffhttp.WithReadBody(), backoffhttp.WithClassify(classify))
	response, err := client.Get(server.URL + "/a")
	if status, body := read(t, response, err); status != 500 || body != "body of 500" {
		t.Errorf("%d, %q", status, body)
	}
	if want := []string{"body of 200", "body of 404", "error", "body of 500"}; !slices.Equal(seen, want) {
		t.Errorf("saw %q", seen)
	}
	var outcomes []backoff.Outcome
	for _, event := range client.events {
		outcomes = append(outcomes, event.Outcome)
	}
	if want := []backoff.Outcome{3, 2, 2, 1}; !slices.Equal(outcomes, want) || client.events[0].Delay != 2*time.Millisecond {
		t.Errorf("outcomes %v, first delay %v", outcomes, client.events[0].Delay)
	}
}

// A function of the caller that panics leaves no body open.
func TestFunctionsThatPanic(t *testing.T) {
	for name, option := range map[string]backoffhttp.Option{
		"WithMayRepeat": backoffhttp.WithMayRepeat(func(*http.Request) bool { panic("a bug") }),
		"WithClassify":  backoffhttp.WithClassify(func(*http.Request, *http.Response, error) backoff.Verdict { panic("a bug") }),
		"OnRetry":       backoffhttp.OnRetry(func(backoffhttp.Event) { panic("a bug") }),
		"OnStop":        backoffhttp.OnStop(func(backoffhttp.Event) { panic("a bug") }),
	} {
		t.Run(name, func(t *testing.T) {
			closed := &stream{Reader: strings.NewReader("text")}
			base := roundTripper(func(request *http.Request) (*http.Response, error) {
				status := map[bool]int{true: 503, false: 404}[name == "OnRetry"]
				return &http.Response{StatusCode: status, Body: closed}, request.Body.Close()
			})
			var stops []backoff.StopReason
			hook := backoff.OnStop(func(event backoff.Event) { stops = append(stops, event.Reason) })
			transport := newTransport(t, base, option, backoffhttp.WithRetry(hook))
			request := httptest.NewRequest("PUT", "http://example.com", strings.NewReader("text"))
			sent := countCloses(request)
			func() {
				defer func() {
					if recover() != "a bug" {
						t.Error("no panic")
					}
				}()
				_, _ = transport.RoundTrip(request)
			}()
			if want := map[string][]backoff.StopReason{"WithClassify": {backoff.StopCancelled}, "OnStop": {backoff.StopPermanent}}[name]; !slices.Equal(stops, want) {
				t.Errorf("stopped with %v", stops)
			}
			if want := map[bool]int64{true: 0, false: 1}[name == "WithMayRepeat"]; sent.closed.Load() != 1 || closed.closed.Load() != want {
				t.Errorf("closed %d and %d bodies", sent.closed.Load(), closed.closed.Load())
			}
		})
	}
}

// following is a RoundTripper that follows redirects.
type following struct{ client http.Client }

func (f *following) RoundTrip(request *http.Request) (*http.Response, error) {
	return f.client.Do(request)
}

// The server may have a request whose error is that of a later connection.
func TestFailuresAfterTheRequest(t *testing.T) {
	posts := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posts++
		http.Redirect(w, r, "http://127.0.0.1:1/thanks", http.StatusSeeOther)
	}))
	defer server.Close()
	transport := newTransport(t, &following{}, backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=3")))
	request := newRequest(t, t.Context(), "POST", server.URL, strings.NewReader("pay 10"))
	if _, err := transport.RoundTrip(request); err == nil {
		t.Error("a redirect to nobody succeeds")
	}
	if posts != 1 {
		t.Errorf("the server saw %d requests", posts)
	}
}

// prefixing changes the URL that it gets, which no RoundTripper may.
type prefixing struct{ seen []string }

func (p *prefixing) RoundTrip(request *http.Request) (*http.Response, error) {
	request.URL.Path = "/v1" + request.URL.Path
	p.seen = append(p.seen, request.URL.Path)
	return nil, io.EOF
}

func TestURLsOfAttempts(t *testing.T) {
	base := &prefixing{}
	var last backoffhttp.Event
	transport := newTransport(t, base, backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=2")),
		backoffhttp.OnStop(func(event backoffhttp.Event) { last = event }))
	request := newRequest(t, t.Context(), "GET", "http://example.com/a", nil)
	if _, err := transport.RoundTrip(request); err != io.EOF {
		t.Error(err)
	}
	if want := []string{"/v1/a", "/v1/a", "/v1/a"}; !slices.Equal(base.seen, want) {
		t.Errorf("sent %v", base.seen)
	}
	if want := "http://example.com/a"; last.URL != want {
		t.Errorf("the event has %s", last.URL)
	}
}

// switching answers with a body that can be closed half.
type switching struct {
	io.ReadWriteCloser
	closedHalf bool
}

func (s *switching) CloseWrite() error {
	s.closedHalf = true
	return nil
}

func (s *switching) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusSwitchingProtocols, Body: s}, nil
}

// 101 Switching Protocols has a body that can be written and closed half.
func TestUpgrade(t *testing.T) {
	connection, other := net.Pipe()
	base := &switching{ReadWriteCloser: connection}
	response, err := newClientOver(t, base).Transport.RoundTrip(httptest.NewRequest("GET", "http://example.com/a", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	half, ok := response.Body.(interface {
		io.Writer
		CloseWrite() error
	})
	if !ok || half.CloseWrite() != nil || !base.closedHalf {
		t.Fatalf("%T is not closed half", response.Body)
	}
	go func() {
		_, _ = io.WriteString(half, "ping")
		_ = connection.Close()
	}()
	if sent, err := io.ReadAll(other); string(sent) != "ping" || err != nil {
		t.Errorf("sent %q, %v", sent, err)
	}
}
