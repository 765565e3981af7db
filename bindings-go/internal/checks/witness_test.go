package checks

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// A witness is the WebAssembly from which core.go is translated, run by wazero. It keeps its values in its own
// memory, so it shares no code with the engine. Its delays are also those of package plain.
type witness struct {
	t    *testing.T
	wasm api.Module
}

// Where values are in the memory of the witness, behind its data.
type place uint32

const (
	aPolicy place = iota * 1024
	aFitted
	anError
	aBudget
	anOperation
	aPreview
	someStats
	otherStats
	aNumber
	aResult
	aText
	aPrint     = aText + 4096
	someDelays = aPrint + 4096
	aKey       = someDelays + 4096
)

// Of this many bytes, a key is longer than the memory of the engine.
const longestKey = 100_000

const delays = 70

func newWitness(t *testing.T) *witness {
	t.Helper()
	path := os.Getenv("BACKOFF_WASM")
	if path == "" {
		path = "../../../target/wasm32-unknown-unknown/go/backoff.wasm"
	}
	code, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v: cargo xtask generate builds it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	runtime := wazero.NewRuntime(context.Background())
	t.Cleanup(func() { _ = runtime.Close(context.Background()) })
	wasm, err := runtime.Instantiate(context.Background(), code)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := wasm.Memory().Grow(2); !ok {
		t.Fatal("the memory does not grow")
	}
	return &witness{t, wasm}
}

// at returns the address of a place.
func (w *witness) at(p place) uint64 {
	return w.wasm.ExportedGlobal("__heap_base").Get() + uint64(p)
}

func (w *witness) call(name string, arguments ...uint64) uint64 {
	w.t.Helper()
	results, err := w.wasm.ExportedFunction("backoff_"+name).Call(context.Background(), arguments...)
	if err != nil {
		w.t.Fatalf("%s(%d): %v", name, arguments, err)
	}
	return results[0]
}

func (w *witness) memory(p place, length int) []byte {
	w.t.Helper()
	memory, ok := w.wasm.Memory().Read(uint32(w.at(p)), uint32(length))
	if !ok {
		w.t.Fatalf("%d is outside of the memory", p)
	}
	return memory
}

func (w *witness) word(p place) uint64 { return binary.LittleEndian.Uint64(w.memory(p, 8)) }
func (w *witness) half(p place) uint32 { return binary.LittleEndian.Uint32(w.memory(p, 4)) }

func (w *witness) put(text string) (at, length uint64) {
	copy(w.memory(aText, 4096), text)
	return w.at(aText), uint64(len(text))
}

func (w *witness) printed() string {
	text, _, _ := bytes.Cut(w.memory(aPrint, 4096), []byte{0})
	return string(text)
}

func (w *witness) name(function string, numbers ...uint64) string {
	memory, _ := w.wasm.Memory().Read(uint32(w.call(function, numbers...)), 64)
	text, _, _ := bytes.Cut(memory, []byte{0})
	return string(text)
}

// error returns the error of a code that the core returned. text is the string that was parsed, if any.
func (w *witness) error(code uint64, text string) *engine.Error {
	if code == engine.OK {
		return nil
	}
	w.call("error_message", w.at(anError), w.at(aPrint), engine.TextSize)
	err := &engine.Error{
		Code:    uint32(code),
		Value:   w.word(anError + 8),
		Limit:   w.word(anError + 16),
		At:      -1,
		Message: w.printed(),
	}
	if field := w.half(anError + 4); field != 0 {
		err.Field = w.name("field_name", uint64(field))
	}
	if w.half(anError+40) != engine.TextKindNone {
		err.At = int(w.word(anError + 24))
		err.Found = text[err.At:][:w.word(anError+32)]
	}
	return err
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: the engine says %+v, the witness %+v", what, got, want)
	}
}

