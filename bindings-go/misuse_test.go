package backoff_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

func TestInvalidArguments(t *testing.T) {
	type maker = func() (any, error)
	option := func(option backoff.Option) maker {
		return func() (any, error) { return orNil(backoff.NewPolicy(backoff.Exponential, time.Second, option)) }
	}
	stream := func(key string) maker {
		return func() (any, error) { return orNil(backoff.StreamFromKey(42, key)) }
	}
	fit := func(fit func(uint64, time.Duration) (backoff.Policy, error), total time.Duration) maker {
		return func() (any, error) { return orNil(fit(3, total)) }
	}
	policy := parsePolicy(t, "constant:base=1s")
	begin := func(now time.Duration, options ...backoff.BeginOption) maker {
		return func() (any, error) { return orNil(policy.Begin(backoff.StreamFromSeed(42), now, options...)) }
	}
	const (
		negative = backoff.ErrNegative
		infinite = backoff.ErrNotFinite
		tooFine  = backoff.ErrRatioTooFine
	)
	rows := []struct {
		make  maker
		code  backoff.Code
		field string
		want  string
	}{
		{func() (any, error) { return orNil(backoff.NewPolicy(backoff.Constant, -1)) }, negative, "base", "base -1ns is below 0s"},
		{option(backoff.WithIncrement(-time.Second)), negative, "increment", "increment -1s is below 0s"},
		{option(backoff.WithOffset(-time.Second)), negative, "offset", "offset -1s is below 0s"},
		{option(backoff.WithCap(-time.Second)), negative, "cap", "cap -1s is below 0s"},
		{option(backoff.WithFloor(-time.Second)), negative, "floor", "floor -1s is below 0s"},
		{option(backoff.WithJitterMax(-time.Second)), negative, "jitter_max", "jitter_max -1s is below 0s"},
		{option(backoff.WithJitterIncrement(-1)), negative, "jitter_increment", "jitter_increment -1ns is below 0s"},
		{option(backoff.WithJitterSlot(math.MinInt64)), negative, "jitter_slot", "jitter_slot -2562047h47m16.854775808s is below 0s"},
		{option(backoff.WithMaxElapsed(-1)), negative, "max_elapsed", "max_elapsed -1ns is below 0s"},
		{option(backoff.WithThrottledBase(-1)), negative, "throttled_base", "throttled_base -1ns is below 0s"},
		{option(backoff.WithRetryAfterMax(-1)), negative, "retry_after_max", "retry_after_max -1ns is below 0s"},
		{option(backoff.WithRetryAfterMaxExtra(-1)), negative, "retry_after_max_extra", "retry_after_max_extra -1ns is below 0s"},
		{option(backoff.WithMultiplier(math.NaN())), infinite, "multiplier", "multiplier NaN is not a finite number"},
		{option(backoff.WithMultiplier(math.Inf(1))), infinite, "multiplier", "multiplier +Inf is not a finite number"},
		{option(backoff.WithMultiplier(math.Inf(-1))), negative, "multiplier", "multiplier -Inf is below 0"},
		{option(backoff.WithMultiplier(-2)), negative, "multiplier", "multiplier -2 is below 0"},
		{option(backoff.WithMultiplier(1e300)), tooFine, "multiplier", "multiplier 1e+300 is above 1000000"},
		{option(backoff.WithMultiplier(1e6 / 3.0)), tooFine, "multiplier", "multiplier 333333.3333333333 has a term above 1000000 as a ratio"},
		{option(backoff.WithJitterBelow(-0.5)), negative, "jitter_below", "jitter_below -0.5 is below 0"},
		{option(backoff.WithJitterAbove(math.NaN())), infinite, "jitter_above", "jitter_above NaN is not a finite number"},
		{option(nil), backoff.ErrMissing, "option", "option is nil"},
		{stream("\xed\xa0\x80"), backoff.ErrNotUnicode, "key", `key "\xed\xa0\x80" is not valid UTF-8`},
		{stream("job-\xff"), backoff.ErrNotUnicode, "key", `key "job-\xff" is not valid UTF-8`},
		{fit(policy.FitBase, -1), negative, "max_elapsed", "max_elapsed -1ns is below 0s"},
		{fit(policy.FitCap, math.MinInt64), negative, "max_elapsed", "max_elapsed -2562047h47m16.854775808s is below 0s"},
		{begin(-1), negative, "now", "now -1ns is below 0s"},
		{begin(0, backoff.WithDeadline(-time.Second)), negative, "deadline", "deadline -1s is below 0s"},
		{begin(0, nil), backoff.ErrMissing, "option", "option is nil"},
	}
	for _, row := range rows {
		t.Run(row.want, func(t *testing.T) {
			result, err := row.make()
			checkArgument(t, err, row.code, row.field, row.want)
			if result != nil {
				t.Error("the result beside the error is not the zero value")
			}
		})
	}
}

