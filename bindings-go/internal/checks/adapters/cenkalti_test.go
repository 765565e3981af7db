package adapters

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/avast/retry-go/v5"
	backoff "github.com/backoff-rs/backoff/bindings-go"
	four "github.com/cenkalti/backoff/v4"
	five "github.com/cenkalti/backoff/v5"
	six "github.com/cenkalti/backoff/v6"
	seven "github.com/cenkalti/backoff/v7"
)

// The marks of cenkalti/backoff and of retry-go are marks for our loops, too.
func TestMarksOfOtherLibraries(t *testing.T) {
	cause := errors.New("busy")
	after := backoff.OutcomeThrottled.WithRetryAfter(7 * time.Second)
	for what, row := range map[string]struct {
		err  error
		want backoff.Verdict
	}{
		"v4 Permanent":          {four.Permanent(cause), backoff.OutcomePermanent},
		"v5 Permanent":          {five.Permanent(cause), backoff.OutcomePermanent},
		"v6 Permanent":          {six.Permanent(cause), backoff.OutcomePermanent},
		"v7 Permanent":          {seven.Permanent(cause), backoff.OutcomePermanent},
		"v5 RetryAfter":         {five.RetryAfter(7), after},
		"v6 RetryAfter":         {six.RetryAfter(7), after},
		"v7 RetryAfter":         {seven.RetryAfter(7*time.Second, cause), after},
		"a nil RetryAfter":      {(*seven.RetryAfterError)(nil), nil},
		"a Permanent inside":    {fmt.Errorf("read: %w", seven.Permanent(cause)), backoff.OutcomePermanent},
		"it wins over ours":     {backoff.Transient(four.Permanent(cause)), backoff.OutcomePermanent},
		"the end of a loop":     {&seven.RetryError{LastErr: cause, Cause: seven.ErrPermanent}, nil},
		"an error of its own":   {seven.ErrPermanent, nil},
		"no mark, as of theirs": {cause, nil},
		"retry-go's":            {fmt.Errorf("read: %w", retry.Unrecoverable(cause)), backoff.OutcomePermanent},
	} {
		if got := backoff.VerdictOf(row.err); got != row.want {
			t.Errorf("%s: %v, want %v", what, got, row.want)
		}
	}
	calls := 0
	err := backoff.Do(t.Context(), func() error { calls++; return five.Permanent(cause) }, backoff.RetryIf(backoff.AnyError))
	if !errors.Is(err, backoff.ErrPermanent) || !errors.Is(err, cause) || calls != 1 {
		t.Errorf("%d calls: %v", calls, err)
	}
}
