package backoff

import (
	"context"
	"time"
)

// A Ticker sends the time on C at once, and then after each wait; C is closed when there is no
// wait left. A wait begins when the tick before it was received.
type Ticker struct {
	// C is where the ticks come.
	C <-chan time.Time

	stop context.CancelFunc
	done chan struct{}
}

// NewTicker returns a ticker over Waits, or over anything with these two methods; it calls Reset
// first. Its goroutine ends when the waits do, when ctx is done, and by Stop: call one of the two.
//
// It fails with an *ArgumentError for nil. The waits are the ticker's until C is closed.
func NewTicker(ctx context.Context, waits interface {
	NextBackOff() time.Duration
	Reset()
}) (*Ticker, error) {
	if err := notNil("ctx", ctx == nil); err != nil {
		return nil, err
	}
	if err := notNil("waits", waits == nil); err != nil {
		return nil, err
	}
	var clock Clock = processClock{}
	if ours, ok := waits.(*Waits); ok && ours != nil && ours.with != nil {
		clock = ours.with.clock
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
			clock.Sleep(ctx, wait)
		}
	}()
	return t, nil
}

// Stop ends the ticker: when it returns, C is closed and the goroutine has ended. Any number of
// calls may be made, but none from within the methods of the waits. The zero Ticker, and nil, has
// nothing to end.
func (t *Ticker) Stop() {
	if t == nil || t.stop == nil {
		return
	}
	t.stop()
	<-t.done
}
