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
	}
	for _, row := range rows {
		if count := testing.AllocsPerRun(1000, row.do); count != 0 {
			t.Errorf("%s allocates %v times", row.what, count)
		}
	}
}
