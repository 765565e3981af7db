package adapters

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The programs of ADAPTERS.md print what the page says.
func TestProgramsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../ADAPTERS.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("../examples")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	variables := map[string]string{"redis": "REDIS_URL", "asynq": "REDIS_URL", "postgres": "DATABASE_URL", "river": "DATABASE_URL"}
	for _, folder := range folders {
		t.Run(folder.Name(), func(t *testing.T) {
			program, err := os.ReadFile("../examples/" + folder.Name() + "/main.go")
			if err != nil {
				t.Fatal(err)
			}
			_, after, found := strings.Cut(string(page), "```go\n"+string(program)+"```\n\n```text\n")
			want, _, _ := strings.Cut(after, "```\n")
			if !found {
				t.Fatal("the page does not have the program")
			}
			var environment []string
			switch variable := variables[folder.Name()]; variable {
			case "REDIS_URL":
				flushRedis(t)
				environment = []string{variable + "=" + url(t, "redis")}
			case "DATABASE_URL":
				connectRiver(t)
				openPostgres(t)
				environment = []string{variable + "=" + url(t, "postgres")}
			}
			if got := runProgram(t, environment, "examples/"+folder.Name()); got != want {
				t.Errorf("the program prints\n%s, want\n%s", got, want)
			}
		})
	}
}

// The programs of the scenario print the delays, as exactly as the queue has them.
func TestProgramsOfTheScenario(t *testing.T) {
	for name, server := range map[string]string{"asynq": "redis", "river": "postgres"} {
		connect(t, name, policy, nil)
		var answer struct{ Delays []float64 }
		got := runProgram(t, nil, "queues/"+name, url(t, server), policy, "42", "1001", "2")
		if err := json.Unmarshal([]byte(got), &answer); err != nil || len(answer.Delays) != 2 {
			t.Fatalf("%v: %s", err, got)
		}
		for i, ms := range answer.Delays {
			if late := time.Duration(ms*1e6) - delays[i]; late < -time.Microsecond || late > 5*time.Second {
				t.Errorf("%s: delay %v ms, want %d ns", name, ms, delays[i])
			}
		}
	}
}

// runProgram runs a program of this module, with variables of the environment, and returns what it prints. It has the
// versions of the module in the folder BACKOFF_GO_HOSTS, by default those of this module.
func runProgram(t *testing.T, variables []string, program string, arguments ...string) string {
	t.Helper()
	program = "github.com/backoff-rs/backoff/bindings-go/internal/checks/" + program
	command := exec.Command("go", append([]string{"run", program}, arguments...)...)
	command.Dir = os.Getenv("BACKOFF_GO_HOSTS")
	command.Env = append(os.Environ(), variables...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, output)
	}
	return string(output)
}
