package backoff_test

import (
	"encoding"
	"errors"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A text is a case of texts or text_errors.
type text struct {
	named
	Of        string      `json:"of"`
	Text      string      `json:"text"`
	Canonical string      `json:"canonical"`
	Policy    fieldTexts  `json:"policy"`
	Error     policyError `json:"error"`
}

func checkText(t *testing.T, c text) {
	checkFields(t, c.Of, c.Text)
	if c.Of == "budget" {
		checkPrinted(t, parseBudget(t, c.Text), c, new(backoff.Budget))
		return
	}
	policy := parsePolicy(t, c.Text)
	checkFieldValues(t, policy.Fields(), c.Policy)
	checkPrinted(t, policy, c, new(backoff.Policy))
	if want, err := backoff.PolicyOf(paramsOf(c.Policy)); err != nil || policy != want {
		t.Errorf("the policy of the fields is %v, %v", want, err)
	}
	if again := parsePolicy(t, c.Canonical); again != policy {
		t.Errorf("the canonical string makes %v", again)
	}
}

// printable is a type with a text form: *Policy or *Budget.
type printable interface {
	encoding.TextMarshaler
	String() string
}

// checkPrinted checks the text form, directly and through the interfaces of package encoding.
func checkPrinted(t *testing.T, parsed printable, c text, empty interface {
	printable
	encoding.TextUnmarshaler
}) {
	t.Helper()
	if parsed.String() != c.Canonical {
		t.Errorf("printed %s, want %s", parsed, c.Canonical)
	}
	if text, err := parsed.MarshalText(); err != nil || string(text) != c.Canonical {
		t.Errorf("marshalled %s, %v", text, err)
	}
	if err := empty.UnmarshalText([]byte(c.Text)); err != nil || empty.String() != c.Canonical {
		t.Errorf("unmarshalled %s, %v", empty, err)
	}
}

func checkTextError(t *testing.T, c text) {
	if c.Of == "budget" {
		budget, err := backoff.ParseBudget(c.Text)
		c.Error.check(t, err)
		unchanged := parseBudget(t, "ratio:max_tokens=7")
		c.Error.check(t, errors.Unwrap(unchanged.UnmarshalText([]byte(c.Text))))
		if budget != nil || unchanged.String() != "ratio:max_tokens=7" {
			t.Errorf("parsed %v, and the unmarshalled budget became %v", budget, unchanged)
		}
		return
	}
	policy, err := backoff.ParsePolicy(c.Text)
	c.Error.check(t, err)
	unchanged := parsePolicy(t, "constant:base=7s")
	c.Error.check(t, errors.Unwrap(unchanged.UnmarshalText([]byte(c.Text))))
	if policy != (backoff.Policy{}) || unchanged.String() != "constant:base=7s" {
		t.Errorf("parsed %v, and the unmarshalled policy became %v", policy, unchanged)
	}
}

func parsePolicy(t testing.TB, text string) backoff.Policy {
	t.Helper()
	policy, err := backoff.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func parseBudget(t testing.TB, text string) *backoff.Budget {
	t.Helper()
	budget, err := backoff.ParseBudget(text)
	if err != nil {
		t.Fatal(err)
	}
	return budget
}
