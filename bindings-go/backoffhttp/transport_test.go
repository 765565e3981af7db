package backoffhttp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

const policy = "constant:base=1ms,max_retries=3,retry_after_max=2ms"

// A server answers its requests one after the other, each in its way, and counts them and its connections.
type server struct {
	*httptest.Server
	t       *testing.T
	answers []http.HandlerFunc

	mutex       sync.Mutex
	requests    []string // the bodies
	connections int
	open        map[net.Conn]bool
}

// serve starts a server. At the end of the test, no connection and no goroutine may be left.
func serve(t *testing.T, answers ...http.HandlerFunc) *server {
	t.Helper()
	s := newServer(t, answers...)
	s.Start()
	return s
}

func newServer(t *testing.T, answers ...http.HandlerFunc) *server {
	t.Helper()
	goroutines := runtime.NumGoroutine()
	s := &server{t: t, answers: answers, open: make(map[net.Conn]bool)}
	s.Server = httptest.NewUnstartedServer(s)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(connection net.Conn, state http.ConnState) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		switch state {
		case http.StateNew:
			s.connections++
			s.open[connection] = true
		case http.StateClosed, http.StateHijacked:
			delete(s.open, connection)
		}
	}
	t.Cleanup(func() {
		until(t, "connections are open", s.isUnused)
		s.Close()
		until(t, "goroutines are left", func() bool { return runtime.NumGoroutine() <= goroutines })
	})
	return s
}

// isUnused reports whether no connection is open.
func (s *server) isUnused() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.open) == 0
}

// closedCount returns how many connections are closed.
func (s *server) closedCount() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return int64(s.connections - len(s.open))
}

// until waits for what is about to happen.
func until(t *testing.T, otherwise string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%s\n%s", otherwise, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.mutex.Lock()
	s.requests = append(s.requests, string(body))
	number := len(s.requests)
	s.mutex.Unlock()
	if number > len(s.answers) {
		s.t.Errorf("request %d is too many", number)
		return
	}
	s.answers[number-1](w, r)
}

// bodies returns the bodies of all requests.
func (s *server) bodies() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.requests)
}

// A client is one whose connections are its own.
type client struct {
	http.Client
	events []backoff.Event
}

// newClient returns a client with a policy and a transport of its own, whose connections are closed at the end.
func newClient(t *testing.T, keepAlive bool, options ...backoffhttp.Option) *client {
	t.Helper()
	base := &http.Transport{DisableKeepAlives: !keepAlive}
	return newClientOver(t, base, options...)
}

func newClientOver(t *testing.T, base http.RoundTripper, options ...backoffhttp.Option) *client {
	t.Helper()
	c := new(client)
	hook := func(event backoff.Event) { c.events = append(c.events, event) }
	options = append([]backoffhttp.Option{backoffhttp.WithRetry(
		backoff.WithPolicyString(policy), backoff.OnRetry(hook), backoff.OnStop(hook))}, options...)
	transport := newTransport(t, base, options...)
	c.Transport = transport
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func newTransport(t *testing.T, base http.RoundTripper, options ...backoffhttp.Option) *backoffhttp.Transport {
	t.Helper()
	transport, err := backoffhttp.New(base, options...)
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

func newRequest(t *testing.T, ctx context.Context, method, url string, body io.Reader) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// read returns the status and the body of a response.
func read(t *testing.T, response *http.Response, err error) (int, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(body)
}

func status(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "body of %d", status)
	}
}

var hello = status(200)

// hang answers nothing until the client goes away.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// aborted closes the connection, or the stream.
func aborted(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// half sends a part of the body and then nothing.
func half(status int, then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "9")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		then(w, r)
	}
}

