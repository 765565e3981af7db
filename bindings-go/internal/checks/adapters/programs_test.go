package adapters

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each program of ADAPTERS.md is one of an adapter, is formatted, and prints what the page says. That of the package
// backoffhttp is an example of the package.
func TestProgramsOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../ADAPTERS.md")
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, block := range strings.Split(string(page), "```go\n")[1:] {
		program, after, _ := strings.Cut(block, "```\n")
		adapter := regexp.MustCompile(`bindings-go/adapters/(\w+)"`).FindStringSubmatch(program)
		if adapter == nil && strings.Contains(program, "bindings-go/backoffhttp") {
			continue
		} else if adapter == nil {
			t.Fatalf("a program of no adapter:\n%s", program)
		}
		names[adapter[1]] = true
		t.Run(adapter[1], func(t *testing.T) {
			if formatted, err := format.Source([]byte(program)); err != nil || string(formatted) != program {
				t.Errorf("the program is not formatted: %v", err)
			}
			path := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(path, []byte(program), 0o644); err != nil {
				t.Fatal(err)
			}
			var environment []string
			switch {
			case strings.Contains(program, "REDIS_URL"):
				flushRedis(t)
				environment = []string{"REDIS_URL=" + url(t, "redis")}
			case strings.Contains(program, "DATABASE_URL"):
				connectRiver(t)
				openPostgres(t)
				environment = []string{"DATABASE_URL=" + url(t, "postgres")}
			}
			output, found := strings.CutPrefix(after, "\n```text\n")
			output, _, _ = strings.Cut(output, "```\n")
			if got := runProgram(t, environment, path); !found || got != output {
				t.Errorf("the program prints\n%s, want\n%s", got, output)
			}
		})
	}
	folders, err := os.ReadDir("../../../adapters")
	if err != nil || len(folders) != len(names) {
		t.Errorf("%d adapters have programs %v, %v", len(folders), names, err)
	}
}

// runProgram runs a program, with variables of the environment, and returns what it prints. It has the versions of the
// module in the folder BACKOFF_GO_HOSTS, by default those of this module.
func runProgram(t *testing.T, variables []string, program string) string {
	t.Helper()
	command := exec.Command("go", "run", program)
	command.Dir = os.Getenv("BACKOFF_GO_HOSTS")
	command.Env = append(os.Environ(), variables...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, output)
	}
	return string(output)
}
