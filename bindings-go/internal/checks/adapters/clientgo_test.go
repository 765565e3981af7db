package adapters

import (
	"testing"
	"time"

	backoffclientgo "github.com/backoff-rs/backoff/bindings-go/adapters/clientgo"
	"k8s.io/client-go/util/workqueue"
)

var _ workqueue.TypedRateLimiter[string] = (*backoffclientgo.RateLimiter[string])(nil)

func limiter[T comparable](t *testing.T, policy string) *backoffclientgo.RateLimiter[T] {
	t.Helper()
	limiter, err := backoffclientgo.New[T](policy, 42)
	if err != nil {
		t.Fatal(err)
	}
	return limiter
}

// An item is one with a text of its own.
type item struct{ namespace, name string }

func (i item) String() string { return i.namespace + "-" + i.name }

// The numbers of docs/programs.md, for each item alone and again after it was forgotten.
func TestClientGoDelays(t *testing.T) {
	limiter := limiter[item](t, "full:base=100ms,cap=20s,max_retries=1")
	job, other := item{"job", "1"}, item{"job", "2"}
	for round := range 2 {
		for i, want := range numbers {
			if got := limiter.NumRequeues(job); got != i {
				t.Errorf("round %d: %d requeues, not %d", round, got, i)
			}
			if got := limiter.When(job); got != want {
				t.Errorf("round %d: delay %d is %d, not %d", round, i, got, want)
			}
			if limiter.When(other) == want {
				t.Errorf("delay %d of the other item is the same", i)
			}
		}
		limiter.Forget(job)
	}
	if got := limiter.NumRequeues(other); got != 6 {
		t.Errorf("%d requeues of the other item", got)
	}
}

// A work queue waits for the delays.
func TestClientGoQueue(t *testing.T) {
	limiter := limiter[string](t, "constant:base=20ms,max_retries=3")
	queue := workqueue.NewTypedRateLimitingQueue(limiter)
	defer queue.ShutDown()
	began := time.Now()
	for attempt := 0; ; attempt++ {
		queue.AddRateLimited("a/b")
		item, stopped := queue.Get()
		if item != "a/b" || stopped || queue.NumRequeues(item) != attempt+1 {
			t.Errorf("got %q, %t after %d requeues", item, stopped, queue.NumRequeues(item))
		}
		queue.Done(item)
		if queue.NumRequeues(item) >= limiter.MaxRetries() {
			queue.Forget(item)
			break
		}
	}
	if took := time.Since(began); took < 60*time.Millisecond || queue.NumRequeues("a/b") != 0 {
		t.Errorf("3 retries took %v, and %d are left", took, queue.NumRequeues("a/b"))
	}
}
