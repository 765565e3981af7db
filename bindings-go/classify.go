// The options that say which errors and values are retried.

package backoff

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// RetryIf retries errors for which the function returns true, as transient. If you pass several of
// RetryIf, RetryOn and Classify, they are asked in order until one does not say permanent.
func RetryIf(shouldRetry func(error) bool) RetryOption {
	return retryIf(shouldRetry)
}

type retryIf func(error) bool

func (shouldRetry retryIf) apply(c retryConfig) (retryConfig, error) {
	err := c.addClassifier("argument of RetryIf", shouldRetry == nil, shouldRetry)
	return c, err
}

func (shouldRetry retryIf) classify(err error) Verdict {
	if shouldRetry(err) {
		return OutcomeTransient
	}
	return OutcomePermanent
}

// AnyError returns true: RetryIf(AnyError) retries every error without a mark. Use it only for calls
// that are safe to retry. A *PolicyError or *ArgumentError counts as marked: see Permanent.
func AnyError(error) bool { return true }

// RetryOn retries errors in which errors.Is finds one of the targets, as transient.
func RetryOn(targets ...error) RetryOption {
	return retryOn(targets)
}

type retryOn []error

func (targets retryOn) apply(c retryConfig) (retryConfig, error) {
	err := c.addClassifier("argument of RetryOn", slices.Contains(targets, nil), targets)
	return c, err
}

func (targets retryOn) classify(err error) Verdict {
	for _, target := range targets {
		if errors.Is(err, target) {
			return OutcomeTransient
		}
	}
	return OutcomePermanent
}

// Classify retries errors as the function says: it returns the verdict of every error without a mark,
// which is an Outcome or an Outcome WithRetryAfter. nil counts as OutcomePermanent, so that nothing is
// retried that the function does not allow. OutcomeSuccess counts as OutcomePermanent, too, because a
// failure is not a success.
func Classify(classify func(error) Verdict) RetryOption {
	return classifyBy(classify)
}

type classifyBy func(error) Verdict

func (classify classifyBy) apply(c retryConfig) (retryConfig, error) {
	err := c.addClassifier("argument of Classify", classify == nil, classify)
	return c, err
}

func (classify classifyBy) classify(err error) Verdict { return classify(err) }

// A failureClassifier is a RetryIf, RetryOn or Classify.
type failureClassifier interface{ classify(error) Verdict }

// inOrder asks the second classifier what the first calls permanent.
type inOrder struct{ first, second failureClassifier }

func (o inOrder) classify(err error) Verdict {
	if verdict := o.first.classify(err); verdict != nil {
		if outcome, _, _ := verdict.Verdict(); outcome != OutcomePermanent {
			return verdict
		}
	}
	return o.second.classify(err)
}

func (c *retryConfig) addClassifier(argument string, hasNil bool, classifier failureClassifier) error {
	if c.failures != nil {
		classifier = inOrder{c.failures, classifier}
	}
	c.failures = classifier
	return notNil(argument, hasNil)
}

// RetryResult retries values that were returned without an error and for which the function returns
// true, as transient: use it to poll. T must be the type that the function of Retry returns. Do has no
// result and does not accept it. RetryResult and ClassifyResult replace each other: the last one counts.
func RetryResult[T any](shouldRetry func(T) bool) RetryOption {
	return classifyResults("RetryResult", shouldRetry == nil, func(value T) Verdict {
		if shouldRetry(value) {
			return OutcomeTransient
		}
		return OutcomeSuccess
	})
}

// ClassifyResult retries values as the function says: it returns the verdict of every value that was
// returned without an error, which is an Outcome or an Outcome WithRetryAfter. nil counts as
// OutcomeSuccess. T must be the type that the function of Retry returns. Do has no result and does not
// accept it. RetryResult and ClassifyResult replace each other: the last one counts.
func ClassifyResult[T any](classify func(T) Verdict) RetryOption {
	return classifyResults("ClassifyResult", classify == nil, classify)
}

// A resultClassifier is the last RetryResult or ClassifyResult.
type resultClassifier struct {
	option   string
	result   reflect.Type // T
	classify any          // a func(T) Verdict
}

func classifyResults[T any](option string, isNil bool, classify func(T) Verdict) RetryOption {
	return retryOption(func(s *settings) error {
		s.results = &resultClassifier{option, reflect.TypeFor[T](), classify}
		return notNil("argument of "+option, isNil)
	})
}

// resultsOf returns the function that classifies values of T, nil if there is none.
func resultsOf[T any](c *retryConfig) (func(T) Verdict, error) {
	if c.results == nil {
		return nil, nil
	}
	classify, ok := c.results.classify.(func(T) Verdict)
	if !ok {
		rule := fmt.Sprintf("classifies %v, but the function returns %v", c.results.result, reflect.TypeFor[T]())
		if reflect.TypeFor[T]() == reflect.TypeFor[noResult]() {
			rule = fmt.Sprintf("classifies %v, but Do has no result: use Retry", c.results.result)
		}
		return nil, &ArgumentError{Code: ErrWrongType, Field: c.results.option, Rule: rule}
	}
	return classify, nil
}

// orSuccess returns the verdict of a result, for which nil is a success.
func orSuccess(verdict Verdict) Verdict {
	if verdict == nil {
		return OutcomeSuccess
	}
	return verdict
}

// classifyFailure returns the verdict of an error, which is never a success.
func (c *retryConfig) classifyFailure(err error) Verdict {
	verdict := c.classify(err)
	if isPermanent(verdict) {
		return OutcomePermanent
	}
	return verdict
}

// classify returns the mark of an error, or the first verdict of the options that is not permanent.
func (c *retryConfig) classify(err error) Verdict {
	if mark := VerdictOf(err); mark != nil {
		return mark
	}
	if c.failures != nil {
		if verdict := c.failures.classify(err); verdict != nil {
			return verdict
		}
	}
	return OutcomePermanent
}