// comparePolicy compares what a policy does with what that at a place of the witness does.
func (w *witness) comparePolicy(random *rand.Rand, text string, policy engine.Policy, at place) {
	t := w.t
	t.Helper()
	printed, ok := policy.AppendText(nil)
	w.call("policy_print", w.at(at), w.at(aPrint), engine.TextSize)
	same(t, text, string(printed), w.printed())
	same(t, text, ok, true)
	w.call("policy_max_retries", w.at(at), w.at(aNumber))
	same(t, text, policy.MaxRetries(), w.word(aNumber))
	for range 8 {
		stream, index := random.Uint64(), uint32(random.Uint64()>>(32+random.IntN(32)))
		what := fmt.Sprintf("%s, stream %d, index %d", text, stream, index)
		w.call("policy_delay_ns", w.at(at), stream, uint64(index), w.at(aNumber))
		same(t, what, policy.Delay(stream, index), w.word(aNumber))
		w.call("policy_window_ns", w.at(at), uint64(index), w.at(aNumber))
		same(t, what, policy.Window(index), w.word(aNumber))
		if random.IntN(16) == 0 {
			index = ^uint32(0) - uint32(random.IntN(delays))
		}
		got := make([]time.Duration, delays)
		got = got[:policy.Fill(stream, index, got)]
		w.call("policy_fill_ns", w.at(at), stream, uint64(index), w.at(someDelays), delays, w.at(aNumber))
		want := make([]time.Duration, w.word(aNumber))
		for i := range want {
			want[i] = time.Duration(w.word(someDelays + place(8*i)))
		}
		same(t, what, got, want)
	}
	preview := policy.Preview()
	w.call("preview_init", w.at(aPreview), w.at(at))
	for range 6 {
		row, ok := preview.Next()
		same(t, text, ok, w.call("preview_next", w.at(aPreview), w.at(aResult)) == engine.OK)
		if !ok {
			break
		}
		var want [6]time.Duration
		for i := range want {
			want[i] = time.Duration(w.word(aResult + place(8*i)))
		}
		same(t, text, row, engine.PreviewRow{
			Min: want[0], Mean: want[1], Max: want[2], TotalMin: want[3], TotalMean: want[4], TotalMax: want[5],
		})
	}
}

func TestPolicies(t *testing.T) {
	w, random := newWitness(t), newRandom(t)
	valid := 0
	for _, text := range policyStrings(t, random) {
		policy, err := engine.ParsePolicy(text)
		at, length := w.put(text)
		same(t, text, err, w.error(w.call("policy_parse", w.at(aPolicy), at, length, w.at(anError)), text))
		if err != nil {
			continue
		}
		valid++
		w.comparePolicy(random, text, policy, aPolicy)
		for i, fit := range [...]func(attempts, total uint64) (engine.Policy, *engine.Error){policy.FitBase, policy.FitCap} {
			attempts, total := random.Uint64N(40), random.Uint64()>>random.IntN(64)
			fitted, err := fit(attempts, total)
			name := [...]string{"policy_fit_base", "policy_fit_cap"}[i]
			same(t, text, err, w.error(w.call(name, w.at(aPolicy), attempts, total, w.at(aFitted), w.at(anError)), ""))
			if err == nil {
				w.comparePolicy(random, text+" fitted", fitted, aFitted)
			}
		}
	}
	if valid < 200 {
		t.Errorf("only %d strings are policies", valid)
	}
}

