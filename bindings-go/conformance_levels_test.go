// The vectors of what budgets have left, and of labels.

package backoff_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

type budgetLevels struct {
	named
	Budget string `json:"budget"`
	Steps  []struct {
		Do        string          `json:"do"`
		Now       number          `json:"now"`
		Operation int             `json:"operation"`
		Outcome   backoff.Outcome `json:"outcome"`
		State     *string         `json:"state"`
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
	var shared *sharedbudget.Budget
	store := new(oneState)
	if budget.Kind() != "concurrent" {
		if shared, err = sharedbudget.New(store, "test", c.Budget); err != nil {
			t.Fatal(err)
		}
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
			if shared != nil {
				store.text, store.now = step.State, time.Unix(0, int64(step.Now))
				if got, err := shared.Level(t.Context()); got != want || err != nil {
					t.Errorf("step %d: the shared budget has %+v, %v, want %+v", position, got, err, want)
				}
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A oneState is a store of one text, which nobody changes.
type oneState struct {
	text *string
	now  time.Time
	err  error
}

func (s *oneState) Load(context.Context, string) (*string, time.Time, error) {
	return s.text, s.now, s.err
}

func (s *oneState) CompareAndSwap(context.Context, string, *string, string) (bool, error) {
	panic("a level changes nothing")
}

func TestNoSharedLevels(t *testing.T) {
	store := &oneState{now: time.Unix(1, 0)}
	budget, err := sharedbudget.New(store, "test", "ratio:max_tokens=10,ratio=0.1")
	if err != nil {
		t.Fatal(err)
	}
	if level, err := budget.Level(t.Context()); level != (backoff.BudgetLevel{Level: 100, Max: 100, Unit: 10}) || err != nil {
		t.Errorf("a store without a state has %+v, %v", level, err)
	}
	for _, row := range []struct {
		text string
		now  time.Time
		err  error
		want error
	}{
		{"what", time.Unix(1, 0), nil, backoff.ErrNotAState},
		{"1 25 | 0 1 0", time.Unix(-1, 0), nil, backoff.ErrTooSmall},
		{"1 25 | 0 1 0", time.Unix(1, 0), errBusy, errBusy},
		{"1 25 | 0 1 0", time.Unix(1, 0), nil, nil},
	} {
		*store = oneState{&row.text, row.now, row.err}
		level, err := budget.Level(t.Context())
		if !errors.Is(err, row.want) || (err == nil && level != (backoff.BudgetLevel{Level: 25, Max: 100, Unit: 10})) {
			t.Errorf("%+v: %+v, %v", row, level, err)
		}
	}
	if _, err := new(sharedbudget.Budget).Level(t.Context()); !errors.Is(err, backoff.ErrNoBudget) {
		t.Errorf("got %v", err)
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
