//go:build !race

// The race detector lets a sync.Pool lose instances of the core, which must then be made again.

package backoff_test

import (
	"context"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func TestDelaysDoNotAllocate(t *testing.T) {
	policy, stream := parsePolicy(t, "full:base=100ms,cap=20s"), backoff.StreamFromSeed(42)
	b, delays, key := backoff.New(policy, stream), make([]time.Duration, 100), []byte("job-1")
	constant := parsePolicy(t, "constant:base=1s")
	alone, shared := beginOrFail(t, constant), beginOrFail(t, constant, backoff.WithBudget(parseBudget(t, "concurrent:min_concurrent=1")))
	var stats backoff.RetryStats
	text := make([]byte, 0, 1024)
	throttled := backoff.OutcomeThrottled.WithRetryAfter(time.Second)
	now := time.Now()
	rows := []struct {
		what string
		do   func()
	}{
		{"Next", func() { b.Next() }},
		{"Reset", b.Reset},
		{"Delay", func() { policy.Delay(stream, 3) }},
		{"MaxRetries", func() { policy.MaxRetries() }},
		{"Window", func() { policy.Window(3) }},
		{"Fill", func() { policy.Fill(stream, 0, delays) }},
		{"Draw", func() { _ = stream.Draw(3) }},
		{"StreamFromKey", func() { _, _ = backoff.StreamFromKey(42, "job-1") }},
		{"StreamFromKeyBytes", func() { backoff.StreamFromKeyBytes(42, key) }},
		{"ParsePolicy", func() { _, _ = backoff.ParsePolicy("default:max_retries=9") }},
		{"AppendText", func() { _, _ = policy.AppendText(text) }},
		{"FitBase", func() { _, _ = policy.FitBase(3, time.Minute) }},
		{"Preview", func() {
			for range policy.Preview() {
				break
			}
		}},
		{"Decide", func() { _, _ = alone.Decide(backoff.OutcomeTransient, time.Hour) }},
		{"Decide with a retry_after", func() { _, _ = alone.Decide(throttled, time.Hour) }},
		{"Decide with a budget", func() { _, _ = shared.Decide(backoff.OutcomeTimeout, time.Hour) }},
		{"Retries", func() { shared.Retries() }},
		{"ParseRetryAfter", func() { backoff.ParseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now) }},
		{"Record", func() { _ = stats.Record(3, backoff.StopSuccess) }},
		{"Merge", func() { stats.Merge(&stats) }},
		{"Counts", func() { stats.Counts() }},
	}
	for _, row := range rows {
		if count := testing.AllocsPerRun(1000, row.do); count != 0 {
			t.Errorf("%s allocates %v times", row.what, count)
		}
	}
	if alone.Reason() != 0 || shared.Reason() != 0 {
		t.Error("an operation stopped")
	}
}

func TestLoopsThatSucceedAtOnceDoNotAllocate(t *testing.T) {
	ctx, policy := context.Background(), parsePolicy(t, "constant:base=1s")
	succeed := func() error { return nil }
	kept := backoff.WithOptions(backoff.WithPolicy(policy), backoff.RetryIf(backoff.AnyError))
	rows := []struct {
		what string
		do   func()
		want float64
	}{
		{"Do", func() { _ = backoff.Do(ctx, succeed) }, 0},
		{"Retry", func() { _, _ = backoff.Retry(ctx, func() (int, error) { return 1, nil }) }, 0},
		{"Do with RetryIf", func() { _ = backoff.Do(ctx, succeed, backoff.RetryIf(backoff.AnyError)) }, 0},
		{"Do with WithPolicy", func() { _ = backoff.Do(ctx, succeed, backoff.WithPolicy(policy)) }, 0},
		{"Do with WithOptions", func() { _ = backoff.Do(ctx, succeed, kept) }, 0},
		{"Do with WithPolicyString", func() { _ = backoff.Do(ctx, succeed, backoff.WithPolicyString("full:base=1s")) }, 0},
	}
	for _, row := range rows {
		if count := testing.AllocsPerRun(1000, row.do); count != row.want {
			t.Errorf("%s allocates %v times instead of %v", row.what, count, row.want)
		}
	}
}
