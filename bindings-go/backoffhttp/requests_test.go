package backoffhttp_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// A requestCase is a case of http_requests.json (tests/README.md).
type requestCase struct {
	ID      string
	Target  string
	Options struct {
		MaxRetries       int                        `json:"max_retries"`
		Methods          *[]string                  `json:"methods"`
		Statuses         map[string]backoff.Outcome `json:"statuses"`
		AttemptTimeoutMs int64                      `json:"attempt_timeout_ms"`
		ReadBody         bool                       `json:"read_body"`
	}
	Request struct {
		Method string
		Fields []string
		Body   *string
		Switch *bool
	}
	Answers  []struct{ Body, Fault string }
	Attempts uint64
	Delays   []string
	Outcome  backoff.Outcome
	Reason   backoff.StopReason
	Status   *int
	SentOnce backoffhttp.SentOnce `json:"sent_once"`
}

// Every case of the requests that all adapters of all languages play.
func TestRequests(t *testing.T) {
	var file struct{ Cases []requestCase }
	loadVectors(t, "http_requests", &file)
	urls := startNastyServer(t)
	if len(file.Cases) < 100 {
		t.Errorf("only %d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			c.play(t, urls, "1ms")
		})
		if !strings.HasPrefix(c.ID, "drain-") {
			continue
		}
		// A wait of 0: what has arrived of the body is read without waiting (SPEC 19.5).
		t.Run(c.ID+" at once", func(t *testing.T) {
			t.Parallel()
			atOnce := c
			atOnce.Delays = slices.Repeat([]string{"0"}, len(c.Delays))
			atOnce.play(t, urls, "0s")
		})
	}
}

// play sends the request of a case under a policy whose waits are base.
func (c *requestCase) play(t *testing.T, urls map[string]string, base string) {
	var delays []string
	var last backoffhttp.Event
	options := []backoffhttp.Option{
		backoffhttp.WithRetry(backoff.WithBudget(nil), backoff.WithPolicyString("constant:base="+base+",retry_after_max=3ms,max_retries="+strconv.Itoa(c.Options.MaxRetries))),
		backoffhttp.OnRetry(func(event backoffhttp.Event) {
			delays = append(delays, strconv.FormatInt(event.Delay.Nanoseconds(), 10))
		}),
		backoffhttp.OnStop(func(event backoffhttp.Event) { last = event }),
	}
	if c.Options.Methods != nil {
		options = append(options, backoffhttp.WithMethods(*c.Options.Methods...))
	}
	if limit := time.Duration(c.Options.AttemptTimeoutMs) * time.Millisecond; limit > 0 {
		// Ten times as long, because a slow machine must get a connection within it. A request that got none is repeated.
		options = append(options, backoffhttp.WithAttemptTimeout(10*limit))
	}
	if c.Options.ReadBody {
		options = append(options, backoffhttp.WithReadBody())
	}
	statuses := make(map[int]backoff.Outcome)
	for text, outcome := range c.Options.Statuses {
		status, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		statuses[status] = outcome
	}
	transport := newTransport(t, &http.Transport{DisableKeepAlives: true}, append(options, backoffhttp.WithStatuses(statuses))...)
	path := "/" + c.ID + "/go-" + base
	request := c.request(t, urls[c.Target]+path)
	client := &http.Client{Transport: transport}
	response, err := client.Do(request)

	status := 0
	if c.Status != nil {
		status = *c.Status
	}
	want := backoffhttp.Event{Event: last.Event, Request: last.Request, Method: c.Request.Method, URL: urls[c.Target] + path, Status: status, SentOnce: c.SentOnce}
	want.Attempts, want.Outcome, want.Reason = c.Attempts, c.Outcome, c.Reason
	if last != want || last.Request == nil || last.Request.URL.Path != path {
		t.Errorf("the last event is %+v, want %+v", last, want)
	}
	if !slices.Equal(delays, c.Delays) {
		t.Errorf("the delays are %v, want %v", delays, c.Delays)
	}
	var answer struct{ Body, Fault string }
	if len(c.Answers) > 0 {
		answer = c.Answers[min(int(c.Attempts), len(c.Answers))-1]
	}
	switch {
	case status == 0 || answer.Fault != "":
		if gaveUp := (*backoff.RetryError)(nil); err == nil || errors.As(err, &gaveUp) {
			t.Errorf("got %v", err)
		}
	case err != nil:
		t.Error(err)
	default:
		content := answer.Body
		if request.Method == http.MethodHead {
			content = ""
		}
		if got, body := read(t, response, err); got != status || body != content {
			t.Errorf("got %d %.99q, want %d %.99q", got, body, status, content)
		}
	}
	if c.Target == "http" && c.Options.AttemptTimeoutMs == 0 {
		c.checkSeen(t, urls["http"]+"/seen"+path)
	}
}

