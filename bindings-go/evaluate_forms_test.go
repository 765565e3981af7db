package backoff_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
	"github.com/backoff-rs/backoff/bindings-go/sharedbudget"
)

// A request has the members of a line, and the answer to its first policy or budget that is invalid. A valid
// one takes its place, because the rest of the request is read, too.
type request struct {
	object
	refused string
}

// forms are in the order in which they are looked for. Each returns the answer.
var forms = []struct {
	name string
	form func(*request) string
}{
	{"retry_after", retryAfter},
	{"response", response},
	{"state", state},
	{"exchange", exchange},
	{"steps", steps},
	{"fit", fit},
	{"preview", preview},
	{"delays", delays},
}

func (r *request) refuse(format string, values ...any) {
	if r.refused == "" {
		r.refused = fmt.Sprintf(format, values...)
	}
}

func (r *request) policy() backoff.Policy {
	policy, err := backoff.ParsePolicy(r.text("policy"))
	if err != nil {
		r.refuse(`{"error":"%v","at":%d}`, invalid(err).Code, invalid(err).At)
		return must(backoff.ParsePolicy("none"))
	}
	return policy
}

// budget returns the budget of a string, which the answer to an error calls `of`.
func (r *request) budget(text, of string) *backoff.Budget {
	budget, err := backoff.ParseBudget(text)
	if err != nil {
		r.refuse(`{"error":"%v","at":%d,"of":"%s"}`, invalid(err).Code, invalid(err).At, of)
		return must(backoff.ParseBudget("rate"))
	}
	return budget
}

