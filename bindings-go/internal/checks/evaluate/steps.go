package main

import (
	"fmt"
	"math"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// A step is one of a list of operations that share a policy, a stream and a budget.
type step struct {
	operation uint64
	do        string
	now       time.Duration
	deadline  time.Duration   // of a begin
	verdict   backoff.Verdict // of an outcome
}

func parseSteps(members object) (evaluate, bool) {
	stream, isStream := members.stream()
	budgetText, hasBudget, isBudget := members.optionalText("budget")
	list, isList := members.list("steps")
	if !isStream || !isBudget || !isList {
		return nil, false
	}
	var steps []step
	begun := make(map[uint64]bool)
	for _, members := range list {
		step, ok := parseStep(members)
		if !ok || begun[step.operation] == (step.do == "begin") {
			return nil, false
		}
		begun[step.operation] = true
		steps = append(steps, step)
	}
	return func(text []byte, policy backoff.Policy) []byte {
		var budget *backoff.Budget
		if hasBudget {
			var err error
			if budget, err = backoff.ParseBudget(budgetText); err != nil {
				return appendBudgetError(text, err, "budget")
			}
		}
		text = fmt.Appendf(text, `{"canonical":"%v","budget":`, policy)
		text = append(appendText(text, budget.String(), hasBudget), `,"answers":[`...)
		return append(appendAnswers(text, steps, policy, stream, budget), "]}"...)
	}, true
}

func parseStep(members object) (step, bool) {
	operation, isOperation := members.whole("operation", math.MaxUint32)
	now, isTime := members.time("now")
	do, _ := members.text("do")
	parsed := step{operation: operation, do: do, now: now, deadline: backoff.NoLimit}
	if !isOperation || !isTime {
		return step{}, false
	}
	switch do {
	case "cancel":
		return parsed, true
	case "begin":
		deadline, hasDeadline, ok := members.optionalTime("deadline")
		if hasDeadline {
			parsed.deadline = deadline
		}
		return parsed, ok
	case "outcome":
		var outcome backoff.Outcome
		name, _ := members.text("outcome")
		err := outcome.UnmarshalText([]byte(name))
		retryAfter, hasRetryAfter, ok := members.optionalTime("retry_after")
		parsed.verdict = outcome
		if hasRetryAfter {
			parsed.verdict = outcome.WithRetryAfter(retryAfter)
		}
		return parsed, ok && err == nil && outcome != 0 // 0 has a name, too
	}
	return step{}, false
}

// appendAnswers runs the steps and appends the answer to each outcome and each cancellation.
func appendAnswers(text []byte, steps []step, policy backoff.Policy, stream backoff.RandomStream, budget *backoff.Budget) []byte {
	operations := make(map[uint64]*backoff.Operation)
	separator := ""
	for _, step := range steps {
		operation := operations[step.operation]
		var decision backoff.Decision
		var err error
		switch step.do {
		case "begin":
			operations[step.operation], err = policy.Begin(stream, step.now, backoff.WithDeadline(step.deadline), backoff.WithBudget(budget))
		case "outcome":
			decision, err = operation.Decide(step.verdict, step.now)
		case "cancel":
			decision.Reason = operation.Cancel()
		}
		switch {
		case err != nil:
			panic(err)
		case step.do == "begin":
			continue
		case decision.Wait:
			text = fmt.Appendf(text, `%s{"wait":"%d"`, separator, decision.Delay)
		default:
			text = fmt.Appendf(text, `%s{"stop":"%v","delay":"%d"`, separator, decision.Reason, decision.Delay)
		}
		text = fmt.Appendf(text, `,"retries":%d}`, operation.Retries())
		separator = ","
	}
	return text
}
