package backoffaws

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The program of the page prints what the page says.
func TestProgramOfThePage(t *testing.T) {
	const path = "../../ADAPTERS.md" // in the repository
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("internal/example/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), "```go\n"+string(program)+"```\n\n```text\n")
	want, _, _ := strings.Cut(after, "```\n")
	if !found {
		t.Fatalf("%s does not have the program", path)
	}
	command := exec.Command("go", "run", "./internal/example")
	command.Stderr = os.Stderr
	if got, err := command.Output(); err != nil || string(got) != want {
		t.Errorf("the program prints\n%s, %v, want\n%s", got, err, want)
	}
}
