package backoff_test

import (
	"context"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// All waits of a loop share a timer. One that was cancelled ends at once, and each other lasts at least its delay.
func TestWaitsOfALoop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const short = 2 * time.Millisecond
	var calls []time.Time
	err := backoff.Do(ctx, func() error {
		if calls = append(calls, time.Now()); len(calls) < 4 {
			return backoff.RetryAfter(short, errBusy)
		}
		time.AfterFunc(short, cancel)
		return backoff.RetryAfter(time.Hour, errBusy)
	}, backoff.WithPolicyString("constant:base=0s,max_retries=9"))
	checkEnd(t, err, errBusy, backoff.StopCancelled, 4)
	if took := time.Since(calls[3]); took < short || took > time.Minute {
		t.Errorf("the cancelled wait took %v", took)
	}
	for i := range 3 {
		if wait := calls[i+1].Sub(calls[i]); wait < short {
			t.Errorf("wait %d took %v", i, wait)
		}
	}
}
