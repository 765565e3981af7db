// Command example makes the retryer of the clients of AWS, and shows what it does with an error.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	backoffaws "github.com/backoff-rs/backoff/bindings-go/adapters/aws"
)

func main() {
	delays, err := backoffaws.New("constant:base=100ms,throttled_base=1s,max_retries=4")
	if err != nil {
		log.Fatal(err)
	}
	standard, err := delays.Standard("quota:max_tokens=8,cost=5")
	if err != nil {
		log.Fatal(err)
	}
	retryer := retry.NewStandard(standard)
	cfg := aws.Config{Retryer: func() aws.Retryer { return retryer }} // for s3.NewFromConfig(cfg) and others

	busy := &smithy.GenericAPIError{Code: "SlowDown"}
	fmt.Println(cfg.Retryer().MaxAttempts(), retryer.IsErrorRetryable(busy))
	fmt.Println(retryer.RetryDelay(1, busy))
	for range 2 {
		_, err := retryer.GetRetryToken(context.Background(), busy)
		fmt.Println(err)
	}
}
