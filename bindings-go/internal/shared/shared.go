// Package shared is what a loop of package backoff asks of a budget of package sharedbudget, which imports package backoff.
package shared

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"math/bits"
	"reflect"
	"strconv"
	"time"
)

// IsNil reports whether a value is nil or an interface that holds nil.
func IsNil(value any) bool {
	switch value := reflect.ValueOf(value); value.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice:
		return value.IsNil()
	}
	return false
}

// JSON returns the members of a log value as an object, with durations in nanoseconds.
func JSON(value slog.Value) ([]byte, error) {
	text := []byte{'{'}
	for i, attr := range value.Group() {
		member, err := json.Marshal(attr.Value.Any())
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(strconv.AppendQuote(text, attr.Key), ':'), member...)
	}
	return append(text, '}'), nil
}

// LimitKey is the key of a *time.Duration in the context of a loop whose function ends its attempts itself. The loop
// writes the limit of each attempt there, 0 for none but the deadline of the context.
type LimitKey struct{}

// A HookValue is a value of a loop in whose place each hook gets what ForHook then returns.
type HookValue interface{ ForHook() any }

// A Budget is what a loop asks of a budget of many processes.
type Budget interface {
	// Report tells the budget what an operation did, without waiting.
	Report(event uint32, grant Grant)
	// Request asks for a retry after an outcome. It waits for the store no longer than the timeout of the budget or until
	// ctx is done; it then refuses the retry.
	Request(ctx context.Context, outcome uint32) (grant Grant, granted bool)
}

// A Grant is what an operation holds of a budget: nothing before its first retry.
type Grant struct {
	Held  uint64
	Local bool // the local budget has decided
}

// UnixNano returns the nanoseconds since 1970. time.Time.UnixNano overflows in 2262.
func UnixNano(now time.Time) uint64 {
	seconds := now.Unix()
	if seconds < 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(seconds), uint64(time.Second))
	ns, carry := bits.Add64(low, uint64(now.Nanosecond()), 0)
	if high+carry != 0 {
		return math.MaxUint64
	}
	return ns
}
