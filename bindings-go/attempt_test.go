//go:build go1.25

package backoff_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// seen is what a function saw of an attempt.
type seen struct {
	number  uint64
	lastErr error
	left    time.Duration // -1 for none
}

func seenIn(t *testing.T, ctx context.Context) seen {
	t.Helper()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	attempt, ok := backoff.AttemptFromContext(inner)
	if !ok {
		t.Fatal("no attempt in the context")
	}
	left, ok := attempt.TimeLeft()
	if !ok {
		left = -1
	}
	return seen{attempt.Number, attempt.LastErr, left}
}

func TestAFunctionLearnsItsAttempt(t *testing.T) {
	const second = time.Second
	for policy, left := range map[string][3]time.Duration{
		"constant:base=1s,max_retries=2":                                    {-1, -1, -1},
		"constant:base=1s,max_elapsed=5s":                                   {5 * second, 4 * second, 3 * second},
		"constant:base=1s,max_elapsed=5s,attempt_timeout=3500ms":            {3500 * time.Millisecond, 3500 * time.Millisecond, 3 * second},
		"constant:base=1s,max_elapsed=5s,elapsed_from=failure":              {-1, 4 * second, 3 * second},
		"constant:base=1s,reset_after=1h,max_elapsed=1h,attempt_timeout=1s": {second, second, second},
	} {
		want := [3]seen{{1, nil, left[0]}, {2, errBusy, left[1]}, {3, errBusy, left[2]}}
		play := func(name string, loop func(op func(context.Context) error) error) {
			t.Run(policy+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var got []seen
					err := loop(func(ctx context.Context) error {
						if got = append(got, seenIn(t, ctx)); len(got) < 3 {
							return backoff.Transient(errBusy)
						}
						return nil
					})
					if err != nil || [3]seen(got) != want {
						t.Errorf("%+v, %v, want %+v", got, err, want)
					}
				})
			})
		}
		play("DoContext", func(op func(context.Context) error) error {
			return backoff.DoContext(context.Background(), op, backoff.WithPolicyString(policy))
		})
		play("Loop", func(op func(context.Context) error) error {
			loop := backoff.NewLoop(context.Background(), backoff.WithPolicyString(policy))
			for range loop.Attempts() {
				loop.Report(op(loop.Context()))
			}
			return loop.Err()
		})
	}
}

// The deadline of the context counts, too.
func TestTheTimeLeftUntilTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		err := backoff.DoContext(ctx, func(ctx context.Context) error {
			time.Sleep(time.Second)
			// Nothing begins at the deadline.
			if got, want := seenIn(t, ctx), (seen{1, nil, 2*time.Second - 1}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			return nil
		}, backoff.WithAttemptTimeout(time.Hour))
		if err != nil {
			t.Error(err)
		}
	})
}

// No time is left once it is over.
func TestTheTimeLeftToALateAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := backoff.DoContext(t.Context(), func(ctx context.Context) error {
			time.Sleep(3 * time.Second)
			if got, want := seenIn(t, ctx), (seen{1, nil, 0}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			return nil
		}, backoff.WithAttemptTimeout(time.Second))
		if err != nil {
			t.Error(err)
		}
	})
}

func TestContextsWithoutAnAttempt(t *testing.T) {
	loop := backoff.NewLoop(t.Context())
	for _, ctx := range []context.Context{nil, t.Context(), loop.Context(), (*backoff.Loop)(nil).Context(), new(backoff.Loop).Context()} {
		if attempt, ok := backoff.AttemptFromContext(ctx); ok || attempt != (backoff.Attempt{}) {
			t.Errorf("%+v in %v", attempt, ctx)
		}
	}
}

