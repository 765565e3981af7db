// Command example gets a page with go-retryablehttp from a server that is busy at first.
package main

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	backoffretryablehttp "github.com/backoff-rs/backoff/bindings-go/adapters/retryablehttp"
	"github.com/hashicorp/go-retryablehttp"
)

func main() {
	answers := []int{503, 500, 200}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Println(answers[0])
		w.WriteHeader(answers[0])
		answers = answers[1:]
	}))
	defer server.Close()

	delays, err := backoffretryablehttp.New("full:base=100ms,cap=20s,max_retries=5")
	if err != nil {
		log.Fatal(err)
	}
	client := retryablehttp.NewClient()
	client.Logger = nil
	delays.Configure(client)
	response, err := client.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	fmt.Println(response.Status)
}
