package backoffhttp_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

// outage returns how a client with every default but a policy gets a path of a server that fails. number counts the
// requests to the path from 1, and total those to the server.
func outage(t *testing.T, policy string, fails func(path string, number, total int) bool) (get func(path string) int, total *int) {
	t.Helper()
	var mutex sync.Mutex
	counts, total := make(map[string]int), new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		counts[r.URL.Path]++
		if *total++; fails(r.URL.Path, counts[r.URL.Path], *total) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: newTransport(t, &http.Transport{DisableKeepAlives: true}, backoffhttp.WithRetry(backoff.WithPolicyString(policy)))}
	return func(path string) int {
		response, err := client.Get(server.URL + path)
		if err != nil {
			t.Error(err)
			return 0
		}
		status, _ := read(t, response, nil)
		return status
	}, total
}

// With the default budget, ordinary blips do not reach the user.
func TestBlips(t *testing.T) {
	for name, row := range map[string]struct {
		requests int
		atOnce   bool
		fails    func(path string, number, total int) bool
	}{
		"a restart":        {20, true, func(_ string, number, _ int) bool { return number <= 3 }},
		"one failure each": {100, true, func(_ string, number, _ int) bool { return number == 1 }},
		"a tenth fails":    {1000, false, func(_ string, _, total int) bool { return total%10 == 0 }},
	} {
		get, _ := outage(t, "constant:base=1ms,max_retries=5", row.fails)
		statuses := make(chan int, row.requests)
		for i := range row.requests {
			request := func() { statuses <- get("/" + strconv.Itoa(i)) }
			if row.atOnce {
				go request()
			} else {
				request()
			}
		}
		for range row.requests {
			if status := <-statuses; status != http.StatusOK {
				t.Errorf("%s: %d", name, status)
			}
		}
	}
	get, _ := outage(t, "constant:base=1ms,max_retries=3", func(path string, number, _ int) bool { return path == "/down" || number == 1 })
	for range 25 {
		get("/down")
	}
	if status := get("/other"); status != http.StatusOK {
		t.Errorf("beside a path that is down: %d", status)
	}
}

// A server that is down gets little more than one request for each operation.
func TestADeadServerIsSpared(t *testing.T) {
	const operations = 1000
	get, total := outage(t, "immediate:max_retries=5", func(string, int, int) bool { return true })
	begun := time.Now()
	for range operations {
		get("/")
	}
	limit := operations*12/10 + 10*int(10+time.Since(begun).Seconds()+1)
	if *total > limit || *total < operations {
		t.Errorf("%d requests, want at most %d", *total, limit)
	}
}
