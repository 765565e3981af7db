package backoff_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

func TestZeroPolicyHasNoDelays(t *testing.T) {
	var policy backoff.Policy
	var iterator backoff.Backoff
	untouched := []time.Duration{7}
	if policy.Delay(backoff.StreamFromSeed(42), 3) != 0 || policy.Window(3) != 0 {
		t.Error("the zero Policy has a delay or a window")
	}
	if n := policy.Fill(backoff.StreamFromSeed(42), 0, untouched); n != 0 || untouched[0] != 7 {
		t.Errorf("the zero Policy fills %d: %d", n, untouched)
	}
	for name, b := range map[string]*backoff.Backoff{"zero Backoff": &iterator, "zero Policy": backoff.New(policy, backoff.StreamFromSeed(42))} {
		b.Reset()
		if delay, ok := b.Next(); delay != 0 || ok || b.Index() != 0 {
			t.Errorf("%s: Next returns %d, %t", name, delay, ok)
		}
		for delay := range b.All() {
			t.Errorf("%s: All yields %d", name, delay)
			break
		}
	}
	if (backoff.RandomStream{}) != backoff.StreamFromSeed(0) {
		t.Error("the zero RandomStream is not that of seed 0")
	}
}

func TestZeroValuesReturnErrors(t *testing.T) {
	var policy backoff.Policy
	var budget backoff.Budget
	var operation backoff.Operation
	check := func(what string, err, want error) {
		t.Helper()
		if err != want {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	_, err := policy.MarshalText()
	check("MarshalText", err, backoff.ErrNoPolicy)
	_, err = policy.AppendText(nil)
	check("AppendText", err, backoff.ErrNoPolicy)
	_, err = policy.FitBase(3, time.Second)
	check("FitBase", err, backoff.ErrNoPolicy)
	_, err = policy.FitCap(3, -time.Second)
	check("FitCap", err, backoff.ErrNoPolicy)
	_, err = policy.Begin(backoff.StreamFromSeed(42), 0)
	check("Begin", err, backoff.ErrNoPolicy)
	for row := range policy.Preview() {
		t.Errorf("a row %+v", row)
		break
	}
	_, err = budget.MarshalText()
	check("MarshalText", err, backoff.ErrNoBudget)
	_, err = parsePolicy(t, "default").Begin(backoff.StreamFromSeed(42), 0, backoff.WithBudget(&budget))
	check("Begin", err, backoff.ErrNoBudget)
	if policy.String() != "no policy" || budget.String() != "no budget" {
		t.Errorf("printed %v and %v", &policy, &budget)
	}
	for _, outcome := range []backoff.Outcome{backoff.OutcomeSuccess, backoff.OutcomeTransient, 9} {
		got, err := operation.Decide(outcome, 0)
		check("Decide", err, backoff.ErrNoOperation)
		if got != (backoff.Decision{}) {
			t.Errorf("%v: decided %+v", outcome, got)
		}
	}
	if operation.Cancel() != 0 || operation.Reason() != 0 || operation.Retries() != 0 || operation.Attempts() != 0 {
		t.Error("the zero Operation has a state")
	}
	_, err = backoff.ResumeOperation(policy, backoff.StreamFromSeed(42), 1, 0)
	check("ResumeOperation", err, backoff.ErrNoPolicy)
	if operation.RefuseRetry() != 0 {
		t.Error("the zero Operation refuses a retry")
	}
	var stats backoff.RetryStats
	if counts := stats.Counts(); counts.Operations != 0 || counts.Attempts != 0 || counts.Bounds[0] != 1 {
		t.Errorf("the zero RetryStats count %+v", counts)
	}
}

// Errors that are nil or zero print something.
func TestZeroErrors(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string
	}{
		{(*backoff.RetryError)(nil), "<nil>"},
		{(*backoff.PolicyError)(nil), "<nil>"},
		{(*backoff.ArgumentError)(nil), "<nil>"},
		{new(backoff.RetryError), "gave up after 0 attempts: none"},
		{new(backoff.PolicyError), "invalid policy or budget: none"},
		{new(backoff.ArgumentError), "invalid argument: none"},
		{&backoff.PolicyError{Code: backoff.ErrMissing, Field: "base"}, "base: missing"},
		{&backoff.ArgumentError{Code: backoff.ErrNegative, Field: "cap"}, "cap: negative"},
		{&backoff.ArgumentError{Code: backoff.ErrMissing, Field: "option", Rule: "is nil"}, "option is nil"},
	} {
		if row.err.Error() != row.want || fmt.Sprint(row.err) != row.want {
			t.Errorf("prints %v, want %s", row.err, row.want)
		}
		if errors.Is(row.err, errWrong) || errors.Is(row.err, backoff.ErrMaxRetries) || errors.Is(row.err, nil) {
			t.Errorf("%v is another error", row.err)
		}
		if text, err := json.Marshal(row.err); err != nil {
			t.Errorf("%s, %v", text, err)
		}
		slog.New(slog.NewJSONHandler(io.Discard, nil)).Info("", "err", row.err)
		_ = backoff.Do(t.Context(), func() error { return row.err })
	}
}

// No method of a pointer panics on nil, and what reads a text or JSON says that it cannot.
func TestNilPointers(t *testing.T) {
	arguments := map[reflect.Type]any{
		reflect.TypeFor[io.Writer]():       io.Discard,
		reflect.TypeFor[func(any) error](): func(any) error { return nil },
	}
	read := 0
	for _, pointer := range []any{
		(*backoff.Loop)(nil), (*backoff.Backoff)(nil), (*backoff.Budget)(nil), (*sharedbudget.EventKind)(nil), (*sharedbudget.State)(nil),
		(*backoff.CapOn)(nil), (*backoff.Growth)(nil), (*sharedbudget.Budget)(nil),
		(*backoff.Jitter)(nil), (*backoff.Operation)(nil), (*backoff.Outcome)(nil), (*backoff.Policy)(nil), (*backoff.RandomStream)(nil),
		(*backoff.RetryAfterMode)(nil), (*backoff.RetryStats)(nil), (*backoff.StopCounts)(nil), (*backoff.StopReason)(nil),
		(*backoff.PolicyError)(nil), (*backoff.ArgumentError)(nil), (*backoff.RetryError)(nil),
	} {
		value := reflect.ValueOf(pointer)
		for i := range value.NumMethod() {
			method := value.Type().Method(i)
			if _, ok := value.Type().Elem().MethodByName(method.Name); ok {
				continue // Go itself panics, because there is no value
			}
			if method.Name == "SkipTo" || method.Name == "Damage" {
				continue // of these tests
			}
			var in []reflect.Value
			for at := range value.Method(i).Type().NumIn() {
				of := value.Method(i).Type().In(at)
				argument := reflect.New(of).Elem()
				if known, ok := arguments[of]; ok {
					argument.Set(reflect.ValueOf(known))
				}
				in = append(in, argument)
			}
			t.Run(fmt.Sprintf("%T.%s", pointer, method.Name), func(t *testing.T) {
				out := value.Method(i).Call(in)
				if strings.HasPrefix(method.Name, "Unmarshal") {
					read++
					if err, _ := out[0].Interface().(error); err == nil {
						t.Error("no error")
					}
				}
			})
		}
	}
	if read < 10 {
		t.Errorf("only %d methods read", read)
	}
	var growth *backoff.Growth
	checkArgument(t, growth.UnmarshalText([]byte("linear")), backoff.ErrMissing, "growth", "growth is nil")
	var stream *backoff.RandomStream
	checkArgument(t, stream.UnmarshalText([]byte("7")), backoff.ErrMissing, "stream", "stream is nil")
}

// A nil receiver behaves like a zero value.
func TestNilReceivers(t *testing.T) {
	var policy *backoff.Policy
	var budget *backoff.Budget
	var operation *backoff.Operation
	var stats *backoff.RetryStats
	var iterator *backoff.Backoff

	if _, err := budget.MarshalText(); err != backoff.ErrNoBudget {
		t.Errorf("MarshalText: %v", err)
	}
	if err := budget.UnmarshalText([]byte("ratio")); err != backoff.ErrNoBudget {
		t.Errorf("UnmarshalText: %v", err)
	}
	if err := policy.UnmarshalText([]byte("full")); err != backoff.ErrNoPolicy {
		t.Errorf("UnmarshalText: %v", err)
	}
	if budget.String() != "no budget" {
		t.Errorf("printed %v", budget)
	}

	if got, err := operation.Decide(backoff.OutcomeSuccess, 0); got != (backoff.Decision{}) || err != backoff.ErrNoOperation {
		t.Errorf("decided %+v, %v", got, err)
	}
	if operation.Cancel() != 0 || operation.Reason() != 0 || operation.Retries() != 0 || operation.Attempts() != 0 {
		t.Error("a nil Operation has a state")
	}

	var other backoff.RetryStats
	if err := stats.Record(3, backoff.StopSuccess); err != nil {
		t.Errorf("Record: %v", err)
	}
	var invalid *backoff.ArgumentError
	if err := stats.Record(3, 0); !errors.As(err, &invalid) {
		t.Errorf("Record without a reason: %v", err)
	}
	if err := other.Record(3, backoff.StopSuccess); err != nil {
		t.Fatal(err)
	}
	before := other.Counts()
	other.Merge(nil)
	stats.Merge(&other)
	if stats.Counts().Operations != 0 || other.Counts() != before {
		t.Errorf("counted %+v and %+v", stats.Counts(), other.Counts())
	}
	if want := new(backoff.RetryStats).String(); stats.String() != want {
		t.Errorf("printed %s, want %s", stats, want)
	}

	iterator.Reset()
	if delay, ok := iterator.Next(); delay != 0 || ok || iterator.Index() != 0 || iterator.Stream() != (backoff.RandomStream{}) {
		t.Errorf("Next returns %d, %t", delay, ok)
	}
	for delay := range iterator.All() {
		t.Errorf("All yields %d", delay)
		break
	}
}

// WithBudget(nil) is the same as no option.
func TestNilBudgetIsNoBudget(t *testing.T) {
	operation, err := parsePolicy(t, "constant:base=1s").Begin(backoff.StreamFromSeed(42), 0, backoff.WithBudget(nil))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := operation.Decide(backoff.OutcomeTransient, 0); !got.Wait || err != nil {
		t.Errorf("decided %+v, %v", got, err)
	}
}