func TestAttemptTimeout(t *testing.T) {
	untilDone := func(ctx context.Context) (string, error) { <-ctx.Done(); return "late", ctx.Err() }
	own := func(ctx context.Context) (string, error) { <-ctx.Done(); return "late", context.Cause(ctx) }
	closes := func(ctx context.Context) (string, error) { <-ctx.Done(); return "late", errClosed }
	for name, row := range map[string]struct {
		op      func(context.Context) (string, error)
		message string
	}{
		"the error of the context": {untilDone, "the attempt took longer than 2s"},
		"the cause":                {own, "the attempt took longer than 2s"},
		"another error":            {closes, "the attempt took longer than 2s: closed"},
		"a Permanent": {func(ctx context.Context) (string, error) {
			_, err := closes(ctx)
			return "late", backoff.Permanent(err)
		}, "the attempt took longer than 2s: closed"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, outcomes := time.Now(), []backoff.Outcome{}
				_, err := backoff.RetryContext(t.Context(), row.op,
					backoff.WithPolicyString("constant:base=1s,max_retries=1,attempt_timeout=2s"),
					backoff.Classify(func(err error) backoff.Verdict { t.Error("classified", err); return nil }),
					backoff.OnRetry(func(e backoff.Event) { outcomes = append(outcomes, e.Outcome) }))
				var late *backoff.AttemptTimeoutError
				if !errors.As(err, &late) || late.Limit != 2*time.Second || !late.Timeout() || late.Error() != row.message || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%v, want %s", err, row.message)
				}
				checkEnd(t, err, late, backoff.StopMaxRetries, 2)
				if took := time.Since(began); took != 5*time.Second || outcomes[0] != backoff.OutcomeTimeout {
					t.Errorf("took %v: %v", took, outcomes)
				}
			})
		})
	}
}

// A value counts, however late it comes; and so does the end of the caller's context.
func TestTheLimitIsNotTheEndOfTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := backoff.WithAttemptTimeout(time.Second)
		got, err := backoff.RetryContext(t.Context(), func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 7, nil
		}, limit)
		if got != 7 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		err = backoff.DoContext(ctx, func(ctx context.Context) error {
			cancel(errClosed)
			<-ctx.Done()
			return ctx.Err()
		}, limit, backoff.RetryIf(backoff.AnyError))
		checkEnd(t, err, context.Canceled, backoff.StopCancelled, 1)
		if late := (*backoff.AttemptTimeoutError)(nil); errors.As(err, &late) || !errors.Is(err, errClosed) {
			t.Error(err)
		}
	})
}

// Once the caller's context is done, the error of a late attempt is that of its function.
func TestTheEndOfTheLoopComesBeforeTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		err := backoff.DoContext(ctx, func(context.Context) error {
			time.Sleep(4 * time.Second)
			return errBusy
		}, backoff.WithAttemptTimeout(time.Second))
		checkEnd(t, err, errBusy, backoff.StopCancelled, 1)
		if late := (*backoff.AttemptTimeoutError)(nil); errors.As(err, &late) {
			t.Error(err)
		}
	})
}

// The context of an attempt ends with it, also if it panics; without a limit it is that of the loop.
func TestTheContextOfAnAttemptEnds(t *testing.T) {
	for _, isLimited := range []bool{true, false} {
		limit := backoff.NoLimit
		if isLimited {
			limit = time.Hour
		}
		var contexts []context.Context
		err := backoff.DoContext(t.Context(), func(ctx context.Context) error {
			if contexts = append(contexts, ctx); len(contexts) == 1 {
				return backoff.RetryAfter(0, nil)
			}
			return nil
		}, backoff.WithAttemptTimeout(limit), backoff.WithDelays(0))
		if err != nil {
			t.Error(err)
		}
		_, _ = panicking(func() error {
			return backoff.DoContext(t.Context(), func(ctx context.Context) error {
				contexts = append(contexts, ctx)
				panic(errWrong)
			}, backoff.WithAttemptTimeout(limit))
		})
		for i, ctx := range contexts {
			if isDone := ctx.Err() != nil; isDone != isLimited || len(contexts) != 3 {
				t.Errorf("context %d of %d with the limit %v is done: %t", i, len(contexts), limit, isDone)
			}
		}
	}
}

// A body that meets the limit reports its error as always.
func TestALoopEndsAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loop := backoff.NewLoop(t.Context(), backoff.WithPolicyString("constant:base=1s,max_retries=1,attempt_timeout=2s"))
		for range loop.Attempts() {
			<-loop.Context().Done()
			loop.Report(loop.Context().Err())
		}
		var late *backoff.AttemptTimeoutError
		if !errors.As(loop.Err(), &late) {
			t.Fatal(loop.Err())
		}
		checkEnd(t, loop.Err(), late, backoff.StopMaxRetries, 2)
	})
}
