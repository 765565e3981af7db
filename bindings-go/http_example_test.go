package backoff_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// The HTTP example of docs/http.md. The shared scenario (tests/integrations/clients.py) plays most failures with it.
func TestHTTPExample(t *testing.T) {
	program := filepath.Join(t.TempDir(), "http")
	if output, err := exec.Command("go", "build", "-o", program, "./examples/http").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	hello := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, " hello\n") }
	closed := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	halfBody := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9")
		_, _ = io.WriteString(w, "half")
	}
	secure := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	slowBody := func(w http.ResponseWriter, request *http.Request) {
		w.Header().Set("Content-Length", "9")
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		<-request.Context().Done()
	}
	const policy = "constant:base=1ms,max_retries=7,retry_after_max=2ms"
	rows := []struct {
		name           string
		answers        []http.HandlerFunc
		arguments      []string // instead of URL, policy, seed and key
		stdout, stderr string   // stderr may be longer
		code           int
	}{
		{"a timeout in the body", []http.HandlerFunc{slowBody, hello}, nil, "attempt 1: timeout, waiting 1000000 ns\ndone after 2 attempts: hello\n", "", 0},
		{"a permanent failure", []http.HandlerFunc{http.NotFound}, nil, "", "gave up after 1 attempt: permanent: 404 Not Found\n", 1},
		{"connection refused", nil, []string{"http://127.0.0.1:1", "immediate:max_retries=0", "42", "job-1"}, "", "gave up after 1 attempt: max_retries: Get \"http://127.0.0.1:1\": dial tcp", 1},
		{"a connection that is closed", []http.HandlerFunc{closed, halfBody, hello}, nil, "attempt 1: transient, waiting 1000000 ns\nattempt 2: transient, waiting 1000000 ns\ndone after 3 attempts: hello\n", "", 0},
		{"an unsupported scheme", nil, []string{"ftp://127.0.0.1", policy, "42", "job-1"}, "", "gave up after 1 attempt: permanent: Get \"ftp://127.0.0.1\": unsupported protocol scheme", 1},
		{"an invalid URL", nil, []string{"http://[", policy, "42", "job-1"}, "", "gave up after 1 attempt: permanent: parse \"http://[\"", 1},
		{"a bad certificate", nil, []string{secure.URL, policy, "42", "job-1"}, "", "gave up after 1 attempt: permanent: Get \"" + secure.URL + "\": tls: failed to verify certificate", 1},
		{"missing arguments", nil, []string{}, "", "usage: http URL POLICY SEED KEY\n", 2},
		{"an invalid policy", nil, []string{"", "fully", "42", "job-1"}, "", "at 0: unknown name \"fully\"", 2},
		{"an invalid seed", nil, []string{"", "default", "-1", "job-1"}, "", "strconv.ParseUint: parsing \"-1\"", 2},
		{"an invalid key", nil, []string{"", "default", "1", "\xff"}, "", "key \"\\xff\" is not valid UTF-8\n", 2},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64 // each may come on a connection of its own
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				number := int(requests.Add(1))
				if number > len(row.answers) {
					t.Error("too many requests")
					return
				}
				row.answers[number-1](w, r)
			}))
			defer server.Close()
			arguments := row.arguments
			if arguments == nil {
				arguments = []string{server.URL, policy, "42", "job-1"}
			} else if len(arguments) > 0 && arguments[0] == "" {
				arguments[0] = server.URL
			}
			var stdout, stderr strings.Builder
			command := exec.Command(program, arguments...)
			command.Stdout, command.Stderr = &stdout, &stderr
			err := command.Run()
			if stdout.String() != row.stdout || !strings.HasPrefix(stderr.String(), row.stderr) || row.stderr == "" && stderr.Len() > 0 || command.ProcessState.ExitCode() != row.code {
				t.Errorf("%v: prints\n%s%s", err, stdout.String(), stderr.String())
			}
			if number := int(requests.Load()); number != len(row.answers) {
				t.Errorf("%d requests, want %d", number, len(row.answers))
			}
		})
	}
}
