// Hostile sends requests by the adapters, for tests/hostile: a request for each line of JSON, and a line for how it
// ended. It reads no body but that of a success.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffretryablehttp "github.com/backoff-rs/backoff/bindings-go/adapters/retryablehttp"
	"github.com/backoff-rs/backoff/bindings-go/backoffhttp"
	"github.com/hashicorp/go-retryablehttp"
)

type asked struct {
	Adapter  string            `json:"adapter"`
	URL      string            `json:"url"`
	Method   string            `json:"method"`
	Fields   map[string]string `json:"fields"`
	Policy   string            `json:"policy"`
	Timeout  int               `json:"timeout_ms"`
	ReadBody bool              `json:"read_body"`
	Times    int               `json:"times"`
	Upload   int               `json:"upload"`
}

type ended struct {
	Status int       `json:"status,omitempty"`
	Body   string    `json:"body"`
	Error  string    `json:"error,omitempty"`
	Delays []float64 `json:"delays_ms"`
}

var delays = []float64{}

// clientOf opens a client for the options of a request.
func clientOf(a asked) (*http.Client, error) {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.Proxy = nil
	limit := time.Duration(a.Timeout) * time.Millisecond
	switch a.Adapter {
	case "retryablehttp":
		client := retryablehttp.NewClient()
		client.Logger = nil
		client.HTTPClient = &http.Client{Transport: base, Timeout: limit}
		client.ErrorHandler = retryablehttp.PassthroughErrorHandler
		made, err := backoffretryablehttp.New(a.Policy)
		if err != nil {
			return nil, err
		}
		made.Configure(client)
		return client.StandardClient(), nil
	case "backoffhttp-h2":
		base.Protocols = new(http.Protocols)
		base.Protocols.SetUnencryptedHTTP2(true)
	}
	options := []backoffhttp.Option{
		backoffhttp.WithRetry(backoff.WithPolicyString(a.Policy), backoff.WithBudget(nil)),
		backoffhttp.OnRetry(func(event backoffhttp.Event) {
			delays = append(delays, float64(event.Delay)/float64(time.Millisecond))
		}),
	}
	if limit > 0 {
		options = append(options, backoffhttp.WithAttemptTimeout(limit))
	}
	if a.ReadBody {
		options = append(options, backoffhttp.WithReadBody())
	}
	transport, err := backoffhttp.New(base, options...)
	return &http.Client{Transport: transport}, err
}

func send(client *http.Client, a asked) (ended, error) {
	var upload io.Reader
	if a.Upload > 0 {
		upload = bytes.NewReader(make([]byte, a.Upload))
	}
	request, err := http.NewRequest(a.Method, a.URL, upload)
	if err != nil {
		return ended{}, err
	}
	for name, value := range a.Fields {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return ended{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return ended{Status: response.StatusCode}, nil
	}
	body, err := io.ReadAll(response.Body)
	return ended{Status: response.StatusCode, Body: string(body)}, err
}

func run() error {
	clients := map[string]*http.Client{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var a asked
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return err
		}
		chosen := fmt.Sprint(a.Adapter, a.Policy, a.Timeout, a.ReadBody)
		if clients[chosen] == nil {
			client, err := clientOf(a)
			if err != nil {
				return err
			}
			clients[chosen] = client
		}
		var last ended
		for range a.Times {
			delays = []float64{}
			var err error
			if last, err = send(clients[chosen], a); err != nil {
				last.Error = err.Error()
			}
		}
		last.Delays = delays
		line, err := json.Marshal(last)
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	return lines.Err()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
