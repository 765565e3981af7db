package main

import (
	"fmt"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

const (
	maxTimes     = 100_000
	maxLease     = 1000
	maxProcesses = 1_000_000
)

// An exchange asks what a member of a shared budget does.
type exchange struct {
	budget, local                  string
	lease, fallback, timeout, seed uint64
	steps                          []memberStep
}

// A memberStep has the arguments of all actions.
type memberStep struct {
	do       string
	now      uint64
	event    sharedbudget.Event
	outcome  backoff.Outcome
	is       bool // the local budget gave what is held; the steps may be stored
	times    uint64
	text     *string
	storeNow time.Duration
}

func parseExchange(members object) (request, bool) {
	budget, isBudget := members.text("budget")
	asked, isObject := members.object("exchange")
	local, isLocal := asked.text("local")
	_, hasLease := asked["lease"]
	lease, isLease := asked.count("lease", maxLease)
	fallback, isFallback := asked.word("fallback")
	timeout, isTime := asked.time("timeout")
	seed, isSeed := asked.word("seed")
	list, isList := asked.list("steps")
	if !isBudget || !isObject || !isLocal || !hasLease || !isLease || !isFallback || !isTime || !isSeed || !isList {
		return nil, false
	}
	if fallback > maxProcesses && fallback != engine.FallbackRefuse {
		return nil, false
	}
	parsed := exchange{budget: budget, local: local, lease: lease, fallback: fallback, timeout: uint64(timeout), seed: seed}
	for _, members := range list {
		step, ok := parseMemberStep(members)
		if !ok {
			return nil, false
		}
		parsed.steps = append(parsed.steps, step)
	}
	return parsed, true
}

func parseMemberStep(members object) (memberStep, bool) {
	do, _ := members.text("do")
	now, isTime := members.time("now")
	step := memberStep{do: do, now: uint64(now)}
	var isRead, isAlso bool
	switch do {
	case "note":
		step.event, isRead = parseEvent(members)
		step.times, isAlso = members.count("times", maxTimes)
		isRead = isRead && isAlso
		if _, ok := members["local"]; ok {
			step.is, isAlso = members.boolean("local")
			isRead = isRead && isAlso
		}
	case "request":
		step.outcome, isRead = parseOutcome(members)
		step.times, isAlso = members.count("times", maxTimes)
		isRead = isRead && isAlso
	case "cancel":
		step.outcome, isRead = parseOutcome(members)
	case "step":
		text, hasText, isText := members.optionalText("text")
		if hasText {
			step.text = &text
		}
		step.storeNow, isRead = members.time("store_now")
		isRead = isRead && isText
	case "failed":
		step.is, isRead = members.boolean("stored")
	case "begin", "stored", "lost", "late":
		isRead = true
	}
	return step, isTime && isRead
}

func (e exchange) appendAnswer(text []byte) []byte {
	var budgets [2]*backoff.Budget
	var cores [2]engine.Budget
	for i, of := range []string{"budget", "local"} {
		var err error
		if budgets[i], err = backoff.ParseBudget([]string{e.budget, e.local}[i]); err != nil {
			return appendBudgetError(text, err, of)
		}
		if cores[i].Parse(budgets[i].String()) != nil {
			panic("a canonical string does not parse")
		}
	}
	p := player{member: new(engine.Member)}
	if budgets[0].Kind() == "concurrent" {
		return append(text, `{"error":"not_shared","at":0,"of":"budget"}`...)
	}
	if code := p.member.Init(&cores[0], &cores[1], e.lease, e.fallback, e.timeout, e.seed); code != engine.OK {
		panic(code)
	}
	text = fmt.Appendf(text, `{"budget":"%v","local":"%v","answers":[`, budgets[0], budgets[1])
	for i, step := range e.steps {
		text = p.appendAnswer(append(text, separator(i)...), step)
	}
	stats := p.member.Stats()
	return fmt.Appendf(text, `],"stats":{"exchanges":"%d","failed_exchanges":"%d","lost_swaps":"%d","local_decisions":"%d","processes":"%d"}}`,
		stats.Exchanges, stats.FailedExchanges, stats.LostSwaps, stats.LocalDecisions, stats.Processes)
}

// A player has a member, and how far its exchange is.
type player struct {
	member     *engine.Member
	exchanging bool
	stepped    bool // the exchange has made steps that could be stored
}

func (p *player) appendAnswer(text []byte, step memberStep) []byte {
	if !p.isNow(step.do) {
		return append(text, `{"error":"not_now"}`...)
	}
	text = p.play(append(text, '{'), step)
	state := p.member.State(step.now)
	text = fmt.Appendf(text, `"away":%t,"due_in":`, state.IsAway)
	text = appendNumber(text, state.DueIn, state.DueIn != engine.None)
	return fmt.Appendf(text, `,"unsent":%t,"timeout":"%d"}`, state.HasUnsent, state.Timeout)
}

// isNow reports whether the action may come now: one exchange at a time, and its end after its steps.
func (p *player) isNow(do string) bool {
	switch do {
	case "begin":
		return !p.exchanging
	case "stored":
		return p.stepped
	case "step", "lost", "failed":
		return p.exchanging
	}
	return true
}

// play appends the members of the answer that only this action has, each with a comma.
func (p *player) play(text []byte, step memberStep) []byte {
	switch step.do {
	case "note":
		for range step.times {
			p.member.Note(uint32(step.event.Kind), step.event.Held, step.is, step.now)
		}
	case "request":
		var answer uint32
		var local bool
		var held uint64
		for range step.times {
			answer, local, held = p.member.Request(uint32(step.outcome), step.now)
		}
		return fmt.Appendf(text, `"answer":"%s","held":"%d","local":%t,`, answerNames[answer], held, local)
	case "cancel":
		p.member.Cancel(uint32(step.outcome))
	case "begin":
		p.member.Begin(step.now)
		p.exchanging = true
	case "step":
		return p.appendSteps(text, step)
	case "stored":
		answers := p.member.Stored(step.now)
		p.exchanging, p.stepped = false, false
		text = appendRow(text, "granted", answers.Granted)
		text = appendRow(text, "refused", answers.Refused)
		return appendRow(text, "held", answers.Held)
	case "lost":
		p.stepped = false
		wait, ok := p.member.Lost(step.now)
		return append(appendNumber(append(text, `"wait":`...), wait, ok), ',')
	case "failed":
		p.member.Failed(step.is, step.now)
		p.exchanging, p.stepped = false, false
	case "late":
		p.member.Late(step.now)
	}
	return text
}

var answerNames = map[uint32]string{engine.RequestGranted: "granted", engine.RequestRefused: "refused", engine.RequestWaits: "waits"}

func (p *player) appendSteps(text []byte, step memberStep) []byte {
	after, changed, code := p.member.Step(step.text, uint64(step.storeNow))
	p.stepped = code == engine.OK
	text = appendText(append(text, `"after":`...), after, p.stepped)
	text = fmt.Appendf(text, `,"changed":%t,"steps":[`, changed)
	if p.stepped {
		for i, made := range p.member.ExchangeSteps(nil) {
			text = fmt.Appendf(text, `%s{"event":"%v","outcome":`, separator(i), sharedbudget.EventKind(made.Event))
			text = appendText(text, backoff.Outcome(made.Outcome).String(), made.Outcome != 0)
			text = fmt.Appendf(text, `,"held":"%d","count":"%d","granted":"%d"}`, made.Held, made.Count, made.Granted)
		}
	}
	return append(text, "],"...)
}

// appendRow appends a number for each outcome that is retried.
func appendRow(text []byte, name string, row [3]uint64) []byte {
	return fmt.Appendf(text, `"%s":["%d","%d","%d"],`, name, row[0], row[1], row[2])
}
