package backoffhttp_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
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
		backoffhttp.WithRetry(
			backoff.WithPolicyString("full:base=100ms,cap=20s,max_retries=3"),
			backoff.WithKey(42, "job-1"), // for the same output here; leave it out in production
			backoff.OnRetry(func(event backoff.Event) {
				fmt.Println(event.Attempts, event.Outcome, event.Delay)
			})))
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
	// 1 throttled 20ms
	// 2 transient 83.043876ms
	// 200 OK
}

func ExampleWithoutRetries() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	defer server.Close()
	transport, err := backoffhttp.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: transport}

	reader, writer := io.Pipe() // a body that can be read once
	go func() { _ = writer.Close() }()
	ctx := backoffhttp.WithoutRetries(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, server.URL, reader)
	if err != nil {
		log.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	fmt.Println(response.Status)
	// Output: 503 Service Unavailable
}
