// What loops and Flush ask of a Budget, and how long they wait.

package sharedbudget

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/internal/shared"
)

// Flush sends what the store does not know, and waits for the store and for the hook, no longer than ctx allows, or 2 s,
// or twice a longer timeout. It also asks a store that is away. It returns nil if nothing is left to send, and otherwise
// the error of the store or of ctx. What could not be sent is sent later.
//
// Call it before a process ends, with a context that is not cancelled by then:
//
//	budget.Flush(context.WithoutCancel(ctx))
func (b *Budget) Flush(ctx context.Context) error {
	if ctx == nil {
		return invalid(backoff.ErrMissing, "ctx", nil, "is nil")
	}
	if b == nil || b.store == nil {
		return backoff.ErrNoBudget
	}
	b.mutex.Lock()
	done := b.hooked
	state := b.member.State(now())
	if state.HasUnsent {
		done = make(chan error, 1)
		b.flushes = append(b.flushes, done)
		if b.paused != nil {
			close(b.paused)
			b.paused = nil
		}
		b.start()
	}
	b.mutex.Unlock()
	if done == nil {
		return nil
	}
	patience := 2 * exchangeLimit(time.Duration(state.Timeout))
	if patience < 0 { // it is beyond the longest time.Duration
		patience = math.MaxInt64
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var err error
	select {
	case err = <-done:
		return err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-timer.C:
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if err == nil {
		err = b.late(patience)
	}
	b.flushes = slices.DeleteFunc(b.flushes, func(flush chan error) bool { return flush == done })
	return err
}

// timeout returns how long a request may wait now. The mutex is locked.
func (b *Budget) timeout() time.Duration { return time.Duration(b.member.State(now()).Timeout) }

// exchangeLimit returns how long an exchange may take: longer than a request waits, if the store needs a new connection.
func exchangeLimit(timeout time.Duration) time.Duration { return max(timeout, time.Second) }

// noAnswer returns the error of a store that takes too long.
func noAnswer(limit time.Duration) error {
	return fmt.Errorf("the store did not answer within %v: %w", limit, context.DeadlineExceeded)
}

// late returns why a request or a flush has waited for too long. The mutex is locked.
func (b *Budget) late(limit time.Duration) error {
	if b.hooked != nil {
		return fmt.Errorf("the hook of OnExchange did not return within %v: %w", limit, context.DeadlineExceeded)
	}
	return noAnswer(limit)
}

// A request waits for an answer.
type request struct {
	outcome backoff.Outcome
	done    chan answer // has room for the answer
}

// An answer is that to a request.
type answer struct {
	grant   shared.Grant
	granted bool
}

// account is a Budget as loops see it. Its methods are not those of Budget, so that its page does not have them.
type account struct{ *Budget }

// Report tells the budget what a loop did, without waiting.
func (b account) Report(event uint32, grant shared.Grant) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.member.Note(event, grant.Held, grant.Local, now())
	if b.member.State(now()).DueIn != engine.NoTime {
		b.start()
	}
}

// Request asks for a retry after an outcome. It waits for the store no longer than the timeout or until ctx is done;
// it then refuses the retry.
func (b account) Request(ctx context.Context, outcome uint32) (shared.Grant, bool) {
	asked := &request{outcome: backoff.Outcome(outcome), done: make(chan answer, 1)}
	b.mutex.Lock()
	answer, ok := b.ask(asked)
	if ok {
		b.mutex.Unlock()
		return answer.grant, answer.granted
	}
	b.waiting = append(b.waiting, asked)
	b.start()
	timeout := b.timeout()
	b.mutex.Unlock()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case answer = <-asked.done:
	case <-timer.C:
		b.mutex.Lock()
		if slices.Contains(b.waiting, asked) {
			b.member.Late(now())
			b.goAway(b.late(timeout))
		}
		b.mutex.Unlock()
		answer = <-asked.done
	case <-ctx.Done():
		b.mutex.Lock()
		defer b.mutex.Unlock()
		if at := slices.Index(b.waiting, asked); at >= 0 {
			b.waiting = slices.Delete(b.waiting, at, at+1)
			b.member.Cancel(outcome)
		}
	}
	return answer.grant, answer.granted
}

// ask asks the member. It reports false if the request waits. The mutex is locked.
func (b *Budget) ask(asked *request) (_ answer, ok bool) {
	code, local, held := b.member.Request(uint32(asked.outcome), now())
	return answer{shared.Grant{Held: held, Local: local}, code == engine.RequestGranted}, code != engine.RequestWaits
}

// goAway lets the local budget decide on the requests that wait. The mutex is locked.
func (b *Budget) goAway(err error) {
	b.lastErr = err
	b.answer(b.ask)
}

// answer gives the requests that wait the answers that there are. The mutex is locked.
func (b *Budget) answer(answerTo func(*request) (answer, bool)) {
	b.waiting = slices.DeleteFunc(b.waiting, func(asked *request) bool {
		answer, ok := answerTo(asked)
		if ok {
			asked.done <- answer
		}
		return ok
	})
}

func now() uint64 { return uint64(backoff.Now()) }
