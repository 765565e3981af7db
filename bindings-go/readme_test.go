package backoff_test

import (
	"os"
	"strings"
	"testing"
)

// The README's code is that of the examples, which run; what it prints is their output.
func TestREADMEIsTheExamples(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	snippets := readme(t, "go")
	for _, snippet := range snippets {
		body := snippet.code
		if _, main, ok := strings.Cut(body, "func main() {\n"); ok {
			body = strings.TrimSuffix(main, "}\n")
		} else {
			body = indent("\t", body)
		}
		if expected := body + "\t// Output:\n" + indent("\t// ", snippet.output) + "}\n"; !strings.Contains(string(source), expected) {
			t.Errorf("no example ends with\n%s", expected)
		}
	}
	if want := strings.Count(string(source), "// Output:"); len(snippets) != want {
		t.Errorf("the README has %d snippets, the examples are %d", len(snippets), want)
	}
}

type snippet struct {
	code   string
	output string // the text block that follows, if one does
}

// readme returns the README's fenced blocks of a language.
func readme(t *testing.T, language string) []snippet {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var snippets []snippet
	for _, rest := range strings.Split(string(text), "```"+language+"\n")[1:] {
		code, after, closed := strings.Cut(rest, "```\n")
		if !closed {
			t.Fatalf("a block does not end:\n%s", rest)
		}
		output, _ := strings.CutPrefix(after, "\n```text\n")
		if output == after {
			output = ""
		}
		output, _, _ = strings.Cut(output, "```\n")
		snippets = append(snippets, snippet{code, output})
	}
	if len(snippets) == 0 {
		t.Fatalf("the README has no %s block", language)
	}
	return snippets
}

func indent(prefix, text string) string {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			lines.WriteString(prefix)
		}
		lines.WriteString(line)
	}
	return lines.String()
}
