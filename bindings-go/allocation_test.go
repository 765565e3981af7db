package backoff_test

import (
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

func TestDelaysDoNotAllocate(t *testing.T) {
	c := find(t, "jitters", "full")
	policy, stream := c.policy(t), c.stream(t)
	b, delays, key := backoff.New(policy, stream), make([]time.Duration, 100), []byte("job-1")
	constant := parsePolicy(t, "constant:base=1s")
	alone, shared := beginOrFail(t, constant), beginOrFail(t, constant, backoff.WithBudget(parseBudget(t, "concurrent:min_concurrent=1")))
	var history backoff.History
	text := make([]byte, 0, 1024)
	now := time.Now()
	rows := []struct {
		what string
		do   func()
	}{
		{"Next", func() { b.Next() }},
		{"Reset", b.Reset},
		{"Delay", func() { policy.Delay(stream, 3) }},
		{"Window", func() { policy.Window(3) }},
		{"Fill", func() { policy.Fill(stream, 0, delays) }},
		{"Draw", func() { stream.Draw(3) }},
		{"KeyStream", func() { _, _ = backoff.KeyStream(42, "job-1") }},
		{"BytesKeyStream", func() { backoff.BytesKeyStream(42, key) }},
		{"ParsePolicy", func() { _, _ = backoff.ParsePolicy("default:max_retries=9") }},
		{"AppendText", func() { _, _ = policy.AppendText(text) }},
		{"FitBase", func() { _, _ = policy.FitBase(3, time.Minute) }},
		{"Preview", func() {
			for range policy.Preview() {
				break
			}
		}},
		{"Decide", func() { alone.Decide(backoff.OutcomeTransient, time.Hour) }},
		{"Decide with a hint", func() { alone.Decide(backoff.OutcomeThrottled, time.Hour, time.Second) }},
		{"Decide with a budget", func() { shared.Decide(backoff.OutcomeTimeout, time.Hour) }},
		{"Retries", func() { shared.Retries() }},
		{"ParseRetryAfter", func() { backoff.ParseRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT", now) }},
		{"Record", func() { _ = history.Record(3, backoff.StopSuccess) }},
		{"Merge", func() { history.Merge(&history) }},
		{"Counts", func() { history.Counts() }},
	}
	for _, row := range rows {
		if count := testing.AllocsPerRun(1000, row.do); count != 0 {
			t.Errorf("%s allocates %v times", row.what, count)
		}
	}
	if !alone.Decide(backoff.OutcomeTransient, time.Hour).Wait || !shared.Decide(backoff.OutcomeTransient, time.Hour).Wait {
		t.Error("an operation had stopped")
	}
}

func beginOrFail(t testing.TB, policy backoff.Policy, options ...backoff.BeginOption) *backoff.Operation {
	t.Helper()
	operation, err := policy.Begin(backoff.SeedStream(42), 0, options...)
	if err != nil {
		t.Fatal(err)
	}
	return operation
}