func checkArgument(t *testing.T, err error, code backoff.Code, field, want string) {
	t.Helper()
	var invalid *backoff.ArgumentError
	if !errors.As(err, &invalid) || err.Error() != want || invalid.Field != field {
		t.Errorf("got %v, want %s", err, want)
	} else if invalid.Code != code || !errors.Is(err, code) {
		t.Errorf("%v has the code %v, want %v", err, invalid.Code, code)
	}
}

// orNil returns nil for a zero value.
func orNil[T comparable](value T, err error) (any, error) {
	if value == *new(T) {
		return nil, err
	}
	return value, err
}

// An invalid argument leaves the operation unchanged, and the decision does not wait.
func TestInvalidArgumentsOfDecide(t *testing.T) {
	operation, err := parsePolicy(t, "constant:base=1s,max_retries=1").Begin(backoff.StreamFromSeed(42), 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		verdict backoff.Verdict
		now     time.Duration
		code    backoff.Code
		field   string
		want    string
	}{
		{nil, 0, backoff.ErrUnknownOutcome, "outcome", "outcome 0 is unknown"},
		{backoff.Outcome(0), 0, backoff.ErrUnknownOutcome, "outcome", "outcome 0 is unknown"},
		{backoff.Outcome(6), 0, backoff.ErrUnknownOutcome, "outcome", "outcome 6 is unknown"},
		{backoff.Outcome(math.MaxUint32).WithRetryAfter(math.MaxInt64), math.MaxInt64, backoff.ErrUnknownOutcome, "outcome", "outcome 4294967295 is unknown"},
		{backoff.OutcomeSuccess, -1, backoff.ErrNegative, "now", "now -1ns is below 0s"},
		{backoff.Outcome(0), -3, backoff.ErrNegative, "now", "now -3ns is below 0s"},
	}
	for _, row := range rows {
		decision, err := operation.Decide(row.verdict, row.now)
		checkArgument(t, err, row.code, row.field, row.want)
		if decision != (backoff.Decision{}) {
			t.Errorf("%s: %+v", row.want, decision)
		}
	}
	if operation.Retries() != 0 || operation.Reason() != 0 {
		t.Errorf("after the errors: %d retries, reason %v", operation.Retries(), operation.Reason())
	}
	// A wait in the past is 0 and never shortens the delay.
	got, err := operation.Decide(backoff.OutcomeTransient.WithRetryAfter(-time.Second), 0)
	if want := (backoff.Decision{Wait: true, Delay: time.Second}); got != want || err != nil {
		t.Errorf("decided %+v, %v, want %+v", got, err, want)
	}
}

// A budget that is overwritten while an operation uses it is reported as the zero Budget, and the
// operation can still be cancelled.
func TestOverwrittenBudget(t *testing.T) {
	budget := parseBudget(t, "quota")
	operation := beginOrFail(t, parsePolicy(t, "default"), backoff.WithBudget(budget))
	*budget = backoff.Budget{}
	if _, err := operation.Decide(backoff.OutcomeTransient, 0); err != backoff.ErrNoBudget {
		t.Errorf("decided with %v", err)
	}
	if got := operation.Cancel(); got != backoff.StopCancelled || operation.Reason() != backoff.StopCancelled {
		t.Errorf("cancelling returns %v, and the reason is %v", got, operation.Reason())
	}
}

