// Package page tests the programs of ADAPTERS.md.
package page

import (
	"os"
	"os/exec"
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
	command := exec.Command("go", "run", "./internal/example")
	command.Env = append(os.Environ(), variables...)
	command.Stderr = os.Stderr
	if got, err := command.Output(); err != nil || string(got) != want {
		t.Errorf("the program prints\n%s, %v, want\n%s", got, err, want)
	}
}