func (c *requestCase) request(t *testing.T, url string) *http.Request {
	t.Helper()
	ctx := t.Context()
	if c.Request.Switch != nil && *c.Request.Switch {
		ctx = backoffhttp.WithRetries(ctx)
	} else if c.Request.Switch != nil {
		ctx = backoffhttp.WithoutRetries(ctx)
	}
	var body io.Reader
	if c.Request.Body != nil {
		body = strings.NewReader(c.text())
		if *c.Request.Body == "once" {
			body = io.MultiReader(body)
		}
	}
	request := newRequest(t, ctx, c.Request.Method, url, body)
	for _, field := range c.Request.Fields {
		name, value, _ := strings.Cut(field, ":")
		request.Header.Add(name, strings.TrimSpace(value))
	}
	return request
}

// text returns the body of the request.
func (c *requestCase) text() string {
	if c.Request.Body == nil || *c.Request.Body == "empty" {
		return ""
	}
	return *c.Request.Body
}

// checkSeen compares the requests that the server saw.
func (c *requestCase) checkSeen(t *testing.T, url string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	type seen struct{ Method, Body string }
	var all []seen
	if err := errors.Join(json.NewDecoder(response.Body).Decode(&all), response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	if want := slices.Repeat([]seen{{c.Request.Method, c.text()}}, int(c.Attempts)); !slices.Equal(all, want) {
		t.Errorf("the server saw %v, want %v", all, want)
	}
}

// The named table of the statuses of proxies is that of SPEC 14.8.
func TestProxyStatuses(t *testing.T) {
	var file struct {
		Cases []struct {
			Status       int
			ProxyOutcome *backoff.Outcome `json:"proxy_outcome"`
		}
	}
	loadVectors(t, "http_statuses", &file)
	found := 0
	for _, c := range file.Cases {
		outcome, known := backoffhttp.ProxyStatuses()[c.Status]
		if known != (c.ProxyOutcome != nil) || known && outcome != *c.ProxyOutcome {
			t.Errorf("%d is %v", c.Status, outcome)
		}
		if known {
			found++
		}
	}
	if found != len(backoffhttp.ProxyStatuses()) {
		t.Errorf("the vectors have %d of the statuses", found)
	}
}

// vectorsFolder returns the folder of the vectors. A module without them skips the test.
func vectorsFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("BACKOFF_VECTORS")
	if folder == "" {
		folder = "../../tests/vectors"
		if _, err := os.Stat(folder); err != nil {
			t.Skip("the vectors are in the repository, not in the module: BACKOFF_VECTORS may name their folder")
		}
	}
	return folder
}

func loadVectors(t *testing.T, layer string, file any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectorsFolder(t), layer+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, file); err != nil {
		t.Fatal(err)
	}
}

// startNastyServer starts the server that fails on purpose, and returns the URLs of its targets.
func startNastyServer(t *testing.T) map[string]string {
	t.Helper()
	server := exec.Command("python3", filepath.Join(vectorsFolder(t), "../nasty_server.py"))
	server.Stderr = os.Stderr
	input, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the server ends with its input
		if err := errors.Join(input.Close(), server.Wait()); err != nil {
			t.Error(err)
		}
	})
	var urls map[string]string
	if err := json.NewDecoder(output).Decode(&urls); err != nil {
		t.Fatal(err)
	}
	return urls
}
