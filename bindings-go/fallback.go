// WithFallback and WithFallbackFunc: what Retry returns instead of a failure.

package backoff

import (
	"context"
	"fmt"
	"reflect"
)

// WithFallback sets a value that Retry returns without an error if the loop stops for another reason than a success or a
// cancellation. Hooks and stats get the reason all the same. T must be the type that the function of Retry returns. Do
// and a Loop have no result and do not accept it. WithFallback and WithFallbackFunc replace each other.
func WithFallback[T any](value T) RetryOption {
	return fallbackOption("WithFallback", false, func(error) (T, error) { return value, nil })
}

// WithFallbackFunc is WithFallback for a function of the *RetryError, whose result Retry returns in its place.
func WithFallbackFunc[T any](instead func(err error) (T, error)) RetryOption {
	return fallbackOption("WithFallbackFunc", instead == nil, instead)
}

// A fallback is the last WithFallback or WithFallbackFunc.
type fallback struct {
	option  string
	result  reflect.Type // T
	instead any          // a func(error) (T, error)
}

func fallbackOption[T any](option string, isNil bool, instead func(error) (T, error)) RetryOption {
	return extraOption(func(e *extras) error {
		e.fallback = &fallback{option, reflect.TypeFor[T](), instead}
		return notNil("argument of "+option, isNil)
	})
}

// checkExtras returns the error of a fallback that has another type than the result, and that of a limit of attempts which
// the loop cannot enforce.
func checkExtras[T any](c *retryConfig, ctx context.Context) error {
	if err := c.checkAttemptTimeout(ctx); err != nil {
		return err
	}
	e := c.extras
	if e == nil || e.fallback == nil {
		return nil
	}
	if _, ok := e.fallback.instead.(func(error) (T, error)); ok {
		return nil
	}
	rule := fmt.Sprintf("returns %v, but the function returns %v", e.fallback.result, reflect.TypeFor[T]())
	if e.fallback.result.AssignableTo(reflect.TypeFor[T]()) {
		rule += fmt.Sprintf(": write %s[%v](...)", e.fallback.option, reflect.TypeFor[T]())
	}
	if reflect.TypeFor[T]() == reflect.TypeFor[noResult]() {
		rule = fmt.Sprintf("returns %v, but Do has no result: use Retry", e.fallback.result)
	}
	return &ArgumentError{Code: ErrWrongType, Field: e.fallback.option, Rule: rule}
}

// orFallback returns the end of a loop, in whose place the fallback may stand.
func orFallback[T any](e *extras, value T, err error) (T, error) {
	if e.fallback == nil {
		return value, err
	}
	gaveUp, ok := err.(*RetryError)
	if !ok || gaveUp.Reason == StopCancelled {
		return value, err
	}
	return e.fallback.instead.(func(error) (T, error))(gaveUp)
}
