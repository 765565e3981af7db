// The text of RetryStats with a prefix and labels.

package backoff

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Label is a name and a value that a metric has.
type Label struct{ Name, Value string }

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// isName reports whether Prometheus allows a name, of which letters may be other characters than letters, too. A regular
// expression would make every program with this package larger, also one without statistics.
func isName(name, letters string) bool {
	for i, r := range name {
		isLetter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune(letters, r)
		if !isLetter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// WriteLabelled writes the counts in the text format of Prometheus, with a prefix in place of "backoff" in the names of the
// metrics, and with labels for every count, in this order (SPEC 17.3). A value may be any text in UTF-8.
//
// It fails with an *ArgumentError for a prefix or the name of a label that Prometheus does not allow, that the text needs
// itself, or that is there twice, and for a value that is not UTF-8. Otherwise it fails with the writer's error.
func (s *RetryStats) WriteLabelled(writer io.Writer, prefix string, labels ...Label) (int64, error) {
	if !isName(prefix, "_:") {
		return 0, &ArgumentError{Code: ErrNotAName, Field: "prefix", Value: prefix, Rule: "cannot begin the name of a metric"}
	}
	known := map[string]bool{"le": true, "reason": true}
	var given []string
	for i, label := range labels {
		if slices.ContainsFunc(labels[:i], func(other Label) bool { return other.Name == label.Name }) {
			return 0, &ArgumentError{Code: ErrNotAName, Field: "label", Value: label.Name, Rule: "is there twice"}
		}
		if known[label.Name] || strings.HasPrefix(label.Name, "__") || !isName(label.Name, "_") {
			return 0, &ArgumentError{Code: ErrNotAName, Field: "label", Value: label.Name, Rule: "cannot be the name of a label here"}
		}
		if !utf8.ValidString(label.Value) { // Prometheus would reject the whole text
			return 0, &ArgumentError{Code: ErrNotUnicode, Field: "value of label " + label.Name, Value: label.Value, Rule: "is not valid UTF-8"}
		}
		given = append(given, fmt.Sprintf(`%s="%s"`, label.Name, labelEscapes.Replace(label.Value)))
	}
	all := strings.Join(given, ",")
	var text strings.Builder
	for line := range strings.Lines(s.String()) {
		head, tail, _ := strings.Cut(line, "backoff")
		if name, own, found := strings.Cut(tail, "{"); head == "" && all != "" && found {
			tail = name + "{" + all + "," + own
		} else if name, count, _ := strings.Cut(tail, " "); head == "" && all != "" {
			tail = name + "{" + all + "} " + count
		}
		text.WriteString(head + prefix + tail)
	}
	written, err := io.WriteString(writer, text.String())
	return int64(written), err
}
