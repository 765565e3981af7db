package backoff_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// logged returns what slog writes as JSON for a value.
func logged(t *testing.T, value any) string {
	t.Helper()
	var text bytes.Buffer
	handler := slog.NewJSONHandler(&text, &slog.HandlerOptions{ReplaceAttr: func(groups []string, attr slog.Attr) slog.Attr {
		if len(groups) == 0 && (attr.Key == slog.TimeKey || attr.Key == slog.LevelKey || attr.Key == slog.MessageKey) {
			return slog.Attr{}
		}
		return attr
	}})
	slog.New(handler).Info("", "value", value)
	return string(bytes.TrimSpace(text.Bytes()))
}

// Logs show names and the text of the error, and the same members in JSON without slog. They do not show
// the value, which may be secret.
func TestEventsInLogs(t *testing.T) {
	for _, row := range []struct {
		value any
		want  string
	}{
		{
			backoff.Event{Attempts: 1, Outcome: backoff.OutcomeTransient, Delay: 5, Elapsed: 3, Err: io.EOF, Value: "half"},
			`{"attempts":1,"outcome":"transient","reason":"none","delay":5,"elapsed":3,"err":"EOF"}`,
		}, {
			backoff.Event{Attempts: 2, Outcome: backoff.OutcomeSuccess, Reason: backoff.StopSuccess, Value: map[string]int{"a": 0}},
			`{"attempts":2,"outcome":"success","reason":"success","delay":0,"elapsed":0}`,
		}, {
			backoff.Event{Attempts: 1, Outcome: backoff.OutcomeTimeout, Delay: 7, BudgetIsLocal: true},
			`{"attempts":1,"outcome":"timeout","reason":"none","delay":7,"elapsed":0,"budget_is_local":true}`,
		}, {
			backoff.Event{Reason: backoff.StopCancelled},
			`{"attempts":0,"outcome":"none","reason":"cancelled","delay":0,"elapsed":0}`,
		}, {
			backoff.Event{Value: make(chan int)},
			`{"attempts":0,"outcome":"none","reason":"none","delay":0,"elapsed":0}`,
		}, {
			&backoff.RetryError{Err: io.EOF, Reason: backoff.StopBudget, Attempts: 3, Elapsed: time.Microsecond, Delay: 7},
			`{"message":"gave up after 3 attempts: budget: EOF","reason":"budget","attempts":3,"elapsed":1000,"delay":7,"err":"EOF"}`,
		}, {
			&backoff.RetryError{Err: io.EOF, Reason: backoff.StopMaxRetries, Attempts: 2, Errors: []error{io.ErrUnexpectedEOF, io.EOF}},
			`{"message":"gave up after 2 attempts: max_retries: EOF","reason":"max_retries","attempts":2,"elapsed":0,"delay":0,"err":"EOF","errors":["unexpected EOF","EOF"]}`,
		}, {
			&backoff.RetryError{Reason: backoff.StopMaxRetries, Attempts: 1},
			`{"message":"gave up after 1 attempt: max_retries","reason":"max_retries","attempts":1,"elapsed":0,"delay":0}`,
		},
	} {
		text, err := json.Marshal(row.value)
		if err != nil || string(text) != row.want {
			t.Errorf("JSON is %s, %v, want %s", text, err, row.want)
		}
		if got := logged(t, row.value); got != `{"value":`+row.want+"}" {
			t.Errorf("the log is %s, want %s", got, row.want)
		}
	}
}

// Errors about numbers that JSON does not have can be encoded.
func TestErrorsInJSON(t *testing.T) {
	for want, value := range map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1)} {
		_, err := backoff.NewPolicy(backoff.Exponential, time.Second, backoff.WithMultiplier(value))
		text, jsonErr := json.Marshal(err)
		if !strings.Contains(string(text), `"Value":"`+want+`"`) || !strings.HasPrefix(err.Error(), "multiplier "+want+" is ") {
			t.Errorf("%v is %s, %v", err, text, jsonErr)
		}
	}
}

// The stats in a log are their counts, which can be read back.
func TestStatsInLogs(t *testing.T) {
	stats := new(backoff.RetryStats)
	for range 2 {
		if err := stats.Record(3, backoff.StopBudget); err != nil {
			t.Fatal(err)
		}
	}
	var read struct{ Value backoff.RetryStatsCounts }
	if err := json.Unmarshal([]byte(logged(t, stats)), &read); err != nil || read.Value != stats.Counts() || read.Value.Attempts != 6 {
		t.Errorf("read %+v, %v, want %+v", read.Value, err, stats.Counts())
	}
}

// The names are those of the other logs and of the other languages.
func TestNamesOfStatsInJSON(t *testing.T) {
	text, err := json.Marshal(new(backoff.RetryStats))
	var members map[string]any
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	names := slices.Sorted(maps.Keys(members))
	if want := []string{"attempts", "bounds", "buckets", "operations", "retries", "stops"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("the members are %v, %v, want %v", names, err, want)
	}
}

