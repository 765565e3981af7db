package backoff

import (
	"context"
	"time"
)

// A Clock tells a loop the time and waits for it. Tests hand one in with WithClock, or run the
// loop within testing/synctest, whose time the clock of the process follows.
type Clock interface {
	// Now returns the time since any origin, never negative and never going back.
	Now() time.Duration
	// Sleep returns when so much time has passed, never earlier, or as soon as ctx is done.
	Sleep(ctx context.Context, delay time.Duration)
}

// Now returns the time of the clock that loops have unless one is given, for operations that are
// driven by hand and share a budget with loops. Its origin means nothing.
func Now() time.Duration { return time.Since(origin) }

// The origin is 80 years ago, so that no time is negative in the bubbles of testing/synctest, which
// begin in 2000; and not longer, because a time before 1885 has no monotonic reading.
var origin = time.Now().Add(-80 * 365 * 24 * time.Hour)

type processClock struct{}

func (processClock) Now() time.Duration { return Now() }

func (processClock) Sleep(ctx context.Context, delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
