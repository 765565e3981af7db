package backoff

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// A BudgetExchange is what a SharedBudget and its store have told each other.
type BudgetExchange struct {
	// Key is that of the account.
	Key string
	// Before is the text that the store had, nil if it had none or did not answer.
	Before *string
	// Now is the time of the store's clock.
	Now time.Time
	// Steps are the events in their order, with their answers.
	Steps []BudgetStep
	// After is the text after the steps, which was to be stored.
	After string
	// Stored says whether it was stored.
	Stored BudgetStored
	// Err is the error of the store, nil if there was none.
	Err error
}

// A BudgetStep is an event of a BudgetExchange and its answer.
type BudgetStep struct {
	Event  BudgetEvent
	Answer BudgetAnswer
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
	// BudgetStoredNothing: the store gave no state to begin with.
	BudgetStoredNothing BudgetStored = "nothing"
)

// MarshalJSON returns the exchange for logs. The time is the decimal text of its nanoseconds since 1970.
func (e BudgetExchange) MarshalJSON() ([]byte, error) {
	type step struct {
		Event   BudgetEventKind `json:"event"`
		Outcome *Outcome        `json:"outcome"`
		Held    uint64          `json:"held"`
		Granted *bool           `json:"granted"`
	}
	steps := make([]step, len(e.Steps))
	for i, s := range e.Steps {
		steps[i] = step{Event: s.Event.Kind, Held: s.Event.Held}
		if s.Event.Kind == BudgetRetryRequested {
			steps[i] = step{s.Event.Kind, &s.Event.Outcome, s.Answer.Held, &s.Answer.Granted}
		}
	}
	return json.Marshal(struct {
		Key    string       `json:"key"`
		Before *string      `json:"before"`
		Now    string       `json:"now"`
		Steps  []step       `json:"steps"`
		After  string       `json:"after"`
		Stored BudgetStored `json:"stored"`
		Err    string       `json:"err,omitempty"`
	}{e.Key, e.Before, strconv.FormatUint(unixNano(e.Now), 10), steps, e.After, e.Stored, errorText(e.Err)})
}

// sharedWork is what an exchange has to do.
type sharedWork struct {
	events   []BudgetEvent
	requests []*sharedRequest
	flushes  []chan error
}

// keep adds events. Of more than pendingMost it drops the oldest.
func (w *sharedWork) keep(events ...BudgetEvent) {
	w.events = append(w.events, events...)
	if extra := len(w.events) - pendingMost; extra > 0 {
		w.events = append([]BudgetEvent(nil), w.events[extra:]...)
	}
}

type sharedRequest struct {
	outcome Outcome
	done    chan sharedAnswer // has room for the answer, which may come when nobody waits any more
	hasLeft atomic.Bool       // nobody waits any more
}

// A sharedAnswer is the answer to a request: that of the store, or that the local budget decides.
type sharedAnswer struct {
	BudgetAnswer
	isShared, isLocal bool
}

// start starts the goroutine that makes exchanges, unless there is one. The mutex is locked.
func (b *SharedBudget) start() {
	if !b.isRunning {
		b.isRunning = true
		go b.run()
	}
}

// run makes exchanges as long as there is something to do.
func (b *SharedBudget) run() {
	for work, ok := b.next(); ok; work, ok = b.next() {
		var err error
		if len(work.events)+len(work.requests) > 0 {
			began := Now()
			exchange := b.exchange(&work)
			b.ended(work, exchange, Now()-began > b.timeout)
			if b.hook != nil {
				b.hook(exchange)
			}
			err = exchange.Err
		}
		for _, flush := range work.flushes {
			flush <- err
		}
	}
}

// next takes what waits for an exchange. It reports false if nothing does, and the goroutine then ends.
func (b *SharedBudget) next() (work sharedWork, ok bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	isDue := len(b.waiting.flushes) > 0
	if b.isAway() && !isDue {
		for _, request := range b.waiting.requests {
			request.done <- sharedAnswer{isLocal: true}
		}
		b.waiting.requests = nil
	} else {
		isDue = isDue || len(b.waiting.requests) > 0 || len(b.waiting.events) >= pendingMost
	}
	if !isDue {
		b.isRunning = false
		return sharedWork{}, false
	}
	work, b.waiting = b.waiting, sharedWork{}
	return work, true
}

