package backoff_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A scenario is a case of decisions: operations on one policy and maybe one budget.
type scenario struct {
	named
	Policy string  `json:"policy"`
	Budget *string `json:"budget"`
	Seed   uint64  `json:"seed,string"`
	Key    *string `json:"key"`
	Steps  []step  `json:"steps"`
}

type step struct {
	Operation int     `json:"operation"`
	Do        string  `json:"do"`
	Now       word    `json:"now"`
	Deadline  *word   `json:"deadline"`
	Outcome   string  `json:"outcome"`
	Hint      *word   `json:"hint"`
	Retries   *uint64 `json:"retries"`
	Answer    struct {
		Wait  *word  `json:"wait"`
		Stop  string `json:"stop"`
		Delay word   `json:"delay"`
	} `json:"answer"`
}

// A word is a 64-bit number, a string in JSON.
type word uint64

func (w *word) UnmarshalText(text []byte) (err error) {
	*(*uint64)(w), err = strconv.ParseUint(string(text), 10, 64)
	return err
}

// none is no deadline and no hint.
const none = math.MaxUint64

func checkDecisions(t *testing.T, c scenario) {
	policy, stream := parsePolicy(t, c.Policy), streamOf(t, c.Seed, c.Key)
	var budget *backoff.Budget
	if c.Budget != nil {
		budget = parseBudget(t, *c.Budget)
	}
	operations := make(map[int]*backoff.Operation)
	stopped := make(map[int]backoff.StopReason)
	for number, step := range c.Steps {
		operation := operations[step.Operation]
		switch step.Do {
		case "begin":
			operation = begin(t, policy, stream, step, budget)
			operations[step.Operation] = operation
		case "outcome":
			got, want := decide(operation, step), step.decision(t)
			if got != want {
				t.Fatalf("step %d: %+v, want %+v", number, got, want)
			}
			if operation.Retries() != *step.Retries || operation.Attempts() != *step.Retries+1 {
				t.Errorf("step %d: %d retries and %d attempts, want %d retries", number, operation.Retries(), operation.Attempts(), *step.Retries)
			}
			stopped[step.Operation] = want.Reason
		case "cancel":
			want := step.decision(t).Reason
			if got := operation.Cancel(); got != want {
				t.Fatalf("step %d: %v, want %v", number, got, want)
			}
			stopped[step.Operation] = want
		default:
			t.Fatalf("step %d does %s", number, step.Do)
		}
		if got := operation.Stopped(); got != stopped[step.Operation] {
			t.Errorf("step %d: stopped by %v, want %v", number, got, stopped[step.Operation])
		}
	}
}

