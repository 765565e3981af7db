// The options of New.

package backoffhttp

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// DefaultBudget is the budget string of each origin unless an option says otherwise: retries may add a fifth to the
// requests of the last 10 seconds, and 10 a second are always granted.
const DefaultBudget = "finagle"

// An Option configures a Transport. WithRetry, WithStatuses, OnRetry and OnStop add up. Of any other option the last
// one counts.
type Option func(*Transport) error

// WithRetry sets options of the loop of each request: those of backoff.Retry for a *http.Response, except RetryResult
// and ClassifyResult, whose place WithClassify takes. Default: those of backoff.Retry, and a budget for each origin.
//
// backoff.WithBudget and backoff.WithSharedBudget set one budget for all requests; a nil one is none. RetryIf, RetryOn
// and Classify are asked about errors that would otherwise be permanent. The hooks of backoff have the response as
// event.Value, nil after a failure; those of this package also know the request. What OnRetry says about bodies holds for
// all hooks. WithStream and WithKey make all requests wait for identical times: leave them to tests.
func WithRetry(options ...backoff.RetryOption) Option {
	return func(t *Transport) error {
		t.options = append(t.options, options...)
		return nil
	}
}

// WithBudgets sets the budget string of each origin (a scheme, a host and a port). Default: DefaultBudget. The
// budgets of the 1000 origins used last are kept.
//
// The budget of an origin counts as an option of the loop itself, so it also takes the place of a budget of
// backoff.SetDefaults: WithRetry(backoff.WithBudget(budget)) sets that one here. Of WithBudgets and a budget of WithRetry the
// last one counts.
func WithBudgets(text string) Option {
	return func(t *Transport) error {
		t.budgets, t.budgetAt = newOrigins(text), len(t.options)
		if _, err := backoff.ParseBudget(text); err != nil {
			return fmt.Errorf("the budget string of WithBudgets: %w", err)
		}
		return nil
	}
}

// WithAttemptTimeout limits the time of each attempt of every request until its headers have come, and with WithReadBody
// also its body. The outcome is a timeout. The attempt_timeout of the policy does the same; the shorter one counts. Default:
// no limit but those of the context, of the http.Client and of its transport.
func WithAttemptTimeout(timeout time.Duration) Option {
	return func(t *Transport) error {
		t.attemptTimeout = timeout
		if timeout <= 0 {
			return &backoff.ArgumentError{Code: backoff.ErrNegative, Field: "attempt timeout", Value: timeout, Rule: "is not above 0"}
		}
		return nil
	}
}

// WithReadBody makes each attempt read the whole body of its response into memory, also that of a failure and however long
// it is: there is no limit, so use it for servers that you trust. A success whose body ends early then is a failure of the
// network. A failure decides by its status also without its body. When retries end, the error of the body is returned. The
// attempt timeout includes the body. Without this option an error of a body is the caller's.
func WithReadBody() Option {
	return func(t *Transport) error {
		t.readBody = true
		return nil
	}
}

// WithMethods sets the methods whose requests may be repeated, in place of GET, HEAD, OPTIONS, TRACE, PUT and DELETE.
func WithMethods(methods ...string) Option {
	return func(t *Transport) error {
		t.methods = append([]string{}, methods...)
		for _, method := range methods {
			if meant := strings.ToUpper(strings.TrimSpace(method)); !isToken(method) || method != meant {
				if !isToken(meant) {
					meant = http.MethodGet
				}
				return fmt.Errorf("method %q of WithMethods: write one in capital letters, such as %q", method, meant)
			}
		}
		return nil
	}
}

// isToken reports whether net/http accepts a method. It takes none for GET.
func isToken(method string) bool {
	_, err := http.NewRequest(method, "/", nil)
	return err == nil && method != ""
}

// WithMayRepeat sets a function that says which requests may be repeated, whatever their methods and keys. It must not
// read the body.
func WithMayRepeat(mayRepeat func(*http.Request) bool) Option {
	return func(t *Transport) error {
		t.mayRepeat = mayRepeat
		return ifNil(mayRepeat == nil, "argument of WithMayRepeat")
	}
}

// WithStatuses sets the outcomes of some statuses of responses, such as ProxyStatuses. The others keep those of
// backoff.HTTPOutcome.
func WithStatuses(statuses map[int]backoff.Outcome) Option {
	return func(t *Transport) error {
		for status, outcome := range statuses {
			if status < 100 || status > 999 {
				code := backoff.ErrTooSmall
				if status > 999 {
					code = backoff.ErrTooLarge
				}
				return &backoff.ArgumentError{Code: code, Field: "status", Value: status, Rule: "is not from 100 to 999"}
			}
			if _, err := outcome.MarshalText(); err != nil || outcome == 0 {
				return &backoff.ArgumentError{Code: backoff.ErrUnknownOutcome, Field: "outcome", Value: uint32(outcome), Rule: fmt.Sprintf("of status %d is unknown", status)}
			}
		}
		if t.statuses == nil {
			t.statuses = make(map[int]backoff.Outcome)
		}
		maps.Copy(t.statuses, statuses)
		return nil
	}
}

// ProxyStatuses returns the outcomes of statuses that are in no standard, of proxies (520 to 524) and of overloaded
// services (529), for WithStatuses (SPEC 14.8).
func ProxyStatuses() map[int]backoff.Outcome {
	return map[int]backoff.Outcome{
		520: backoff.OutcomeTransient,
		521: backoff.OutcomeTransient,
		522: backoff.OutcomeTimeout,
		523: backoff.OutcomeTransient,
		524: backoff.OutcomeTimeout,
		529: backoff.OutcomeThrottled,
	}
}

// WithClassify sets a function that returns the verdict on an attempt, or nil to leave it to the rules of Transport. It
// gets the request and either the response or the error. It cannot allow the repetition of a request that is sent once:
// WithMayRepeat does that. It may read the body of the response only with WithReadBody; the caller of the client then
// gets the whole body all the same.
func WithClassify(classify func(*http.Request, *http.Response, error) backoff.Verdict) Option {
	return func(t *Transport) error {
		t.classify = classify
		return ifNil(classify == nil, "argument of WithClassify")
	}
}

// OnRetry adds a hook that is called before the wait of each retry, like backoff.OnRetry and after its hooks. A hook must
// not read or close the body of the response, which is the caller's, except with WithReadBody: then each hook, and the
// caller after it, gets the whole body.
func OnRetry(hook func(Event)) Option {
	return func(t *Transport) error {
		t.onRetry = append(t.onRetry, hook)
		return ifNil(hook == nil, "argument of OnRetry")
	}
}

// OnStop adds a hook that is called once for each request when its loop has stopped, like backoff.OnStop and after its
// hooks, also for a request that is sent once. A panic of the RoundTripper or of the function of WithClassify ends an
// attempt, so the hooks are called, with backoff.StopCancelled. They are not called after a panic of another hook or of
// the function of WithMayRepeat. What OnRetry says about bodies holds here, too.
func OnStop(hook func(Event)) Option {
	return func(t *Transport) error {
		t.onStop = append(t.onStop, hook)
		return ifNil(hook == nil, "argument of OnStop")
	}
}

func ifNil(isNil bool, what string) error {
	if isNil {
		return missing(what)
	}
	return nil
}

func missing(what string) error {
	return &backoff.ArgumentError{Code: backoff.ErrMissing, Field: what, Rule: "is nil"}
}