func TestOperations(t *testing.T) {
	w, random := newWitness(t), newRandom(t)
	policies := policyStrings(t, random)
	budgets := strings.Fields(`ratio quota:max_tokens=9,cost=5 throttle rate:max_tokens=3,per=1s
		ttl:min_per_second=1 concurrent:min_concurrent=1 aws-sdk-2026 none ratio:max_tokens=0 quota:cost=x`)
	waits := 0
	for range 10_000 {
		text, budgetText := policies[random.IntN(len(policies))], budgets[random.IntN(len(budgets))]
		what := text + " on " + budgetText
		policy, err := engine.ParsePolicy(text)
		if err != nil {
			continue
		}
		at, length := w.put(text)
		w.call("policy_parse", w.at(aPolicy), at, length, w.at(anError))
		var budget engine.Budget
		at, length = w.put(budgetText)
		invalid := budget.Parse(budgetText)
		same(t, what, invalid, w.error(w.call("budget_parse", w.at(aBudget), at, length, w.at(anError)), budgetText))
		shared, sharedAt := &budget, w.at(aBudget)
		if invalid != nil {
			shared, sharedAt = nil, 0
		} else {
			printed, code := shared.AppendText(nil)
			same(t, what, uint64(code), w.call("budget_print", sharedAt, w.at(aPrint), engine.TextSize))
			same(t, what, string(printed), w.printed())
		}
		stream, now, deadline := random.Uint64(), random.Uint64()>>random.IntN(64), engine.None
		if random.IntN(2) == 0 {
			deadline = now + random.Uint64()>>random.IntN(64)
		}
		began := now
		var operation engine.Operation
		same(t, what, uint64(operation.Begin(&policy, stream, now, deadline, shared)),
			w.call("operation_begin", w.at(anOperation), w.at(aPolicy), stream, now, deadline, sharedAt))
		for range random.IntN(12) {
			outcome, retryAfter := random.Uint32N(7), engine.None
			if random.IntN(3) == 0 {
				retryAfter = random.Uint64() >> random.IntN(64)
			}
			now += random.Uint64() >> (20 + random.IntN(44))
			retries, _, stopped := operation.State()
			reason, delay, code := operation.Decide(outcome, retryAfter, now, shared)
			if shared == nil && stopped == 0 && code == engine.OK {
				aloneReason, aloneDelay := engine.DecideAlone(&policy, stream, retries, began, deadline, outcome, retryAfter, now)
				same(t, what, aloneReason, reason)
				same(t, what, aloneDelay, delay)
			}
			same(t, what, uint64(code), w.call("operation_decide", w.at(anOperation), uint64(outcome), retryAfter, now, sharedAt, w.at(aResult)))
			if code == engine.OK {
				same(t, what, reason, w.half(aResult))
				same(t, what, delay, w.word(aResult+8))
			}
			if code == engine.OK && reason == 0 {
				waits++
			}
		}
		if random.IntN(2) == 0 {
			w.call("operation_cancel", w.at(anOperation), sharedAt, w.at(aResult))
			same(t, what, operation.Cancel(shared), w.half(aResult))
		}
		retries, attempts, reason := operation.State()
		w.call("operation_state", w.at(anOperation), w.at(aNumber), w.at(aNumber+8), w.at(aNumber+16))
		same(t, what, [...]uint64{retries, attempts, uint64(reason)},
			[...]uint64{w.word(aNumber), w.word(aNumber + 8), uint64(w.half(aNumber + 16))})
	}
	if waits < 1000 {
		t.Errorf("only %d decisions were to wait", waits)
	}
}

func TestStats(t *testing.T) {
	w, random := newWitness(t), newRandom(t)
	var stats, other engine.RetryStats
	stats.Init()
	other.Init()
	w.call("stats_init", w.at(someStats))
	w.call("stats_init", w.at(otherStats))
	for i := range 2000 {
		attempts, reason := random.Uint64()>>random.IntN(64), random.Uint32N(9)
		same(t, "record", stats.Record(attempts, reason), w.call("stats_record", w.at(someStats), attempts, uint64(reason)) == engine.OK)
		if i%100 == 0 {
			other.Merge(&stats)
			w.call("stats_merge", w.at(otherStats), w.at(someStats))
			w.call("stats_print", w.at(otherStats), w.at(aPrint), engine.StatsSize)
			same(t, "text", string(other.Text()), w.printed())
			counts := other.Counts()
			w.call("stats_read", w.at(otherStats), w.at(aResult))
			same(t, "operations", counts.Operations, w.word(aResult))
			same(t, "the first bound", counts.Bounds[0], w.word(aResult+8*3))
			same(t, "the last stops", counts.Stops[6], w.word(aResult+8*32))
		}
	}
}

