// Package backoffclientgo gives the work queues of client-go (k8s.io/client-go/util/workqueue) the delays of a
// policy.
package backoffclientgo

import (
	"fmt"
	"math"
	"sync"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/delays"
)

// A RateLimiter is a workqueue.TypedRateLimiter. The delay of an item is that of the policy for the seed, the text of
// the item as the key, and the number of its requeues as the index. The text is that of fmt.Sprint, such as
// "namespace/name".
//
// It is safe for any number of goroutines. It never gives an item up: a controller that wants to compares NumRequeues
// with MaxRetries, and calls Forget.
type RateLimiter[T comparable] struct {
	policy   backoff.Policy
	seed     uint64
	mutex    sync.Mutex
	requeues map[T]int
}

// New returns the RateLimiter of a policy string and a seed.
//
// It fails with a *backoff.PolicyError, and with a *backoff.ArgumentError for max_elapsed, because a work queue does
// not know when an item failed first.
func New[T comparable](policy string, seed uint64) (*RateLimiter[T], error) {
	parsed, err := delays.WithoutMaxElapsed(policy, "a work queue does not know when an item failed first")
	if err != nil {
		return nil, err
	}
	return &RateLimiter[T]{policy: parsed, seed: seed, requeues: make(map[T]int)}, nil
}

// When counts a requeue of an item and returns how long it waits.
func (r *RateLimiter[T]) When(item T) time.Duration {
	r.mutex.Lock()
	index := r.requeues[item]
	r.requeues[item]++
	r.mutex.Unlock()
	stream := backoff.StreamFromKeyBytes(r.seed, []byte(fmt.Sprint(item)))
	return r.policy.Delay(stream, uint32(index))
}

// Forget forgets the requeues of an item, which has succeeded or was given up.
func (r *RateLimiter[T]) Forget(item T) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.requeues, item)
}

// NumRequeues returns the requeues of an item since it was forgotten.
func (r *RateLimiter[T]) NumRequeues(item T) int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.requeues[item]
}

// MaxRetries returns the max_retries of the policy, at most 2^31 - 1.
func (r *RateLimiter[T]) MaxRetries() int { return int(min(r.policy.MaxRetries(), math.MaxInt32)) }
