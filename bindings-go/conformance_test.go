package backoff_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	backoff "github.com/backoff-rs/backoff/bindings-go"
)

// The check of each layer: what no request says, which TestEveryRequest plays. A vector file without a check fails the
// test.
var layers = map[string]func(t *testing.T, layer string){
	"articles":           byRequests,
	"budget_levels":      each(checkBudgetLevels),
	"budget_state_texts": byRequests,
	"budget_states":      byRequests,
	"caps":               byRequests,
	"decisions":          byRequests,
	"defaults":           each(checkDefaults),
	"draws":              byRequests,
	"errors":             each(checkError),
	"exchanges":          byRequests,
	"fits":               each(checkFit),
	"growths":            byRequests,
	"http_methods":       each(checkHTTPMethod),
	"http_requests":      func(*testing.T, string) {}, // the tests of backoffhttp play them
	"http_responses":     byRequests,
	"http_statuses":      byRequests,
	"jitters":            byRequests,
	"loops":              func(*testing.T, string) {}, // TestRetryLoops plays them in bubbles, which Go 1.24 does not have
	"presets":            byRequests,
	"previews":           byRequests,
	"ratios":             each(checkRatio),
	"resets":             each(checkRuns),
	"resumptions":        each(checkResumption),
	"retry_after":        byRequests,
	"samples":            byRequests,
	"stats":              each(checkStats),
	"stats_labels":       each(checkStatsLabels),
	"streams":            each(checkStream),
	"text_errors":        each(checkTextError),
	"texts":              each(checkText),
}

func byRequests(*testing.T, string) {}

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

// A vector is a case of resets, streams or errors.
type vector struct {
	named
	Policy fieldTexts  `json:"policy"`
	Seed   uint64      `json:"seed,string"`
	Key    *string     `json:"key"`
	Asked  []int       `json:"asked"`
	Runs   [][]string  `json:"runs"`
	Stream uint64      `json:"stream,string"`
	Error  policyError `json:"error"`
}

// fieldTexts are the fields of a policy. A list has a slash between two entries.
type fieldTexts map[string]string

func (f *fieldTexts) UnmarshalJSON(text []byte) error {
	var values map[string]any
	err := json.Unmarshal(text, &values)
	*f = make(fieldTexts)
	for name, value := range values {
		(*f)[name] = strings.Trim(strings.ReplaceAll(fmt.Sprint(value), " ", "/"), "[]")
	}
	return err
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

func (c vector) policy(t *testing.T) backoff.Policy {
	t.Helper()
	policy, err := backoff.PolicyOf(paramsOf(c.Policy))
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

func checkRuns(t *testing.T, c vector) {
	b := backoff.New(c.policy(t), c.stream(t))
	for number, run := range c.Runs {
		asked, want := c.Asked[number], durations(t, run)
		byAll := *b
		if got := takeAll(&byAll, asked); !slices.Equal(got, want) || byAll.Index() != uint64(len(run)) {
			t.Errorf("run %d is %d by All, want %d", number, got, want)
		}
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

// takeAll is take by All, with another All after each seventh delay.
func takeAll(b *backoff.Backoff, count int) []time.Duration {
	delays := make([]time.Duration, 0, count)
	for before := -1; len(delays) < count && len(delays) > before; {
		before = len(delays)
		for delay := range b.All() {
			if delays = append(delays, delay); len(delays)%7 == 0 || len(delays) == count {
				break
			}
		}
	}
	return delays
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

// A float is a case of ratios.
type float struct {
	named
	Field  string  `json:"field"`
	Number float64 `json:"number,string"`
	Ratio  *string `json:"ratio"`
}

func checkRatio(t *testing.T, c float) {
	options := []backoff.Option{backoff.WithMultiplier(c.Number)}
	if c.Field == "jitter_above" {
		options = []backoff.Option{backoff.WithJitter(backoff.ProportionalJitter), backoff.WithJitterAbove(c.Number)}
	}
	policy, err := backoff.NewPolicy(backoff.Exponential, time.Second, options...)
	if c.Ratio == nil {
		if !errors.Is(err, backoff.ErrRatioTooFine) {
			t.Errorf("%v: %v", c.Number, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	ratio := policy.Fields().Multiplier
	if c.Field == "jitter_above" {
		ratio = policy.Fields().JitterAbove
	}
	if got := fmt.Sprintf("%d/%d", ratio.Numerator, ratio.Denominator); got != *c.Ratio {
		t.Errorf("%v is %s, want %s", c.Number, got, *c.Ratio)
	}
}

func checkError(t *testing.T, c vector) {
	policy, err := backoff.PolicyOf(paramsOf(c.Policy))
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
