// The exchanges of a SharedBudget with its store, and what OnExchange receives.

package backoff

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A BudgetExchange is what a SharedBudget and its store have told each other.
type BudgetExchange struct {
	// Key is that of the account.
	Key string
	// Before is the text that was loaded, nil if there was none or the load failed.
	Before *string
	// Now is the time of the store's clock, the zero Time if the load failed.
	Now time.Time
	// Steps are what the process told the store and asked for, in their order.
	Steps []ExchangeStep
	// After is the text after the steps, empty if there were none, because the exchange failed before.
	After string
	// Stored says whether it was stored.
	Stored BudgetStored
	// Err says why the exchange failed, nil if it did not.
	Err error
}

// An ExchangeStep is a step of a BudgetExchange that happened Count times in a row.
type ExchangeStep struct {
	// Event is what happened.
	Event BudgetEvent
	// Count is how often. It is never 0.
	Count uint64
	// Granted is how many of the retries that were requested the budget granted: the first.
	Granted uint64
}

// A BudgetStored says what became of the state of a BudgetExchange.
type BudgetStored string

const (
	// BudgetStoredYes: the state is in the store.
	BudgetStoredYes BudgetStored = "yes"
	// BudgetStoredUnchanged: the steps changed nothing, so there was nothing to store.
	BudgetStoredUnchanged BudgetStored = "unchanged"
	// BudgetStoredLost: other processes changed the state until the timeout, so nothing was stored.
	BudgetStoredLost BudgetStored = "lost"
	// BudgetStoredUnknown: the store did not say whether it has stored the state.
	BudgetStoredUnknown BudgetStored = "unknown"
	// BudgetStoredNo: the load failed, or the text is no account of the budget.
	BudgetStoredNo BudgetStored = "no"
)

// LogValue returns the members of the exchange for slog.
func (e BudgetExchange) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("key", e.Key),
		slog.String("stored", string(e.Stored)),
		slog.Time("now", e.Now),
		slog.Any("steps", e.Steps),
		slog.String("after", e.After),
	}
	if e.Before != nil {
		attrs = append(attrs, slog.String("before", *e.Before))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("err", e.Err.Error()))
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON returns the exchange for logs. The time is the decimal text of its nanoseconds since 1970.
func (e BudgetExchange) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Key    string         `json:"key"`
		Before *string        `json:"before"`
		Now    string         `json:"now"`
		Steps  []ExchangeStep `json:"steps"`
		After  string         `json:"after"`
		Stored BudgetStored   `json:"stored"`
		Err    string         `json:"err,omitempty"`
	}{e.Key, e.Before, strconv.FormatUint(unixNano(e.Now), 10), append([]ExchangeStep{}, e.Steps...), e.After, e.Stored, errorText(e.Err)})
}

// MarshalJSON returns the step for logs. Only a retry that was requested has an outcome and a number of granted ones.
func (s ExchangeStep) MarshalJSON() ([]byte, error) {
	step := struct {
		Event   BudgetEventKind `json:"event"`
		Outcome *Outcome        `json:"outcome"`
		Held    uint64          `json:"held"`
		Count   uint64          `json:"count"`
		Granted *uint64         `json:"granted"`
	}{Event: s.Event.Kind, Held: s.Event.Held, Count: s.Count}
	if s.Event.Kind == BudgetRetryRequested {
		step.Outcome, step.Granted = &s.Event.Outcome, &s.Granted
	}
	return json.Marshal(step)
}

// start starts the goroutine that makes exchanges, unless there is one. The mutex is locked.
func (b *SharedBudget) start() {
	if !b.isRunning {
		b.isRunning = true
		go b.run()
	}
}

// run makes exchanges as long as one is due.
func (b *SharedBudget) run() {
	for flushes, ok := b.begin(); ok; flushes, ok = b.begin() {
		exchange := b.exchange()
		if b.hook != nil {
			b.hook(exchange)
			b.mutex.Lock()
			close(b.hooked)
			b.hooked = nil
			b.mutex.Unlock()
		}
		for _, flush := range flushes {
			flush <- exchange.Err
		}
	}
}

