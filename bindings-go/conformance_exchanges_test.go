package backoff_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

type exchangeCase struct {
	named
	Budget   string            `json:"budget"`
	Local    string            `json:"local"`
	Lease    uint64            `json:"lease"`
	Fallback number            `json:"fallback"`
	Timeout  number            `json:"timeout"`
	Seed     number            `json:"seed"`
	Steps    []exchangeStep    `json:"steps"`
	Stats    map[string]number `json:"stats"`
}

// An exchangeStep has the members of all actions.
type exchangeStep struct {
	Do       string                 `json:"do"`
	Now      number                 `json:"now"`
	Times    *int                   `json:"times"`
	Away     bool                   `json:"away"`
	DueIn    *number                `json:"due_in"`
	Unsent   bool                   `json:"unsent"`
	Timeout  number                 `json:"timeout"`
	Event    sharedbudget.EventKind `json:"event"`
	Outcome  backoff.Outcome        `json:"outcome"`
	Held     any                    `json:"held"`
	Local    bool                   `json:"local"`
	Answer   string                 `json:"answer"`
	Text     *string                `json:"text"`
	StoreNow number                 `json:"store_now"`
	After    *string                `json:"after"`
	Changed  bool                   `json:"changed"`
	Steps    []struct {
		Event   sharedbudget.EventKind `json:"event"`
		Outcome *backoff.Outcome       `json:"outcome"`
		Held    number                 `json:"held"`
		Count   number                 `json:"count"`
		Granted number                 `json:"granted"`
	} `json:"steps"`
	// A step has whether the exchange may be stored; the answers have numbers.
	Stored  bool      `json:"stored"`
	Granted [3]number `json:"granted"`
	Refused [3]number `json:"refused"`
	Wait    *number   `json:"wait"`
}

var requestAnswers = map[string]uint32{"granted": engine.RequestGranted, "refused": engine.RequestRefused, "waits": engine.RequestWaits}

func checkExchanges(t *testing.T, c exchangeCase) {
	member := new(engine.Member)
	if code := member.Init(coreBudget(t, parseBudget(t, c.Budget)), coreBudget(t, parseBudget(t, c.Local)), c.Lease, uint64(c.Fallback), uint64(c.Timeout), uint64(c.Seed)); code != engine.OK {
		t.Fatal(code)
	}
	for i, step := range c.Steps {
		times := 1
		if step.Times != nil {
			times = *step.Times
		}
		for range times {
			checkExchangeStep(t, i, member, step)
		}
		want := engine.MemberState{IsAway: step.Away, DueIn: engine.None, HasUnsent: step.Unsent, Timeout: uint64(step.Timeout)}
		if step.DueIn != nil {
			want.DueIn = uint64(*step.DueIn)
		}
		if state := member.State(uint64(step.Now)); state != want {
			t.Fatalf("step %d, %s: %+v, want %+v", i, step.Do, state, want)
		}
	}
	checkMemberStats(t, member.Stats(), c.Stats)
}

func checkMemberStats(t *testing.T, stats engine.MemberStats, want map[string]number) {
	t.Helper()
	got := map[string]number{
		"exchanges": number(stats.Exchanges), "failed_exchanges": number(stats.FailedExchanges),
		"lost_swaps": number(stats.LostSwaps), "local_decisions": number(stats.LocalDecisions),
		"processes": number(stats.Processes),
	}
	if !maps.Equal(got, want) {
		t.Fatalf("stats %v, want %v", got, want)
	}
}

func checkExchangeStep(t *testing.T, i int, member *engine.Member, step exchangeStep) {
	t.Helper()
	now := uint64(step.Now)
	switch step.Do {
	case "note":
		member.Note(uint32(step.Event), digits(t, step.Held), step.Local, now)
	case "request":
		answer, local, held := member.Request(uint32(step.Outcome), now)
		if answer != requestAnswers[step.Answer] || local != step.Local || held != digits(t, step.Held) {
			t.Fatalf("step %d: answer %d, local %t, held %d", i, answer, local, held)
		}
	case "cancel":
		member.Cancel(uint32(step.Outcome))
	case "begin":
		member.Begin(now)
	case "step":
		after, changed, code := member.Step(step.Text, uint64(step.StoreNow))
		if step.After == nil {
			if code != engine.NotAState {
				t.Fatalf("step %d: code %d", i, code)
			}
			return
		}
		if code != engine.OK || after != *step.After || changed != step.Changed {
			t.Fatalf("step %d: %q, changed %t, code %d", i, after, changed, code)
		}
		var want []engine.ExchangeStep
		for _, s := range step.Steps {
			one := engine.ExchangeStep{Event: uint32(s.Event), Held: uint64(s.Held), Count: uint64(s.Count), Granted: uint64(s.Granted)}
			if s.Outcome != nil {
				one.Outcome = uint32(*s.Outcome)
			}
			want = append(want, one)
		}
		if steps := member.ExchangeSteps(nil); !slices.Equal(steps, want) {
			t.Fatalf("step %d: %+v, want %+v", i, steps, want)
		}
	case "stored":
		answers := member.Stored(now)
		held, _ := step.Held.([]any)
		for at := range answers.Granted {
			if answers.Granted[at] != uint64(step.Granted[at]) || answers.Refused[at] != uint64(step.Refused[at]) || answers.Held[at] != digits(t, held[at]) {
				t.Fatalf("step %d: %+v", i, answers)
			}
		}
	case "lost":
		wait, ok := member.Lost(now)
		if ok != (step.Wait != nil) || ok && wait != uint64(*step.Wait) {
			t.Fatalf("step %d: wait %d, %t", i, wait, ok)
		}
	case "failed":
		member.Failed(step.Stored, now)
	case "late":
		member.Late(now)
	default:
		t.Fatalf("step %d: %s", i, step.Do)
	}
}

// digits returns the number of a member that is digits in one action and an array in another.
func digits(t *testing.T, value any) uint64 {
	t.Helper()
	text, _ := value.(string)
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