// A body is that of the caller, who may find that it is truncated.
func TestTruncatedBody(t *testing.T) {
	server := serve(t, half(200, aborted))
	response, err := newClient(t, false).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(response.Body); string(body) != "half" || err != io.ErrUnexpectedEOF {
		t.Errorf("read %q, %v", body, err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
}

// Failures that a repetition does not mend.
func TestErrors(t *testing.T) {
	plain := serve(t, hello)
	for url, text := range map[string]string{
		strings.Replace(plain.URL, "http:", "https:", 1): "server gave HTTP response to HTTPS client",
		"ftp://127.0.0.1":        "unsupported protocol scheme",
		"http://127.0.0.1:99999": "invalid port",
		"http:///path":           "no Host in request URL",
	} {
		client := newClient(t, false)
		_, err := client.Get(url)
		if gaveUp := (*backoff.RetryError)(nil); err == nil || !strings.Contains(err.Error(), text) || errors.As(err, &gaveUp) {
			t.Errorf("%s: failed with %v", url, err)
		}
		if last := client.events[len(client.events)-1]; last.Attempts != 1 || last.Outcome != backoff.OutcomePermanent {
			t.Errorf("%s: %v after %d attempts", url, last.Outcome, last.Attempts)
		}
	}
	// The options are asked about other failures.
	client := newClient(t, false, backoffhttp.WithRetry(backoff.RetryIf(backoff.AnyError)))
	if _, err := client.Get("ftp://127.0.0.1"); err == nil || client.events[len(client.events)-1].Attempts != 4 {
		t.Errorf("failed with %v, %v", err, client.events)
	}
	// A request without a method is a GET.
	client = newClientOver(t, failing{io.EOF})
	if _, err := client.Transport.RoundTrip(&http.Request{URL: &url.URL{Scheme: "http", Host: "127.0.0.1"}}); err != io.EOF || len(client.events) != 4 {
		t.Errorf("failed with %v, %v", err, client.events)
	}
	// As the kernel sends a large body.
	client = newClientOver(t, failing{&net.OpError{Op: "readfrom", Err: syscall.ECONNRESET}})
	if _, err := client.Get(plain.URL); !errors.Is(err, syscall.ECONNRESET) || len(client.events) != 4 {
		t.Errorf("failed with %v, %v", err, client.events)
	}
	broken := roundTripper(func(*http.Request) (*http.Response, error) { return nil, nil })
	client = newClientOver(t, broken, backoffhttp.WithClassify(func(*http.Request, *http.Response, error) backoff.Verdict {
		t.Error("WithClassify gets neither a response nor an error")
		return nil
	}))
	response, err := client.Transport.RoundTrip(httptest.NewRequest("GET", plain.URL, nil))
	if response != nil || err != nil {
		t.Errorf("the result of a broken RoundTripper: %v, %v", response, err)
	}
	if len(client.events) != 1 || client.events[0].Outcome != backoff.OutcomePermanent {
		t.Errorf("a broken RoundTripper is %v", client.events)
	}
}

// A lookup of a name and errors whose types net/http does not export.
func TestClassification(t *testing.T) {
	for name, row := range map[string]struct {
		err  error
		want backoff.Outcome
	}{
		"a name":                           {&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, backoff.OutcomeTransient},
		"a slow lookup":                    {&net.DNSError{IsTimeout: true}, backoff.OutcomeTimeout},
		"a deadline":                       {context.DeadlineExceeded, backoff.OutcomeTimeout},
		"a SOCKS proxy":                    {&net.OpError{Op: "socks connect", Err: errors.New("unknown error host unreachable")}, backoff.OutcomeTransient},
		"a proxy":                          {&net.OpError{Op: "proxyconnect", Err: syscall.ECONNREFUSED}, backoff.OutcomeTransient},
		"a tunnel that a proxy refuses":    {errors.New("Too Many Requests"), backoff.OutcomeThrottled},
		"a tunnel, another reason phrase":  {errors.New("Proxy Error"), backoff.OutcomePermanent},
		"a tunnel for which one must pay":  {errors.New("Payment Required"), backoff.OutcomePermanent},
		"a proxy with a wrong certificate": {&net.OpError{Op: "proxyconnect", Err: &tls.CertificateVerificationError{Err: errors.New("expired")}}, backoff.OutcomePermanent},
		"an alert of TLS":                  {&net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}, backoff.OutcomePermanent},
		"an idle connection":               {errors.New("http: server closed idle connection"), backoff.OutcomeTransient},
		"a GOAWAY":                         {errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1"), backoff.OutcomeTransient},
		"a frame of another protocol":      {errors.New("http2: frame too large"), backoff.OutcomeTransient},
		"an error of the connection":       {errors.New("connection error: PROTOCOL_ERROR"), backoff.OutcomeTransient},
		"a long head of HTTP/2":            {errors.New("http2: response header list larger than advertised limit"), backoff.OutcomeTransient},
		"a lost connection":                {errors.New("http2: client connection lost"), backoff.OutcomeTransient},
		"half an answer":                   {io.ErrUnexpectedEOF, backoff.OutcomeTransient},
		"an error of the body":             {errors.New("the file has gone"), backoff.OutcomePermanent},
	} {
		client := newClientOver(t, failing{row.err}, backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=0")))
		if _, err := client.Get("http://127.0.0.1"); !errors.Is(err, row.err) || client.events[0].Outcome != row.want {
			t.Errorf("%s: %v, %v", name, err, client.events[0].Outcome)
		}
	}
}

// The error of a dialer of the caller is one of the network if it has the type of those of a net.Dialer.
func TestDialersOfTheCaller(t *testing.T) {
	plain := errors.New("no tunnel")
	for _, row := range []struct {
		err      error
		attempts uint64
	}{
		{plain, 1},
		{&net.OpError{Op: "dial", Err: plain}, 2},
		{fmt.Errorf("tunnel: %w", &net.OpError{Op: "dial", Err: plain}), 2},
	} {
		base := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, row.err }}
		client := newClientOver(t, base, backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")))
		_, err := client.Post("http://example.com", "text/plain", strings.NewReader("text"))
		if last := client.events[len(client.events)-1]; !errors.Is(err, plain) || last.Attempts != row.attempts {
			t.Errorf("%d attempts, %v", last.Attempts, err)
		}
	}
}

// The status of a proxy decides before the options do, up to the last one that has a name. What is none is left to them.
func TestTheStatusOfAProxyDecides(t *testing.T) {
	for text, attempts := range map[string]uint64{"Network Authentication Required": 1, "Bad Request": 1, "": 2, "Proxy Error": 2} {
		client := newClientOver(t, failing{errors.New(text)}, backoffhttp.WithRetry(
			backoff.WithPolicyString("immediate:max_retries=1"), backoff.RetryIf(backoff.AnyError)))
		if _, err := client.Get("http://127.0.0.1"); err == nil || client.events[len(client.events)-1].Attempts != attempts {
			t.Errorf("%q: %v, %v", text, err, client.events)
		}
	}
}

// A status of WithStatuses leaves the delay to the policy if the server does not ask to wait.
func TestStatusesWithoutAWait(t *testing.T) {
	server := serve(t, status(404), hello)
	client := newClient(t, false, backoffhttp.WithStatuses(map[int]backoff.Outcome{404: backoff.OutcomeTransient}),
		backoffhttp.WithRetry(backoff.WithPolicyString("constant:base=2ms,retry_after=exact,max_retries=3")))
	response, err := client.Get(server.URL)
	if status, _ := read(t, response, err); status != 200 || client.events[0].Delay != 2*time.Millisecond {
		t.Errorf("status %d, %v", status, client.events)
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// The drain of a body ends with its request and does not end the process, whatever the RoundTripper does.
func TestDrainsOfBrokenBodies(t *testing.T) {
	get := func(t *testing.T, body io.ReadCloser) {
		t.Helper()
		answers := []*http.Response{{StatusCode: 503, Body: body}, {StatusCode: 200, Body: http.NoBody}}
		client := newClientOver(t, roundTripper(func(*http.Request) (*http.Response, error) {
			response := answers[0]
			answers = answers[1:]
			return response, nil
		}), backoffhttp.WithRetry(backoff.WithPolicyString("constant:base=1ms,max_retries=1")))
		if response, err := client.Get("http://example.com"); err != nil || response.StatusCode != 200 {
			t.Fatalf("%v, %v", response, err)
		}
	}
	t.Run("a RoundTripper that drops the context", func(t *testing.T) {
		body, _ := io.Pipe()
		get(t, body)
		// Nothing is written, so this ends when the body is closed.
		if _, err := body.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("read with %v", err)
		}
	})
	t.Run("a panic", func(t *testing.T) {
		broken := panicking{make(chan struct{})}
		get(t, broken)
		<-broken.closed
	})
	t.Run("a panic of Close", func(t *testing.T) {
		closing := make(chan struct{})
		get(t, unclosable{http.NoBody, func() error {
			defer close(closing)
			panic("a broken body")
		}})
		<-closing
		time.Sleep(time.Millisecond) // in which a panic that nobody recovers ends the process
	})
}

// panicking is a body that is broken.
type panicking struct{ closed chan struct{} }

func (panicking) Read([]byte) (int, error) { panic("a broken body") }

func (p panicking) Close() error {
	close(p.closed)
	return nil
}

// A stream is a body that can be read once.
type stream struct {
	io.Reader
	closed atomic.Int64
}

func (s *stream) Close() error { s.closed.Add(1); return nil }

// Each attempt closes its body. What the vectors cannot say of methods and keys: net/http sends no key of these values.
func TestRequestBodies(t *testing.T) {
	for name, row := range map[string]struct {
		method   string
		header   http.Header
		requests int
		body     io.Reader
	}{
		"PUT":                       {"PUT", nil, 3, strings.NewReader("text")},
		"POST":                      {"POST", nil, 1, strings.NewReader("text")},
		"POST with a key":           {"POST", http.Header{"Idempotency-Key": {"a"}}, 3, bytes.NewReader([]byte("text"))},
		"POST, its key is not sent": {"POST", http.Header{"Idempotency-Key": nil}, 3, bytes.NewBufferString("text")},
		"POST, X- key is not sent":  {"POST", http.Header{"X-Idempotency-Key": {}}, 3, strings.NewReader("text")},
		"get":                       {"get", nil, 1, nil},
		"NoBody":                    {"PUT", nil, 3, http.NoBody},
		"a stream":                  {"PUT", nil, 1, &stream{Reader: strings.NewReader("text")}},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, status(503), aborted, hello)
			request := newRequest(t, t.Context(), row.method, server.URL, row.body)
			request.Header = row.header.Clone()
			text := "text"
			closed, _ := row.body.(*stream)
			if row.body == nil || row.body == http.NoBody {
				text = ""
			} else if request.GetBody != nil {
				closed = countCloses(request)
			}
			response, err := newClient(t, false).Do(request)
			if status, _ := read(t, response, err); status != map[int]int{1: 503, 3: 200}[row.requests] {
				t.Errorf("status %d", status)
			}
			if got := server.bodies(); !slices.Equal(got, slices.Repeat([]string{text}, row.requests)) {
				t.Errorf("the server got %q", got)
			}
			if closed != nil {
				until(t, "bodies are open", func() bool { return int(closed.closed.Load()) >= row.requests })
			}
		})
	}
}

