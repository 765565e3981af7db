package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
	"github.com/hashicorp/go-retryablehttp"
)

func retryablehttpName() string {
	return versioned("go-retryablehttp", "github.com/hashicorp/go-retryablehttp")
}

// A client gets what is at an address.
type client struct {
	name string
	get  func(url string) (*http.Response, error)
}

// A bare client fails if the server is busy; its caller asks again.
var bare = client{"the bare client", http.Get}

// Both make at most 6 attempts, without waits.
func clients(options ...backoffhttp.Option) []client {
	policy := backoffhttp.WithRetry(backoff.WithPolicyString("constant:base=0s,max_retries=5"))
	transport := must(backoffhttp.New(nil, append(options, policy)...))
	peer := retryablehttp.NewClient()
	peer.RetryMax, peer.RetryWaitMin, peer.RetryWaitMax, peer.Logger = 5, 0, 0, nil
	peer.HTTPClient = &http.Client{}
	return []client{{ours, (&http.Client{Transport: transport}).Get}, bare, {retryablehttpName(), peer.Get}}
}

// The works of HTTP clients, if there is a server: ../server.py.
func httpWorks() []work {
	server, ok := os.LookupEnv("BENCH_SERVER")
	if !ok {
		return nil
	}
	return []work{
		requests("net/http, success at once", server+"/", clients()),
		// The default budgets would refuse a retry of every request.
		requests("net/http, one 503", server+"/busy", clients(backoffhttp.WithBudgets("envoy"))),
	}
}

// requests is the work of getting a body.
func requests(name, url string, clients []client) work {
	requests := work{name: name}
	for _, client := range clients {
		requests.by = append(requests.by, contestant{client.name, func(n int) time.Duration {
			for range n {
				for !read(must(client.get(url))) {
				}
			}
			return 0
		}})
	}
	return requests
}

// read reads a response, and says whether it is a success.
func read(response *http.Response) bool {
	body := must(io.ReadAll(response.Body))
	must(0, response.Body.Close())
	if string(body) != "ok" {
		panic(fmt.Sprintf("the body is %q", body))
	}
	return response.StatusCode == http.StatusOK
}