// The counts by reason have the names of the reasons in JSON, and read back.
func TestStopCountsInJSON(t *testing.T) {
	text, err := json.Marshal(backoff.StopCounts{backoff.StopBudget: 2, backoff.StopCancelled: math.MaxUint64})
	want := `{"budget":2,"cancelled":18446744073709551615,"deadline":0,"max_elapsed":0,"max_retries":0,"permanent":0,"success":0}`
	if err != nil || string(text) != want {
		t.Errorf("JSON is %s, %v, want %s", text, err, want)
	}
	for text, want := range map[string]backoff.StopCounts{
		want:                      {backoff.StopBudget: 2, backoff.StopCancelled: math.MaxUint64},
		`{"success":3,"none":4}`:  {0: 4, backoff.StopSuccess: 3},
		`{}`:                      {},
		`null`:                    {backoff.StopDeadline: 7},
		`{"success":3,"other":4}`: {backoff.StopDeadline: 7},
		`{"success":-1}`:          {backoff.StopDeadline: 7},
		`[1]`:                     {backoff.StopDeadline: 7},
	} {
		read := backoff.StopCounts{backoff.StopDeadline: 7}
		err := json.Unmarshal([]byte(text), &read)
		if fails := text != "null" && want[backoff.StopDeadline] == 7; read != want || (err != nil) != fails {
			t.Errorf("%s reads as %v, %v, want %v", text, read, err, want)
		}
		if strings.Contains(text, "other") && !errors.Is(err, backoff.ErrUnknownReason) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Values are printed and logged as their text, also where there is none. Iterators and operations say how far they are.
func TestValuesInLogs(t *testing.T) {
	policy, budget := parsePolicy(t, "constant:base=1s,max_retries=1"), parseBudget(t, "quota:max_tokens=100")
	begun, waits, stopped := beginOrFail(t, policy), beginOrFail(t, policy), beginOrFail(t, policy)
	for _, operation := range []*backoff.Operation{waits, stopped, stopped} {
		if _, err := operation.Decide(backoff.OutcomeTransient, 0); err != nil {
			t.Fatal(err)
		}
	}
	fresh, taken := backoff.New(policy, backoff.StreamFromSeed(42)), backoff.New(policy, backoff.StreamFromSeed(42))
	taken.Next()
	for _, row := range []struct {
		value any
		want  string
	}{
		{policy, policy.String()}, {&policy, policy.String()}, {backoff.Policy{}, "no policy"},
		{budget, budget.String()}, {new(backoff.Budget), "no budget"}, {(*backoff.Budget)(nil), "no budget"},
		{fresh, "constant:base=1s,max_retries=1 at index 0"}, {taken, "constant:base=1s,max_retries=1 at index 1"},
		{new(backoff.Backoff), "no policy at index 0"}, {(*backoff.Backoff)(nil), "no policy at index 0"},
		{begun, "operation at attempt 1"}, {waits, "operation at attempt 2"}, {stopped, "operation stopped at attempt 2: max_retries"},
		{new(backoff.Operation), "no operation"}, {(*backoff.Operation)(nil), "no operation"},
		{backoff.OutcomeTimeout, "timeout"},
		{backoff.OutcomeThrottled.WithRetryAfter(90 * time.Second), "throttled after 1m30s"},
		{backoff.OutcomeTransient.WithRetryAfter(-1), "transient after 0s"},
		{backoff.StreamFromSeed(math.MaxUint64), "18446744073709551615"},
	} {
		if _, isStream := row.value.(backoff.RandomStream); !isStream {
			if got := fmt.Sprintf("%v %+v", row.value, row.value); got != row.want+" "+row.want {
				t.Errorf("printed %s, want %s twice", got, row.want)
			}
		}
		var text bytes.Buffer
		slog.New(slog.NewTextHandler(&text, nil)).Info("", "value", row.value)
		if got := text.String(); !strings.HasSuffix(got, " value="+row.want+"\n") && !strings.HasSuffix(got, fmt.Sprintf(" value=%q\n", row.want)) {
			t.Errorf("the log is %s, want %s", got, row.want)
		}
		if got, want := logged(t, row.value), fmt.Sprintf(`{"value":%q}`, row.want); got != want {
			t.Errorf("the log is %s, want %s", got, want)
		}
	}
}

// A loop's hook can log its event, and its caller the error.
func TestLoopsInLogs(t *testing.T) {
	var event, failure string
	_, err := backoff.Retry(t.Context(), func() (func(), error) { return func() {}, errBusy },
		backoff.WithClock(new(fakeClock)), backoff.OnStop(func(e backoff.Event) { event = logged(t, e) }))
	if gaveUp := (*backoff.RetryError)(nil); errors.As(err, &gaveUp) {
		failure = logged(t, err)
	}
	if want := `{"value":{"attempts":1,"outcome":"permanent","reason":"permanent","delay":0,"elapsed":0,"err":"busy"}}`; event != want {
		t.Errorf("the log is %s, want %s", event, want)
	}
	if want := `{"value":{"message":"gave up after 1 attempt: permanent: busy","reason":"permanent","attempts":1,"elapsed":0,"delay":0,"err":"busy"}}`; failure != want {
		t.Errorf("the log is %s, want %s", failure, want)
	}
}

func TestLogsOfAnAttempt(t *testing.T) {
	attempt := backoff.Attempt{Number: 2, LastErr: errors.New("refused")}
	text, err := json.Marshal(attempt)
	if err != nil || string(text) != `{"number":2,"last_err":"refused"}` || attempt.String() != "attempt 2 after: refused" {
		t.Errorf("%s, %v: %v", text, attempt, err)
	}
	attempt = backoff.Attempt{Number: 1}
	text, err = json.Marshal(attempt)
	if err != nil || string(text) != `{"number":1}` || attempt.String() != "attempt 1" {
		t.Errorf("%s, %v: %v", text, attempt, err)
	}
}
