// Package page tests the programs of ADAPTERS.md.
package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const path = "../../ADAPTERS.md" // from the folder of an adapter

// Program runs the program in internal/example of an adapter, with variables of the environment, and tests that the page
// has it and what it prints.
func Program(t *testing.T, variables ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("internal/example/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```go\n"+string(program)+"```\n\n```text\n")
	want, _, _ := strings.Cut(after, "```\n")
	if !found {
		t.Fatalf("%s does not have the program", path)
	}
	if got := Run(t, variables, "internal/example"); got != want {
		t.Errorf("the program prints\n%s, want\n%s", got, want)
	}
}

// Run runs a program of the adapter in whose folder the test runs, with variables of the environment, and returns what it
// prints. It has the versions of the module in the folder BACKOFF_GO_HOSTS, by default those of the adapter.
func Run(t *testing.T, variables []string, program string, arguments ...string) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program = "github.com/backoff-rs/backoff/bindings-go/adapters/" + filepath.Base(folder) + "/" + program
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
