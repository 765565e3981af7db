// Command example retries a call with retry-go.
package main

import (
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/avast/retry-go/v5"
	backoff "github.com/backoff-rs/backoff/bindings-go"
	backoffavast "github.com/backoff-rs/backoff/bindings-go/adapters/avast"
)

func main() {
	delays, err := backoffavast.New("full:base=100ms,cap=20s,max_retries=5")
	if err != nil {
		log.Fatal(err)
	}
	calls := 0
	began := time.Now()
	err = retry.New(append(delays.Options(), retry.LastErrorOnly(true))...).Do(func() error {
		calls++
		switch calls {
		case 1:
			return errors.New("connection refused") // waits as the policy says
		case 2:
			return backoff.RetryAfter(300*time.Millisecond, errors.New("busy")) // as the server asked
		}
		return backoff.Permanent(errors.New("no such user")) // is not retried
	})
	fmt.Println(calls, err, time.Since(began) >= 300*time.Millisecond)
}
