// The marks of github.com/cenkalti/backoff and of github.com/avast/retry-go, which code that was not changed yet still returns.

package backoff

import (
	"reflect"
	"strings"
	"time"
)

// foreignMark returns the verdict of an error that cenkalti/backoff v4 to v7 makes of Permanent or RetryAfter, or retry-go of
// Unrecoverable, nil for another one. It knows them by the names of their types, so that this module need not import those.
func foreignMark(err error) Verdict {
	pointer := reflect.TypeOf(err)
	if pointer == nil {
		return nil
	}
	if pointer.Kind() == reflect.Struct && pointer.Name() == "unrecoverableError" && strings.HasPrefix(pointer.PkgPath(), "github.com/avast/retry-go") {
		return OutcomePermanent
	}
	if pointer.Kind() != reflect.Pointer {
		return nil
	}
	if !strings.HasPrefix(pointer.Elem().PkgPath(), "github.com/cenkalti/backoff/v") {
		return nil
	}
	switch pointer.Elem().Name() {
	case "PermanentError", "permanent": // that of v6 and v7
		return OutcomePermanent
	case "RetryAfterError":
		value := reflect.ValueOf(err).Elem() // invalid for nil
		if !value.IsValid() {
			return nil
		}
		if wait := value.FieldByName("Duration"); wait.Kind() == reflect.Int64 {
			return OutcomeThrottled.WithRetryAfter(time.Duration(wait.Int()))
		}
	}
	return nil
}
