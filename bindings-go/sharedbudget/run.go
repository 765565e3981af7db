// The goroutine that makes the exchanges of a Budget with its store.

package sharedbudget

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// start starts the goroutine, unless it runs. The mutex is locked.
func (b *Budget) start() {
	if !b.running {
		b.running = true
		go b.run()
	}
}

// run makes exchanges as long as one is due.
func (b *Budget) run() {
	flushes, due := b.begin(nil, nil)
	defer func() {
		if due {
			b.exited(flushes)
		}
	}()
	for due {
		exchange := b.exchange()
		if b.hook != nil {
			b.hook(exchange)
		}
		flushes, due = b.begin(flushes, exchange.Err)
	}
}

// exited ends an exchange whose store or hook has called runtime.Goexit, as t.Fatal does.
func (b *Budget) exited(flushes []chan error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	err := errors.New("the hook of OnExchange called runtime.Goexit")
	if b.hooked != nil {
		close(b.hooked)
		b.hooked = nil
	} else {
		err = errors.New("the store called runtime.Goexit")
		b.member.Failed(true, now())
	}
	b.goAway(err)
	for _, flush := range flushes {
		flush <- err
	}
	if b.running = false; len(b.flushes) > 0 || b.member.State(now()).DueIn != engine.NoTime {
		b.start()
	}
}

// begin ends the last exchange for the flushes that waited for it, and begins the next one, for flushes too, when the pause
// after the last one is over. It reports false if none is due, and the goroutine then ends. Who waited for a flush finds
// that it has ended.
func (b *Budget) begin(ended []chan error, err error) (flushes []chan error, ok bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.hooked != nil {
		close(b.hooked)
		b.hooked = nil
	}
	for _, flush := range ended {
		flush <- err
	}
	for len(b.flushes) == 0 {
		dueIn := b.member.State(now()).DueIn
		if dueIn == 0 {
			break
		}
		if dueIn == engine.NoTime {
			b.running = false
			return nil, false
		}
		// A channel of this pause alone: in a bubble of testing/synctest, one from outside would stop the time.
		paused := make(chan struct{})
		b.paused = paused
		b.mutex.Unlock()
		pause := time.NewTimer(time.Duration(min(dueIn, math.MaxInt64)))
		select {
		case <-pause.C:
		case <-paused:
		}
		pause.Stop()
		b.mutex.Lock()
		b.paused = nil
	}
	flushes, b.flushes = b.flushes, nil
	b.member.Begin(now())
	return flushes, true
}

// exchange loads the state, lets the member step it, and stores it, again if another process was faster. It then ends
// the exchange.
func (b *Budget) exchange() Exchange {
	b.mutex.Lock()
	timeout := b.timeout()
	b.mutex.Unlock()
	limit := exchangeLimit(timeout)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for {
		exchange := b.try(ctx, limit)
		b.mutex.Lock()
		wait, again := b.ended(&exchange, timeout)
		if !again && b.hook != nil {
			b.hooked = make(chan error)
		}
		b.mutex.Unlock()
		if !again {
			return exchange
		}
		time.Sleep(wait)
	}
}

// try loads the state and swaps it once.
func (b *Budget) try(ctx context.Context, limit time.Duration) Exchange {
	exchange := Exchange{Key: b.key, Stored: SwapNone}
	if exchange.Before, exchange.Now, exchange.Err = b.store.Load(ctx, b.key); exchange.Err != nil {
		return exchange
	}
	if ctx.Err() != nil {
		exchange.Err = noAnswer(limit)
		return exchange
	}
	if exchange.Now.Unix() < 0 {
		exchange.Err = invalid(backoff.ErrTooSmall, "time of the store", exchange.Now, "is before 1970")
		return exchange
	}
	changed := b.step(&exchange)
	switch {
	case exchange.Err != nil:
		return exchange
	case !changed:
		exchange.Stored = SwapUnchanged
		return exchange
	}
	swapped, err := b.store.CompareAndSwap(ctx, b.key, exchange.Before, exchange.After)
	switch {
	case err != nil:
		exchange.Stored, exchange.Err = SwapUnknown, err
	case swapped:
		exchange.Stored = SwapDone
	default:
		exchange.Stored = SwapLost
	}
	return exchange
}

// step steps the text that the store has, and reports whether that changed it.
func (b *Budget) step(exchange *Exchange) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	after, changed, code := b.member.Step(exchange.Before, shared.UnixNano(exchange.Now))
	if code != engine.OK {
		exchange.Err = b.notOurs(*exchange.Before)
		return false
	}
	for _, step := range b.member.ExchangeSteps(nil) {
		event := Event{Kind: EventKind(step.Event), Outcome: backoff.Outcome(step.Outcome), Held: step.Held}
		exchange.Steps = append(exchange.Steps, Step{event, step.Count, step.Granted})
	}
	exchange.After = after
	return changed
}

// ended ends an exchange, unless its swap is to be tried again after a wait. The mutex is locked.
func (b *Budget) ended(exchange *Exchange, timeout time.Duration) (wait time.Duration, again bool) {
	if exchange.Stored == SwapLost {
		if wait, ok := b.member.Lost(now()); ok {
			return time.Duration(wait), true
		}
		exchange.Err = fmt.Errorf("other processes changed %s for %v: %w", b.key, timeout, context.DeadlineExceeded)
	}
	if exchange.Err != nil {
		b.member.Failed(exchange.Stored == SwapUnknown, now())
		b.goAway(exchange.Err)
		return 0, false
	}
	answers := b.member.Stored(now())
	b.answer(func(asked *request) (answer, bool) {
		at := asked.outcome - backoff.OutcomeTransient
		switch {
		case answers.Granted[at] > 0:
			answers.Granted[at]--
			return answer{shared.Grant{Held: answers.Held[at]}, true}, true
		case answers.Refused[at] > 0:
			answers.Refused[at]--
			return answer{}, true
		}
		return answer{}, false
	})
	if b.member.State(now()).IsAway {
		b.answer(b.ask)
	}
	return 0, false
}
