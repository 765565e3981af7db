package cenkalti_test

import (
	"context"
	"fmt"
	"log"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/cenkalti"
)

func ExampleNewTicker() {
	ctx, stream := context.Background(), backoff.StreamFromSeed(42)

	policy, err := backoff.ParsePolicy("full:base=1ms,cap=1s,max_retries=2")
	if err != nil {
		log.Fatal(err)
	}
	ticker, err := cenkalti.NewTicker(ctx, cenkalti.NewWaits(policy, stream))
	if err != nil {
		log.Fatal(err)
	}
	defer ticker.Stop()
	for range ticker.C {
		fmt.Println("tick")
	}
	// Output:
	// tick
	// tick
	// tick
}
