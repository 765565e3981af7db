package backoff_test

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A scenario is a case of decisions: operations on one policy and perhaps one budget.
type scenario struct {
	named
	Policy string  `json:"policy"`
	Budget *string `json:"budget"`
	Seed   uint64  `json:"seed,string"`
	Key    *string `json:"key"`
	Steps  []step  `json:"steps"`
}

type step struct {
	Operation  int     `json:"operation"`
	Do         string  `json:"do"`
	Now        number  `json:"now"`
	Deadline   *number `json:"deadline"`
	Outcome    string  `json:"outcome"`
	RetryAfter *number `json:"retry_after"`
	Retries    *uint64 `json:"retries"`
	Answer     answer  `json:"answer"`
}

// An answer is to wait, or to stop.
type answer struct {
	Wait  *number `json:"wait"`
	Stop  string  `json:"stop"`
	Delay number  `json:"delay"`
}

func (a answer) decision() backoff.Decision {
	if a.Wait != nil {
		return backoff.Decision{Wait: true, Delay: time.Duration(*a.Wait)}
	}
	return backoff.Decision{Delay: time.Duration(a.Delay), Reason: byName[backoff.StopReason](a.Stop)}
}

// A number is a 64-bit number, a string in JSON.
type number uint64

func (n *number) UnmarshalText(text []byte) (err error) {
	*(*uint64)(n), err = strconv.ParseUint(string(text), 10, 64)
	return err
}

// none stands for no deadline.
const none = math.MaxUint64

func checkDecisions(t *testing.T, c scenario) {
	policy, stream := parsePolicy(t, c.Policy), streamOf(t, c.Seed, c.Key)
	var budget *backoff.Budget
	if c.Budget != nil {
		budget = parseBudget(t, *c.Budget)
	}
	operations := make(map[int]*backoff.Operation)
	reasons := make(map[int]backoff.StopReason)
	for number, step := range c.Steps {
		operation := operations[step.Operation]
		switch step.Do {
		case "begin":
			operation = begin(t, policy, stream, step, budget)
			operations[step.Operation] = operation
		case "outcome":
			want := step.Answer.decision()
			if got, err := decide(operation, step); err != nil || got != want {
				t.Fatalf("step %d: %+v, %v, want %+v", number, got, err, want)
			}
			if operation.Retries() != *step.Retries || operation.Attempts() != *step.Retries+1 {
				t.Errorf("step %d: %d retries and %d attempts, want %d retries", number, operation.Retries(), operation.Attempts(), *step.Retries)
			}
			reasons[step.Operation] = want.Reason
		case "cancel":
			want := step.Answer.decision().Reason
			if got := operation.Cancel(); got != want {
				t.Fatalf("step %d: %v, want %v", number, got, want)
			}
			reasons[step.Operation] = want
		default:
			t.Fatalf("step %d: unknown action %s", number, step.Do)
		}
		if got := operation.Reason(); got != reasons[step.Operation] {
			t.Errorf("step %d: reason %v, want %v", number, got, reasons[step.Operation])
		}
	}
}

// begin uses the public API if the times fit into a time.Duration.
func begin(t *testing.T, policy backoff.Policy, stream backoff.RandomStream, step step, budget *backoff.Budget) *backoff.Operation {
	t.Helper()
	deadline := number(none)
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

// decide uses the public API if the time fits into a time.Duration.
func decide(operation *backoff.Operation, step step) (backoff.Decision, error) {
	outcome := byName[backoff.Outcome](step.Outcome)
	var verdict backoff.Verdict = outcome
	if step.RetryAfter != nil {
		// A longer one counts as this (SPEC 13.2).
		verdict = outcome.WithRetryAfter(time.Duration(min(*step.RetryAfter, math.MaxInt64)))
	}
	if step.Now <= math.MaxInt64 {
		return operation.Decide(verdict, time.Duration(step.Now))
	}
	return operation.DecideAt(verdict, uint64(step.Now))
}

// byName returns the outcome or reason of a name, or 0 if there is none.
func byName[Kind interface {
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
	Value      string  `json:"value"`
	Now        number  `json:"now"`
	RetryAfter *number `json:"retry_after"`
}

func checkRetryAfter(t *testing.T, c header) {
	now := time.Unix(int64(c.Now/1e9), int64(c.Now%1e9))
	got, ok := backoff.ParseRetryAfter(c.Value, now)
	if ok != (c.RetryAfter != nil) || ok && got != time.Duration(*c.RetryAfter) || !ok && got != 0 {
		t.Errorf("got %d, %t", got, ok)
	}
}

type httpStatus struct {
	named
	Status       int     `json:"status"`
	Outcome      string  `json:"outcome"`
	ProxyOutcome *string `json:"proxy_outcome"` // for the tests of backoffhttp
}

func checkHTTPStatus(t *testing.T, c httpStatus) {
	if got := backoff.HTTPOutcome(c.Status).String(); got != c.Outcome {
		t.Errorf("%d is %s, want %s", c.Status, got, c.Outcome)
	}
}

type httpResponse struct {
	named
	Status     int     `json:"status"`
	Fields     string  `json:"fields"`
	Now        number  `json:"now"`
	RetryAfter *number `json:"retry_after"`
}

func checkHTTPResponse(t *testing.T, c httpResponse) {
	header := http.Header{}
	for line := range strings.Lines(c.Fields) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if name, value, found := strings.Cut(line, ":"); found {
			header.Add(name, value)
		}
	}
	now := time.Unix(int64(c.Now/1e9), int64(c.Now%1e9))
	outcome, got, ok := backoff.HTTPVerdict(c.Status, header, now).Verdict()
	if ok != (c.RetryAfter != nil) || ok && got != time.Duration(*c.RetryAfter) || !ok && got != 0 {
		t.Errorf("got %d, %t", got, ok)
	}
	if outcome != backoff.HTTPOutcome(c.Status) {
		t.Errorf("the outcome is %v", outcome)
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
