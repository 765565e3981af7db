// The vectors of what budgets have left, and of labels.

package backoff_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

type budgetLevels struct {
	named
	Budget string `json:"budget"`
	Steps  []struct {
		Do        string          `json:"do"`
		Now       number          `json:"now"`
		Operation int             `json:"operation"`
		Outcome   backoff.Outcome `json:"outcome"`
		Level     number          `json:"level"`
		Max       number          `json:"max"`
		Unit      number          `json:"unit"`
	} `json:"steps"`
}

func checkBudgetLevels(t *testing.T, c budgetLevels) {
	policy := parsePolicy(t, "constant:base=0s")
	budget, err := backoff.ParseBudget(c.Budget)
	if err != nil {
		t.Fatal(err)
	}
	operations := make(map[int]*backoff.Operation)
	for position, step := range c.Steps {
		now := time.Duration(step.Now)
		switch step.Do {
		case "begin":
			operations[step.Operation], err = policy.Begin(backoff.StreamFromSeed(0), now, backoff.WithBudget(budget))
		case "outcome":
			_, err = operations[step.Operation].Decide(step.Outcome, now)
		case "cancel":
			operations[step.Operation].Cancel()
		case "level":
			var got backoff.BudgetLevel
			want := backoff.BudgetLevel{Level: uint64(step.Level), Max: uint64(step.Max), Unit: uint64(step.Unit)}
			if got, err = budget.Level(now); got != want {
				t.Errorf("step %d: got %+v, want %+v", position, got, want)
			}
			if left := float64(step.Level) / float64(step.Unit); got.Left() != left || got.Most() != float64(step.Max)/float64(step.Unit) {
				t.Errorf("step %d: %v of %v left, want %v", position, got.Left(), got.Most(), left)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoLevels(t *testing.T) {
	if _, err := new(backoff.Budget).Level(0); !errors.Is(err, backoff.ErrNoBudget) {
		t.Errorf("got %v", err)
	}
	budget, err := backoff.ParseBudget("ratio")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := budget.Level(-1); !errors.Is(err, backoff.ErrNegative) {
		t.Errorf("got %v", err)
	}
	if left := (backoff.BudgetLevel{}).Left(); left != 0 {
		t.Errorf("nothing has %v left", left)
	}
}

type statsLabels struct {
	named
	Records []record    `json:"records"`
	Prefix  string      `json:"prefix"`
	Labels  [][2]string `json:"labels"`
	Text    *string     `json:"text"`
}

func checkStatsLabels(t *testing.T, c statsLabels) {
	var stats backoff.RetryStats
	recordAll(t, &stats, c.Records)
	var labels []backoff.Label
	for _, pair := range c.Labels {
		labels = append(labels, backoff.Label{Name: pair[0], Value: pair[1]})
	}
	var text strings.Builder
	written, err := stats.WriteLabelled(&text, c.Prefix, labels...)
	switch {
	case c.Text == nil:
		if !errors.Is(err, backoff.ErrNotAName) || text.Len() > 0 {
			t.Errorf("got %v and\n%s", err, text.String())
		}
	case err != nil || text.String() != *c.Text || written != int64(len(*c.Text)):
		t.Errorf("wrote %d, %v:\n%s", written, err, text.String())
	}
}

// Prometheus rejects a text that is not UTF-8 as a whole.
func TestAValueOfALabelIsUTF8(t *testing.T) {
	var text strings.Builder
	written, err := new(backoff.RetryStats).WriteLabelled(&text, "shop", backoff.Label{Name: "a", Value: "\xff"})
	if !errors.Is(err, backoff.ErrNotUnicode) || written != 0 || text.Len() != 0 {
		t.Errorf("wrote %d bytes, with %v", written, err)
	}
}

func TestALabelThatIsThereTwiceSaysSo(t *testing.T) {
	label := backoff.Label{Name: "a", Value: "1"}
	_, err := new(backoff.RetryStats).WriteLabelled(new(strings.Builder), "shop", label, label)
	checkArgument(t, err, backoff.ErrNotAName, "label", `label "a" is there twice`)
}
