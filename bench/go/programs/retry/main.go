// Command retry is empty with a retry loop.
package main

import (
	"context"
	"fmt"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	fmt.Println(backoff.Retry(ctx, func() (int, error) { return 1, nil }))
}