// countCloses counts how often the bodies of a request are closed.
func countCloses(request *http.Request) *stream {
	counted := new(stream)
	count := func(body io.ReadCloser) io.ReadCloser {
		return struct {
			io.Reader
			io.Closer
		}{body, counted}
	}
	get := request.GetBody
	request.Body = count(request.Body)
	request.GetBody = func() (io.ReadCloser, error) {
		body, err := get()
		return count(body), err
	}
	return counted
}

// The second body cannot be had. The failure of the call is that, and no other attempt follows.
func TestGetBodyFails(t *testing.T) {
	gone := errors.New("the file has gone")
	for want, getBody := range map[string]func() (io.ReadCloser, error){
		gone.Error(): func() (io.ReadCloser, error) { return nil, gone },
		"GetBody of the request returned neither": func() (io.ReadCloser, error) { return nil, nil },
	} {
		server := serve(t, status(503))
		request := newRequest(t, t.Context(), "PUT", server.URL, strings.NewReader("text"))
		request.GetBody = getBody
		client := newClient(t, false)
		if _, err := client.Do(request); err == nil || !strings.Contains(err.Error(), want) || len(client.events) != 2 {
			t.Errorf("failed with %v, %v", err, client.events)
		}
	}
}

// Each attempt but the last gives its connection back, if its body is short.
func TestConnectionsAreUsedAgain(t *testing.T) {
	long := func(size int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_, _ = w.Write(make([]byte, size))
		}
	}
	for name, row := range map[string]struct {
		answer      http.HandlerFunc
		connections int
	}{
		"empty":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, 1},
		"short":    {status(503), 1},
		"60 KiB":   {long(60 << 10), 1},
		"1000 KiB": {long(1000 << 10), 3},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, row.answer, row.answer, hello)
			// Each wait lasts until the client has its connection back, or the server sees that it is closed.
			var free atomic.Int64
			waits := int64(0)
			clock := &waitingClock{until: func() {
				waits++
				until(t, "the connection is in use", func() bool { return free.Load()+server.closedCount() == waits })
			}}
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{PutIdleConn: func(err error) {
				if err == nil {
					free.Add(1)
				}
			}})
			request := newRequest(t, ctx, "GET", server.URL, nil)
			response, err := newClient(t, true, backoffhttp.WithRetry(backoff.WithClock(clock))).Do(request)
			if status, _ := read(t, response, err); status != 200 {
				t.Errorf("status %d", status)
			}
			if server.connections != row.connections {
				t.Errorf("%d connections, want %d", server.connections, row.connections)
			}
		})
	}
}

