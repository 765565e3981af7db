package backoff_test

import (
	"context"
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

func TestZeroPolicies(t *testing.T) {
	var policy backoff.Policy
	stream := backoff.StreamFromSeed(42)
	untouched := []time.Duration{7}
	if policy.Delay(stream, 3) != 0 || policy.Window(3) != 0 || policy.Fill(stream, 0, untouched) != 0 || untouched[0] != 7 || policy.String() != "no policy" {
		t.Errorf("%v has a delay or a window, or fills %d", policy, untouched)
	}
	for row := range policy.Preview() {
		t.Errorf("a row %+v", row)
		break
	}
	for name, call := range map[string]func() error{
		"MarshalText":   func() error { _, err := policy.MarshalText(); return err },
		"AppendText":    func() error { _, err := policy.AppendText(nil); return err },
		"FitBase":       func() error { _, err := policy.FitBase(3, time.Second); return err },
		"FitCap":        func() error { _, err := policy.FitCap(3, -time.Second); return err },
		"Begin":         func() error { _, err := policy.Begin(stream, 0); return err },
		"Resume":        func() error { _, err := backoff.ResumeOperation(policy, stream, 1, 0); return err },
		"UnmarshalText": func() error { return (*backoff.Policy)(nil).UnmarshalText([]byte("full")) },
	} {
		if err := call(); err != backoff.ErrNoPolicy {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nil behaves like a zero value.
func TestZeroAndNil(t *testing.T) {
	if (backoff.RandomStream{}) != backoff.StreamFromSeed(0) {
		t.Error("the zero RandomStream is not that of seed 0")
	}
	for name, b := range map[string]*backoff.Backoff{"nil": nil, "zero": {}, "of the zero Policy": backoff.New(backoff.Policy{}, backoff.RandomStream{})} {
		b.Reset()
		if delay, ok := b.Next(); delay != 0 || ok || b.Index() != 0 || b.Stream() != (backoff.RandomStream{}) {
			t.Errorf("%s: Next returns %d, %t", name, delay, ok)
		}
		for delay := range b.All() {
			t.Errorf("%s: All yields %d", name, delay)
			break
		}
	}
	for _, budget := range []*backoff.Budget{nil, {}} {
		if _, err := budget.MarshalText(); err != backoff.ErrNoBudget || budget.String() != "no budget" {
			t.Errorf("%v: %v", budget, err)
		}
		_, err := parsePolicy(t, "default").Begin(backoff.StreamFromSeed(42), 0, backoff.WithBudget(budget))
		if (err == nil) != (budget == nil) || err != nil && err != backoff.ErrNoBudget { // nil is no budget
			t.Errorf("%v: %v", budget, err)
		}
	}
	for _, operation := range []*backoff.Operation{nil, {}} {
		for _, outcome := range []backoff.Outcome{backoff.OutcomeSuccess, backoff.OutcomeTransient, 9} {
			if got, err := operation.Decide(outcome, 0); got != (backoff.Decision{}) || err != backoff.ErrNoOperation {
				t.Errorf("decided %+v, %v", got, err)
			}
		}
		if operation.Cancel() != 0 || operation.RefuseRetry() != 0 || operation.Reason() != 0 || operation.Retries() != 0 || operation.Attempts() != 0 {
			t.Errorf("%v has a state", operation)
		}
	}
	// Nil stats count nothing, but refuse what the others refuse.
	var none *backoff.RetryStats
	some := new(backoff.RetryStats)
	if err := errors.Join(none.Record(3, backoff.StopSuccess), some.Record(3, backoff.StopSuccess)); err != nil {
		t.Error(err)
	}
	if err := none.Record(3, 0); !errors.Is(err, backoff.ErrUnknownReason) {
		t.Errorf("Record without a reason: %v", err)
	}
	before := some.Counts()
	some.Merge(none)
	none.Merge(some)
	if zero := new(backoff.RetryStats); none.Counts() != zero.Counts() || none.String() != zero.String() || some.Counts() != before || before.Operations != 1 {
		t.Errorf("counted %+v and %+v", none.Counts(), some.Counts())
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
		{(*backoff.AttemptTimeoutError)(nil), "<nil>"},
		{new(backoff.AttemptTimeoutError), "the attempt took longer than 0s"},
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

// What the methods of errors return that errors.Is and json.Marshal do not ask for.
func TestMethodsOfZeroErrors(t *testing.T) {
	none, zero := (*backoff.RetryError)(nil), new(backoff.RetryError)
	if text, err := none.MarshalJSON(); string(text) != "null" || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if value := none.LogValue(); value.Kind() != slog.KindString || value.String() != "<nil>" {
		t.Errorf("%v", value)
	}
	if none.Is(nil) || zero.Is(nil) || len(none.Unwrap()) != 0 || len(zero.Unwrap()) != 0 {
		t.Error("a RetryError without an error has one")
	}
	if late := (*backoff.AttemptTimeoutError)(nil); errors.Is(late, context.DeadlineExceeded) {
		t.Error("no AttemptTimeoutError is one")
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
		(*backoff.PolicyError)(nil), (*backoff.ArgumentError)(nil), (*backoff.RetryError)(nil), (*backoff.AttemptTimeoutError)(nil),
		(*backoff.ElapsedFrom)(nil),
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
				call := value.Method(i).Call
				if value.Method(i).Type().IsVariadic() {
					call = value.Method(i).CallSlice
				}
				out := call(in)
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
