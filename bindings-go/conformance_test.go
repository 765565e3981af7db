package backoff_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
	"github.com/backoff-rs/backoff/bindings-go/internal/engine"
)

// The check of each layer. A vector file without a check fails the test.
var layers = map[string]func(t *testing.T, layer string){
	"articles":           each(checkDelays),
	"budget_state_texts": each(checkBudgetStateText),
	"budget_states":      each(checkBudgetStates),
	"caps":               each(checkDelays),
	"decisions":          each(checkDecisions),
	"draws":              each(checkDraw),
	"errors":             each(checkError),
	"exchanges":          each(checkExchanges),
	"fits":               each(checkFit),
	"growths":            each(checkDelays),
	"http_methods":       each(checkHTTPMethod),
	"http_requests":      func(*testing.T, string) {}, // the tests of backoffhttp play them
	"http_responses":     each(checkHTTPResponse),
	"http_statuses":      each(checkHTTPStatus),
	"jitters":            each(checkDelays),
	"loops":              func(*testing.T, string) {}, // TestRetryLoops plays them in bubbles, which Go 1.24 does not have
	"presets":            each(checkPreset),
	"previews":           each(checkPreview),
	"resets":             each(checkRuns),
	"resumptions":        each(checkResumption),
	"retry_after":        each(checkRetryAfter),
	"samples":            each(checkDelays),
	"stats":              each(checkStats),
	"streams":            each(checkStream),
	"text_errors":        each(checkTextError),
	"texts":              each(checkText),
}

func TestEveryVector(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectors(t), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		found = append(found, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	if known := slices.Sorted(maps.Keys(layers)); !slices.Equal(found, known) {
		t.Fatalf("%s holds %v, want %v", vectors(t), found, known)
	}
	for _, layer := range found {
		layers[layer](t, layer)
	}
}

// each returns a function that runs a check on every case of a layer.
func each[Case interface{ id() string }](check func(*testing.T, Case)) func(*testing.T, string) {
	return func(t *testing.T, layer string) {
		for _, c := range load[Case](t, layer) {
			t.Run(layer+"/"+c.id(), func(t *testing.T) { check(t, c) })
		}
	}
}

// named holds the members of every case.
type named struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

func (n named) id() string { return n.ID }

// A vector is a case of a layer of delays. Each layer uses some of the members (tests/README.md).
type vector struct {
	named
	Policy  map[string]string `json:"policy"`
	Seed    uint64            `json:"seed,string"`
	Key     *string           `json:"key"`
	First   uint32            `json:"first"`
	Windows []string          `json:"windows"`
	Delays  []string          `json:"delays"`
	Asked   []int             `json:"asked"`
	Runs    [][]string        `json:"runs"`
	Stream  uint64            `json:"stream,string"`
	Index   uint32            `json:"index"`
	Draw    uint64            `json:"draw,string"`
	Error   policyError       `json:"error"`
}

// A policyError is what a backoff.PolicyError must contain.
type policyError struct {
	Code    string `json:"code"`
	At      *int   `json:"at"` // nil without a string
	Found   string `json:"found"`
	Field   string `json:"field"`
	Value   uint64 `json:"value,string"`
	Limit   uint64 `json:"limit,string"`
	Message string `json:"message"`
}

func (want policyError) check(t *testing.T, err error) {
	t.Helper()
	var invalid *backoff.PolicyError
	if !errors.As(err, &invalid) {
		t.Fatalf("got %v, want a PolicyError", err)
	}
	at := -1
	if want.At != nil {
		at = *want.At
	}
	got := policyError{invalid.Code.Error(), want.At, invalid.Found, invalid.Field, invalid.Value, invalid.Limit, err.Error()}
	if got != want || invalid.At != at {
		t.Errorf("got %+v at %d, want %+v at %d", got, invalid.At, want, at)
	}
	if !errors.Is(err, invalid.Code) {
		t.Errorf("errors.Is does not find %v in the error", invalid.Code)
	}
}

// vectors returns the folder of the vectors. The module's zip file is without them, so there a test skips.
func vectors(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("BACKOFF_VECTORS"); folder != "" {
		return folder
	}
	if _, err := os.Stat(filepath.Join("..", "SPEC.md")); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the vectors are in the repository, not in the module: BACKOFF_VECTORS may name their folder")
	}
	return filepath.Join("..", "tests", "vectors")
}

