package backoff_test

import (
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// A package-level regular expression makes every program larger that imports the package.
func TestNoRegularExpressions(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, imported := range file.Imports {
				if read++; imported.Path.Value == `"regexp"` {
					t.Errorf("%s imports %s", name, imported.Path.Value)
				}
			}
		}
	}
	if read == 0 {
		t.Error("no import was read")
	}
}
