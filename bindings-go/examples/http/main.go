// Command http gets a URL and repeats what fails in a way that may pass:
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
	var refused *backoff.ArgumentError
	switch {
	case errors.As(err, &refused):
		fail(2, err)
	case err != nil:
		fail(1, err)
	}
	fmt.Printf("done after %d attempts: %s\n", attempts, strings.TrimSpace(body))
}

// Without kept connections, because over one that was used before net/http repeats a GET itself.
var client = http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// get marks its errors with how the call ended. All of them may be repeated, because a GET may.
func get(url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", transport(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", transport(err)
	}
	outcome := backoff.HTTPOutcome(response.StatusCode)
	if outcome == backoff.OutcomeSuccess {
		return string(body), nil
	}
	var verdict backoff.Verdict = outcome
	if hint, ok := backoff.ParseRetryAfter(response.Header.Get("Retry-After"), time.Now()); ok {
		verdict = outcome.WithHint(hint)
	}
	return "", backoff.Mark(errors.New(response.Status), verdict)
}

func transport(err error) error {
	if failed := net.Error(nil); errors.As(err, &failed) && failed.Timeout() {
		return backoff.Mark(err, backoff.OutcomeTimeout)
	}
	return backoff.Transient(err)
}

func fail(code int, reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(code)
}
