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

// A preview is a case of previews.
type preview struct {
	named
	Policy string `json:"policy"`
	First  int    `json:"first"`
	Count  int    `json:"count"`
	Rows   []row  `json:"rows"`
}

type row struct {
	Min       number `json:"min"`
	Mean      number `json:"mean"`
	Max       number `json:"max"`
	TotalMin  number `json:"total_min"`
	TotalMean number `json:"total_mean"`
	TotalMax  number `json:"total_max"`
}

func checkPreview(t *testing.T, c preview) {
	index, count := -1, 0
	for got := range parsePolicy(t, c.Policy).Preview() {
		if index++; index < c.First {
			continue
		}
		if count++; count > len(c.Rows) {
			break
		}
		want := c.Rows[count-1]
		if got != (backoff.PreviewRow{
			Min:       time.Duration(want.Min),
			Mean:      time.Duration(want.Mean),
			Max:       time.Duration(want.Max),
			TotalMin:  time.Duration(want.TotalMin),
			TotalMean: time.Duration(want.TotalMean),
			TotalMax:  time.Duration(want.TotalMax),
		}) {
			t.Errorf("row %d is %+v, want %+v", index, got, want)
		}
	}
	// A case with fewer rows than count checks that the preview ends.
	if want := len(c.Rows); min(count, c.Count) != want {
		t.Errorf("%d rows, want %d", count, want)
	}
}

// A fit is a case of fits.
type fit struct {
	named
	Policy    string       `json:"policy"`
	Field     string       `json:"field"`
	Attempts  uint64       `json:"attempts"`
	Total     number       `json:"total"`
	Canonical string       `json:"canonical"`
	Error     *policyError `json:"error"`
}

// checkFit uses the public API if the total fits into a time.Duration.
func checkFit(t *testing.T, c fit) {
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
			t.Errorf("the policy beside the error is %v", fitted)
		}
		return
	}
	if err != nil || fitted.String() != c.Canonical {
		t.Errorf("fitted %v, %v, want %s", fitted, err, c.Canonical)
	}
}

// A printed is a case of stats.
type printed struct {
	named
	Records []record `json:"records"`
	More    []record `json:"more"`
	Text    string   `json:"text"`
}

// A record is a number of operations with the same attempts and stop reason.
type record struct {
	attempts uint64
	reason   string
	times    int
}

func (r *record) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&r.attempts, &r.reason, &r.times})
}

func checkStats(t *testing.T, c printed) {
	var stats, more backoff.RetryStats
	recordAll(t, &stats, c.Records)
	recordAll(t, &more, c.More)
	stats.Merge(&more)
	if got := stats.String(); got != c.Text {
		t.Errorf("printed\n%swant\n%s", got, c.Text)
	}
	var text strings.Builder
	if n, err := stats.WriteTo(&text); err != nil || text.String() != c.Text || n != int64(len(c.Text)) {
		t.Errorf("wrote %d, %v:\n%s", n, err, text.String())
	}
	if got := printCounts(stats.Counts()); got != c.Text {
		t.Errorf("counted\n%swant\n%s", got, c.Text)
	}
}

func recordAll(t *testing.T, stats *backoff.RetryStats, records []record) {
	t.Helper()
	for _, r := range records {
		for range r.times {
			if err := stats.Record(r.attempts, byName[backoff.StopReason](r.reason)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// printCounts prints counts and bounds as SPEC 17.2 says, to compare them with the vectors.
func printCounts(counts backoff.RetryStatsCounts) string {
	var text strings.Builder
	line := func(name string, count uint64) { text.WriteString(name + " " + strconv.FormatUint(count, 10) + "\n") }
	text.WriteString("# HELP backoff_attempts Attempts of an operation.\n# TYPE backoff_attempts histogram\n")
	cumulative := uint64(0)
	for i, count := range counts.Buckets {
		cumulative += count
		bound := "+Inf"
		if i < len(counts.Bounds) {
			bound = strconv.FormatUint(counts.Bounds[i], 10)
		}
		line(`backoff_attempts_bucket{le="`+bound+`"}`, cumulative)
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