func TestTextsAndStreams(t *testing.T) {
	w, random := newWitness(t), newRandom(t)
	for i := range 2000 {
		seed, n := random.Uint64(), random.Uint64()>>random.IntN(64)
		key := make([]byte, random.IntN(3000))
		if i%100 == 0 {
			key = make([]byte, longestKey-i)
		}
		for i := range key {
			key[i] = byte(random.Uint32())
		}
		copy(w.memory(aKey, longestKey), key)
		w.call("stream_from_key", seed, w.at(aKey), uint64(len(key)), w.at(aNumber))
		same(t, "from key", engine.StreamFromKey(seed, string(key)), w.word(aNumber))
		w.call("stream_nth", seed, n, w.at(aNumber))
		same(t, "nth", engine.NthStream(seed, n), w.word(aNumber))
		same(t, "draw", engine.Draw(seed, uint32(n)), w.call("stream_draw", seed, uint64(uint32(n))))
		same(t, "advance", engine.Advance(seed, n), w.call("stream_advance", seed, n))

		header := mutated(random, []string{"120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "18446744073709551616"})
		at, length := w.put(header)
		code := w.call("parse_retry_after", at, length, n, w.at(aNumber))
		ns, ok := engine.ParseRetryAfter(header, n)
		same(t, header, ok, code == engine.OK)
		if ok {
			same(t, header, ns, w.word(aNumber))
		}
		fields := "Retry-After: 1\r\n" + mutated(random, []string{"retry-after-ms: 12.5", "RateLimit-Reset: 7", "retry-after: 9"})
		at, length = w.put(fields)
		code = w.call("http_retry_after", 429, at, length, n, w.at(aNumber))
		ns, ok = engine.HTTPRetryAfter(429, fields, n)
		same(t, fields, ok, code == engine.OK)
		if ok {
			same(t, fields, ns, w.word(aNumber))
		}
		method := mutated(random, []string{"GET", "DELETE", "POST"})
		at, length = w.put(method)
		same(t, method, engine.IsIdempotentMethod(method), w.call("is_idempotent_method", at, length) == 1)
		ratio := mutated(random, []string{"1.6", "8/5", "20%", "2.5e-1", "1e300", "0/0"})
		at, length = w.put(ratio)
		numerator, denominator, ratioCode := engine.ParseRatio(ratio)
		same(t, ratio, uint64(ratioCode), w.call("ratio_parse", at, length, w.at(aNumber), w.at(aNumber+8)))
		if ratioCode == engine.OK {
			same(t, ratio, [...]uint32{numerator, denominator}, [...]uint32{w.half(aNumber), w.half(aNumber + 8)})
		}
	}
	for number := range uint64(600) {
		n := uint32(number)
		same(t, "code", engine.CodeName(n), w.name("code_name", number))
		same(t, "outcome", engine.OutcomeName(n), w.name("outcome_name", number))
		same(t, "reason", engine.ReasonName(n), w.name("reason_name", number))
		same(t, "field", engine.FieldName(engine.Field(n)), w.name("field_name", number))
		same(t, "kind", engine.KindName(engine.Field(n%50), n/50), w.name("kind_name", number%50, number/50))
		same(t, "status", uint64(engine.HTTPOutcome(n)), w.call("http_outcome", number))
	}
}

// newRandom returns the same random numbers in each run.
func newRandom(t *testing.T) *rand.Rand {
	var seed [32]byte
	copy(seed[:], t.Name())
	return rand.New(rand.NewChaCha8(seed))
}

// policyStrings returns the strings of the vectors, some of them changed at random, and some too long.
func policyStrings(t *testing.T, random *rand.Rand) []string {
	t.Helper()
	texts := []string{strings.Repeat("x", 1024), strings.Repeat("x", 1025), strings.Repeat("x", 4000)}
	paths, err := filepath.Glob(filepath.Join(vectors(t), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		var file struct{ Cases []map[string]any }
		if err := json.Unmarshal([]byte(read(t, path)), &file); err != nil {
			t.Fatal(err)
		}
		for _, vector := range file.Cases {
			for _, value := range vector {
				if text, ok := value.(string); ok && strings.ContainsAny(text, ":=") && len(text) < 4000 {
					texts = append(texts, text)
				}
			}
		}
	}
	slices.Sort(texts)
	if len(texts) < 200 {
		t.Fatalf("the vectors have only %d strings", len(texts))
	}
	for range 3000 {
		texts = append(texts, mutated(random, texts))
	}
	return texts
}

// mutated returns one of the texts with some of its characters replaced.
func mutated(random *rand.Rand, texts []string) string {
	const characters = "0123456789.=:,%/-emsuhd \x00\xff"
	text := []byte(texts[random.IntN(len(texts))])
	for range random.IntN(3) {
		if len(text) > 0 {
			text[random.IntN(len(text))] = characters[random.IntN(len(characters))]
		}
	}
	return string(text)
}
