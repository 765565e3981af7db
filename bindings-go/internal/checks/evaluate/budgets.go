package main

import (
	"fmt"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

// appendBudgetError appends the answer that a budget string does not parse.
func appendBudgetError(text []byte, err error, of string) []byte {
	code, at := parseError(err)
	return fmt.Appendf(text, `{"error":"%v","at":%d,"of":"%s"}`, code, at, of)
}

// A state asks for the steps of the state of a budget.
type state struct {
	budget, text string
	hasText      bool // a full state otherwise
	events       []timedEvent
}

type timedEvent struct {
	event sharedbudget.Event
	now   time.Duration
}

func parseState(members object) (request, bool) {
	budget, isBudget := members.text("budget")
	asked, isObject := members.object("state")
	text, hasText, isText := asked.optionalText("text")
	list, isList := asked.list("events")
	if !isBudget || !isObject || !isText || !isList {
		return nil, false
	}
	parsed := state{budget: budget, text: text, hasText: hasText}
	for _, members := range list {
		event, isEvent := parseEvent(members)
		now, isTime := members.time("now")
		var ok bool
		if event.Kind == sharedbudget.RetryRequested {
			event.Outcome, ok = parseOutcome(members)
			isEvent = isEvent && ok
		}
		if !isEvent || !isTime {
			return nil, false
		}
		parsed.events = append(parsed.events, timedEvent{event, now})
	}
	return parsed, true
}

// parseEvent returns an event without its outcome.
func parseEvent(members object) (event sharedbudget.Event, ok bool) {
	name, _ := members.text("event")
	err := event.Kind.UnmarshalText([]byte(name))
	isHeld := true
	if _, ok := members["held"]; ok {
		event.Held, isHeld = members.word("held")
	}
	return event, err == nil && event.Kind != 0 && isHeld // 0 has a name, too
}

func parseOutcome(members object) (outcome backoff.Outcome, ok bool) {
	name, _ := members.text("outcome")
	err := outcome.UnmarshalText([]byte(name))
	return outcome, err == nil && outcome != 0 // 0 has a name, too
}

func (s state) appendAnswer(text []byte) []byte {
	budget, err := backoff.ParseBudget(s.budget)
	if err != nil {
		return appendBudgetError(text, err, "budget")
	}
	current, err := sharedbudget.FullState(budget)
	if s.hasText {
		current, err = sharedbudget.ParseState(budget, s.text)
	}
	if err != nil {
		return append(text, `{"error":"not_a_state","at":0,"of":"text"}`...)
	}
	text = fmt.Appendf(text, `{"budget":"%v","answers":[`, budget)
	for i, step := range s.events {
		next, answer, err := current.Step(step.event, step.now)
		if err != nil {
			panic(err)
		}
		granted := "null"
		if step.event.Kind == sharedbudget.RetryRequested {
			granted = fmt.Sprint(answer.Granted)
		}
		text = fmt.Appendf(text, `%s{"granted":%s,"holds":"%d","state":"%v"}`, separator(i), granted, answer.Held, next)
		current = next
	}
	return append(text, "]}"...)
}

// separator returns what comes before an element of a list.
func separator(index int) string { return strings.Repeat(",", min(index, 1)) }
