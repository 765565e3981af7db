package backoffclientgo

import (
	"math"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"
)

var _ workqueue.TypedRateLimiter[string] = (*RateLimiter[string])(nil)

// An item is one with a text of its own.
type item struct{ namespace, name string }

func (i item) String() string { return i.namespace + "-" + i.name }

// The numbers of docs/programs.md, for each item alone and again after it was forgotten.
func TestDelays(t *testing.T) {
	limiter, err := New[item]("full:base=100ms,cap=20s,max_retries=1", 42)
	if err != nil {
		t.Fatal(err)
	}
	job, other := item{"job", "1"}, item{"job", "2"}
	for round := range 2 {
		for i, want := range []time.Duration{11399434, 83043876, 229309811} {
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
	limiter.Forget(other)
	if len(limiter.requeues) != 0 {
		t.Errorf("%d items are left", len(limiter.requeues))
	}
}

// A work queue waits for the delays.
func TestQueue(t *testing.T) {
	limiter, err := New[string]("constant:base=20ms,max_retries=3", 42)
	if err != nil {
		t.Fatal(err)
	}
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

func TestMaxRetries(t *testing.T) {
	for policy, want := range map[string]int{"none:max_retries=0": 0, "none:max_retries=7": 7, "none": math.MaxInt32} {
		if limiter, err := New[int](policy, 42); err != nil || limiter.MaxRetries() != want {
			t.Errorf("%s: %v, not %d", policy, err, want)
		}
	}
}

func TestInvalidPolicies(t *testing.T) {
	for policy, want := range map[string]string{
		"full:base=1":                 "at 11: base has no unit; the units are d, h, m, s, ms, us, ns",
		"full:base=1s,max_elapsed=1m": "max_elapsed is unused: a work queue does not know when an item failed first",
	} {
		if limiter, err := New[int](policy, 42); limiter != nil || err == nil || err.Error() != want {
			t.Errorf("%s: %v", policy, err)
		}
	}
}