// A waitingClock waits for something else than time.
type waitingClock struct{ until func() }

func (*waitingClock) Now() time.Duration                     { return backoff.Now() }
func (c *waitingClock) Sleep(context.Context, time.Duration) { c.until() }

// When retries end, the response is the caller's, whatever ended them and however long its body is.
func TestLastResponseIsUnread(t *testing.T) {
	const size = 200 << 10
	long := func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(503)
		_, _ = w.Write(bytes.Repeat([]byte("x"), size))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, row := range map[string]struct {
		ctx      context.Context
		option   backoffhttp.Option
		requests int
	}{
		"max_retries": {t.Context(), backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=1")), 2},
		"max_elapsed": {t.Context(), backoffhttp.WithRetry(backoff.WithPolicyString("constant:base=1h,max_elapsed=1m")), 1},
		"deadline":    {ctx, backoffhttp.WithRetry(backoff.WithPolicyString("constant:base=1h")), 1},
		"budget":      {t.Context(), backoffhttp.WithBudgets("quota:max_tokens=5,cost=5"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, long, long)
			request := newRequest(t, row.ctx, "GET", server.URL, nil)
			response, err := newClient(t, true, row.option).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			if response.Request != request {
				t.Error("the response is that of another request")
			}
			if status, body := read(t, response, err); status != 503 || len(body) != size {
				t.Errorf("status %d, %d bytes", status, len(body))
			}
			if got := len(server.bodies()); got != row.requests {
				t.Errorf("%d requests, want %d", got, row.requests)
			}
		})
	}
}

