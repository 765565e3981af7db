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
	"os/signal"
	"slices"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	attempts := uint64(0)
	body, err := backoff.RetryContext(ctx, func(ctx context.Context) (string, error) { return get(ctx, os.Args[1]) },
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

// get marks the failures that may pass. A GET is safe to retry.
func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", markTransport(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", markTransport(err)
	}
	verdict := backoff.HTTPVerdict(response.StatusCode, response.Header, time.Now())
	if outcome, _, _ := verdict.Verdict(); outcome == backoff.OutcomeSuccess {
		return string(body), nil
	}
	return "", backoff.Mark(errors.New(response.Status), verdict)
}

// markTransport marks timeouts and lost connections. An error without a mark is not retried: an
// unsupported scheme or a bad certificate stays wrong.
func markTransport(err error) error {
	var netErr net.Error
	var opErr *net.OpError
	switch {
	case errors.As(err, &netErr) && netErr.Timeout():
		return backoff.Mark(err, backoff.OutcomeTimeout)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return backoff.Transient(err)
	case errors.As(err, &opErr) && slices.Contains([]string{"dial", "read", "write"}, opErr.Op):
		return backoff.Transient(err) // other operations are those of TLS
	}
	return err
}

func fail(code int, reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(code)
}
