// What the requests do not say of decisions and counts.

package backoff_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// An answer is to wait, or to stop.
type decisionAnswer struct {
	Wait  *number            `json:"wait"`
	Stop  backoff.StopReason `json:"stop"`
	Delay number             `json:"delay"`
}

func (a decisionAnswer) decision() backoff.Decision {
	if a.Wait != nil {
		return backoff.Decision{Wait: true, Delay: time.Duration(*a.Wait)}
	}
	return backoff.Decision{Delay: time.Duration(a.Delay), Reason: a.Stop}
}

// A number is a 64-bit number, a string in JSON.
type number uint64

func (n *number) UnmarshalText(text []byte) (err error) {
	*(*uint64)(n), err = strconv.ParseUint(string(text), 10, 64)
	return err
}

type resumption struct {
	named
	Policy         string             `json:"policy"`
	Stream         number             `json:"stream"`
	Retries        number             `json:"retries"`
	Begun          number             `json:"begun"`
	Deadline       *number            `json:"deadline"`
	Now            number             `json:"now"`
	Outcome        backoff.Outcome    `json:"outcome"`
	RetryAfter     *number            `json:"retry_after"`
	Answer         decisionAnswer     `json:"answer"`
	RetriesAfter   number             `json:"retries_after"`
	Refused        backoff.StopReason `json:"refused"`
	RetriesRefused number             `json:"retries_refused"`
}

func checkResumption(t *testing.T, c resumption) {
	policy, stream := parsePolicy(t, c.Policy), backoff.StreamFromSeed(uint64(c.Stream))
	deadline := uint64(engine.NoTime)
	if c.Deadline != nil {
		deadline = uint64(*c.Deadline)
	}
	operation, err := backoff.ResumeAt(policy, stream, uint64(c.Retries), uint64(c.Begun), deadline)
	if fits := c.Begun <= math.MaxInt64; fits && deadline == engine.NoTime {
		operation, err = backoff.ResumeOperation(policy, stream, uint64(c.Retries), time.Duration(c.Begun))
	} else if fits && deadline <= math.MaxInt64 {
		operation, err = backoff.ResumeOperation(policy, stream, uint64(c.Retries), time.Duration(c.Begun), backoff.WithDeadline(time.Duration(deadline)))
	}
	if err != nil || operation.Retries() != uint64(c.Retries) {
		t.Fatalf("%v, %v", operation, err)
	}
	var verdict backoff.Verdict = c.Outcome
	if c.RetryAfter != nil {
		// A longer one counts as this (SPEC 13.2).
		verdict = c.Outcome.WithRetryAfter(time.Duration(min(*c.RetryAfter, math.MaxInt64)))
	}
	want := c.Answer.decision()
	if got := decide(operation, verdict, uint64(c.Now)); got != want || operation.Retries() != uint64(c.RetriesAfter) {
		t.Fatalf("%+v after %d retries, want %+v", got, operation.Retries(), want)
	}
	if got := operation.RefuseRetry(); got != c.Refused || operation.Reason() != c.Refused || operation.Retries() != uint64(c.RetriesRefused) {
		t.Errorf("refused: %v after %d retries, want %v after %d", got, operation.Retries(), c.Refused, c.RetriesRefused)
	}
	if got := operation.RefuseRetry(); got != c.Refused || operation.Retries() != uint64(c.RetriesRefused) {
		t.Errorf("refused again: %v after %d retries", got, operation.Retries())
	}
}

type httpMethod struct {
	named
	Method     string `json:"method"`
	Idempotent bool   `json:"idempotent"`
}

func checkHTTPMethod(t *testing.T, c httpMethod) {
	if got := backoff.IsIdempotentMethod(c.Method); got != c.Idempotent {
		t.Errorf("%q: %t", c.Method, got)
	}
}

// A fit is a case of fits.
type fitCase struct {
	named
	Policy    string       `json:"policy"`
	Field     string       `json:"field"`
	Attempts  uint64       `json:"attempts"`
	Total     number       `json:"total"`
	Canonical string       `json:"canonical"`
	Error     *policyError `json:"error"`
}

// checkFit checks the errors of totals that fit into a time.Duration. The requests have the fits.
func checkFit(t *testing.T, c fitCase) {
	if c.Error == nil || c.Total > math.MaxInt64 {
		return
	}
	policy := parsePolicy(t, c.Policy)
	fit := policy.FitBase
	if c.Field == "cap" {
		fit = policy.FitCap
	}
	fitted, err := fit(c.Attempts, time.Duration(c.Total))
	c.Error.check(t, err)
	if fitted != (backoff.Policy{}) {
		t.Errorf("the policy beside the error is %v", fitted)
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
	reason   backoff.StopReason
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
			if err := stats.Record(r.attempts, r.reason); err != nil {
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
