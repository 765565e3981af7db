package backoffhttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// A plan says how often a server fails.
type plan struct {
	mutex  sync.Mutex
	counts map[string]int // of requests to each path
	total  int
	fails  func(path string, number, total int) bool // number counts from 1, as does total
}

func (p *plan) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.counts[r.URL.Path]++
	if p.total++; p.fails(r.URL.Path, p.counts[r.URL.Path], p.total) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// An outage is a server with a plan and a client with every default but a short policy.
func outage(t *testing.T, policy string, fails func(path string, number, total int) bool) (*plan, func(path string) int) {
	t.Helper()
	p := &plan{counts: make(map[string]int), fails: fails}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	transport, err := backoffhttp.New(&http.Transport{DisableKeepAlives: true}, backoffhttp.WithRetry(backoff.WithPolicyString(policy)))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: transport}
	return p, func(path string) int {
		response, err := client.Get(server.URL + path)
		if err != nil {
			t.Error(err)
			return 0
		}
		status, _ := read(t, response)
		return status
	}
}

// concurrently makes a number of requests at the same time, each to a path of its own, and counts the successes.
func concurrently(number int, get func(path string) int) (successes int) {
	statuses := make(chan int, number)
	for i := range number {
		go func() { statuses <- get("/" + strings.Repeat("x", i)) }()
	}
	for range number {
		if <-statuses == http.StatusOK {
			successes++
		}
	}
	return successes
}

// With the default budget, ordinary blips do not reach the user.
func TestBlips(t *testing.T) {
	t.Run("a restart", func(t *testing.T) {
		_, get := outage(t, "constant:base=1ms,max_retries=5", func(_ string, number, _ int) bool { return number <= 3 })
		if got := concurrently(20, get); got != 20 {
			t.Errorf("%d of 20 survive", got)
		}
	})
	t.Run("one failure each", func(t *testing.T) {
		_, get := outage(t, "constant:base=1ms,max_retries=5", func(_ string, number, _ int) bool { return number == 1 })
		if got := concurrently(100, get); got != 100 {
			t.Errorf("%d of 100 survive", got)
		}
	})
	t.Run("a tenth fails", func(t *testing.T) {
		_, get := outage(t, "constant:base=1ms,max_retries=5", func(_ string, _, total int) bool { return total%10 == 0 })
		for i := range 1000 {
			if status := get("/"); status != http.StatusOK {
				t.Fatalf("request %d: %d", i, status)
			}
		}
	})
	t.Run("one path is down", func(t *testing.T) {
		_, get := outage(t, "constant:base=1ms,max_retries=3", func(path string, number, _ int) bool { return path == "/down" || number == 1 })
		for range 25 {
			if status := get("/down"); status != http.StatusServiceUnavailable {
				t.Errorf("status %d", status)
			}
		}
		if status := get("/other"); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	})
}

// A server that is down gets little more than one request for each operation.
func TestADeadServerIsSpared(t *testing.T) {
	const operations = 1000
	p, get := outage(t, "immediate:max_retries=5", func(string, int, int) bool { return true })
	begun := time.Now()
	for range operations {
		get("/")
	}
	most := operations*12/10 + 10*int(10+time.Since(begun).Seconds()+1)
	if p.total > most || p.total < operations {
		t.Errorf("%d requests, want at most %d", p.total, most)
	}
}
