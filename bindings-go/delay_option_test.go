// The retries that a list of delays allows (SPEC 18.9).

package backoff_test

import (
	"errors"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func TestAListOfDelaysAllowsAsManyRetriesUnlessAPolicyIsNamed(t *testing.T) {
	list := backoff.WithDelays(0, 0, 0, 0, 0)
	policy := backoff.WithPolicyString("default") // of 3 retries
	for _, c := range []struct {
		name     string
		defaults backoff.RetryOption
		options  []backoff.RetryOption
		attempts uint64
	}{
		{"the list alone", nil, nil, 6},
		{"a field that limits no retries", nil, []backoff.RetryOption{backoff.WithBase(1)}, 6},
		{"a policy", nil, []backoff.RetryOption{policy}, 4},
		{"max_retries", nil, []backoff.RetryOption{backoff.WithMaxRetries(2)}, 3},
		{"max_attempts", nil, []backoff.RetryOption{backoff.WithMaxAttempts(2)}, 2},
		{"more max_retries", nil, []backoff.RetryOption{backoff.WithMaxRetries(9)}, 6},
		{"a policy of the program", policy, nil, 4},
		{"max_retries of the program", backoff.WithMaxRetries(2), nil, 3},
		{"hooks of the program", backoff.OnRetry(func(backoff.Event) {}), nil, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.defaults != nil {
				restore, err := backoff.SetDefaults(c.defaults)
				if err != nil {
					t.Fatal(err)
				}
				defer restore()
			}
			fails := func() error { return errors.New("refused") }
			err := backoff.Do(t.Context(), fails, append(c.options, list, backoff.RetryIf(backoff.AnyError))...)
			var gaveUp *backoff.RetryError
			if !errors.As(err, &gaveUp) || gaveUp.Attempts != c.attempts {
				t.Errorf("%v, want %d attempts", err, c.attempts)
			}
		})
	}
}