func TestAttemptTimeout(t *testing.T) {
	t.Run("no answer", func(t *testing.T) {
		client := newClient(t, true, backoffhttp.WithAttemptTimeout(20*time.Millisecond))
		_, err := client.Get(serve(t, hang, hang, hang, hang).URL)
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() || !errors.Is(err, context.DeadlineExceeded) || !strings.HasSuffix(err.Error(), ": no response within the attempt timeout of 20ms") {
			t.Errorf("failed with %v", err)
		}
		var late *backoff.AttemptTimeoutError
		if !errors.As(err, &late) || late.Limit != 20*time.Millisecond {
			t.Errorf("%v does not tell the limit of the attempt from other timeouts", err)
		}
	})
	t.Run("no answer within the limit of the policy", func(t *testing.T) {
		for _, option := range []backoffhttp.Option{
			backoffhttp.WithRetry(backoff.WithPolicyString("immediate:max_retries=3,attempt_timeout=20ms")),
			backoffhttp.WithRetry(backoff.WithAttemptTimeout(20 * time.Millisecond)),
		} {
			for _, longer := range [][]backoffhttp.Option{nil, {backoffhttp.WithAttemptTimeout(time.Hour)}} {
				client := newClient(t, true, append(longer, option)...)
				_, err := client.Get(serve(t, hang, hang, hang, hang).URL)
				if !os.IsTimeout(err) || !strings.HasSuffix(err.Error(), ": no response within the attempt timeout of 20ms") {
					t.Errorf("failed with %v", err)
				}
			}
		}
	})
	t.Run("a slow body", func(t *testing.T) {
		const limit = time.Second
		server := serve(t, half(200, func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(limit + limit/5)
			_, _ = io.WriteString(w, " full")
		}))
		response, err := newClient(t, true, backoffhttp.WithAttemptTimeout(limit)).Get(server.URL)
		if _, body := read(t, response, err); body != "half full" {
			t.Errorf("read %q", body)
		}
	})
	t.Run("a body that is read", func(t *testing.T) {
		client := newClient(t, false, backoffhttp.WithReadBody(), backoffhttp.WithAttemptTimeout(500*time.Millisecond), backoffhttp.WithRetry(backoff.WithPolicyString("off")))
		_, err := client.Get(serve(t, half(200, hang)).URL)
		if !os.IsTimeout(err) || !strings.HasSuffix(err.Error(), ": the body did not end within the attempt timeout of 500ms") {
			t.Errorf("failed with %v", err)
		}
	})
	t.Run("that of the transport", func(t *testing.T) {
		// A busy machine may need more than a shorter one for the answer.
		client := newClientOver(t, &http.Transport{ResponseHeaderTimeout: 500 * time.Millisecond, DisableKeepAlives: true})
		response, err := client.Get(serve(t, hang, hello).URL)
		if status, _ := read(t, response, err); status != 200 || client.events[0].Outcome != backoff.OutcomeTimeout {
			t.Errorf("status %d after %v", status, client.events[0].Outcome)
		}
	})
}

