package backoffhttp_test

import (
	"os"
	"strings"
	"testing"
)

// The program of the page about adapters is the example.
func TestProgramOfThePage(t *testing.T) {
	page, err := os.ReadFile("../ADAPTERS.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## HTTP\n")
	_, block, _ := strings.Cut(section, "```go\n")
	program, after, _ := strings.Cut(block, "```\n\n```text\n")
	output, _, found := strings.Cut(after, "```\n")
	_, body, _ := strings.Cut(program, "func main() {\n")
	want := strings.TrimSuffix(body, "}\n") + "\t// Output:\n"
	for line := range strings.Lines(output) {
		want += "\t// " + line
	}
	if !found || !strings.Contains(string(source), "func Example() {\n"+want+"}\n") {
		t.Errorf("the example does not end with\n%s", want)
	}
}
