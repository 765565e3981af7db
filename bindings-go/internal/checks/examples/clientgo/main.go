// Command example works an item of a work queue that fails twice.
package main

import (
	"errors"
	"fmt"
	"log"

	backoffclientgo "github.com/backoff-rs/backoff/bindings-go/adapters/clientgo"
	"k8s.io/client-go/util/workqueue"
)

func main() {
	limiter, err := backoffclientgo.New[string]("full:base=100ms,cap=20s,max_retries=5", 42)
	if err != nil {
		log.Fatal(err)
	}
	queue := workqueue.NewTypedRateLimitingQueue(limiter)
	queue.Add("default/web")
	for {
		item, stopped := queue.Get()
		if stopped {
			return
		}
		err := reconcile(item, queue.NumRequeues(item))
		fmt.Println(item, "after", queue.NumRequeues(item), "retries:", err)
		if err != nil && queue.NumRequeues(item) < limiter.MaxRetries() {
			queue.AddRateLimited(item)
		} else {
			queue.Forget(item)
			queue.ShutDown()
		}
		queue.Done(item)
	}
}

func reconcile(_ string, retries int) error {
	if retries < 2 {
		return errors.New("conflict")
	}
	return nil
}
