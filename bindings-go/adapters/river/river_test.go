package backoffriver

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// Delays that River does not ask for, because another middleware or a handler of errors decided, vanish with the row.
func TestNoDelayIsLeftBehind(t *testing.T) {
	retries, err := New("full:base=1h,max_retries=3", 42)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		job := &rivertype.JobRow{Attempt: 1}
		_ = retries.Work(t.Context(), job, func(context.Context) error { return errors.New("busy") })
		retries.NextRetry(job)
	}
	left := func() (count int) {
		retries.delays.Range(func(any, any) bool { count++; return true })
		return count
	}
	for end := time.Now().Add(time.Minute); left() > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if left() > 0 {
		t.Errorf("%d delays are left", left())
	}
}