func load[Case any](t *testing.T, layer string) []Case {
	t.Helper()
	path := filepath.Join(vectors(t), layer+".json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		Layer       string `json:"layer"`
		About       string `json:"about"`
		GeneratedBy string `json:"generated_by"`
		Count       int    `json:"count"`
		Cases       []Case `json:"cases"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&content); err != nil {
		t.Fatal(err)
	}
	if content.Layer != layer || content.Count == 0 || len(content.Cases) != content.Count {
		t.Fatalf("%s: %d cases of layer %s, want %d", path, len(content.Cases), content.Layer, content.Count)
	}
	return content.Cases
}

// policyOf returns the policy of fields (tests/README.md), or the error of NewPolicy. Their values may be some that its
// options cannot express.
func policyOf(t *testing.T, fields map[string]string) (backoff.Policy, error) {
	t.Helper()
	var params engine.Params
	for name, text := range fields {
		field := engine.Growth
		for engine.FieldName(field) != name && field < engine.RetryAfterMaxExtra {
			field++
		}
		whole, denominator, isRatio := strings.Cut(text, "/")
		number, err := strconv.ParseUint(whole, 10, 64)
		for kind := uint32(1); err != nil && kind < 16; kind++ {
			if engine.KindName(field, kind) == text {
				number, err = uint64(kind), nil
			}
		}
		if isRatio && err == nil {
			var divisor uint64
			divisor, err = strconv.ParseUint(denominator, 10, 32)
			params.SetRatio(field, uint32(number), uint32(divisor))
		} else {
			params.Set(field, number)
		}
		if err != nil {
			t.Fatalf("%s=%s: %v", name, text, err)
		}
	}
	return backoff.PolicyOf(params)
}

func (c vector) policy(t *testing.T) backoff.Policy {
	t.Helper()
	policy, err := policyOf(t, c.Policy)
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func (c vector) stream(t *testing.T) backoff.RandomStream {
	t.Helper()
	return streamOf(t, c.Seed, c.Key)
}

func streamOf(t *testing.T, seed uint64, hexKey *string) backoff.RandomStream {
	t.Helper()
	if hexKey == nil {
		return backoff.StreamFromSeed(seed)
	}
	key, err := hex.DecodeString(*hexKey)
	if err != nil {
		t.Fatal(err)
	}
	return backoff.StreamFromKeyBytes(seed, key)
}

func checkDelays(t *testing.T, c vector) {
	policy, stream := c.policy(t), c.stream(t)
	windows, delays := durations(t, c.Windows), durations(t, c.Delays)
	if len(delays) == 0 || len(windows) != len(delays) {
		t.Fatalf("%d windows and %d delays", len(windows), len(delays))
	}
	for i := range delays {
		index := c.First + uint32(i)
		if got := policy.Window(index); got != windows[i] {
			t.Errorf("window %d is %d, want %d", index, got, windows[i])
		}
		if got := policy.Delay(stream, index); got != delays[i] {
			t.Errorf("delay %d is %d, want %d", index, got, delays[i])
		}
	}
	filled := make([]time.Duration, len(delays))
	if n := policy.Fill(stream, c.First, filled); n != len(delays) || !slices.Equal(filled, delays) {
		t.Errorf("filled %d: %d, want %d", n, filled, delays)
	}
	if c.First == 0 {
		want := c.iterated(t)
		if got := take(backoff.New(policy, stream), len(delays)); !slices.Equal(got, want) {
			t.Errorf("the iterator returns %d, want %d", got, want)
		}
	}
}

// iterated returns the delays that an iterator returns, which alone ends at max_retries.
func (c vector) iterated(t *testing.T) []time.Duration {
	t.Helper()
	delays := durations(t, c.Delays)
	if text, ok := c.Policy["max_retries"]; ok {
		return delays[:min(len(delays), int(durations(t, []string{text})[0]))]
	}
	return delays
}

func checkRuns(t *testing.T, c vector) {
	b := backoff.New(c.policy(t), c.stream(t))
	for number, run := range c.Runs {
		asked, want := c.Asked[number], durations(t, run)
		if got := take(b, asked); !slices.Equal(got, want) {
			t.Errorf("run %d is %d, want %d", number, got, want)
		}
		if asked > len(run) {
			if delay, ok := b.Next(); delay != 0 || ok {
				t.Errorf("after the end of run %d: %d, %t", number, delay, ok)
			}
		}
		if b.Index() != uint64(len(run)) {
			t.Errorf("after run %d the index is %d, want %d", number, b.Index(), len(run))
		}
		b.Reset()
	}
	if got := b.Stream().State(); got != c.Stream {
		t.Errorf("the stream is %d, want %d", got, c.Stream)
	}
}

func checkDraw(t *testing.T, c vector) {
	if got := backoff.StreamFromSeed(c.Stream).Draw(c.Index); got != c.Draw {
		t.Errorf("the draw is %d, want %d", got, c.Draw)
	}
}

func checkStream(t *testing.T, c vector) {
	if got := c.stream(t).State(); got != c.Stream {
		t.Errorf("the stream is %d, want %d", got, c.Stream)
	}
	if c.Key == nil {
		return
	}
	key, _ := hex.DecodeString(*c.Key)
	stream, err := backoff.StreamFromKey(c.Seed, string(key))
	if err == nil && stream.State() != c.Stream {
		t.Errorf("the stream of the text key is %d, want %d", stream.State(), c.Stream)
	}
	if valid := strings.ToValidUTF8(string(key), "") == string(key); valid != (err == nil) {
		t.Errorf("key %q: %v", key, err)
	}
}

func checkError(t *testing.T, c vector) {
	policy, err := policyOf(t, c.Policy)
	c.Error.check(t, err)
	if policy != (backoff.Policy{}) {
		t.Error("the policy beside the error is not the zero Policy")
	}
}

func take(b *backoff.Backoff, count int) []time.Duration {
	delays := make([]time.Duration, 0, count)
	for range count {
		delay, ok := b.Next()
		if !ok {
			break
		}
		delays = append(delays, delay)
	}
	return delays
}

func durations(t *testing.T, texts []string) []time.Duration {
	t.Helper()
	durations := make([]time.Duration, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal([]byte(text), &durations[i]); err != nil {
			t.Fatal(err)
		}
	}
	return durations
}