// begin begins an exchange, for flushes too, when the pause after the last one is over. It reports false if none is
// due, and the goroutine then ends.
func (b *SharedBudget) begin() (flushes []chan error, ok bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for len(b.flushes) == 0 {
		dueIn := b.member.State(now()).DueIn
		if dueIn == 0 {
			break
		}
		if dueIn == engine.None {
			b.isRunning = false
			return nil, false
		}
		b.mutex.Unlock()
		pause := time.NewTimer(time.Duration(min(dueIn, math.MaxInt64)))
		select {
		case <-pause.C:
		case <-b.flushing:
		}
		pause.Stop()
		b.mutex.Lock()
	}
	flushes, b.flushes = b.flushes, nil
	b.member.Begin(now())
	return flushes, true
}

// exchange loads the state, lets the member step it, and stores it, again if another process was faster. It then ends
// the exchange.
func (b *SharedBudget) exchange() BudgetExchange {
	b.mutex.Lock()
	timeout := b.timeout()
	b.mutex.Unlock()
	limit := exchangeLimit(timeout)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for {
		exchange := b.try(ctx, limit)
		b.mutex.Lock()
		wait, isAgain := b.ended(&exchange, timeout)
		if !isAgain && b.hook != nil {
			b.hooked = make(chan error)
		}
		b.mutex.Unlock()
		if !isAgain {
			return exchange
		}
		time.Sleep(wait)
	}
}

// try loads the state and swaps it once.
func (b *SharedBudget) try(ctx context.Context, limit time.Duration) BudgetExchange {
	exchange := BudgetExchange{Key: b.key, Stored: BudgetStoredNo}
	if exchange.Before, exchange.Now, exchange.Err = b.store.Load(ctx, b.key); exchange.Err != nil {
		return exchange
	}
	if ctx.Err() != nil {
		exchange.Err = noAnswer(limit)
		return exchange
	}
	if exchange.Now.Unix() < 0 {
		exchange.Err = &ArgumentError{Code: ErrTooSmall, Field: "time of the store", Value: exchange.Now, Rule: "is before 1970"}
		return exchange
	}
	isChanged := b.step(&exchange)
	switch {
	case exchange.Err != nil:
		return exchange
	case !isChanged:
		exchange.Stored = BudgetStoredUnchanged
		return exchange
	}
	isSwapped, err := b.store.CompareAndSwap(ctx, b.key, exchange.Before, exchange.After)
	switch {
	case err != nil:
		exchange.Stored, exchange.Err = BudgetStoredUnknown, err
	case isSwapped:
		exchange.Stored = BudgetStoredYes
	default:
		exchange.Stored = BudgetStoredLost
	}
	return exchange
}

// step steps the text that the store has, and reports whether that changed it.
func (b *SharedBudget) step(exchange *BudgetExchange) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	after, isChanged, code := b.member.Step(exchange.Before, unixNano(exchange.Now))
	if code != engine.OK {
		rule := "is not a state of this budget, and the store has it under " + b.key
		exchange.Err = &ArgumentError{Code: ErrNotAState, Field: "state", Value: shortened(*exchange.Before), Rule: rule}
		return false
	}
	for _, step := range b.member.ExchangeSteps(nil) {
		event := BudgetEvent{Kind: BudgetEventKind(step.Event), Outcome: Outcome(step.Outcome), Held: step.Held}
		exchange.Steps = append(exchange.Steps, ExchangeStep{event, step.Count, step.Granted})
	}
	exchange.After = after
	return isChanged
}

// ended ends an exchange, unless its swap is to be tried again after a wait. The mutex is locked.
func (b *SharedBudget) ended(exchange *BudgetExchange, timeout time.Duration) (wait time.Duration, isAgain bool) {
	if exchange.Stored == BudgetStoredLost {
		if wait, ok := b.member.Lost(now()); ok {
			return time.Duration(wait), true
		}
		exchange.Err = fmt.Errorf("other processes changed %s for %v: %w", b.key, timeout, context.DeadlineExceeded)
	}
	if exchange.Err != nil {
		b.member.Failed(exchange.Stored == BudgetStoredUnknown, now())
		b.goAway(exchange.Err)
		return 0, false
	}
	answers := b.member.Stored(now())
	b.answer(func(request *sharedRequest) (sharedAnswer, bool) {
		at := request.outcome - OutcomeTransient
		switch {
		case answers.Granted[at] > 0:
			answers.Granted[at]--
			return sharedAnswer{sharedGrant{held: answers.Held[at]}, true}, true
		case answers.Refused[at] > 0:
			answers.Refused[at]--
			return sharedAnswer{}, true
		}
		return sharedAnswer{}, false
	})
	if b.member.State(now()).IsAway {
		b.askAgain()
	}
	return 0, false
}
