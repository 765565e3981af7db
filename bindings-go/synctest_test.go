//go:build go1.25

package backoff_test

import (
	"testing"
	"testing/synctest"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// Within a bubble the loop's own clock is the bubble's: nothing is handed in, and nobody waits.
func TestRetryInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, loops := time.Now(), backoff.Now()
		err := backoff.Do(t.Context(), func() error { return errBusy }, backoff.WithPolicyLine("constant:base=1h,max_elapsed=150m"), backoff.RetryIf(backoff.AnyError))
		checkEnd(t, err, errBusy, backoff.StopMaxElapsed, 3)
		if took, loops := time.Since(begun), backoff.Now()-loops; took != 2*time.Hour || loops != took {
			t.Errorf("took %v and %v", took, loops)
		}
	})
}
