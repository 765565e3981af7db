package backoffhttp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
)

func Example() {
	// A server that is busy, then broken, then well.
	answers := []int{503, 500, 200}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After-Ms", "20")
		w.WriteHeader(answers[0])
		answers = answers[1:]
	}))
	defer server.Close()

	transport, err := backoffhttp.New(nil, // over http.DefaultTransport
		backoffhttp.WithAttemptTimeout(5*time.Second),
		backoffhttp.OnRetry(func(event backoffhttp.Event) {
			fmt.Println(event.Method, event.Status, "attempt", event.Attempts, event.Outcome, event.Delay)
		}),
		backoffhttp.WithRetry(
			backoff.WithPolicyString("full:base=100ms,cap=20s,max_retries=3"),
			backoff.WithKey(42, "job-1"))) // for the same output here; leave it out in production
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: transport}
	response, err := client.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	fmt.Println(response.Status)
	// Output:
	// GET 503 attempt 1 throttled 20ms
	// GET 500 attempt 2 transient 83.043876ms
	// 200 OK
}

func ExampleWithRetries() {
	busy := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if busy {
			w.WriteHeader(503)
		}
		busy = false
	}))
	defer server.Close()
	transport, err := backoffhttp.New(nil, backoffhttp.WithRetry(backoff.WithPolicyString("default:base=1ms")))
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: transport}

	// A search is a POST that may be repeated.
	ctx := backoffhttp.WithRetries(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/_search", strings.NewReader("{}"))
	if err != nil {
		log.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	fmt.Println(response.Status)
	// Output: 200 OK
}
