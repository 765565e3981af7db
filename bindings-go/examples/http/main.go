// Command http gets a URL and retries transient failures:
//
//	http URL POLICY SEED KEY
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func main() {
	if len(os.Args) != 5 {
		fail(2, "usage: http URL POLICY SEED KEY")
	}
	policy, err := backoff.ParsePolicy(os.Args[2])
	if err != nil {
		fail(2, err)
	}
	seed, err := strconv.ParseUint(os.Args[3], 10, 64)
	if err != nil {
		fail(2, err)
	}
	attempts := uint64(0)
	body, err := backoff.Retry(context.Background(), func() (string, error) { return get(os.Args[1]) },
		backoff.WithPolicy(policy),
		backoff.WithKey(seed, os.Args[4]),
		backoff.OnRetry(func(event backoff.Event) {
			fmt.Printf("attempt %d: %v, waiting %d ns\n", event.Attempts, event.Outcome, event.Delay.Nanoseconds())
		}),
		backoff.OnStop(func(event backoff.Event) { attempts = event.Attempts }),
	)
	var invalid *backoff.ArgumentError
	switch {
	case errors.As(err, &invalid):
		fail(2, err)
	case err != nil:
		fail(1, err)
	}
	fmt.Printf("done after %d attempts: %s\n", attempts, strings.TrimSpace(body))
}

// Keep-alives are disabled, because net/http itself retries a GET on a reused connection.
var client = http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// get marks its errors with an outcome. Retrying is safe because a GET is.
func get(url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", markTransport(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", markTransport(err)
	}
	outcome := backoff.HTTPOutcome(response.StatusCode)
	if outcome == backoff.OutcomeSuccess {
		return string(body), nil
	}
	var verdict backoff.Verdict = outcome
	if retryAfter, ok := backoff.ParseRetryAfter(response.Header.Get("Retry-After"), time.Now()); ok {
		verdict = outcome.WithRetryAfter(retryAfter)
	}
	return "", backoff.Mark(errors.New(response.Status), verdict)
}

func markTransport(err error) error {
	if netErr := net.Error(nil); errors.As(err, &netErr) && netErr.Timeout() {
		return backoff.Mark(err, backoff.OutcomeTimeout)
	}
	return backoff.Transient(err)
}

func fail(code int, reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(code)
}
