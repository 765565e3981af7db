package backoff_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each program of the pages is an example, which go test runs and whose output it checks.
func TestProgramsOfPagesAreExamples(t *testing.T) {
	source := read(t, "example_test.go") + read(t, "cenkalti/example_test.go") + read(t, "sharedbudget/example_test.go")
	program, tests := read(t, "examples/http/main.go"), read(t, "synctest_test.go")
	snippets := snippets(t, "go")
	programs := 0
	for _, snippet := range snippets {
		body := snippet.code
		if body == program || strings.HasPrefix(body, "func Test") && strings.Contains(tests, body) {
			programs++
			continue
		}
		if _, main, ok := strings.Cut(body, "func main() {\n"); ok {
			body = strings.TrimSuffix(main, "}\n")
		} else {
			body = indent("\t", body)
		}
		if expected := body + "\t// Output:\n" + indent("\t// ", snippet.output) + "}\n"; !strings.Contains(source, expected) {
			t.Errorf("no example ends with\n%s", expected)
		}
	}
	if want := strings.Count(source, "// Output:"); len(snippets)-programs != want || programs != 2 {
		t.Errorf("the pages have %d programs and %d copies of the HTTP example and of a test; there are %d examples", len(snippets)-programs, programs, want)
	}
}

// The module's zip file and pkg.go.dev show the README without the files around it.
func TestREADMEHasNoRelativeLinks(t *testing.T) {
	links := strings.Split(strings.ReplaceAll(read(t, "README.md"), "\n", " "), "](")[1:]
	for _, link := range links {
		target, _, _ := strings.Cut(link, ")")
		if !strings.HasPrefix(target, "#") && !strings.HasPrefix(target, "https://github.com/backoff-rs/backoff") {
			t.Errorf("a link to %s", target)
		}
	}
	if len(links) < 15 {
		t.Errorf("only %d links", len(links))
	}
}

// A budget prints only what differs from the defaults.
func TestThePageHasTheDefaultsOfBudgets(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/budgets.md"), "| key | sets | defaults |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	found := 0
	for row := range strings.Lines(table) {
		cells := strings.Split(row, " | ")
		key, defaults := strings.Trim(cells[0], "| `"), strings.TrimSuffix(cells[2], " |\n")
		if strings.HasSuffix(defaults, "the `cost`") {
			continue
		}
		for entry := range strings.SplitSeq(defaults, ", ") {
			kind, value, _ := strings.Cut(strings.ReplaceAll(strings.TrimSuffix(entry, " |"), "`", ""), " ")
			if got := parseBudget(t, kind+":"+key+"="+value).String(); got != kind {
				t.Errorf("%s of %s is not %s, but makes %s", key, kind, value, got)
			}
			found++
		}
	}
	if found != 13 {
		t.Errorf("%d defaults", found)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type snippet struct {
	code   string
	output string // the text block that follows, if there is one
}

// pages returns the README and the pages in docs.
func pages(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	text := read(t, "README.md")
	for _, name := range names {
		text += read(t, name)
	}
	return text
}

// snippets returns the fenced blocks of a language in the pages.
func snippets(t *testing.T, language string) []snippet {
	t.Helper()
	var snippets []snippet
	for _, rest := range strings.Split(pages(t), "```"+language+"\n")[1:] {
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
		t.Fatalf("the pages have no %s block", language)
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