// exchange loads the state, lets it take the steps of the work, and stores it, again if another process was faster. It
// leaves out requests for which nobody waits any more.
func (b *SharedBudget) exchange(work *sharedWork) BudgetExchange {
	ctx, cancel := context.WithTimeout(context.Background(), b.timeout)
	defer cancel()
	for {
		exchange := BudgetExchange{Key: b.key, Stored: BudgetStoredNothing}
		if exchange.Before, exchange.Now, exchange.Err = b.store.Load(ctx, b.key); exchange.Err != nil {
			return exchange
		}
		state, err := b.read(exchange.Before)
		if err != nil {
			exchange.Err = err
			return exchange
		}
		if ctx.Err() != nil {
			exchange.Err = b.noAnswer()
			return exchange
		}
		work.requests = slices.DeleteFunc(work.requests, func(request *sharedRequest) bool { return request.hasLeft.Load() })
		next := b.steps(state, work, &exchange)
		exchange.After = next.String()
		if next == state {
			exchange.Stored = BudgetStoredUnchanged
			return exchange
		}
		isSwapped, err := b.store.Swap(ctx, b.key, exchange.Before, exchange.After)
		switch {
		case err != nil:
			exchange.Stored, exchange.Err = BudgetStoredUnknown, err
			return exchange
		case isSwapped:
			exchange.Stored = BudgetStoredYes
			return exchange
		case ctx.Err() != nil:
			exchange.Stored = BudgetStoredLost
			exchange.Err = fmt.Errorf("other processes changed %s for %v: %w", b.key, b.timeout, context.DeadlineExceeded)
			return exchange
		}
	}
}

// read returns the state of a text in the store.
func (b *SharedBudget) read(text *string) (BudgetState, error) {
	if text == nil {
		return FullBudgetState(b.budget)
	}
	state, err := ParseBudgetState(b.budget, *text)
	if err != nil {
		return state, fmt.Errorf("the store has something else under %s: %w", b.key, err)
	}
	return state, nil
}

// steps returns the state after the steps of the work, which it adds to the exchange: the events, the requests, and
// then the leases of those that were granted.
func (b *SharedBudget) steps(state BudgetState, work *sharedWork, exchange *BudgetExchange) BudgetState {
	now := unixNano(exchange.Now)
	step := func(event BudgetEvent) BudgetAnswer {
		next, answer, err := state.step(event, now)
		if err == nil { // no event of a loop is invalid
			state = next
		}
		exchange.Steps = append(exchange.Steps, BudgetStep{event, answer})
		return answer
	}
	for _, event := range work.events {
		step(event)
	}
	var granted []BudgetEvent
	for _, request := range work.requests {
		event := BudgetEvent{Kind: BudgetRetryRequested, Outcome: request.outcome}
		if step(event).Granted {
			granted = append(granted, event)
		}
	}
	unused := b.unused()
	for _, event := range granted { // of one outcome they share a lease, however many there are
		for unused[event.Outcome] < b.lease-1 && step(event).Granted {
			unused[event.Outcome]++
		}
	}
	return state
}

// unused returns how many retries of leases are left for each outcome.
func (b *SharedBudget) unused() map[Outcome]int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	unused := make(map[Outcome]int)
	for _, step := range b.leased {
		unused[step.Event.Outcome]++
	}
	return unused
}

// ended answers the requests of an exchange.
func (b *SharedBudget) ended(work sharedWork, exchange BudgetExchange, isLate bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if isLate {
		b.failed(b.noAnswer())
	}
	if exchange.Err != nil {
		b.failed(exchange.Err)
		if exchange.Stored != BudgetStoredUnknown { // where they may count already, and must not count twice
			later := b.waiting.events
			b.waiting.events = work.events
			b.waiting.keep(later...)
		}
		for _, request := range work.requests {
			request.done <- sharedAnswer{isLocal: true}
		}
		return
	}
	answers := exchange.Steps[len(work.events):]
	for i, request := range work.requests {
		request.done <- sharedAnswer{BudgetAnswer: answers[i].Answer, isShared: true}
	}
	for _, step := range answers[len(work.requests):] {
		if step.Answer.Granted {
			b.leased = append(b.leased, step)
		}
	}
}