// The context of the request, its channel and the timeout of the client end a wait and an attempt.
func TestCancel(t *testing.T) {
	reason := errors.New("the user left")
	for name, row := range map[string]struct {
		inAttempt, byChannel bool
		want                 string
	}{
		"a wait":                 {false, false, reason.Error()},
		"an attempt":             {true, false, reason.Error()},
		"a wait, by channel":     {false, true, "net/http: request canceled"},
		"an attempt, by channel": {true, true, "net/http: request canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			channel := make(chan struct{})
			end := func() { cancel(reason) }
			if row.byChannel {
				end = func() { close(channel) }
			}
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if row.inAttempt {
					end()
					hang(w, r)
				}
				w.WriteHeader(503)
			})
			client := newClient(t, true, backoffhttp.WithRetry(backoff.WithPolicyString("constant:base=1h,max_retries=1"),
				backoff.OnRetry(func(backoff.Event) { time.AfterFunc(time.Millisecond, end) })))
			request := newRequest(t, ctx, "GET", server.URL, nil)
			//lint:ignore SA1019 deprecated, and still in use
			request.Cancel = channel //nolint:staticcheck // deprecated, and still in use
			if _, err := client.Do(request); err == nil || errors.Unwrap(err).Error() != row.want {
				t.Errorf("failed with %v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	request := newRequest(t, ctx, "PUT", "http://127.0.0.1", strings.NewReader("text"))
	closed := countCloses(request)
	if _, err := newClient(t, true).Transport.RoundTrip(request); !errors.Is(err, context.Canceled) || closed.closed.Load() != 1 {
		t.Errorf("failed with %v, closed %d bodies", err, closed.closed.Load())
	}
	client := newClient(t, true)
	client.Timeout = 20 * time.Millisecond
	if _, err := client.Get(serve(t, hang).URL); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("failed with %v", err)
	}
}

// What watches the channel of a request ends with the request.
func TestAChannelThatIsNotClosed(t *testing.T) {
	server := serve(t, hello) // which finds a goroutine that is left
	request := newRequest(t, context.Background(), "GET", server.URL, nil)
	//lint:ignore SA1019 deprecated, and still in use
	request.Cancel = make(chan struct{}) //nolint:staticcheck // deprecated, and still in use
	response, err := newClient(t, false).Do(request)
	if status, _ := read(t, response, err); status != 200 {
		t.Errorf("status %d", status)
	}
}

// A redirect is followed by the client, with a request of its own.
func TestRedirects(t *testing.T) {
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
	}
	server := serve(t, status(503), redirect, status(503), hello)
	client := newClient(t, true)
	request := newRequest(t, t.Context(), "PUT", server.URL, strings.NewReader("text"))
	response, err := client.Do(request)
	if status, _ := read(t, response, err); status != 200 || response.Request.URL.Path != "/other" {
		t.Errorf("%d of %v", status, response.Request.URL)
	}
	if got := server.bodies(); !slices.Equal(got, []string{"text", "text", "text", "text"}) {
		t.Errorf("the server got %q", got)
	}
	if last := client.events[len(client.events)-1]; last.Attempts != 2 {
		t.Errorf("%d attempts", last.Attempts)
	}
}

func TestHTTP2(t *testing.T) {
	server := newServer(t, status(503, "Retry-After", "1"), aborted, half(503, aborted), hello)
	server.EnableHTTP2 = true
	server.StartTLS()
	client := newClientOver(t, server.Client().Transport)
	request := newRequest(t, t.Context(), "PUT", server.URL, strings.NewReader("text"))
	response, err := client.Do(request)
	if status, body := read(t, response, err); status != 200 || body != "body of 200" || response.ProtoMajor != 2 {
		t.Errorf("%d %q by %s", status, body, response.Proto)
	}
	if got := server.bodies(); !slices.Equal(got, []string{"text", "text", "text", "text"}) || server.connections != 1 {
		t.Errorf("the server got %q on %d connections", got, server.connections)
	}
	// A stream may end a moment after its last byte, and its connection is in use until then.
	until(t, "the connection is in use", func() bool { client.CloseIdleConnections(); return server.isUnused() })
	for i, want := range []backoff.Outcome{backoff.OutcomeThrottled, backoff.OutcomeTransient, backoff.OutcomeThrottled, backoff.OutcomeSuccess} {
		if client.events[i].Outcome != want {
			t.Errorf("event %v, want %v", client.events[i], want)
		}
	}
}

// Each origin has a budget of its own, unless an option says otherwise.
func TestBudgets(t *testing.T) {
	shared, err := backoff.ParseBudget("quota:max_tokens=5,cost=5")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		options  []backoffhttp.Option
		requests [2]int // that two servers get
	}{
		"default":    {nil, [2]int{8, 8}},
		"per origin": {[]backoffhttp.Option{backoffhttp.WithBudgets("quota:max_tokens=5,cost=5")}, [2]int{3, 3}},
		"one":        {[]backoffhttp.Option{backoffhttp.WithRetry(backoff.WithBudget(shared))}, [2]int{3, 2}},
		"shared":     {[]backoffhttp.Option{backoffhttp.WithRetry(backoff.WithSharedBudget(nil))}, [2]int{8, 8}},
		"none":       {[]backoffhttp.Option{backoffhttp.WithRetry(backoff.WithBudget(nil))}, [2]int{8, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			client := newClient(t, true, row.options...)
			for _, want := range row.requests {
				server := serve(t, slices.Repeat([]http.HandlerFunc{status(503)}, 8)...)
				for range 2 {
					response, err := client.Get(server.URL)
					if status, _ := read(t, response, err); status != 503 {
						t.Errorf("status %d", status)
					}
				}
				client.CloseIdleConnections()
				if got := len(server.bodies()); got != want {
					t.Errorf("%d requests, want %d", got, want)
				}
			}
		})
	}
}

