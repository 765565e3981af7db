package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A process keeps the policies of strings, also of more than it has room for, and the strings of invalid ones fail
// each time.
func TestManyPolicyStrings(t *testing.T) {
	var group sync.WaitGroup
	for range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for retries := range 300 {
				calls := 0
				err := backoff.Do(t.Context(), func() error { calls++; return errBusy }, backoff.RetryIf(backoff.AnyError),
					backoff.WithPolicyString(fmt.Sprintf("immediate:max_retries=%d", retries)))
				if !errors.Is(err, backoff.ErrMaxRetries) || calls != retries+1 {
					t.Errorf("%d retries: %d calls, %v", retries, calls, err)
				}
				if err := backoff.Do(t.Context(), func() error { return nil }, backoff.WithPolicyString("rato")); !errors.Is(err, backoff.ErrUnknownHead) {
					t.Error(err)
				}
			}
		}()
	}
	group.Wait()
}

// limits are policies with a limit.
var limits = []string{
	"default", "off", "immediate:max_retries=2", "constant:base=1ns,max_elapsed=0s", "constant:base=1ns,max_attempts=2",
}

// unlimited is a program whose loops have these policies, then one with the deadline of its context, and then two
// without a limit.
func unlimited(policy string) {
	for _, limited := range limits {
		twice(context.Background(), limited)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	twice(ctx, "full:base=1ns")
	fmt.Fprintln(os.Stderr, "from here on there is no limit")
	for range 2 {
		twice(context.Background(), policy)
		twice(context.Background(), "full:base=100ms")
	}
}

// twice makes a loop whose second call succeeds.
func twice(ctx context.Context, policy string) {
	calls := 0
	_ = backoff.Do(ctx, func() error {
		if calls++; calls == 1 {
			return errBusy
		}
		return nil
	}, backoff.WithPolicyString(policy), backoff.RetryIf(backoff.AnyError), backoff.WithClock(new(fakeClock)))
}

// The first loop of a process that retries for ever says so, once. It quotes the policy as it was given.
func TestALoopWithoutALimitSaysSo(t *testing.T) {
	const variable = "BACKOFF_TEST_UNLIMITED"
	if policy := os.Getenv(variable); policy != "" {
		unlimited(policy)
		return
	}
	for policy, instead := range map[string]string{
		"exponential:jitter=full,base=200ms": "default:base=200ms to change only the base",
		"immediate":                          "off for no retries",
	} {
		program := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestALoopWithoutALimitSaysSo$")
		program.Env = append(os.Environ(), variable+"="+policy)
		var said strings.Builder
		program.Stderr = &said
		if err := program.Run(); err != nil {
			t.Fatal(err, said.String())
		}
		before, after, _ := strings.Cut(said.String(), "from here on there is no limit\n")
		want := fmt.Sprintf(" backoff: the policy %q has no limit, so the loop retries for ever; add max_retries=3 (or write %s)\n", policy, instead)
		if before != "" || !strings.HasSuffix(after, want) || strings.Count(after, "\n") != 1 {
			t.Errorf("said %q and %q", before, after)
		}
	}
}
