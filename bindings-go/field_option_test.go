package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// Fields beside the policy of a loop change it as pairs after a preset do.
func TestFieldsBesideThePolicy(t *testing.T) {
	of := backoff.WithPolicyString
	for want, options := range map[string][]backoff.RetryOption{
		"default:max_retries=5":         {backoff.WithMaxRetries(5)},
		"default:max_attempts=5":        {backoff.WithMaxAttempts(5)},
		"default:base=1ms,cap=2ms":      {backoff.WithCap(2 * time.Millisecond), backoff.WithBase(time.Millisecond)},
		"default:base=40s,cap=60s":      {backoff.WithBase(40 * time.Second), backoff.WithCap(time.Minute)},
		"azure-core:jitter=full":        {of("azure-core"), backoff.WithJitter(backoff.FullJitter)},
		"default:multiplier=8/5":        {backoff.WithMultiplier(1.6)},
		"default:multiplier=4/3":        {backoff.WithMultiplierRatio(4, 3)},
		"default:cap=none":              {backoff.WithCap(backoff.NoLimit)},
		"default:retry_after=spread":    {backoff.WithRetryAfterMode(backoff.RetryAfterSpread)},
		"default:attempt_timeout=2s":    {backoff.WithAttemptTimeout(2 * time.Second)},
		"default:reset_after=1m":        {backoff.WithResetAfter(time.Minute)},
		"default:elapsed_from=failure":  {backoff.WithElapsedFrom(backoff.ElapsedFromFailure)},
		"svix:waits=1s/5m":              {of("svix"), backoff.WithWaits(time.Second, 5*time.Minute)},
		"off:max_retries=2":             {backoff.WithMaxRetries(2), of("off")},
		"default:max_retries=7":         {backoff.WithMaxRetries(5), backoff.WithMaxRetries(7)},
		"default:max_retries=2,base=3s": {backoff.WithDelays(1, 2), backoff.WithBase(3 * time.Second)},
		"default:max_retries=1":         {backoff.WithDelays(1, 2, 3), backoff.WithMaxRetries(1)},
		"default:max_retries=0":         {backoff.WithEnabled(false)},
		"default":                       {backoff.WithEnabled(false), backoff.WithEnabled(true)},
		"k8s-crashloop:max_retries=3":   {backoff.WithOptions(of("k8s-crashloop"), backoff.WithMaxRetries(9)), backoff.WithMaxRetries(3)},
	} {
		for range 2 { // the second time, the policy is known
			if got, err := backoff.PolicyOfLoop(options...); err != nil || got != parsePolicy(t, want) {
				t.Errorf("%s: %v, %v", want, got, err)
			}
		}
	}
}

func TestInvalidFieldsBesideThePolicy(t *testing.T) {
	for _, row := range []struct {
		options []backoff.RetryOption
		code    backoff.Code
		message string
	}{
		{[]backoff.RetryOption{backoff.WithPower(3)}, backoff.ErrUnused, "power 3 is not used by growth exponential"},
		{[]backoff.RetryOption{backoff.WithMaxRetries(1 << 33)}, backoff.ErrTooLarge, "max_retries 8589934592 is above 4294967296"},
		{[]backoff.RetryOption{backoff.WithCap(-1), backoff.WithCap(time.Hour)}, backoff.ErrNegative, "cap -1ns is below 0s"},
		{[]backoff.RetryOption{backoff.WithMaxRetries(1), backoff.WithMaxAttempts(1)}, backoff.ErrGivenTwice, ""},
		{[]backoff.RetryOption{backoff.WithAttemptTimeout(0)}, backoff.ErrTooSmall, "attempt_timeout 0s is below 1ns"},
		{[]backoff.RetryOption{backoff.WithPolicyString("svix"), backoff.WithWaits()}, backoff.ErrMissingValue, "waits has no value"},
		{[]backoff.RetryOption{backoff.WithJitter(99)}, backoff.ErrUnknownKind, "jitter 99 is unknown; the kinds are none, full, equal, proportional, additive, decorrelated, slotted"},
		{[]backoff.RetryOption{backoff.WithPolicyString("off"), backoff.WithCapOn(7)}, backoff.ErrUnknownKind, "cap_on 7 is unknown; the kinds are window, delay"},
		{[]backoff.RetryOption{backoff.WithBase(time.Minute)}, backoff.ErrCapBelowBase, `cap 20s is below base 1m; one of them is that of the policy "default"`},
		{[]backoff.RetryOption{backoff.WithFloor(time.Minute)}, backoff.ErrFloorAboveCap, `floor 1m is above cap 20s; one of them is that of the policy "default"`},
		{[]backoff.RetryOption{backoff.WithPolicyString("default"), backoff.WithBase(time.Minute)}, backoff.ErrCapBelowBase, "cap 20s is below base 1m"},
		{[]backoff.RetryOption{backoff.WithDelays(time.Second, -1)}, backoff.ErrNegative, "delay -1ns is below 0s"},
		{[]backoff.RetryOption{backoff.WithDelayFunc(nil)}, backoff.ErrMissing, "argument of WithDelayFunc is nil"},
		{[]backoff.RetryOption{backoff.WithOptions(nil)}, backoff.ErrMissing, "option is nil"},
	} {
		called := false
		err := backoff.Do(t.Context(), func() error { called = true; return nil }, row.options...)
		if !errors.Is(err, row.code) || called || row.message != "" && err.Error() != row.message {
			t.Errorf("%v, want %v: %s", err, row.code, row.message)
		}
		if invalid := (*backoff.PolicyError)(nil); errors.As(err, &invalid) && (invalid.At != -1 || invalid.Found != "") {
			t.Errorf("%v is at %d: %q", err, invalid.At, invalid.Found)
		}
	}
}

// More changes than the process keeps are made all the same.
func TestManyChanges(t *testing.T) {
	for retries := range uint64(300) {
		got, err := backoff.PolicyOfLoop(backoff.WithMaxRetries(retries))
		if want := parsePolicy(t, fmt.Sprintf("default:max_retries=%d", retries)); err != nil || got != want {
			t.Errorf("%d: %v, %v", retries, got, err)
		}
	}
}

// A limit on attempts needs a function that the loop can end.
func TestRetryCannotEndAnAttempt(t *testing.T) {
	limited := backoff.WithPolicyString("default:attempt_timeout=1s")
	succeed := func() error { return nil }
	const want = "attempt_timeout needs RetryContext, DoContext or a Loop: Retry and Do cannot end an attempt"
	for _, option := range []backoff.RetryOption{limited, backoff.WithAttemptTimeout(time.Second)} {
		if err := backoff.Do(t.Context(), succeed, option); !errors.Is(err, backoff.ErrUnused) || err.Error() != want {
			t.Error(err)
		}
		if err := backoff.DoContext(t.Context(), func(context.Context) error { return nil }, option); err != nil {
			t.Error(err)
		}
	}
	if err := backoff.Do(t.Context(), succeed, limited, backoff.WithAttemptTimeout(backoff.NoLimit)); err != nil {
		t.Error(err)
	}
}
