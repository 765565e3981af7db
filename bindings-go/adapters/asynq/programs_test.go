package backoffasynq_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/backoff-rs/backoff/bindings-go/internal/page"
)

func TestProgramOfThePage(t *testing.T) {
	connect(t, nil)
	page.Program(t, "REDIS_URL="+started.URLs["redis"])
}

// The program of the scenario prints the delays to the second.
func TestProgramOfTheScenario(t *testing.T) {
	connect(t, nil)
	var answer struct{ Delays []float64 }
	got := page.Run(t, nil, "internal/queue", started.URLs["redis"], policy, "42", "1001", "2")
	if err := json.Unmarshal([]byte(got), &answer); err != nil || len(answer.Delays) != 2 {
		t.Fatalf("%v: %s", err, got)
	}
	for i, ms := range answer.Delays {
		if late := time.Duration(ms*1e6) - delays[i]; late < -time.Microsecond || late > 5*time.Second {
			t.Errorf("delay %v ms, want %d ns", ms, delays[i])
		}
	}
}
