// Command example retries a call with failsafe-go.
package main

import (
	"errors"
	"fmt"
	"log"

	backofffailsafe "github.com/backoff-rs/backoff/bindings-go/adapters/failsafe"
	"github.com/failsafe-go/failsafe-go"
)

func main() {
	delays, err := backofffailsafe.New("full:base=100ms,cap=20s,max_retries=5")
	if err != nil {
		log.Fatal(err)
	}
	policy := backofffailsafe.Builder[string](delays).Build()
	calls := 0
	greeting, err := failsafe.With(policy).Get(func() (string, error) {
		if calls++; calls < 3 {
			return "", errors.New("connection refused")
		}
		return "hello", nil
	})
	fmt.Println(calls, greeting, err)
}