// A budget among the options of the loop takes the place of those of the origins, wherever it is. Of it and WithBudgets the
// last one counts.
func TestABudgetAmongOtherOptions(t *testing.T) {
	one := func() backoff.RetryOption {
		budget, err := backoff.ParseBudget("quota:max_tokens=1,cost=1")
		if err != nil {
			t.Fatal(err)
		}
		return backoff.WithBudget(budget)
	}
	// A type of a program with an option inside.
	type named struct{ backoff.RetryOption }
	retry, origins := backoffhttp.WithRetry, backoffhttp.WithBudgets("quota:max_tokens=2,cost=1")
	for name, row := range map[string]struct {
		options []backoffhttp.Option
		calls   int
	}{
		"in WithOptions":                 {[]backoffhttp.Option{retry(backoff.WithOptions(one()))}, 2},
		"in WithOptions in WithOptions":  {[]backoffhttp.Option{retry(backoff.WithOptions(backoff.WithOptions(one())))}, 2},
		"in a type of a program":         {[]backoffhttp.Option{retry(named{one()})}, 2},
		"none":                           {[]backoffhttp.Option{origins, retry(backoff.WithOptions(backoff.WithBudget(nil)))}, 6},
		"none of many processes":         {[]backoffhttp.Option{origins, retry(backoff.WithOptions(backoff.WithSharedBudget(nil)))}, 6},
		"after WithBudgets":              {[]backoffhttp.Option{origins, retry(backoff.WithOptions(one()))}, 2},
		"before WithBudgets":             {[]backoffhttp.Option{retry(backoff.WithOptions(one())), origins}, 3},
		"before and after WithBudgets":   {[]backoffhttp.Option{retry(backoff.WithBudget(nil)), origins, retry(one())}, 2},
		"no budget before WithBudgets":   {[]backoffhttp.Option{retry(backoff.WithBudget(nil)), origins}, 3},
		"no budget among other options":  {[]backoffhttp.Option{origins, retry(backoff.WithOptions(backoff.WithEnabled(true)))}, 3},
		"the last of two in WithOptions": {[]backoffhttp.Option{retry(backoff.WithOptions(backoff.WithBudget(nil), one()))}, 2},
	} {
		calls := 0
		transport := newTransport(t, roundTripper(func(*http.Request) (*http.Response, error) {
			calls++
			return &http.Response{StatusCode: 500}, nil
		}), append([]backoffhttp.Option{retry(backoff.WithPolicyString("immediate:max_retries=5"))}, row.options...)...)
		response, err := transport.RoundTrip(httptest.NewRequest("GET", "http://example.com", nil))
		if err != nil || response.StatusCode != 500 || calls != row.calls {
			t.Errorf("%s: %d calls, want %d: %v", name, calls, row.calls, err)
		}
	}
}

// A classification that is wrong leaves no response behind.
func TestUnknownOutcomes(t *testing.T) {
	server := serve(t, half(200, hang))
	client := newClient(t, true, backoffhttp.WithClassify(func(*http.Request, *http.Response, error) backoff.Verdict { return backoff.Outcome(9) }))
	if _, err := client.Get(server.URL); !errors.Is(err, backoff.ErrUnknownOutcome) {
		t.Errorf("failed with %v", err)
	}
}

// A test double may return a response without a body, as to an http.Client without retries.
func TestResponsesWithoutBodies(t *testing.T) {
	calls := 0
	double := roundTripper(func(*http.Request) (*http.Response, error) {
		calls++
		return &http.Response{StatusCode: []int{503, 503, 200}[calls-1]}, nil
	})
	transport := newTransport(t, double, backoffhttp.WithRetry(backoff.WithPolicyString(policy)))
	response, err := (&http.Client{Transport: transport}).Get("http://example.com")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(response.Body); len(text) > 0 || err != nil || response.StatusCode != 200 || calls != 3 {
		t.Errorf("status %d after %d calls with the body %q, %v", response.StatusCode, calls, text, err)
	}
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
}

