package adapters

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	backoffaws "github.com/backoff-rs/backoff/bindings-go/adapters/aws"
)

var (
	slow   = &smithy.GenericAPIError{Code: "SlowDown"}
	lost   = &smithy.GenericAPIError{Code: "RequestTimeout"}
	denied = &smithy.GenericAPIError{Code: "AccessDenied"}
)

// call makes a call with the SDK's own loop, and returns how many attempts it took.
func call(retryer *retry.Standard, errs ...error) (int, error) {
	attempts := 0
	loop := retry.NewAttemptMiddleware(retryer, smithyhttp.RequestCloner)
	next := middleware.FinalizeHandlerFunc(func(context.Context, middleware.FinalizeInput) (out middleware.FinalizeOutput, _ middleware.Metadata, err error) {
		attempts++
		return out, middleware.Metadata{}, errs[attempts-1]
	})
	_, _, err := loop.HandleFinalize(context.Background(), middleware.FinalizeInput{Request: smithyhttp.NewStackRequest()}, next)
	return attempts, err
}

func standard(t *testing.T, policy, budget string) *retry.Standard {
	t.Helper()
	option, err := must(t, backoffaws.New, policy).Standard(budget)
	if err != nil {
		t.Fatal(err)
	}
	return retry.NewStandard(option)
}

func TestAWSLoop(t *testing.T) {
	fails := slices.Repeat([]error{lost}, 5)
	for name, row := range map[string]struct {
		policy   string
		errs     []error
		attempts int
	}{
		"success":     {"none:max_retries=3", []error{nil}, 1},
		"max_retries": {"none:max_retries=3", fails, 4},
		"no retries":  {"none:max_retries=0", fails, 1},
		"no limit":    {"none", append(slices.Repeat([]error{lost}, 20), nil), 21},
		"denied":      {"none", []error{lost, denied}, 2},
	} {
		attempts, err := call(standard(t, row.policy, ""), row.errs...)
		if want := row.errs[row.attempts-1]; attempts != row.attempts || want == nil && err != nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %d attempts, %v", name, attempts, err)
		}
	}
}

func TestAWSRetryDelay(t *testing.T) {
	for policy, failure := range map[string]error{
		"full:base=50ms,cap=20s,throttled_base=100ms": slow,
		"full:base=100ms,cap=20s,throttled_base=10s":  lost,
	} {
		retryer := standard(t, policy, "")
		for i, want := range numbers {
			if got, err := retryer.RetryDelay(i+1, failure); got != want || err != nil {
				t.Errorf("%v: delay %d is %d, %v, not %d", failure, i, got, err, want)
			}
		}
	}
}

// The tokens of a quota: 14 for a retry and 5 after throttling. Successes return them, or 1.
func TestAWSBudget(t *testing.T) {
	retryer := standard(t, "none:max_retries=9", "quota:max_tokens=29,cost=14,cost_throttled=5")
	for i, row := range []struct {
		errs     []error
		attempts int
		refused  bool
	}{
		{slices.Repeat([]error{lost}, 9), 3, true}, // 29 - 14 - 14 = 1
		{[]error{slow}, 1, true},                   // 1
		{[]error{nil}, 1, false},                   // 2
		{[]error{nil}, 1, false},                   // 3
		{[]error{nil}, 1, false},                   // 4
		{[]error{nil}, 1, false},                   // 5
		{[]error{slow, nil}, 2, false},             // 5, as it was
		{[]error{lost}, 1, true},                   // 5
		{[]error{slow, slow}, 2, true},             // 0
		{[]error{denied}, 1, false},                // 0
		{[]error{nil}, 1, false},                   // 1
		{[]error{slow}, 1, true},                   // 1
	} {
		attempts, err := call(retryer, row.errs...)
		if attempts != row.attempts || (err != nil && strings.Contains(err.Error(), "the budget refused a retry")) != row.refused {
			t.Errorf("call %d: %d attempts, %v", i, attempts, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := standard(t, "none", "").GetRetryToken(cancelled, lost); !errors.Is(err, context.Canceled) {
		t.Errorf("failed with %v", err)
	}
}

func TestAWSInvalidBudgets(t *testing.T) {
	for budget, want := range map[string]string{
		"rato":       `at 0: unknown name "rato"`,
		"envoy":      `budget "envoy" is neither a quota nor a rate`,
		"ratio":      `budget "ratio" is neither a quota nor a rate`,
		"sre":        `budget "sre" is neither a quota nor a rate`,
		"finagle":    `budget "finagle" is neither a quota nor a rate`,
		"grpc-retry": `budget "grpc-retry" is neither a quota nor a rate`,
	} {
		if option, err := must(t, backoffaws.New, "none").Standard(budget); option != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", budget, err)
		}
	}
	for _, budget := range []string{"sre-process", "aws-sdk-2026"} {
		if _, err := must(t, backoffaws.New, "none").Standard(budget); err != nil {
			t.Error(err)
		}
	}
}