// begin begins through the public API where its times are durations.
func begin(t *testing.T, policy backoff.Policy, stream backoff.Stream, step step, budget *backoff.Budget) *backoff.Operation {
	t.Helper()
	deadline := word(none)
	if step.Deadline != nil {
		deadline = *step.Deadline
	}
	var operation *backoff.Operation
	var err error
	switch {
	case step.Now > math.MaxInt64 || deadline > math.MaxInt64 && deadline != none:
		operation, err = policy.BeginAt(stream, uint64(step.Now), uint64(deadline), budget)
	case deadline == none:
		operation, err = policy.Begin(stream, time.Duration(step.Now), backoff.WithBudget(budget))
	default:
		operation, err = policy.Begin(stream, time.Duration(step.Now), backoff.WithBudget(budget), backoff.WithDeadline(time.Duration(deadline)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return operation
}

// decide decides through the public API where its times are durations.
func decide(operation *backoff.Operation, step step) backoff.Decision {
	outcome := kindOf[backoff.Outcome](step.Outcome)
	var hint []time.Duration
	if step.Hint != nil {
		// A longer one counts as this (SPEC 13.2).
		hint = append(hint, time.Duration(min(*step.Hint, math.MaxInt64)))
	}
	if step.Now <= math.MaxInt64 {
		return operation.Decide(outcome, time.Duration(step.Now), hint...)
	}
	if hint == nil {
		return operation.DecideAt(outcome, uint64(step.Now), none)
	}
	return operation.DecideAt(outcome, uint64(step.Now), uint64(hint[0]))
}

func (s step) decision(t *testing.T) backoff.Decision {
	t.Helper()
	if s.Answer.Wait != nil {
		return backoff.Decision{Wait: true, Delay: time.Duration(*s.Answer.Wait)}
	}
	return backoff.Decision{Delay: time.Duration(s.Answer.Delay), Reason: kindOf[backoff.StopReason](s.Answer.Stop)}
}

// kindOf returns the outcome or reason of a name, or 0, which is none.
func kindOf[Kind interface {
	~uint32
	String() string
}](name string) Kind {
	for kind := range Kind(16) {
		if kind.String() == name {
			return kind
		}
	}
	return 0
}

type header struct {
	named
	Value string `json:"value"`
	Now   word   `json:"now"`
	Hint  *word  `json:"hint"`
}

func checkRetryAfter(t *testing.T, c header) {
	now := time.Unix(int64(c.Now/1e9), int64(c.Now%1e9))
	hint, ok := backoff.ParseRetryAfter(c.Value, now)
	if ok != (c.Hint != nil) || ok && hint != time.Duration(*c.Hint) || !ok && hint != 0 {
		t.Errorf("the hint is %d, %t", hint, ok)
	}
}

type httpStatus struct {
	named
	Status  int    `json:"status"`
	Outcome string `json:"outcome"`
}

func checkHTTPStatus(t *testing.T, c httpStatus) {
	if got := backoff.HTTPOutcome(c.Status).String(); got != c.Outcome {
		t.Errorf("%d is %s, want %s", c.Status, got, c.Outcome)
	}
}

// A preview is a case of previews or of fits.
type preview struct {
	named
	Policy    string   `json:"policy"`
	Count     int      `json:"count"`
	Rows      []row    `json:"rows"`
	Field     string   `json:"field"`
	Attempts  uint64   `json:"attempts"`
	Total     word     `json:"total"`
	Canonical string   `json:"canonical"`
	Error     *refusal `json:"error"`
}

type row struct {
	Smallest      word `json:"smallest"`
	Mean          word `json:"mean"`
	Largest       word `json:"largest"`
	TotalSmallest word `json:"total_smallest"`
	TotalMean     word `json:"total_mean"`
	TotalLargest  word `json:"total_largest"`
}

func checkPreview(t *testing.T, c preview) {
	count := 0
	for got := range parsePolicy(t, c.Policy).Preview() {
		if count++; count > len(c.Rows) {
			break
		}
		want := c.Rows[count-1]
		if got != (backoff.PreviewRow{
			Smallest:      time.Duration(want.Smallest),
			Mean:          time.Duration(want.Mean),
			Largest:       time.Duration(want.Largest),
			TotalSmallest: time.Duration(want.TotalSmallest),
			TotalMean:     time.Duration(want.TotalMean),
			TotalLargest:  time.Duration(want.TotalLargest),
		}) {
			t.Errorf("row %d is %+v, want %+v", count-1, got, want)
		}
	}
	// Where the preview is not cut, it ends.
	if want := len(c.Rows); min(count, c.Count) != want {
		t.Errorf("%d rows, want %d", count, want)
	}
}

func checkFit(t *testing.T, c preview) {
	policy := parsePolicy(t, c.Policy)
	fit, fitTo := policy.FitBase, policy.FitBaseTo
	if c.Field == "cap" {
		fit, fitTo = policy.FitCap, policy.FitCapTo
	}
	var fitted backoff.Policy
	var err error
	if c.Total <= math.MaxInt64 {
		fitted, err = fit(c.Attempts, time.Duration(c.Total))
	} else {
		fitted, err = fitTo(c.Attempts, uint64(c.Total))
	}
	if c.Error != nil {
		c.Error.check(t, err)
		if fitted != (backoff.Policy{}) {
			t.Errorf("what was refused is %v", fitted)
		}
		return
	}
	if err != nil || fitted.String() != c.Canonical {
		t.Errorf("fitted %v, %v, want %s", fitted, err, c.Canonical)
	}
}

// A printed is a case of histories.
type printed struct {
	named
	Records []record `json:"records"`
	More    []record `json:"more"`
	Text    string   `json:"text"`
}

// A record is operations that made as many attempts and stopped for the same reason.
type record struct {
	attempts uint64
	reason   string
	times    int
}

func (r *record) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&r.attempts, &r.reason, &r.times})
}

func checkHistory(t *testing.T, c printed) {
	var history, more backoff.History
	recordAll(t, &history, c.Records)
	recordAll(t, &more, c.More)
	history.Merge(&more)
	if got := history.String(); got != c.Text {
		t.Errorf("printed\n%swant\n%s", got, c.Text)
	}
	var text strings.Builder
	if n, err := history.WriteTo(&text); err != nil || text.String() != c.Text || n != int64(len(c.Text)) {
		t.Errorf("wrote %d, %v:\n%s", n, err, text.String())
	}
	if got := printedCounts(history.Counts()); got != c.Text {
		t.Errorf("counted\n%swant\n%s", got, c.Text)
	}
}

func recordAll(t *testing.T, history *backoff.History, records []record) {
	t.Helper()
	for _, r := range records {
		for range r.times {
			if err := history.Record(r.attempts, kindOf[backoff.StopReason](r.reason)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// printedCounts prints as SPEC 17.2 says, to compare counts and bounds with vectors.
func printedCounts(counts backoff.HistoryCounts) string {
	var text strings.Builder
	line := func(name string, count uint64) { text.WriteString(name + " " + strconv.FormatUint(count, 10) + "\n") }
	text.WriteString("# HELP backoff_attempts Attempts of an operation.\n# TYPE backoff_attempts histogram\n")
	within := uint64(0)
	for i, count := range counts.Buckets {
		within += count
		bound := "+Inf"
		if bounds := backoff.HistoryBounds(); i < len(bounds) {
			bound = strconv.FormatUint(bounds[i], 10)
		}
		line(`backoff_attempts_bucket{le="`+bound+`"}`, within)
	}
	line("backoff_attempts_sum", counts.Attempts)
	line("backoff_attempts_count", counts.Operations)
	text.WriteString("# HELP backoff_retries_total Retries of all operations.\n# TYPE backoff_retries_total counter\n")
	line("backoff_retries_total", counts.Retries)
	text.WriteString("# HELP backoff_stops_total Operations by the reason for which they stopped.\n# TYPE backoff_stops_total counter\n")
	for reason := backoff.StopSuccess; reason <= backoff.StopCancelled; reason++ {
		line(`backoff_stops_total{reason="`+reason.String()+`"}`, counts.Stops[reason])
	}
	return text.String()
}
