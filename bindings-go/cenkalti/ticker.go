// Ticker: the waits of a BackOff on a channel.

package cenkalti

import (
	"context"
	"errors"
	"time"
)

// A Ticker sends the time on C at once and then after each wait. It closes C when no wait is left. A
// wait begins when the previous tick was received.
type Ticker struct {
	// C delivers the ticks.
	C <-chan time.Time

	stop context.CancelFunc
	done chan struct{}
}

// NewTicker returns a ticker over Waits, or over any BackOff of github.com/cenkalti/backoff. It calls
// Reset first and owns the waits until C is closed. Its goroutine ends when no wait is left, when ctx
// is done, and on Stop.
//
// It fails if ctx or waits is nil.
func NewTicker(ctx context.Context, waits interface {
	NextBackOff() time.Duration
	Reset()
}) (*Ticker, error) {
	if ctx == nil {
		return nil, errors.New("ctx is nil")
	}
	ours, isOurs := waits.(*Waits)
	if waits == nil || isOurs && ours == nil {
		return nil, errors.New("waits is nil")
	}
	sleep := sleep
	if isOurs && ours.Clock != nil {
		sleep = ours.Clock.Sleep
	}
	waits.Reset()
	c := make(chan time.Time)
	ctx, stop := context.WithCancel(ctx)
	t := &Ticker{C: c, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		defer close(c)
		defer stop()
		for ctx.Err() == nil {
			select {
			case c <- time.Now():
			case <-ctx.Done():
				return
			}
			wait := waits.NextBackOff()
			if wait < 0 {
				return
			}
			sleep(ctx, wait)
		}
	}()
	return t, nil
}

// sleep returns when the delay has passed or ctx is done.
func sleep(ctx context.Context, delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Stop ends the ticker. When it returns, C is closed and the goroutine has ended. It may be called
// any number of times, but not from the methods of the waits. Stop on a nil or zero Ticker does nothing.
func (t *Ticker) Stop() {
	if t == nil || t.stop == nil {
		return
	}
	t.stop()
	<-t.done
}
