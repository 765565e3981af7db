// Package backoffredis keeps the states of shared budgets in Redis, through go-redis (github.com/redis/go-redis).
package backoffredis

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
	"github.com/redis/go-redis/v9"
)

// A Store is a sharedbudget.Store in Redis. Any number of goroutines may use it at once.
//
// A state is the value of its key. It does not expire. If Redis loses it, by an eviction or a failover, the account
// begins full. The time is that of the server that has the key.
type Store struct{ client redis.UniversalClient }

var _ sharedbudget.Store = Store{}

// NewStore returns the store of a client for a server, a Sentinel, a cluster or a ring. Closing the client is up to its
// owner.
//
// A client with ContextTimeoutEnabled gives a call up at the timeout of the budget. Any other waits for its own
// ReadTimeout before the next exchange can begin, and the local budget decides meanwhile.
//
// It fails with a *backoff.ArgumentError for a nil client.
func NewStore(client redis.UniversalClient) (Store, error) {
	if isNil(client) {
		return Store{}, &backoff.ArgumentError{Code: backoff.ErrMissing, Field: "client", Rule: "is nil"}
	}
	return Store{client}, nil
}

// isNil reports whether there is no client, also if it is the nil pointer of a type: that would panic at the first
// retry, in a goroutine where nobody can recover.
func isNil(client redis.UniversalClient) bool {
	if client == nil {
		return true
	}
	value := reflect.ValueOf(client)
	return value.Kind() == reflect.Pointer && value.IsNil()
}

// Load returns the text under a key, nil if there is none, and the time of the server.
func (s Store) Load(ctx context.Context, key string) (state *string, now time.Time, err error) {
	answer, err := s.run(ctx, loadText, key).Slice()
	if err != nil {
		return nil, time.Time{}, err
	}
	if len(answer) == 2 {
		if clock, ok := answer[1].([]any); ok && len(clock) == 2 {
			seconds, secondsErr := strconv.ParseInt(fmt.Sprint(clock[0]), 10, 64)
			micros, microsErr := strconv.ParseInt(fmt.Sprint(clock[1]), 10, 64)
			if text, ok := answer[0].(string); ok {
				state = &text
			}
			if secondsErr == nil && microsErr == nil {
				return state, time.Unix(seconds, micros*int64(time.Microsecond)), nil
			}
		}
	}
	return nil, time.Time{}, fmt.Errorf("redis answered %v instead of a value and a time", answer)
}

// CompareAndSwap stores a text under a key if the text there is the expected one, or if there is none for nil.
func (s Store) CompareAndSwap(ctx context.Context, key string, expected *string, state string) (bool, error) {
	arguments := []any{state}
	if expected != nil {
		arguments = append(arguments, *expected)
	}
	return s.run(ctx, compareAndSwapText, key, arguments...).Bool()
}

// run runs a script once.
func (s Store) run(ctx context.Context, script, key string, arguments ...any) *once {
	command := &once{redis.NewCmd(ctx, append([]any{"eval", script, 1, key}, arguments...)...)}
	if s.client == nil {
		command.SetErr(errors.New("the zero Store is not valid"))
		return command
	}
	_ = s.client.Process(ctx, command) // the command has its error
	return command
}

// A once is a command that go-redis does not send again if the answer does not come. A swap that has happened would
// look like one that another process was faster with, and the budget would count everything twice.
type once struct{ *redis.Cmd }

// NoRetry is asked by go-redis.
func (*once) NoRetry() bool { return true }
