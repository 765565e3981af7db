package backoffclientgo

import "testing"

// An item that was forgotten takes no memory.
func TestForget(t *testing.T) {
	limiter, err := New[int]("default", 42)
	if err != nil {
		t.Fatal(err)
	}
	limiter.When(7)
	limiter.Forget(7)
	if len(limiter.requeues) != 0 {
		t.Errorf("%d items are left", len(limiter.requeues))
	}
}
