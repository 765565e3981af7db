package backoffasynq_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const page = "../../ADAPTERS.md" // in the repository

// The program of the page prints what the page says.
func TestProgramOfThePage(t *testing.T) {
	connect(t, nil)
	text, program := read(t, page), read(t, "internal/example/main.go")
	_, after, found := strings.Cut(text, "```go\n"+program+"```\n\n```text\n")
	want, _, _ := strings.Cut(after, "```\n")
	if !found {
		t.Fatalf("%s does not have the program", page)
	}
	if got := run(t, "REDIS_URL="+started.URLs["redis"], "./internal/example"); got != want {
		t.Errorf("the program prints\n%s, want\n%s", got, want)
	}
}

// The program of the scenario prints the delays to the second.
func TestProgramOfTheScenario(t *testing.T) {
	connect(t, nil)
	var answer struct{ Delays []float64 }
	got := run(t, "", "./internal/queue", started.URLs["redis"], policy, "42", "1001", "2")
	if err := json.Unmarshal([]byte(got), &answer); err != nil || len(answer.Delays) != 2 {
		t.Fatalf("%v: %s", err, got)
	}
	for i, ms := range answer.Delays {
		if late := time.Duration(ms*1e6) - delays[i]; late < -time.Microsecond || late > 5*time.Second {
			t.Errorf("delay %v ms, want %d ns", ms, delays[i])
		}
	}
}

func run(t *testing.T, variable string, arguments ...string) string {
	t.Helper()
	command := exec.Command("go", append([]string{"run"}, arguments...)...)
	command.Env = append(os.Environ(), variable)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", arguments, err, output)
	}
	return string(output)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