// A Transport that New did not make says so.
func TestZeroTransport(t *testing.T) {
	for _, transport := range []*backoffhttp.Transport{nil, new(backoffhttp.Transport)} {
		body := &stream{Reader: strings.NewReader("text")}
		request := newRequest(t, t.Context(), http.MethodPost, "http://example.com", body)
		response, err := transport.RoundTrip(request)
		if invalid := (*backoff.ArgumentError)(nil); response != nil || !errors.As(err, &invalid) || err.Error() != "transport was not made by backoffhttp.New" {
			t.Errorf("%v, %v", response, err)
		}
		if count := body.closed.Load(); count != 1 {
			t.Errorf("the body was closed %d times", count)
		}
		transport.CloseIdleConnections()
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

func TestInvalidOptions(t *testing.T) {
	retry := func(options ...backoff.RetryOption) []backoffhttp.Option {
		return []backoffhttp.Option{backoffhttp.WithRetry(options...)}
	}
	for want, options := range map[string][]backoffhttp.Option{
		"the policy of WithRetry: at 11: base has no unit; the units are d, h, m, s, ms, us, ns":      retry(backoff.WithPolicyString("full:base=1")),
		"RetryResult has no effect on requests: use backoffhttp.WithClassify":                         retry(backoff.RetryResult(func(*http.Response) bool { return true })),
		"ClassifyResult has no effect on requests: use backoffhttp.WithClassify":                      retry(backoff.ClassifyResult(func(int) backoff.Verdict { return nil })),
		"WithFallback has no effect on requests: look at the response or the error of the client":     retry(backoff.WithFallback((*http.Response)(nil))),
		"WithFallbackFunc has no effect on requests: look at the response or the error of the client": retry(backoff.WithAttemptTimeout(time.Second), backoff.WithOptions(backoff.WithFallbackFunc(func(error) (*http.Response, error) { return nil, nil }))),
		"attempt_timeout -1s is below 0s":                                                             retry(backoff.WithAttemptTimeout(-time.Second)),
		"outcome 0 of status 404 is unknown":                                                          {backoffhttp.WithStatuses(map[int]backoff.Outcome{404: 0})},
		"outcome 9 of status 404 is unknown":                                                          {backoffhttp.WithStatuses(map[int]backoff.Outcome{404: 9})},
		"status 99 is not from 100 to 999":                                                            {backoffhttp.WithStatuses(map[int]backoff.Outcome{99: backoff.OutcomeTransient})},
		"status 1000 is not from 100 to 999":                                                          {backoffhttp.WithStatuses(map[int]backoff.Outcome{1000: backoff.OutcomeTransient})},
		`method "get" of WithMethods: write one in capital letters, such as "GET"`:                    {backoffhttp.WithMethods("get")},
		`method "GET " of WithMethods`:                                                                {backoffhttp.WithMethods("GET ")},
		`method "G T" of WithMethods: write one in capital letters, such as "GET"`:                    {backoffhttp.WithMethods("G T")},
		`method "" of WithMethods`:                                                                    {backoffhttp.WithMethods("")},
		"argument of WithMayRepeat is nil":                                                            {backoffhttp.WithMayRepeat(nil)},
		"argument of WithClassify is nil":                                                             {backoffhttp.WithClassify(nil)},
		"argument of OnRetry is nil":                                                                  {backoffhttp.OnRetry(nil)},
		"argument of OnStop is nil":                                                                   {backoffhttp.OnStop(nil)},
		"option is nil":                                                                               {nil},
		"attempt timeout 0s is not above 0":                                                           {backoffhttp.WithAttemptTimeout(0)},
		`the budget string of WithBudgets: at 0: unknown name "rato"`:                                 {backoffhttp.WithBudgets("rato")},
	} {
		transport, err := backoffhttp.New(nil, options...)
		if transport != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("made %v, %v, want %s", transport, err, want)
		}
	}
	if transport, err := backoffhttp.New(nil, retry(backoff.WithPolicy(backoff.Policy{}))...); transport != nil || err != backoff.ErrNoPolicy {
		t.Errorf("made %v, %v", transport, err)
	}
	if transport, err := backoffhttp.New((*http.Transport)(nil)); transport != nil || err == nil || err.Error() != "RoundTripper is a nil *http.Transport" {
		t.Errorf("made %v, %v", transport, err)
	}
}

// Many goroutines use one Transport.
func TestGoroutines(t *testing.T) {
	const calls = 50
	server := serve(t, append(slices.Repeat([]http.HandlerFunc{status(503)}, calls), slices.Repeat([]http.HandlerFunc{hello}, calls)...)...)
	transport := newTransport(t, &http.Transport{}, backoffhttp.WithRetry(
		backoff.WithPolicyString("constant:base=1ms,max_retries=50"), backoff.WithBudget(nil)))
	client := &http.Client{Transport: transport}
	t.Cleanup(client.CloseIdleConnections)
	var group sync.WaitGroup
	for range calls {
		group.Add(1)
		go func() {
			defer group.Done()
			response, err := client.Get(server.URL)
			if err != nil {
				t.Error(err)
				return
			}
			if status, _ := read(t, response, err); status != 200 {
				t.Errorf("status %d", status)
			}
		}()
	}
	group.Wait()
	if got := len(server.bodies()); got != 2*calls {
		t.Errorf("%d requests", got)
	}
}