func (r *request) stream() backoff.RandomStream {
	seed := r.wordOr("seed", 0)
	if key := r.textOrNil("key"); key != nil {
		return must(backoff.StreamFromKey(seed, *key))
	}
	return backoff.StreamFromSeed(seed)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func invalid(err error) *backoff.PolicyError {
	var found *backoff.PolicyError
	if !errors.As(err, &found) {
		panic(err)
	}
	return found
}

func errorOf(err error) string {
	e := invalid(err)
	return fmt.Sprintf(`{"error":"%v","field":"%s","value":"%d","limit":"%d"}`, e.Code, e.Field, e.Value, e.Limit)
}

func delay(r *request) string {
	policy, stream, index := r.policy(), r.stream(), uint64(0)
	if _, ok := r.object["index"]; ok {
		index = r.whole("index", math.MaxUint32)
	}
	return fmt.Sprintf(`{"canonical":"%v","delay_ns":"%d"}`, policy, policy.Delay(stream, uint32(index)))
}

func delays(r *request) string {
	asked, stream := r.objectOf("delays"), r.stream()
	index, count, via := asked.whole("index", math.MaxUint32), asked.whole("count", 10_000), asked.text("via")
	check(index+count <= 1<<32)
	params := paramsOf(fieldsOf(r.objectOf("policy")))
	check(slices.Contains([]string{"window", "at", "fill", "next", "reset"}, via))
	policy, err := backoff.PolicyOf(params)
	if err != nil {
		return errorOf(err)
	}
	found := takeBy(via, policy, stream, uint32(index), int(count))
	rows := make([]string, len(found))
	for i, delay := range found {
		rows[i] = fmt.Sprintf(`"%d"`, delay)
	}
	return fmt.Sprintf(`{"delays":[%s]}`, strings.Join(rows, ","))
}

// fieldsOf returns the fields of a policy as text.
func fieldsOf(policy object) fieldTexts {
	found := make(fieldTexts)
	for field := engine.Growth; field <= engine.ElapsedFrom; field++ {
		name := engine.FieldName(field)
		if _, ok := policy[name]; !ok {
			continue
		}
		switch field {
		case engine.Waits:
			var waits []string
			check(json.Unmarshal(policy[name], &waits) == nil && waits != nil)
			for _, wait := range waits {
				check(isDigits(wait, 64))
			}
			found[name] = strings.Join(waits, "/")
		case engine.Growth, engine.Jitter, engine.CapOn, engine.RetryAfter, engine.ElapsedFrom:
			found[name] = policy.text(name)
			if strings.Trim(found[name], "0123456789") == "" {
				found[name] = "0" // a number is no name
			}
		case engine.Multiplier, engine.JitterBelow, engine.JitterAbove:
			found[name] = policy.text(name)
			n, d, ok := strings.Cut(found[name], "/")
			check(ok && isDigits(n, 32) && isDigits(d, 32))
		default:
			found[name] = strconv.FormatUint(policy.word(name), 10)
		}
	}
	return found
}

func takeBy(via string, policy backoff.Policy, stream backoff.RandomStream, index uint32, count int) []time.Duration {
	delays, iterator := make([]time.Duration, count), backoff.New(policy, stream)
	switch via {
	case "window", "at":
		at := func(index uint32) time.Duration { return policy.Delay(stream, index) }
		if via == "window" {
			at = policy.Window
		}
		for i := range delays {
			delays[i] = at(index + uint32(i))
		}
		return delays
	case "fill":
		return delays[:policy.Fill(stream, index, delays)]
	case "reset":
		for range index {
			if _, ok := iterator.Next(); !ok {
				break
			}
		}
		iterator.Reset()
	}
	return take(iterator, count)
}

func preview(r *request) string {
	policy, asked := r.policy(), r.objectOf("preview")
	first, count := asked.whole("first", 10_000), asked.whole("count", 1000)
	rows, index := []string{}, uint64(0)
	for row := range policy.Preview() {
		if index >= first+count {
			break
		}
		if index >= first {
			rows = append(rows, fmt.Sprintf(`["%d","%d","%d","%d","%d","%d"]`,
				row.Min, row.Mean, row.Max, row.TotalMin, row.TotalMean, row.TotalMax))
		}
		index++
	}
	return fmt.Sprintf(`{"rows":[%s]}`, strings.Join(rows, ","))
}

func fit(r *request) string {
	policy, asked := r.policy(), r.objectOf("fit")
	field, attempts, total := asked.text("field"), asked.whole("attempts", math.MaxUint32), asked.time("total")
	check(field == "base" || field == "cap")
	fit := policy.FitBase
	if field == "cap" {
		fit = policy.FitCap
	}
	fitted, err := fit(attempts, total)
	if err != nil {
		return errorOf(err)
	}
	return fmt.Sprintf(`{"canonical":"%v"}`, fitted)
}

func steps(r *request) string {
	policy, stream, printed := r.policy(), r.stream(), "null"
	var budget *backoff.Budget
	if text := r.textOrNil("budget"); text != nil {
		budget = r.budget(*text, "budget")
		printed = strconv.Quote(budget.String())
	}
	operations, answers := make(map[uint64]*backoff.Operation), []string{}
	for _, step := range r.list("steps") {
		number, now, do := step.whole("operation", math.MaxUint32), step.word("now"), step.text("do")
		operation, isRunning := operations[number]
		check(isRunning != (do == "begin"))
		var decision backoff.Decision
		switch do {
		case "begin":
			operations[number] = begin(policy, stream, now, step, budget)
			continue
		case "outcome":
			var verdict backoff.Verdict = outcome(step)
			if wait := step.timeOr("retry_after", -1); wait >= 0 {
				verdict = outcome(step).WithRetryAfter(wait)
			}
			decision = decideBy(step, operation, verdict, now)
		case "limit":
			answers = append(answers, limitOf(operation, now))
			continue
		case "cancel":
			decision.Reason = operation.Cancel()
		default:
			check(false)
		}
		text := fmt.Sprintf(`"stop":"%v","delay":"%d"`, decision.Reason, decision.Delay)
		if decision.Wait {
			text = fmt.Sprintf(`"wait":"%d"`, decision.Delay)
		}
		answers = append(answers, fmt.Sprintf(`{%s,"retries":%d}`, text, operation.Retries()))
	}
	return fmt.Sprintf(`{"canonical":"%v","budget":%s,"answers":[%s]}`, policy, printed, strings.Join(answers, ","))
}

// begin uses the public function if the times fit into a time.Duration, and so do decide and stepAt.
func begin(policy backoff.Policy, stream backoff.RandomStream, now uint64, step object, budget *backoff.Budget) *backoff.Operation {
	deadline := uint64(engine.NoTime)
	if !step.isNone("deadline") {
		deadline = step.word("deadline")
	}
	switch {
	case now > math.MaxInt64 || deadline > math.MaxInt64 && deadline != engine.NoTime:
		return must(policy.BeginAt(stream, now, deadline, budget))
	case deadline == engine.NoTime:
		return must(policy.Begin(stream, time.Duration(now), backoff.WithBudget(budget)))
	}
	return must(policy.Begin(stream, time.Duration(now), backoff.WithBudget(budget), backoff.WithDeadline(time.Duration(deadline))))
}

// decideBy decides with the delay of the caller, if the step has one.
func decideBy(step object, operation *backoff.Operation, verdict backoff.Verdict, now uint64) backoff.Decision {
	own := step.timeOr("own_delay", -1)
	switch {
	case own < 0:
		return decide(operation, verdict, now)
	case now > math.MaxInt64:
		return must(operation.DecideWithDelayAt(verdict, uint64(own), now))
	}
	return must(operation.DecideWithDelay(verdict, own, time.Duration(now)))
}

// limitOf returns the limit of an attempt that begins now, and the index of its delay.
func limitOf(operation *backoff.Operation, now uint64) string {
	limit, index := operation.LimitAt(now)
	hasLimit := limit != engine.NoTime
	if now <= math.MaxInt64 {
		var public time.Duration
		public, hasLimit = operation.AttemptLimit(time.Duration(now))
		limit, index = uint64(public), operation.RetryIndex(time.Duration(now))
	}
	if !hasLimit {
		return fmt.Sprintf(`{"limit":null,"index":%d}`, index)
	}
	return fmt.Sprintf(`{"limit":"%d","index":%d}`, limit, index)
}

func decide(operation *backoff.Operation, verdict backoff.Verdict, now uint64) backoff.Decision {
	if now > math.MaxInt64 {
		return must(operation.DecideAt(verdict, now))
	}
	return must(operation.Decide(verdict, time.Duration(now)))
}

func stepAt(budget *backoff.Budget, state sharedbudget.State, event sharedbudget.Event, now uint64) (sharedbudget.State, sharedbudget.Answer) {
	if now <= math.MaxInt64 {
		next, answer, err := state.Step(event, time.Duration(now))
		return must(next, err), answer
	}
	var full engine.Budget
	var core engine.BudgetState
	full.Parse(budget.String())
	core.Parse(&full, state.String())
	granted, held, _ := core.Step(uint32(event.Kind), uint32(event.Outcome), event.Held, now)
	text, _ := core.AppendText(nil)
	return must(sharedbudget.ParseState(budget, string(text))), sharedbudget.Answer{Granted: granted, Held: held}
}

func retryAfter(r *request) string {
	asked := r.objectOf("retry_after")
	wait, ok := backoff.ParseRetryAfter(asked.text("value"), time.Unix(0, int64(asked.time("now"))))
	return fmt.Sprintf(`{"retry_after":%s}`, numberOr(uint64(wait), ok))
}

func response(r *request) string {
	asked, header := r.objectOf("response"), http.Header{}
	for line := range strings.SplitSeq(asked.text("fields"), "\n") {
		if name, value, found := strings.Cut(strings.TrimSuffix(line, "\r"), ":"); found {
			header.Add(name, value)
		}
	}
	status, now := asked.whole("status", math.MaxUint16), time.Unix(0, int64(asked.time("now")))
	outcome, wait, ok := backoff.HTTPVerdict(int(status), header, now).Verdict()
	return fmt.Sprintf(`{"outcome":"%v","retry_after":%s}`, outcome, numberOr(uint64(wait), ok))
}

func state(r *request) string {
	budget, asked := r.budget(r.text("budget"), "budget"), r.objectOf("state")
	current := must(sharedbudget.FullState(budget))
	if text := asked.textOrNil("text"); text != nil {
		parsed, err := sharedbudget.ParseState(budget, *text)
		if err != nil {
			r.refuse(`{"error":"not_a_state","at":0,"of":"text"}`)
		} else {
			current = parsed
		}
	}
	answers := []string{}
	for _, step := range asked.list("events") {
		event, now, granted := event(step), step.word("now"), "null"
		if event.Kind == sharedbudget.RetryRequested {
			event.Outcome = outcome(step)
		}
		next, answer := stepAt(budget, current, event, now)
		current = next
		if event.Kind == sharedbudget.RetryRequested {
			granted = strconv.FormatBool(answer.Granted)
		}
		answers = append(answers, fmt.Sprintf(`{"granted":%s,"holds":"%d","state":"%v"}`, granted, answer.Held, next))
	}
	return fmt.Sprintf(`{"budget":"%v","answers":[%s]}`, budget, strings.Join(answers, ","))
}

// event returns an event without its outcome.
func event(step object) (event sharedbudget.Event) {
	err := event.Kind.UnmarshalText([]byte(step.text("event")))
	check(err == nil && event.Kind != 0) // 0 has a name, too
	event.Held = step.wordOr("held", 0)
	return event
}

func outcome(step object) (outcome backoff.Outcome) {
	err := outcome.UnmarshalText([]byte(step.text("outcome")))
	check(err == nil && outcome != 0) // 0 has a name, too
	return outcome
}

// numberOr returns a number as digits, or null.
func numberOr(number uint64, ok bool) string {
	if !ok {
		return "null"
	}
	return fmt.Sprintf(`"%d"`, number)
}

// paramsOf returns the fields of a policy. They may have values that the options of NewPolicy cannot express and that
// SPEC 8 has rules for: no growth, no base, and durations above time.Duration.
func paramsOf(fields fieldTexts) (params engine.Params) {
	for name, text := range fields {
		field := engine.Growth
		for engine.FieldName(field) != name {
			if field++; field == engine.FieldBudget {
				panic("unknown field " + name)
			}
		}
		if field == engine.Waits {
			var waits []uint64
			for _, wait := range strings.FieldsFunc(text, func(c rune) bool { return c == '/' }) {
				waits = append(waits, must(strconv.ParseUint(wait, 10, 64)))
			}
			params.SetWaits(waits)
			continue
		}
		numerator, denominator, isRatio := strings.Cut(text, "/")
		switch number, err := strconv.ParseUint(numerator, 10, 64); {
		case isRatio:
			params.SetRatio(field, uint32(number), uint32(must(strconv.ParseUint(denominator, 10, 32))))
		case err == nil:
			params.Set(field, number)
		default:
			params.Set(field, kindOf(field, text))
		}
	}
	return params
}

// kindOf returns the number of a kind, 0 for an unknown name, which no kind has.
func kindOf(field engine.Field, name string) uint64 {
	for kind := range uint32(16) {
		if engine.KindName(field, kind) == name {
			return uint64(kind)
		}
	}
	return 0
}
