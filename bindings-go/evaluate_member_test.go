package backoff_test

import (
	"fmt"
	"strconv"
	"strings"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

const (
	maxTimes     = 100_000
	maxLease     = 1000
	maxProcesses = 1_000_000
)

// exchange answers what a member of a shared budget does.
func exchange(r *request) string {
	asked := r.objectOf("exchange")
	budget, local := r.budget(r.text("budget"), "budget"), r.budget(asked.text("local"), "local")
	if budget.Kind() == "concurrent" {
		r.refuse(`{"error":"not_shared","at":0,"of":"budget"}`)
		budget = must(backoff.ParseBudget("rate"))
	}
	lease, fallback := asked.whole("lease", maxLease), asked.word("fallback")
	check(lease > 0 && (fallback <= maxProcesses || fallback == engine.FallbackRefuse))
	var cores [2]engine.Budget
	for i, budget := range []*backoff.Budget{budget, local} {
		if cores[i].Parse(budget.String()) != nil {
			panic("a canonical string does not parse")
		}
	}
	p := memberPlayer{member: new(engine.Member)}
	timeout, seed := uint64(asked.time("timeout")), asked.word("seed")
	if code := p.member.Init(&cores[0], &cores[1], lease, fallback, timeout, seed); code != engine.OK {
		panic(code)
	}
	answers := []string{}
	for _, step := range asked.list("steps") {
		answers = append(answers, p.play(step))
	}
	s := p.member.Stats()
	stats := fmt.Sprintf(`"exchanges":"%d","failed_exchanges":"%d","lost_swaps":"%d","local_decisions":"%d","processes":"%d"`,
		s.Exchanges, s.FailedExchanges, s.LostSwaps, s.LocalDecisions, s.Processes)
	return fmt.Sprintf(`{"budget":"%v","local":"%v","answers":[%s],"stats":{%s}}`, budget, local, strings.Join(answers, ","), stats)
}

// A memberPlayer has a member, and how far its exchange is.
type memberPlayer struct {
	member       *engine.Member
	isExchanging bool
	isStepped    bool // the exchange has made steps that could be stored
}

// play reads a step, plays it and answers it.
func (p *memberPlayer) play(step object) string {
	do, now := step.text("do"), step.word("now")
	answer, isNow := p.act(do, step, now)
	if !isNow {
		return `{"error":"not_now"}`
	}
	state := p.member.State(now)
	return fmt.Sprintf(`{%s"away":%t,"due_in":%s,"unsent":%t,"timeout":"%d"}`,
		answer, state.IsAway, numberOr(state.DueIn, state.DueIn != engine.NoTime), state.HasUnsent, state.Timeout)
}

// act returns the members of the answer that only this action has, each with a comma, and whether the action may
// come now: one exchange at a time, and its end after its steps.
func (p *memberPlayer) act(do string, step object, now uint64) (answer string, isNow bool) {
	switch do {
	case "note":
		event, isLocal := event(step), step["local"] != nil && step.boolean("local")
		for range times(step) {
			p.member.Note(uint32(event.Kind), event.Held, isLocal, now)
		}
	case "request":
		outcome := outcome(step)
		var code uint32
		var isLocal bool
		var held uint64
		for range times(step) {
			code, isLocal, held = p.member.Request(uint32(outcome), now)
		}
		return fmt.Sprintf(`"answer":"%s","held":"%d","local":%t,`, answerNames[code], held, isLocal), true
	case "cancel":
		p.member.Cancel(uint32(outcome(step)))
	case "begin":
		if p.isExchanging {
			return "", false
		}
		p.member.Begin(now)
		p.isExchanging = true
	case "step":
		text, storeNow := step.textOrNil("text"), step.word("store_now")
		if !p.isExchanging {
			return "", false
		}
		return p.steps(p.member.Step(text, storeNow)), true
	case "stored":
		if !p.isStepped {
			return "", false
		}
		answers := p.member.Stored(now)
		p.isExchanging, p.isStepped = false, false
		return row("granted", answers.Granted) + row("refused", answers.Refused) + row("held", answers.Held), true
	case "lost":
		if !p.isExchanging {
			return "", false
		}
		p.isStepped = false
		return fmt.Sprintf(`"wait":%s,`, numberOr(p.member.Lost(now))), true
	case "failed":
		stored := step.boolean("stored")
		if !p.isExchanging {
			return "", false
		}
		p.member.Failed(stored, now)
		p.isExchanging, p.isStepped = false, false
	case "late":
		p.member.Late(now)
	default:
		check(false)
	}
	return "", true
}

func times(step object) uint64 {
	if _, ok := step["times"]; !ok {
		return 1
	}
	times := step.whole("times", maxTimes)
	check(times > 0)
	return times
}

var answerNames = map[uint32]string{engine.RequestGranted: "granted", engine.RequestRefused: "refused", engine.RequestWaits: "waits"}

func (p *memberPlayer) steps(after string, isChanged bool, code uint32) string {
	p.isStepped = code == engine.OK
	if !p.isStepped {
		return `"after":null,"changed":false,"steps":[],`
	}
	steps := []string{}
	for _, made := range p.member.ExchangeSteps(nil) {
		outcome := "null"
		if made.Outcome != 0 {
			outcome = strconv.Quote(backoff.Outcome(made.Outcome).String())
		}
		steps = append(steps, fmt.Sprintf(`{"event":"%v","outcome":%s,"held":"%d","count":"%d","granted":"%d"}`,
			sharedbudget.EventKind(made.Event), outcome, made.Held, made.Count, made.Granted))
	}
	return fmt.Sprintf(`"after":"%s","changed":%t,"steps":[%s],`, after, isChanged, strings.Join(steps, ","))
}

// row returns a number for each outcome that is retried.
func row(name string, numbers [3]uint64) string {
	return fmt.Sprintf(`"%s":["%d","%d","%d"],`, name, numbers[0], numbers[1], numbers[2])
}
