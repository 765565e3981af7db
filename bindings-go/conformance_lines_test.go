package backoff_test

import (
	"encoding"
	"slices"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/given"
)

// A line is a case of texts, text_errors or presets.
type line struct {
	named
	Of        string            `json:"of"`
	Text      string            `json:"text"`
	Canonical string            `json:"canonical"`
	Policy    map[string]string `json:"policy"`
	Error     refusal           `json:"error"`
	Preset    string            `json:"preset"`
	Line      string            `json:"line"`
	Windows   []string          `json:"windows"`
}

func checkText(t *testing.T, c line) {
	if c.Of == "budget" {
		checkPrinted(t, parseBudget(t, c.Text), c, new(backoff.Budget))
		return
	}
	policy := parsePolicy(t, c.Text)
	checkPrinted(t, policy, c, new(backoff.Policy))
	if want, err := given.Policy(c.Policy); err != nil || policy != want {
		t.Errorf("the policy %v is not that of the fields: %v, %v", policy, want, err)
	}
	if again := parsePolicy(t, c.Canonical); again != policy {
		t.Errorf("the printed line makes %v", again)
	}
}

// text is what lines are read into and printed from.
type text interface {
	encoding.TextMarshaler
	String() string
}

// checkPrinted checks what is printed, directly and by the interfaces of encoding.
func checkPrinted(t *testing.T, made text, c line, empty interface {
	text
	encoding.TextUnmarshaler
}) {
	t.Helper()
	if made.String() != c.Canonical {
		t.Errorf("printed %s, want %s", made, c.Canonical)
	}
	if text, err := made.MarshalText(); err != nil || string(text) != c.Canonical {
		t.Errorf("marshalled %s, %v", text, err)
	}
	if err := empty.UnmarshalText([]byte(c.Text)); err != nil || empty.String() != c.Canonical {
		t.Errorf("unmarshalled %s, %v", empty, err)
	}
}

func checkTextError(t *testing.T, c line) {
	if c.Of == "budget" {
		budget, err := backoff.ParseBudget(c.Text)
		c.Error.check(t, err)
		kept := parseBudget(t, "ratio:max_tokens=7")
		c.Error.check(t, kept.UnmarshalText([]byte(c.Text)))
		if budget != nil || kept.String() != "ratio:max_tokens=7" {
			t.Errorf("made %v, and the budget became %v", budget, kept)
		}
		return
	}
	policy, err := backoff.ParsePolicy(c.Text)
	c.Error.check(t, err)
	kept := parsePolicy(t, "constant:base=7s")
	c.Error.check(t, kept.UnmarshalText([]byte(c.Text)))
	if policy != (backoff.Policy{}) || kept.String() != "constant:base=7s" {
		t.Errorf("made %v, and the policy became %v", policy, kept)
	}
}

func checkPreset(t *testing.T, c line) {
	if c.Of == "budget" {
		if preset, line := parseBudget(t, c.Preset), parseBudget(t, c.Line); preset.String() != c.Canonical || line.String() != c.Canonical {
			t.Errorf("the preset is %v and its line %v, want %s", preset, line, c.Canonical)
		}
		return
	}
	policy := parsePolicy(t, c.Preset)
	if policy.String() != c.Canonical || policy != parsePolicy(t, c.Line) {
		t.Errorf("the preset is %v, want %s", policy, c.Canonical)
	}
	var windows []time.Duration
	for index := range c.Windows {
		windows = append(windows, policy.Window(uint32(index)))
	}
	if want := durations(t, c.Windows); !slices.Equal(windows, want) {
		t.Errorf("the windows are %v, want %v", windows, want)
	}
}

func parsePolicy(t testing.TB, line string) backoff.Policy {
	t.Helper()
	policy, err := backoff.ParsePolicy(line)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func parseBudget(t testing.TB, line string) *backoff.Budget {
	t.Helper()
	budget, err := backoff.ParseBudget(line)
	if err != nil {
		t.Fatal(err)
	}
	return budget
}