func TestFillOfNothing(t *testing.T) {
	policy, err := backoff.NewPolicy(backoff.Constant, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for _, delays := range [][]time.Duration{nil, {}, make([]time.Duration, 0, 4)} {
		if n := policy.Fill(backoff.StreamFromSeed(42), math.MaxUint32, delays); n != 0 {
			t.Errorf("filled %d", n)
		}
	}
	if backoff.StreamFromKeyBytes(42, nil) != backoff.StreamFromKeyBytes(42, []byte{}) {
		t.Error("nil is not the empty key")
	}
}

func TestUnknownReasonsAreNotCounted(t *testing.T) {
	var stats backoff.RetryStats
	for reason, want := range map[backoff.StopReason]string{
		0: "reason 0 is unknown", 8: "reason 8 is unknown", math.MaxUint32: "reason 4294967295 is unknown",
	} {
		checkArgument(t, stats.Record(1, reason), backoff.ErrUnknownReason, "reason", want)
	}
	if stats.Counts().Operations != 0 {
		t.Errorf("counted %+v", stats.Counts())
	}
}

func TestWriteToReturnsTheErrorOfTheWriter(t *testing.T) {
	var stats backoff.RetryStats
	if n, err := stats.WriteTo(fullWriter{}); n != 5 || err != errFull {
		t.Errorf("wrote %d, %v", n, err)
	}
}

type fullWriter struct{}

var errFull = errors.New("full")

func (fullWriter) Write([]byte) (int, error) { return 5, errFull }

// Any bytes may be parsed: the result is an error with the right place, never a panic.
func TestParseAnyBytes(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, text := range []string{"", " ", "\x00", "\xff", "full\x00", "full:base=\xff", "default:\xed\xa0\x80=1", long, "default:" + long, " default", "default ", "default\n", ":", ",", "=", "::", "full:,", "full:=", "default:cap=\u0661s"} {
		policy, err := backoff.ParsePolicy(text)
		budget, budgetErr := backoff.ParseBudget(text)
		for _, err := range []error{err, budgetErr} {
			var invalid *backoff.PolicyError
			if !errors.As(err, &invalid) {
				t.Errorf("%.20q: %v", text, err)
			} else if invalid.At < 0 || invalid.At > len(text) || !strings.HasPrefix(text[invalid.At:], invalid.Found) {
				t.Errorf("%.20q: found %q at %d", text, invalid.Found, invalid.At)
			}
		}
		if policy != (backoff.Policy{}) || budget != nil {
			t.Errorf("%.20q parses as %v, %v", text, policy, budget)
		}
		if retryAfter, ok := backoff.ParseRetryAfter(text, time.Time{}); retryAfter != 0 || ok {
			t.Errorf("%.20q parses as %v, %t", text, retryAfter, ok)
		}
	}
}

// A time before 1970 or after 2554 counts as the nearest one that fits into 64 bits.
func TestParseRetryAfterAtTheEndsOfTime(t *testing.T) {
	const date = "Thu, 01 Jan 1970 00:00:05 GMT"
	last := time.Unix(18446744073, 709551615)
	rows := []struct {
		header string
		now    time.Time
		want   time.Duration
	}{
		{date, time.Time{}, 5 * time.Second},
		{date, time.Unix(0, -1), 5 * time.Second},
		{date, time.Unix(1, 0), 4 * time.Second},
		{date, time.Unix(4, 999999999), 1},
		{"Sat, 01 Jan 9999 00:00:00 GMT", time.Unix(1, 0), math.MaxInt64},
		{"Sun, 21 Jul 2554 23:34:34 GMT", last.Add(-time.Nanosecond), 290448386},
		{"Sun, 21 Jul 2554 23:34:34 GMT", last, 290448385},
		{"Sun, 21 Jul 2554 23:34:34 GMT", last.Add(time.Nanosecond), 290448385},
		{"Sun, 21 Jul 2554 23:34:34 GMT", time.Unix(math.MaxInt64, 999999999), 290448385},
	}
	for _, row := range rows {
		if got, ok := backoff.ParseRetryAfter(row.header, row.now); got != row.want || !ok {
			t.Errorf("%s at %v: %d, %t, want %d", row.header, row.now, got, ok, row.want)
		}
	}
}

// Any header is safe to pass, of any length.
func TestHTTPVerdictOfLongHeaders(t *testing.T) {
	long := []string{strings.Repeat("1", 1<<20)}
	header := map[string][]string{"Retry-After-Ms": long, "Retry-After": long, "Ratelimit-Reset": long}
	if got := backoff.HTTPVerdict(429, header, time.Now()); got != backoff.OutcomeThrottled {
		t.Errorf("got %v", got)
	}
	header["Ratelimit-Reset"] = []string{"7"}
	if got := backoff.HTTPVerdict(429, header, time.Now()); got != backoff.OutcomeThrottled.WithRetryAfter(7*time.Second) {
		t.Errorf("got %v", got)
	}
	header["Retry-After"] = []string{"5\nRetry-After-Ms: 1", "6"}
	if got := backoff.HTTPVerdict(429, header, time.Now()); got != backoff.OutcomeThrottled.WithRetryAfter(7*time.Second) {
		t.Errorf("got %v", got)
	}
	header["Ratelimit-Reset"] = nil
	if got := backoff.HTTPVerdict(429, header, time.Now()); got != backoff.OutcomeThrottled {
		t.Errorf("got %v", got)
	}
}

// The longest value of each field, and two of RateLimit, are all read.
func TestHTTPVerdictOfTheLongestHeaders(t *testing.T) {
	limit := func(end string) string { return `"` + strings.Repeat("a", 1024-len(end)-2) + `"` + end }
	long := []string{strings.Repeat("x", 1024)}
	header := map[string][]string{
		"Retry-After-Ms": long, "Retry-After": long, "Ratelimit-Reset": long, "X-Ratelimit-Reset": long,
		"Ratelimit": {limit(";r=1;t=9"), limit(";r=0;t=7")},
	}
	if got := backoff.HTTPVerdict(429, header, time.Now()); got != backoff.OutcomeThrottled.WithRetryAfter(7*time.Second) {
		t.Errorf("got %v", got)
	}
}

// A negative time or delay is no argument of an operation, and the zero Operation has no limits.
func TestNegativeTimesOfAnOperation(t *testing.T) {
	operation := beginOrFail(t, parsePolicy(t, "constant:base=1s,max_retries=5,attempt_timeout=3s"))
	_, err := operation.DecideWithDelay(backoff.OutcomeTransient, time.Second, -1)
	checkArgument(t, err, backoff.ErrNegative, "now", "now -1ns is below 0s")
	_, err = operation.DecideWithDelay(backoff.OutcomeTransient, -1, 0)
	checkArgument(t, err, backoff.ErrNegative, "delay", "delay -1ns is below 0s")
	if decision, err := operation.DecideWithDelay(backoff.OutcomeTransient, 0, 0); err != nil || !decision.Wait || operation.Retries() != 1 {
		t.Errorf("%+v, %v after %d retries", decision, err, operation.Retries())
	}
	if at, before := operation.RetryIndex(0), operation.RetryIndex(-1); at != 1 || before != 0 {
		t.Errorf("index %d, before that %d", at, before)
	}
	for name, limit := range map[string]func(*backoff.Operation, time.Duration) (time.Duration, bool){
		"AttemptLimit": (*backoff.Operation).AttemptLimit, "TimeLeft": (*backoff.Operation).TimeLeft,
	} {
		if got, ok := limit(operation, 0); got != 3*time.Second || !ok {
			t.Errorf("%s: %v, %t", name, got, ok)
		}
		if got, ok := limit(operation, -1); got != 0 || ok {
			t.Errorf("%s before 0: %v, %t", name, got, ok)
		}
		for _, zero := range []*backoff.Operation{nil, {}} {
			if got, ok := limit(zero, 0); got != 0 || ok {
				t.Errorf("%s of no operation: %v, %t", name, got, ok)
			}
		}
	}
}

// A value that is too long takes no room from others, and what the core gets is read to its last byte.
func TestHTTPVerdictOfManyValues(t *testing.T) {
	const line = len("Ratelimit:\r\n")
	limit := func(length int, end string) string {
		return `"` + strings.Repeat("a", length-len(end)-2) + `"` + end
	}
	tooLong := slices.Repeat([]string{limit(1025, ";r=0;t=9")}, engine.FieldsRoom/1000+1)
	full := slices.Repeat([]string{limit(1024, ";r=1;t=9")}, engine.FieldsRoom/(1024+line))
	rest := engine.FieldsRoom - len(full)*(1024+line)
	for name, values := range map[string][]string{
		"too long": slices.Concat(tooLong, []string{limit(1024, ";r=0;t=7")}),
		"full":     slices.Concat(full, []string{limit(rest-line, ";r=0;t=7")}),
	} {
		if got := backoff.HTTPVerdict(429, map[string][]string{"Ratelimit": values}, time.Now()); got != backoff.OutcomeThrottled.WithRetryAfter(7*time.Second) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestHTTPOutcomeOfInvalidStatuses(t *testing.T) {
	// The lower bits of the second one are those of 200.
	statuses := []int{math.MinInt, math.MinInt + 200, -200, -1, 65536 + 200, math.MaxInt}
	if wrapped := uint64(1<<32 + 200); wrapped <= math.MaxInt {
		// This number is 200 in its lower 32 bits, which are all that an int has elsewhere.
		statuses = append(statuses, int(wrapped))
	}
	for _, status := range statuses {
		if got := backoff.HTTPOutcome(status); got != backoff.OutcomePermanent {
			t.Errorf("%d is %v", status, got)
		}
	}
}

func TestInvalidArgumentsOfResume(t *testing.T) {
	policy, stream := parsePolicy(t, "default"), backoff.StreamFromSeed(42)
	for _, row := range []struct {
		began   time.Duration
		options []backoff.BeginOption
		code    backoff.Code
		field   string
		want    string
	}{
		{-1, nil, backoff.ErrNegative, "began", "began -1ns is below 0s"},
		{0, []backoff.BeginOption{nil}, backoff.ErrMissing, "option", "option is nil"},
		{0, []backoff.BeginOption{backoff.WithDeadline(-1)}, backoff.ErrNegative, "deadline", "deadline -1ns is below 0s"},
		{0, []backoff.BeginOption{backoff.WithBudget(parseBudget(t, "ratio"))}, backoff.ErrUnused, "budget", "budget has no effect on ResumeOperation: what the operation held is not known"},
	} {
		operation, err := backoff.ResumeOperation(policy, stream, 3, row.began, row.options...)
		checkArgument(t, err, row.code, row.field, row.want)
		if operation != nil {
			t.Errorf("%s: %v", row.want, operation)
		}
	}
	if operation, err := backoff.ResumeOperation(policy, stream, 3, 0, backoff.WithBudget(nil), backoff.WithDeadline(backoff.NoLimit)); err != nil || operation.Attempts() != 4 {
		t.Errorf("%v, %v", operation, err)
	}
}

// A refused retry frees its slot in a budget of this process.
func TestRefuseRetryWithABudget(t *testing.T) {
	budget := parseBudget(t, "concurrent:min_concurrent=1,ratio=0")
	policy := parsePolicy(t, "constant:base=1s")
	for range 3 { // each would keep the only slot
		operation := beginOrFail(t, policy, backoff.WithBudget(budget))
		if decision, err := operation.Decide(backoff.OutcomeTransient, 0); err != nil || !decision.Wait {
			t.Fatalf("%+v, %v", decision, err)
		}
		if got := operation.RefuseRetry(); got != backoff.StopBudget || operation.Retries() != 0 {
			t.Errorf("%v after %d retries", got, operation.Retries())
		}
	}
}
